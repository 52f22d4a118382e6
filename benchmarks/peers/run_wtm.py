"""wtm itself, by the same protocol as its peers."""

from dataclasses import replace

import numpy as np
from protocol import Program, serve

_TRIAL_ROWS = 64
_UNLIMITED = 1 << 30


class WTM(Program):
    """Timed on the parts that one call of `WTMClassifier.fit` consists of."""

    distribution = "weighted-tsetlin-machine"
    commands = ("copy",)

    def load(self):
        from wtm.machine.model_state import Model
        from wtm.machine.training import train

        self._model_class, self._train = Model, train
        rng = np.random.default_rng(0)
        X, y = rng.integers(0, 2, (_TRIAL_ROWS, 8), np.uint8), np.arange(_TRIAL_ROWS) % 2
        trial = self._labelled(X, y)
        for engine in ("lazy", "direct"):  # compiles both, or reads them from disk
            model = self._new_model(8, 2, engine, 4)
            next(train(model, trial, None, n_epochs=1, shuffle=True, n_threads=1))

    def build(self):
        settings, data = self.settings, self.data
        self._training = self._labelled(data["X_train"], data["y_train"])
        self._model = self._new_model(data["X_train"].shape[1], self.n_classes, settings.engine, settings.clauses)
        self._epochs = self._epochs_of(self._model, _UNLIMITED)
        self._voting = None
        self.notes.append("examples are packed once, before training: some milliseconds")

    def train(self):
        self._voting = None
        return next(self._epochs).entry["seconds"]

    def copy(self, engine):
        """Train a copy of the model for one epoch with the given engine; the model itself does not change."""
        parameters = replace(self._model.parameters, engine=engine)
        return next(self._epochs_of(self._model.resumed(parameters), 1)).entry["seconds"]

    def predict(self):
        from wtm.machine.examples import pack_examples

        if self._voting is None:  # kept from one call to the next, as by WTMClassifier
            self._voting = self._model.voting_model()
        return self._voting.sums(pack_examples(self.data["X_test"]), n_threads=self.settings.threads).argmax(axis=1)

    def _epochs_of(self, model, n_epochs):
        return self._train(
            model, self._training, None, n_epochs=n_epochs, shuffle=True, n_threads=self.settings.threads
        )

    def _labelled(self, X, y):
        from wtm.machine.examples import pack_examples
        from wtm.machine.training_rows import LabelledExamples

        return LabelledExamples(pack_examples(X), y)

    def _new_model(self, n_features, n_classes, engine, n_clauses):
        from wtm.machine.machine_parameters import MachineParameters

        s = self.settings
        parameters = MachineParameters(n_features, n_clauses, s.T, s.s, s.gamma, engine=engine)
        return self._model_class.new(parameters, n_classes, s.seed)


serve(WTM)
