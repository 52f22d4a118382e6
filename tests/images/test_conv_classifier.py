"""The classifier of images: training, files, conventions and errors."""

import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from tests.helpers.fingerprint import model_digest
from tests.helpers.modelfiles import contents, forge
from tests.helpers.shell import refused
from tests.images import fingerprint
from tests.images.conftest import crosses, small
from wtm import ConvolutionalWTMClassifier, ImageBooleanizer, WTMClassifier, export, load_model
from wtm.modelfile.schema import SCHEMA_VERSION

ENGINES = pytest.mark.parametrize("engine", ["lazy", "direct"])


@pytest.fixture(scope="module")
def digests():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # two epochs are few
        return fingerprint.digests()


def same_votes(model, other, X):
    return (model.class_sums(X) == other.class_sums(X)).all()


def test_patterns_are_found_anywhere(shapes):
    X, y = crosses(400, 1)
    model = small(n_epochs=15, positions=False).fit(*shapes)
    assert model.score(X, y) > 0.97
    flat = WTMClassifier(n_clauses=20, T=8, s=4, n_epochs=15, random_state=0)
    assert flat.fit(shapes[0].reshape(700, -1), shapes[1]).score(X.reshape(400, -1), y) < 0.9
    assert model.score(X[..., 0], y) == model.score(X, y)


def test_positions_tell_places_apart():
    rng = np.random.default_rng(0)
    X, y = np.zeros((300, 6, 9), bool), rng.integers(0, 2, 300)
    for image, is_right in zip(X, y, strict=True):
        image[rng.integers(0, 6), rng.integers(0, 4) + 5 * is_right] = True
    assert small(patch_shape=(1, 1), n_epochs=20).fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.95
    with pytest.warns(Warning, match="did not converge"):
        blind = small(patch_shape=(1, 1), positions=False).fit(X[:200], y[:200])
    assert blind.score(X[200:], y[200:]) < 0.7


@ENGINES
def test_a_patch_as_large_as_the_image_is_the_flat_machine_bit_for_bit(engine, shapes, tmp_path):
    X, y = shapes
    model = small(patch_shape=(7, 8), engine=engine, s=3).fit(X, y)
    flat = WTMClassifier(n_clauses=20, T=8, n_epochs=4, engine=engine, random_state=0).fit(X.reshape(700, -1), y)
    assert model_digest(model) == model_digest(flat)
    assert (model.predict_proba(X) == flat.predict_proba(X.reshape(700, -1))).all()
    model.save(tmp_path / "model")
    assert same_votes(load_model(tmp_path / "model"), model, X)


def test_one_patch_of_several_channels_is_the_flat_machine_of_one_channel_after_the_other():
    X, y = crosses(200, 0, n_channels=2)
    model = small(patch_shape=(7, 8), s=3).fit(X, y)
    rows = np.concatenate([X[..., 0].reshape(200, -1), X[..., 1].reshape(200, -1)], axis=1)
    flat = WTMClassifier(n_clauses=20, T=8, n_epochs=4, random_state=0).fit(rows, y)
    assert model_digest(model) == model_digest(flat)


@ENGINES
def test_threads_and_the_order_of_images_change_nothing(engine, shapes):
    X, y = shapes
    if engine == "direct":
        X, y = X[:150], y[:150]
    model = small(engine=engine).fit(X, y)
    order = np.random.default_rng(3).permutation(len(X))
    for other in (small(engine=engine, n_jobs=2).fit(X, y), small(engine=engine).fit(X[order], y[order])):
        assert model_digest(other) == model_digest(model)
        assert (other.predict(X) == model.predict(X)).all()


def test_models_of_a_seed_are_those_of_before(digests):
    """Whoever changes these on purpose names it in the changelog."""
    assert digests == {
        "lazy": ["1f2cf58114946ef2", "dcf44e1b1ce8caed"],
        "direct": ["7f85652544aa9ed7", "fecf58f8b13f1823"],
        "lazy, unboosted": ["2b96c8c3c060c8da", "33d6e49113bf560b"],
        "direct, unboosted": ["ce3a6d83a659dce0", "7a52cda82939d131"],
        "lazy, large images": ["536b03dcfccd4a4c", "2c069391a8a89e33"],
        "lazy, with a budget": ["b98b233bd1d9ba52", "31bf34c5b761da46"],
        "fuzzy, lazy": ["456b7e7783baf672", "5ba6a0df0c93eba4"],
        "fuzzy, direct": ["505a3d2def429601", "9fcbd65d5a407f42"],
        "fuzzy, lazy, large images": ["f37b458e4281fffd", "fd80a5ad2d529e29"],
    }


def test_training_resumes_bit_for_bit(shapes, tmp_path):
    X, y = shapes
    whole, part = small(n_epochs=6).fit(X, y), small(n_epochs=3).fit(X, y)
    part.save(tmp_path / "model")
    read = load_model(tmp_path / "model")
    assert type(read) is ConvolutionalWTMClassifier
    assert read.get_params() == part.get_params()
    assert read.image_shape_ == (7, 8, 1)
    read.set_params(warm_start=True).fit(X, y)
    assert model_digest(read) == model_digest(whole)
    assert same_votes(read, whole, X)


def test_partial_fit_is_an_epoch_each(shapes):
    X, y = shapes
    model = small()
    for _ in range(4):
        model.partial_fit(X, y, classes=["cross", "ring"])
    assert model_digest(model) == model_digest(small().fit(X, y))


def test_a_file_for_prediction_predicts_the_same(fitted, shapes, tmp_path):
    X, _ = shapes
    fitted.save(tmp_path / "model", prediction_only=True)
    read = load_model(tmp_path / "model")
    assert same_votes(read, fitted, X)
    with pytest.raises(ValueError, match="no automata"):
        read.partial_fit(*shapes)


def test_pickles_and_clones(fitted, shapes):
    X, y = shapes
    assert same_votes(pickle.loads(pickle.dumps(fitted)), fitted, X)
    assert model_digest(clone(fitted).fit(X, y)) == model_digest(fitted)


def test_images_can_be_arrays_of_any_kind(fitted, shapes, tmp_path):
    X, _ = shapes
    sums = fitted.class_sums(X)
    mapped = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.uint8, X.shape)
    mapped[:] = X
    for images in (X.astype(float), X[..., np.newaxis], mapped, np.asfortranarray(X), list(X), X.tolist()):
        assert (fitted.class_sums(images) == sums).all()
    assert fitted.predict(X[:0]).shape == (0,)
    assert (fitted.decision_function(X) == sums[:, 1] - sums[:, 0]).all()
    assert (fitted.predict_proba(X).argmax(axis=1) == sums.argmax(axis=1)).all()
    assert fitted.predict_log_proba(X[:3]) == pytest.approx(np.log(fitted.predict_proba(X[:3])))


def test_predictions_some_images_at_a_time_are_the_same(fitted, shapes, monkeypatch):
    X, _ = shapes
    sums = fitted.class_sums(X)
    monkeypatch.setattr("wtm.image_training._BYTES_PER_PART", 1)
    assert (fitted.class_sums(X) == sums).all()
    grey = X.astype(int)
    grey[600, 2, 3] = 9
    with pytest.raises(ValueError, match="image 600, row 2, column 3 holds 9"):
        fitted.predict(grey)


def test_early_stopping_keeps_the_best_epoch(shapes):
    X, y = shapes
    model = small(n_epochs=30, early_stopping=True, n_iter_no_change=3).fit(X, y)
    valid = [entry["valid_accuracy"] for entry in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmax(valid))
    assert small().fit(X, y, X_val=X[:50], y_val=y[:50]).history_[0]["valid_accuracy"] is not None


def test_a_weight_is_a_number_of_times(shapes):
    X, y = shapes
    twice = np.arange(700) % 3
    model = small().fit(X, y, sample_weight=twice)
    assert model_digest(model) == model_digest(small().fit(np.repeat(X, twice, axis=0), np.repeat(y, twice)))


def test_searches_and_cross_validation_take_images(shapes):
    X, y = shapes
    assert cross_val_score(small(), X, y, cv=2).mean() > 0.7
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of patches of a pixel
        search = GridSearchCV(small(), {"patch_shape": [(1, 1), (3, 3)]}, cv=2).fit(X, y)
    assert search.best_params_ == {"patch_shape": (3, 3)}


def test_an_interrupted_fit_changes_nothing(shapes):
    X, y = shapes
    model = small().fit(X, y)
    before = model_digest(model)

    def stop(epoch):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.set_params(callbacks=stop).fit(X[:, :5, :6], y == "ring")
    assert model_digest(model) == before
    assert model.image_shape_ == (7, 8, 1)


# --- Errors -----------------------------------------------------------------------------------------------------


def grey(X):
    X = X.astype(np.uint8)
    X[5, 1, 2] = 200
    return X


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X: X.reshape(len(X), -1), ValueError, r"X must have the shape .* got \(700, 56\).* X.reshape\(-1, h"),
        (lambda X: X[..., np.newaxis, np.newaxis], ValueError, r"X must have the shape"),
        (lambda X: X[:0], ValueError, r"X must have at least 1 image"),
        (lambda X: X[:, :, :0], ValueError, r"X must have images with pixels"),
        (grey, ValueError, r"image 5, row 1, column 2 holds 200\. Compare grey values with a threshold"),
        (lambda X: np.where(X, np.nan, 0), ValueError, r"holds nan"),
        (lambda X: X.astype(str), TypeError, r"X must hold booleans, or numbers"),
        (lambda X: [*X[:-1], X[-1][:5]], ValueError, r"X must have images of one size, got \(5, 8\) and \(7, 8\)"),
        (lambda X: [*X[:-1].tolist(), X[-1][:5].tolist()], ValueError, r"X must have images of one size\. Scale"),
        (lambda X: sp.csr_matrix(X.reshape(len(X), -1)), TypeError, r"got a sparse matrix"),
    ],
)
def test_bad_images_are_refused_with_the_remedy(shapes, fitted, change, error, message):
    X, y = shapes
    model = small()
    with pytest.raises(error, match=message):
        model.fit(change(X), y)
    assert not hasattr(model, "classes_")
    if len(change(X) if not sp.issparse(change(X)) else [1]):  # no images can be predicted
        with pytest.raises(error, match=message):
            fitted.predict(change(X))


@pytest.mark.parametrize("given", [None, 3, "cat.png", Path("cat.png"), ["cat.png", "dog.png"]], ids=str)
def test_what_is_not_an_array_is_named(fitted, given):
    for call in (lambda X: small().fit(X, [0, 1]), fitted.predict, ImageBooleanizer().fit):
        with pytest.raises(TypeError, match=re.escape(f"X must be an array of images, got {given!r}.")):
            call(given)


def test_images_of_another_size_are_refused(fitted, shapes):
    X, y = shapes
    for other in (X[:, :6], X[:, :, :5], np.stack([X, X], axis=3)):
        message = r"X must have images of the size seen in fit, 7 x 8, got .*\. Scale, crop or pad them"
        with pytest.raises(ValueError, match=message):
            fitted.predict(other)
        with pytest.raises(ValueError, match=message):
            pickle.loads(pickle.dumps(fitted)).partial_fit(other, y)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"patch_shape": (8, 3)},
            ValueError,
            r"at most the size of an image, 7 x 8, got 8 x 3\. Use a smaller .*\(2, 2\)",
        ),
        ({"patch_shape": (3, 9)}, ValueError, r"at most the size of an image"),
        ({"patch_shape": (0, 3)}, ValueError, r"height and a width of at least 1, got 0 and 3"),
        ({"patch_shape": 3}, TypeError, r"patch_shape must be two integers, a height and a width, got 3"),
        ({"patch_shape": (3, 3, 1)}, TypeError, r"patch_shape must be two integers"),
        ({"patch_shape": (2.5, 3)}, TypeError, r"patch_shape must be two integers"),
        ({"patch_shape": "33"}, TypeError, r"patch_shape must be two integers"),
        ({"positions": 1}, TypeError, r"positions must be True or False, got 1"),
        ({"n_clauses": 7}, ValueError, r"n_clauses must be even"),
    ],
)
def test_wrong_parameters_are_named(shapes, changes, error, message):
    with pytest.raises(error, match=message):
        small(**changes).fit(*shapes)


@pytest.mark.parametrize("changes", [{"patch_shape": (2, 3)}, {"positions": False}])
def test_patches_stay_when_training_is_resumed(shapes, changes):
    model = small().fit(*shapes)
    with pytest.raises(ValueError, match=f"{next(iter(changes))} can't change when training is resumed"):
        model.set_params(**changes).partial_fit(*shapes)
    assert (model.predict(shapes[0]) == small().fit(*shapes).predict(shapes[0])).all()


def test_what_there_is_not_is_said():
    with pytest.raises(NotFittedError):
        small().predict(np.zeros((1, 7, 8)))
    for name in ("feature_importances_", "image_shape_", "machines_"):
        assert not hasattr(small(), name)
    assert small().__sklearn_tags__().input_tags.three_d_array
    assert not small().__sklearn_tags__().input_tags.two_d_array


def test_what_is_for_rules_on_columns_refuses_images(fitted):
    for refuse in (export.to_json, export.to_python, export.to_c):
        with pytest.raises(
            TypeError, match=r"must be a classifier or regressor of wtm for tables, got a ConvolutionalWTMClassifier"
        ):
            refuse(fitted)


def test_memory_is_checked_before_training(shapes, monkeypatch):
    monkeypatch.setattr("wtm.utils.memory_limits.available_memory", lambda: 1 << 20, raising=True)
    with pytest.raises(MemoryError, match="n_clauses"):
        small(n_clauses=100_000).fit(*shapes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"patch_height": 8}, "don't fit into images"),
        ({"image_width": 0}, "don't fit into images"),
        ({"n_channels": 2}, "n_features must be 27 for these patches, got 18"),
        ({"positions": False}, "n_features must be 9 for these patches, got 18"),
        ({"image_height": 8}, "n_features must be 19"),
        ({"positions": 1}, "positions in its header must be a JSON bool"),
    ],
)
def test_files_with_other_sizes_are_refused(fitted, tmp_path, changes, message):
    path = tmp_path / "model"
    fitted.save(path)
    header, arrays = contents(path)
    assert header["schema_version"] == SCHEMA_VERSION
    forge(path, header | {"machine": header["machine"] | changes}, arrays)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_model(path)


def test_a_file_with_another_number_of_pixels_is_refused(fitted, tmp_path):
    path = tmp_path / "model"
    fitted.save(path)
    header, arrays = contents(path)
    forge(path, header | {"attributes": header["attributes"] | {"n_features_in_": 57}}, arrays)
    with pytest.raises(ValueError, match="its images have 56 pixels and channels, but n_features_in_ is 57"):
        load_model(path)


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain", "rules", "report"])
def test_commands_refuse_models_of_images(fitted, tmp_path, command):
    fitted.save(tmp_path / "model")
    (tmp_path / "table.csv").write_text("a,b\n0,1\n")
    more = {"rules": (), "report": ("--out", tmp_path / "page.html")}.get(command, (tmp_path / "table.csv",))
    assert "holds a ConvolutionalWTMClassifier" in refused(command, tmp_path / "model", *more)
