"""tmu, TMClassifier: clauses of each class, integer weights, a core in C that Python calls for every example."""

import numpy as np
from protocol import Program, serve


class TMU(Program):
    distribution = "tmu"

    def load(self):
        from tmu.models.classification.vanilla_classifier import TMClassifier

        self._machine_class = TMClassifier

    def build(self, **more):
        s = self.settings
        self._machine = self._machine_class(
            number_of_clauses=s.clauses, T=int(s.T), s=s.s, platform="CPU", boost_true_positive_feedback=1,
            number_of_state_bits_ta=8, weighted_clauses=s.gamma > 0, seed=s.seed | 1, **more,
        )  # fmt: skip
        # It accepts only uint32.
        self._training = self.data["X_train"].astype(np.uint32), self.data["y_train"].astype(np.uint32)
        self._test = self.data["X_test"].astype(np.uint32)
        self.notes.append("data as uint32, converted before the clock runs; an odd seed; one thread only")
        if s.gamma > 0:
            self.notes.append("integer weights instead of gamma")

    def train(self):
        self._machine.fit(*self._training)

    def predict(self):
        return self._machine.predict(self._test)


if __name__ == "__main__":
    serve(TMU)
