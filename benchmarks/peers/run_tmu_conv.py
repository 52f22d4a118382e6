"""tmu, TMClassifier with patches: the clauses look at the patches one by one. X is of shape (n, height, width)."""

from protocol import serve
from run_tmu import TMU

PATCH = (10, 10)


class TMUConvolution(TMU):
    def build(self):
        super().build(patch_dim=PATCH)

    def n_automata(self):
        n_down, n_across = (size - side + 1 for size, side in zip(self.data["X_train"].shape[1:], PATCH, strict=True))
        n_features = PATCH[0] * PATCH[1] + n_down - 1 + n_across - 1
        return self.n_classes * self.settings.clauses * 2 * n_features


serve(TMUConvolution)
