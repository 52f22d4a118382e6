"""Class sums of images averaged over the last epochs."""

import numpy as np
import pytest

from tests.helpers.fingerprint import model_digest
from tests.images.conftest import small, small_fuzzy
from wtm import load_model

BOTH = pytest.mark.parametrize("new", [small, small_fuzzy])


@BOTH
@pytest.mark.parametrize("patch_shape", [(3, 3), (7, 8)])
def test_sums_are_the_mean_of_those_of_the_last_epochs(new, patch_shape, shapes):
    X, y = shapes
    sums = []
    keep = lambda epoch: sums.append(epoch.estimator().class_sums(X))  # noqa: E731
    alone = new(patch_shape=patch_shape, callbacks=keep).fit(X, y)
    model = new(patch_shape=patch_shape, average_last=3).fit(X, y)
    np.testing.assert_allclose(model.class_sums(X), np.mean(sums[1:], axis=0), atol=1e-9)
    assert model_digest(model) == model_digest(alone)  # training is the same
    assert (model.predict(X) == model.classes_[model.class_sums(X).argmax(axis=1)]).all()


@BOTH
def test_files_and_resumed_training_keep_the_average(new, shapes, tmp_path):
    X, y = shapes
    whole = new(average_last=3).fit(X, y)
    part = new(average_last=3, warm_start=True, n_epochs=2).fit(X, y)
    part.save(tmp_path / "model")
    again = load_model(tmp_path / "model").partial_fit(X, y).partial_fit(X, y)
    assert (again.class_sums(X) == whole.class_sums(X)).all()
    whole.save(tmp_path / "for prediction", prediction_only=True)
    assert (load_model(tmp_path / "for prediction").class_sums(X) == whole.class_sums(X)).all()


@BOTH
def test_early_stopping_keeps_the_best_average(new, shapes):
    X, y = shapes
    model = new(average_last=3, early_stopping=True, n_epochs=12, n_iter_no_change=3)
    model.fit(X[:500], y[:500], X_val=X[500:], y_val=y[500:])
    scores = [entry["valid_accuracy"] for entry in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmax(scores))
    assert model.score(X[500:], y[500:]) == max(scores)


def test_patterns_add_up_to_the_averaged_sums(shapes):
    X, y = shapes
    model = small(average_last=3).fit(X, y)
    sums = np.zeros((len(X), 2))
    for pattern in model.patterns():
        votes = pattern.polarity * pattern.weight * pattern.places(X).any(axis=(1, 2))
        sums[:, list(model.classes_).index(pattern.label)] += votes
    np.testing.assert_allclose(sums, model.class_sums(X), atol=1e-9)
