"""Columns whose values are all missing or unseen are named, once per estimator."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from tests.helpers.problems import small
from wtm import Booleanizer
from wtm.tables.new_values import NewValuesWarning

METHODS = ("predict", "predict_proba", "predict_log_proba", "class_sums", "decision_function")


def new_values(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    found = [warning for warning in caught if issubclass(warning.category, NewValuesWarning)]
    assert all(warning.filename == __file__ for warning in found)
    return [str(warning.message) for warning in found]


NUMBERS = np.random.default_rng(0).normal(size=(40, 3))
LABELS = (NUMBERS[:, 1] > 0).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return small(n_epochs=20, T=4).fit(NUMBERS, LABELS)


def without(X, j):
    X = np.array(X, np.float64)
    X[:, j] = np.nan
    return X


FORMS = {
    "array": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "objects": lambda X: np.where(np.isnan(X), None, X.astype(object)),
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pytest.importorskip("pandas").DataFrame(X),
    "polars": lambda X: pytest.importorskip("polars").DataFrame(dict(zip("abc", X.T, strict=True)), nan_to_null=True),
    "pyarrow": lambda X: pytest.importorskip("pyarrow").table(dict(zip("abc", X.T, strict=True))),
    "sparse": sp.csr_array,
    "sparse, by column": sp.csc_matrix,
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("form", FORMS)
def test_a_column_that_is_missing_in_all_rows_is_named(form, fitted):
    empty = FORMS[form](without(NUMBERS[:9], 1))
    for call in (copy.copy(fitted).predict, Booleanizer().fit(NUMBERS).transform):
        (text,) = new_values(lambda call=call: call(empty))
        assert text.startswith("column 'b' " if form in ("polars", "pyarrow") else "column 1 ")
        assert "is missing in all rows, but never was in fit" in text
        assert new_values(lambda call=call: call(empty)) == []


def test_what_is_no_lost_column_gives_no_warning(fitted):
    some = without(NUMBERS, 1)
    some[-1, 1] = 0
    with_missing = NUMBERS.copy()
    with_missing[0, 1] = np.nan
    learnt = small().fit(with_missing, LABELS)
    constant = small().fit(np.column_stack([NUMBERS, np.ones(40)]), LABELS)
    quiet = [
        (fitted, some),
        (fitted, sp.csr_array(some)),
        (fitted, NUMBERS[:0]),
        (fitted, sp.csr_array(NUMBERS[:0])),
        (learnt, without(NUMBERS, 1)),
        (constant, without(np.column_stack([NUMBERS, np.ones(40)]), 3)),
    ]
    for model, X in quiet:
        assert new_values(lambda model=model, X=X: model.predict(X)) == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [[None] * 5, ["green"] * 5], ids=["missing", "new"])
def test_every_method_names_a_column_of_categories(method, values):
    X = np.array([["red", "u"], ["blue", "v"]] * 20, object)
    model = small(T=4).fit(X, [0, 1] * 20)
    Z = X[:5].copy()
    Z[:, 1] = values
    (text,) = new_values(lambda: getattr(model, method)(Z))
    assert text.startswith("column 1 ")
    assert new_values(lambda: [getattr(model, other)(Z) for other in METHODS]) == []
    Z[:, 0] = "green"
    (text,) = new_values(lambda: getattr(model, method)(Z))
    assert text.startswith("column 0 ")


@pytest.mark.parametrize("nothing", [None, np.nan])
def test_categories_that_are_missing_in_all_rows_are_called_missing(nothing):
    X = np.array([["red", 1], ["blue", 2]] * 10, object)
    model = small().fit(X, [0, 1] * 10)
    Z = X.copy()
    Z[:, 0] = nothing
    (text,) = new_values(lambda: [getattr(model, method)(Z) for method in METHODS])
    assert text.startswith("column 0 is missing in all rows, but never was in fit")
    Z[3, 0] = "green"
    (text,) = new_values(lambda: model.predict(Z))
    assert text.startswith("column 0 holds no value seen in fit, such as 'blue'")


def test_features_of_zeros_and_ones_too():
    bits = (NUMBERS > 0).astype(float)
    model = small().fit(bits, LABELS)
    (text,) = new_values(lambda: model.predict(without(bits, 2)))
    assert text.startswith("column 2 is missing")


def test_served_rows_warn_once_until_the_estimator_is_copied_or_fitted_again(fitted):
    model = pickle.loads(pickle.dumps(fitted))
    row = without(NUMBERS[:1], 1)
    assert len(new_values(lambda: [model.predict_proba(row) for _ in range(5)])) == 1
    state = {name for name in vars(model) if name not in vars(fitted)}
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert not state & set(vars(twin))
        assert len(new_values(lambda twin=twin: twin.predict(row))) == 1
    assert new_values(lambda: model.fit(NUMBERS, LABELS)) == []
    assert len(new_values(lambda: model.predict(row))) == 1


def test_validation_data_too():
    (text,) = new_values(lambda: small().fit(NUMBERS, LABELS, X_val=without(NUMBERS, 0), y_val=LABELS))
    assert text.startswith("column 0 is missing")


def test_the_filter_of_warnings_applies(fitted):
    model, row = copy.copy(fitted), without(NUMBERS[:1], 1)
    for _ in range(2):  # an error each time
        with warnings.catch_warnings():
            warnings.simplefilter("error", NewValuesWarning)
            with pytest.raises(NewValuesWarning):
                model.predict(row)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore", NewValuesWarning)
        model.predict(row)
    assert caught == []


def test_one_of_many_threads_warns(fitted, monkeypatch):
    model, row = copy.copy(fitted), without(NUMBERS[:1], 1)
    issued = []
    monkeypatch.setattr("wtm.utils.caller.warn_caller", issued.append)
    start = threading.Barrier(8)
    threads = [threading.Thread(target=lambda: (start.wait(), model.predict(row))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(issued) == 1
