"""pyTsetlinMachine: clauses of each class, integer weights, C with 32 literals a word and an index of clauses."""

from protocol import Program, serve


class PyTsetlinMachine(Program):
    distribution = "pyTsetlinMachine"

    def load(self):
        from pyTsetlinMachine.tm import MultiClassTsetlinMachine

        self._machine_class = MultiClassTsetlinMachine

    def build(self):
        s = self.settings
        self._machine = self._machine_class(
            s.clauses, int(s.T), s.s, boost_true_positive_feedback=1, number_of_state_bits=8,
            weighted_clauses=s.gamma > 0,
        )  # fmt: skip
        self.notes.append("each `fit` call, here one an epoch, encodes the data again and rebuilds the clause index")
        self.notes.append("no seed; one thread only")
        if s.gamma > 0:
            self.notes.append("integer weights instead of gamma")

    def train(self):
        self._machine.fit(self.data["X_train"], self.data["y_train"], epochs=1, incremental=True)

    def predict(self):
        return self._machine.predict(self.data["X_test"])


serve(PyTsetlinMachine)
