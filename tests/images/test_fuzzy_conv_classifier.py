"""The classifier of images with fuzzy clauses: what differs from strict ones, and what must not."""

import numpy as np
import pytest

from tests.helpers.fingerprint import model_digest
from tests.images.conftest import crosses, small, small_fuzzy
from wtm import FuzzyConvolutionalWTMClassifier, FuzzyWTMClassifier, load_model

ENGINES = pytest.mark.parametrize("engine", ["lazy", "direct"])


def damaged(X, rng):
    """Images one of whose pixels in 16 has the other value."""
    return X ^ (rng.random(X.shape) < 1 / 16)


def test_patterns_are_found_anywhere_even_damaged_ones():
    rng = np.random.default_rng(5)
    (X, y), (X_test, y_test) = (crosses(700, seed) for seed in (0, 1))
    few = {"n_clauses": 4, "n_epochs": 15, "positions": False}
    model = small_fuzzy(**few, T=0.5, literal_failures=5, max_literals=9).fit(X, y)
    assert model.score(X_test, y_test) > 0.95
    strict = small(**few, T=2).fit(X, y)
    assert model.score(damaged(X_test, rng), y_test) > strict.score(damaged(X_test, rng), y_test)


@ENGINES
def test_a_patch_as_large_as_the_image_is_the_flat_machine_bit_for_bit(engine, shapes):
    X, y = shapes
    settings = {"n_clauses": 8, "T": 1, "s": 20, "gamma": 0.01, "n_epochs": 3, "literal_failures": 3, "max_literals": 6}
    model = FuzzyConvolutionalWTMClassifier(**settings, patch_shape=(7, 8), engine=engine, random_state=0).fit(X, y)
    flat = FuzzyWTMClassifier(**settings, engine=engine, random_state=0).fit(X.reshape(700, -1), y)
    assert model_digest(model) == model_digest(flat)
    assert (model.predict_proba(X) == flat.predict_proba(X.reshape(700, -1))).all()


@ENGINES
def test_threads_and_the_order_of_images_change_nothing(engine, shapes):
    X, y = shapes[0][:200], shapes[1][:200]
    model = small_fuzzy(engine=engine).fit(X, y)
    order = np.random.default_rng(3).permutation(len(X))
    for other in (small_fuzzy(engine=engine, n_jobs=2).fit(X, y), small_fuzzy(engine=engine).fit(X[order], y[order])):
        assert model_digest(other) == model_digest(model)
        assert (other.predict(X) == model.predict(X)).all()


def test_training_resumes_bit_for_bit(shapes, tmp_path):
    X, y = shapes
    whole, part = small_fuzzy(n_epochs=6).fit(X, y), small_fuzzy(n_epochs=3).fit(X, y)
    part.save(tmp_path / "model")
    read = load_model(tmp_path / "model")
    assert type(read) is FuzzyConvolutionalWTMClassifier
    assert read.get_params() == part.get_params()
    read.set_params(warm_start=True).fit(X, y)
    assert model_digest(read) == model_digest(whole)
    assert (read.class_sums(X) == whole.class_sums(X)).all()


def test_a_file_for_prediction_predicts_the_same(shapes, tmp_path):
    model = small_fuzzy().fit(*shapes)
    model.save(tmp_path / "model", prediction_only=True)
    assert (load_model(tmp_path / "model").class_sums(shapes[0]) == model.class_sums(shapes[0])).all()


def test_weights_stay_until_gamma_start(shapes):
    exponents = {}
    for start in (0, 4):
        model = small_fuzzy(gamma_start=start, gamma=0.1).fit(*shapes)
        exponents[start] = max(np.abs(machine.exponents).max() for machine in model.machines_)
    assert exponents[4] == 0 < exponents[0]


def test_early_stopping_and_partial_fit(shapes):
    X, y = shapes
    model = small_fuzzy(n_epochs=20, early_stopping=True, n_iter_no_change=2).fit(X, y)
    assert model.best_epoch_ == 1 + int(np.argmax([entry["valid_accuracy"] for entry in model.history_]))
    again = small_fuzzy()
    for _ in range(4):
        again.partial_fit(X, y, classes=["cross", "ring"])
    assert model_digest(again) == model_digest(small_fuzzy().fit(X, y))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"literal_failures": 0}, "literal_failures must be at least 1, got 0"),
        ({"max_literals": 0}, "max_literals must be at least 1, got 0"),
        ({"patch_shape": (9, 1)}, "patch_shape must be at most the size of an image, 7 x 8"),
        ({"gamma_start": -1}, "gamma_start must be at least 0, got -1"),
    ],
)
def test_wrong_parameters_are_named(shapes, changes, message):
    with pytest.raises(ValueError, match=message):
        small_fuzzy(**changes).fit(*shapes)


@pytest.mark.parametrize("changes", [{"patch_shape": (2, 3)}, {"positions": False}, {"literal_failures": 2}])
def test_what_is_fixed_stays_when_training_is_resumed(shapes, changes):
    model = small_fuzzy().fit(*shapes)
    with pytest.raises(ValueError, match=f"{next(iter(changes))} can't change when training is resumed"):
        model.set_params(**changes).partial_fit(*shapes)


def test_bad_images_are_refused(shapes):
    X, y = shapes
    with pytest.raises(ValueError, match="Compare grey values with a threshold"):
        small_fuzzy().fit(X * 255, y)
