"""Model files of classifiers on columns of any kind: the Booleanizer is stored with the machines."""

import numpy as np
import pytest
import scipy.sparse as sp

from tests.helpers.modelfiles import changed, contents, forge, through_a_file
from tests.helpers.problems import assert_same_model, small
from wtm import Booleanizer, load_model
from wtm.machine.machine_parameters import ENGINES

BOOLEANIZERS = (
    "auto",
    Booleanizer(3, max_categories=2),
    Booleanizer(thresholds={"age": [30, 45.5], 2: np.array([40.0])}, max_categories=None),
)


def people(n_rows=90, seed=0):
    """A frame with numbers, strings, booleans and missing values, and labels that follow from it."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    age, income = rng.integers(18, 80, n_rows), rng.normal(40, 9, n_rows).round(1)
    income[rng.random(n_rows) < 0.2] = np.nan
    colour = np.where(rng.random(n_rows) < 0.1, None, rng.choice(["red", "green", "dark blue", "12"], n_rows))
    frame = pandas.DataFrame({"age": age, "colour": colour, "income": income, "member": rng.random(n_rows) < 0.5})
    return frame, np.where((age > 40) & (colour != "red"), "yes", "no")


@pytest.mark.parametrize("booleanizer", BOOLEANIZERS, ids=["auto", "counts", "thresholds"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_of_a_frame_resumes_bit_for_bit(booleanizer, engine, path):
    X, y = people()
    options = {"engine": engine, "booleanizer": booleanizer, "warm_start": True}
    clf = small(n_epochs=2, **options).fit(X, y)
    loaded = through_a_file(clf, path)
    assert loaded.booleanizer_.to_json() == clf.booleanizer_.to_json()
    assert loaded.feature_names_in_.tolist() == ["age", "colour", "income", "member"]
    unseen = people(seed=1)[0]
    unseen.loc[0, ["colour", "income"]] = ["never seen", None]
    for one in (loaded, through_a_file(clf, path, prediction_only=True)):
        np.testing.assert_array_equal(one.class_sums(unseen), clf.class_sums(unseen))
        np.testing.assert_array_equal(one.predict_proba(unseen), clf.predict_proba(unseen))
    loaded.partial_fit(X, y).fit(X, y)
    assert_same_model(loaded, clf.partial_fit(X, y).fit(X, y))
    assert_same_model(loaded, small(n_epochs=5, **options).fit(X, y))


def test_parameters_of_a_booleanizer_are_kept(path):
    X, y = people()
    for booleanizer in ("strict", *BOOLEANIZERS):
        rows = X if booleanizer != "strict" else X[["member"]]
        loaded = through_a_file(small(n_epochs=1, booleanizer=booleanizer).fit(rows, y), path)
        if isinstance(booleanizer, str):
            assert loaded.booleanizer == booleanizer
        else:
            kept, given = loaded.booleanizer.get_params(), booleanizer.get_params()
            assert repr(kept.pop("thresholds")) == repr(given.pop("thresholds")).replace("array([40.])", "[40.0]")
            assert kept == given
        assert_same_model(loaded.fit(rows, y), small(n_epochs=1, booleanizer=booleanizer).fit(rows, y))


def test_a_table_of_zeros_and_ones_has_no_booleanizer(path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 5)), rng.integers(0, 2, 40)
    clf = small(n_epochs=1).fit(X, y)
    loaded = through_a_file(clf, path)
    assert loaded.booleanizer_ is None
    assert (loaded.class_sums(2 * X) == clf.class_sums(X)).all()
    strict = through_a_file(small(n_epochs=1, booleanizer="strict").fit(X, y), path)
    with pytest.raises(ValueError, match="only 0 and 1"):
        strict.predict(2 * X)


def test_a_model_of_sparse_counts_is_kept(path):
    rng = np.random.default_rng(0)
    X, y = sp.csr_array(rng.poisson(0.5, (60, 9))), rng.integers(0, 3, 60)
    clf = small(n_epochs=2).fit(X, y)
    loaded = through_a_file(clf, path)
    np.testing.assert_array_equal(loaded.class_sums(X), clf.class_sums(X))
    assert_same_model(loaded.partial_fit(X, y), clf.partial_fit(X, y))


def test_early_stopping_and_its_best_epoch_are_kept(path):
    X, y = people()
    clf = small(n_epochs=8, early_stopping=True, n_iter_no_change=2).fit(X, y)
    loaded = through_a_file(clf, path)
    assert (loaded.best_epoch_, loaded.n_epochs_) == (clf.best_epoch_, clf.n_epochs_)
    assert loaded.history_ == clf.history_
    assert loaded._model.logit_scale == clf._model.logit_scale


def test_a_callback_can_save_and_training_resumes_from_there(path):
    X, y = people()
    whole = small(n_epochs=4, warm_start=True, callbacks=lambda epoch: save_second(epoch, path)).fit(X, y)
    assert whole.n_epochs_ == 4
    loaded = load_model(path)
    assert loaded.n_epochs_ == len(loaded.history_) == 2
    assert loaded.callbacks is None
    assert_same_model(loaded.set_params(n_epochs=2).fit(X, y), whole)


def save_second(epoch, path):
    if epoch.number == 2:
        epoch.estimator().save(path)


def test_a_booleanizer_that_does_not_fit_is_refused(path):
    X, y = people()
    small(n_epochs=1).fit(X, y).save(path)
    header, arrays = contents(path)
    columns = header["booleanizer"]["columns"]
    for keys, wrong in (
        (("booleanizer",), None),
        (("booleanizer",), []),
        (("booleanizer",), {"threshold": 3}),
        (("booleanizer", "columns", "n_columns"), 5),
        (("booleanizer", "columns", "categories"), []),
        (("booleanizer", "columns", "numbers", "thresholds"), columns["numbers"]["thresholds"][1:]),
        (("booleanizer", "n_thresholds"), 0),
        (("attributes", "n_features_in_"), 5),
        (("parameters", "booleanizer"), {"booleanizer": {"of_no_such_name": 1}}),
    ):
        forge(path, changed(header, keys, wrong), arrays)
        with pytest.raises(ValueError, match="can't be loaded as a model"):
            load_model(path)
