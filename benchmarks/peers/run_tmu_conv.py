"""tmu, TMClassifier with patches: the clauses look at the patches one by one. X is of shape (n, height, width)."""

import numpy as np
from protocol import Program, serve

PATCH = (10, 10)


class TMUConvolution(Program):
    distribution = "tmu"

    def load(self):
        from tmu.models.classification.vanilla_classifier import TMClassifier

        self._machine_class = TMClassifier

    def build(self):
        s = self.settings
        self._machine = self._machine_class(
            number_of_clauses=s.clauses, T=int(s.T), s=s.s, platform="CPU", patch_dim=PATCH,
            boost_true_positive_feedback=1, number_of_state_bits_ta=8, weighted_clauses=s.gamma > 0, seed=s.seed | 1,
        )  # fmt: skip
        # It accepts only uint32.
        self._training = self.data["X_train"].astype(np.uint32), self.data["y_train"].astype(np.uint32)
        self._test = self.data["X_test"].astype(np.uint32)

    def train(self):
        self._machine.fit(*self._training)

    def predict(self):
        return self._machine.predict(self._test)

    def n_automata(self):
        n_down, n_across = (size - side + 1 for size, side in zip(self.data["X_train"].shape[1:], PATCH, strict=True))
        n_features = PATCH[0] * PATCH[1] + n_down - 1 + n_across - 1
        return self.n_classes * self.settings.clauses * 2 * n_features


serve(TMUConvolution)
