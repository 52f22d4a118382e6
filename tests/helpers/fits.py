"""A small fit of each kind of estimator, and the comparison of two fits."""

import numpy as np

from tests.helpers.problems import three_classes
from wtm import (
    ConvolutionalWTMClassifier,
    FuzzyConvolutionalWTMClassifier,
    FuzzyWTMClassifier,
    FuzzyWTMRegressor,
    WTMClassifier,
    WTMRegressor,
)

_COMMON = {"n_clauses": 10, "T": 5, "s": 3.0, "n_epochs": 3, "random_state": 0}
_IMAGES = np.random.default_rng(0).random((120, 5, 5)) < 0.5
_LABELS = _IMAGES[:, 2, 2].astype(int) + _IMAGES[:, 1, 1]
X, Y = three_classes(120)

KINDS = {
    "strict": (WTMClassifier(**_COMMON), (X, Y), {}),
    "direct": (WTMClassifier(**_COMMON, engine="direct"), (X, Y), {}),
    "shards": (WTMClassifier(**_COMMON | {"n_clauses": 16}, n_shards=4, vote_block=8), (X, Y), {}),
    "two rounds": (WTMClassifier(**_COMMON | {"n_epochs": 12}), (X, Y), {"X_val": X[:30], "y_val": Y[:30]}),
    "in order": (WTMClassifier(**_COMMON, shuffle=False), (X, Y), {}),
    "averaged": (WTMClassifier(**_COMMON, average_last=2), (X, Y), {"X_val": X[:30], "y_val": Y[:30]}),
    "stopped early": (WTMClassifier(**_COMMON, early_stopping=True, n_iter_no_change=1), (X, Y), {}),
    "weighted": (
        WTMClassifier(**_COMMON, class_weight="balanced"),
        (X, Y),
        {"sample_weight": np.arange(len(Y)) % 3 / 2},
    ),
    "fuzzy": (FuzzyWTMClassifier(**_COMMON), (X, Y), {}),
    "images": (ConvolutionalWTMClassifier(**_COMMON, patch_shape=(3, 3)), (_IMAGES, _LABELS), {}),
    "fuzzy images": (FuzzyConvolutionalWTMClassifier(**_COMMON, patch_shape=(3, 3)), (_IMAGES, _LABELS), {}),
    "number": (WTMRegressor(**_COMMON), (X, Y / 2), {}),
    "two numbers": (FuzzyWTMRegressor(**_COMMON), (X, np.stack([Y, Y**2], axis=1)), {"X_val": X, "y_val": np.c_[Y, Y]}),
}


def fitted(kind):
    """Fit a copy of an estimator of this kind, as the context of joblib says."""
    estimator, data, more = KINDS[kind]
    return type(estimator)(**estimator.get_params()).fit(*data, **more)


def assert_same_fit(a, b):
    """Assert that machines, history and all else that a fit leaves behind are equal, bit for bit."""
    assert len(a.machines_) == len(b.machines_)
    for one, other in zip(a.machines_, b.machines_, strict=True):
        for name in ("automata", "include_bits", "exponents", "random"):
            found = getattr(one, name)
            assert found.flags.writeable
            assert (found == getattr(other, name)).all()
    assert _figures(a) == _figures(b)
    for name in ("seed", "n_seen", "n_epochs", "logit_scale"):
        assert getattr(a._model, name) == getattr(b._model, name)
    assert getattr(a, "best_epoch_", None) == getattr(b, "best_epoch_", None)


def _figures(model):
    return [{name: value for name, value in entry.items() if name != "seconds"} for entry in model.history_]
