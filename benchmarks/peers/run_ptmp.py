"""pyTsetlinMachineParallel: as pyTsetlinMachine without the index of clauses, with OpenMP over the examples."""

from protocol import Program, serve


class PyTsetlinMachineParallel(Program):
    distribution = "pyTsetlinMachineParallel"

    def load(self):
        from pyTsetlinMachineParallel.tm import MultiClassTsetlinMachine

        self._machine_class = MultiClassTsetlinMachine

    def build(self):
        s = self.settings
        self._machine = self._machine_class(
            s.clauses, int(s.T), s.s, boost_true_positive_feedback=1, number_of_state_bits=8,
            weighted_clauses=s.gamma > 0,
        )  # fmt: skip
        self.notes.append("each `fit` call, here one an epoch, encodes the data again")
        self.notes.append("examples in the order given; no seed; with two threads another result each time")
        if s.gamma > 0:
            self.notes.append("integer weights instead of gamma")

    def train(self):
        self._machine.fit(self.data["X_train"], self.data["y_train"], epochs=1, incremental=True)

    def predict(self):
        return self._machine.predict(self.data["X_test"])


serve(PyTsetlinMachineParallel)
