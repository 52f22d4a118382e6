"""The interface that pyTsetlinMachine and pyTsetlinMachineParallel, two programs in C, have in common."""

import importlib

from protocol import Program

__all__ = ["TsetlinInC"]


class TsetlinInC(Program):
    """A program whose package is named like its distribution; `remarks` describe how it trains."""

    remarks: tuple[str, ...]

    def load(self):
        self._machine_class = importlib.import_module(f"{self.distribution}.tm").MultiClassTsetlinMachine

    def build(self):
        s = self.settings
        self._machine = self._machine_class(
            s.clauses, int(s.T), s.s, boost_true_positive_feedback=1, number_of_state_bits=8,
            weighted_clauses=s.gamma > 0,
        )  # fmt: skip
        self.notes.extend(self.remarks)
        if s.gamma > 0:
            self.notes.append("integer weights instead of gamma")

    def train(self):
        self._machine.fit(self.data["X_train"], self.data["y_train"], epochs=1, incremental=True)

    def predict(self):
        return self._machine.predict(self.data["X_test"])
