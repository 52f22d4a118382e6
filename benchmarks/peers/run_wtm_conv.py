"""wtm with patches of 10 by 10, by the same protocol as its peers. X is of shape (n, height, width)."""

import numpy as np
from protocol import Program, serve

PATCH = (10, 10)


class WTMConvolution(Program):
    distribution = "weighted-tsetlin-machine"

    def load(self):
        from wtm import ConvolutionalWTMClassifier

        s = self.settings
        params = {"patch_shape": PATCH, "random_state": s.seed, "n_jobs": s.threads, "n_epochs": 1, "warm_start": True}
        self._clf = ConvolutionalWTMClassifier(s.clauses, s.T, s.s, s.gamma, **params)
        trial = ConvolutionalWTMClassifier(2, patch_shape=PATCH)  # compiles, or reads kernels from disk
        trial.partial_fit(np.eye(28, dtype=np.uint8)[np.newaxis], [0], classes=[0, 1]).predict(np.zeros((1, 28, 28)))

    def train(self):
        """Train an epoch, with all that `partial_fit` does besides: read and pack images, and score them."""
        data = self.data
        self._clf.partial_fit(data["X_train"], data["y_train"], classes=np.arange(self.n_classes))
        return self._clf.history_[-1]["seconds"]

    def predict(self):
        return self._clf.predict(self.data["X_test"])


serve(WTMConvolution)
