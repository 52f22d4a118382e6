"""wtm with patches of 10 by 10, by the same protocol as its peers. X is of shape (n, height, width)."""

import numpy as np
from protocol import Program, serve

PATCH = (10, 10)


class WTMConvolution(Program):
    """Timed on what one epoch and one prediction of `ConvolutionalWTMClassifier` consist of; one thread."""

    distribution = "weighted-tsetlin-machine"

    def load(self):
        from wtm import ConvolutionalWTMClassifier

        trial = ConvolutionalWTMClassifier(2, patch_shape=PATCH)  # compiles, or reads kernels from disk
        trial.partial_fit(np.eye(28, dtype=np.uint8)[np.newaxis], [0], classes=[0, 1]).predict(np.zeros((1, 28, 28)))

    def build(self):
        from wtm import ConvolutionalWTMClassifier
        from wtm.machine.model_state import Model
        from wtm.machine.training_rows import LabelledExamples
        from wtm.validation.parameters import machine_parameters

        s, data = self.settings, self.data
        clf = ConvolutionalWTMClassifier(s.clauses, s.T, s.s, s.gamma, patch_shape=PATCH)
        self._training = LabelledExamples(self._packed(data["X_train"]), data["y_train"])
        params = clf.get_params() | {"image_shape": (*data["X_train"].shape[1:], 1)}
        parameters = machine_parameters(params, self._training.examples.n_features)
        self._model, self._voting = Model.new(parameters, self.n_classes, s.seed), None

    def train(self):
        model, self._voting = self._model, None
        schedule, n_seen = self._training.schedule(
            self.n_classes, seed=model.seed, n_seen=model.n_seen, shuffle=True, weights=None
        )
        for machine, part in zip(model.machines, schedule, strict=True):
            machine.train(self._training.examples.literals, part, model.n_epochs)
        model.end_epoch(n_seen)

    def predict(self):
        if self._voting is None:  # kept from one call to the next, as by the classifier
            self._voting = self._model.voting_model()
        return self._voting.sums(self._packed(self.data["X_test"])).argmax(axis=1)

    def _packed(self, images):
        from wtm.machine.image_examples import pack_for_patches

        return pack_for_patches(images[..., np.newaxis], PATCH, True)


serve(WTMConvolution)
