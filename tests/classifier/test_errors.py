"""Wrong arguments are refused with name and value, and a fitted model stays as it was."""

import copy
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import wtm.fitting.epochs
from tests.helpers.problems import assert_same_model, small, three_classes

NAN, INF = float("nan"), float("inf")

PARAMETERS = [
    *[("T", value, ValueError) for value in (0, -1, 0.0, -0.5, NAN, INF, -INF, 10**400, 1e-5, 1e13, 5e-324)],
    *[("T", value, TypeError) for value in ("10", None, True, [3], 1j)],
    *[("s", value, ValueError) for value in (0.5, 0, -3, 0.999, NAN, INF, 2.0**32 + 1, 1e30)],
    *[("s", value, TypeError) for value in ("4", None, False)],
    *[("n_clauses", value, ValueError) for value in (0, 1, 21, -2, 2**24 + 2)],
    *[("n_clauses", value, TypeError) for value in (2.0, "10", True, None, NAN)],
    *[("gamma", value, ValueError) for value in (-0.1, NAN, INF, 1000.5)],
    *[("gamma", value, TypeError) for value in ("0.1", None, True)],
    *[("n_epochs", value, ValueError) for value in (0, -1)],
    *[("n_epochs", value, TypeError) for value in (2.0, "3", None)],
    *[("n_states", value, ValueError) for value in (3, 0, -2, 258, 1)],
    *[("n_states", value, TypeError) for value in (256.0, "256", None)],
    ("n_jobs", 0, ValueError),
    *[("n_jobs", value, TypeError) for value in (1.5, "2", True)],
    *[("verbose", value, ValueError) for value in (-1, -5)],
    *[("verbose", value, TypeError) for value in ("1", None, 0.5)],
    *[("random_state", value, ValueError) for value in (-1, 2**63)],
    *[("random_state", value, TypeError) for value in (1.5, "abc", True, [1])],
    *[("init", value, ValueError) for value in ("middle", "", None, 3)],
    *[("engine", value, ValueError) for value in ("fast", None)],
    *[("sampler", value, ValueError) for value in ("normal", None, ["bits"])],
    *[("booleanizer", value, ValueError) for value in ("median", None, True)],
    *[("boost_true_positive", value, TypeError) for value in (1, "yes", None)],
    *[
        ("max_literals", value, error)
        for value, error in ((0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError))
    ],
    *[("shuffle", value, TypeError) for value in (0, "no", None)],
    *[("warm_start", value, TypeError) for value in (1, None)],
]


@pytest.fixture(scope="module")
def problem():
    return three_classes()


class Unchanged:
    """Checks that a fitted model predicts and resumes as if nothing had happened."""

    def __init__(self, model, X, y):
        self.model, self.X, self.y = model, X, y
        self.twin = copy.deepcopy(model)
        self.attributes = {name: id(value) for name, value in vars(model).items() if name.endswith("_")}

    def check(self):
        model, twin = self.model, self.twin
        assert {name: id(value) for name, value in vars(model).items() if name.endswith("_")} == self.attributes
        assert_same_model(model, twin)
        assert model.history_ == twin.history_
        assert (model.class_sums(self.X) == twin.class_sums(self.X)).all()
        assert_same_model(copy.deepcopy(model).partial_fit(self.X, self.y), twin.partial_fit(self.X, self.y))


def same_ids(values):
    return [f"{name}={value!r}"[:40] for name, value, _ in values]


@pytest.mark.parametrize(("name", "value", "error"), PARAMETERS, ids=same_ids(PARAMETERS))
def test_a_wrong_parameter_is_named_with_its_value(problem, name, value, error):
    X, y = problem
    message = rf"^{name}\b.*{re.escape(str(value)[:20])}"
    with pytest.raises(error, match=message):
        small(**{name: value}).fit(X, y)
    with pytest.raises(error, match=message):
        small(**{name: value}).partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize(
    ("name", "value"), [("T", -1), ("s", 0.5), ("n_clauses", 3), ("gamma", NAN), ("n_states", 3), ("n_jobs", 0)]
)
@pytest.mark.parametrize("warm_start", [True, False])
def test_a_wrong_parameter_leaves_a_fitted_model_alone(problem, name, value, warm_start):
    X, y = problem
    model = small(warm_start=warm_start).fit(X, y)
    watch = Unchanged(model, X, y)
    right = model.get_params()[name]
    model.set_params(**{name: value})
    for train in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=name):
            train(X, y)
    model.set_params(**{name: right})
    watch.check()


@pytest.mark.parametrize(("name", "value"), [("n_clauses", 12), ("n_states", 100), ("gamma", 0.1)])
def test_what_a_trained_model_consists_of_cannot_change_when_it_resumes(problem, name, value):
    X, y = problem
    model = small(warm_start=True).fit(X, y)
    watch = Unchanged(model, X, y)
    right = model.get_params()[name]
    model.set_params(**{name: value})
    for train in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=rf"{name} can't change .* {right} .* {value}"):
            train(X, y)
    model.set_params(**{name: right})
    watch.check()


@pytest.mark.parametrize("changes", [{"T": 20}, {"s": 1.5}, {"boost_true_positive": False}], ids=str)
def test_other_parameters_hold_from_the_next_epoch_on(problem, changes):
    X, y = problem
    model = small(n_epochs=1, warm_start=True).fit(X, y)
    model.set_params(**changes).fit(X, y)
    by_partial_fit = small(n_epochs=1).fit(X, y)
    by_partial_fit.set_params(**changes).partial_fit(X, y)
    assert_same_model(model, by_partial_fit)
    unchanged = small(n_epochs=2).fit(X, y)
    assert (model.class_sums(X) != unchanged.class_sums(X)).any()


def changed(X, row, column, value):
    X = X.astype(float)
    X[row, column] = value
    return X


X, y = three_classes()
WRONG_DATA = {
    "NaN": (changed(X, 3, 2, NAN), y, "X contains NaN"),
    "inf": (changed(X, 3, 2, INF), y, "X contains infinity"),
    "2": (changed(X, 3, 2, 2), y, r"X must hold only 0 and 1 .* row 3, column 2 holds 2\.0"),
    "-1": (changed(X, 3, 2, -1), y, r"X must hold only 0 and 1 .* row 3, column 2 holds -1\.0"),
    "a half": (changed(X, 3, 2, 0.5), y, r"row 3, column 2 holds 0\.5"),
    "sparse 2": (sp.csr_array(changed(X, 3, 2, 2)), y, r"row 3, column 2 holds 2\.0"),
    "sparse NaN": (sp.csr_array(changed(X, 3, 2, NAN)), y, "X contains NaN"),
    "sparse twice 1": (
        sp.csr_array((np.ones(2), [4, 4], [0, 2, *[2] * 119]), shape=(120, 7)), y, "row 0, column 4 holds 2",
    ),
    "sparse twice 1, COO": (sp.coo_array((np.ones(2), ([5, 5], [4, 4])), (120, 7)), y, "row 5, column 4 holds 2"),
    "words": (np.full(X.shape, "yes"), y, "X must hold only 0 and 1 .* column 0 holds categories, such as 'yes'"),
    "complex": (X * 1j, y, r"^Complex data not supported: X has dtype complex128\..*parts\.$"),
    "one flat row": (X[0], y[:1], "Reshape your data"),
    "three dimensions": (X[None], y[:1], "dim 3"),
    "no rows": (X[:0], y[:0], "0 sample"),
    "no columns": (X[:, :0], y, "0 feature"),
    "different lengths": (X, y[:-5], r"\[120, 115\]"),
    "two columns of labels": (X, np.column_stack([y, y]), "1d array|y should be"),
    "no labels": (X, None, "y"),
    "NaN among labels": (X, np.where(y == 1, NAN, y), "y must hold a label for each row, .*nan"),
    "None among labels": (X, np.where(y == 1, None, y), "y must hold a label for each row, .*None"),
}  # fmt: skip
ONLY_IN_FIT = {
    "one class": (X, np.full(len(y), 7), "y must hold at least two classes, got one class.*7"),
    "continuous labels": (X, y + 0.3, "continuous"),
}
OTHER_COLUMNS = {
    "fewer columns": (X[:, :5], y, "5 features.* 7 features"),
    "more columns": (np.hstack([X, X]), y, "14 features.* 7 features"),
}
UNSEEN = {"a new label": (X, np.where(y == 1, 9, y), "y holds the label .*9.* not one of the classes")}


@pytest.mark.parametrize("case", WRONG_DATA | ONLY_IN_FIT)
def test_wrong_data_are_refused_in_fit(case):
    Z, t, message = (WRONG_DATA | ONLY_IN_FIT)[case]
    model = small(booleanizer="strict")
    with pytest.raises(ValueError, match=message):
        model.fit(Z, t)
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "n_features_in_")
    assert_same_model(model.fit(X, y), small().fit(X, y))


@pytest.mark.parametrize("case", WRONG_DATA | OTHER_COLUMNS | UNSEEN)
@pytest.mark.parametrize("warm_start", [True, False])
def test_wrong_data_leave_a_fitted_model_alone(case, warm_start):
    Z, t, message = (WRONG_DATA | OTHER_COLUMNS | UNSEEN)[case]
    model = small(warm_start=warm_start, booleanizer="strict").fit(X, y)
    watch = Unchanged(model, X, y)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(Z, t)
    if warm_start:
        with pytest.raises(ValueError, match=message):
            model.fit(Z, t)
    watch.check()


WRONG_TABLES = OTHER_COLUMNS | {case: wrong for case, wrong in WRONG_DATA.items() if wrong[0] is not X}


@pytest.mark.parametrize("case", WRONG_TABLES)
@pytest.mark.parametrize("method", ["predict", "class_sums"])
def test_wrong_data_are_refused_in_prediction(case, method):
    Z, _, message = WRONG_TABLES[case]
    model = small(booleanizer="strict").fit(X, y)
    if case == "no rows":
        assert len(getattr(model, method)(Z)) == 0
        return
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(Z)


def test_wrong_validation_data_are_named():
    watch_model = small(warm_start=True, booleanizer="strict").fit(X, y)
    watch = Unchanged(watch_model, X, y)
    for X_val, y_val, message in [
        (X, None, "y_val is None"),
        (None, y, "X_val is None"),
        (changed(X, 3, 2, 2), y, "X_val must hold only 0 and 1"),
        (X[:, :5], y, "5 features"),
        (X, np.where(y == 1, 9, y), "y_val holds the label .*9"),
        (X, y[:-5], r"\[120, 115\]"),
        (X, ["1", *y[1:].tolist()], "y_val must hold .* got strings and"),
    ]:
        for model in (watch_model, small(booleanizer="strict")):
            with pytest.raises(ValueError, match=message):
                model.fit(X, y, X_val=X_val, y_val=y_val)
    watch.check()


def test_partial_fit_needs_all_classes_once_and_keeps_them():
    with pytest.raises(ValueError, match="classes must be passed"):
        small().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"classes must hold at least two classes, got one class.*3"):
        small().partial_fit(X, y, classes=[3])
    with pytest.raises(ValueError, match=r"y holds the label .*2"):
        small().partial_fit(X, y, classes=[0, 1])
    model = small().partial_fit(X[:5], y[:5], classes=[2, 0, 1, 5])
    assert model.classes_.tolist() == [0, 1, 2, 5]
    for _ in range(2):
        model.partial_fit(X[:1], y[:1]).partial_fit(X[y == 1], y[y == 1], classes=[0, 1, 2, 5])
    watch = Unchanged(model, X, y)
    with pytest.raises(ValueError, match=r"classes must be those of the first call, \[0 1 2 5\]; got \[0 1 2\]"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    watch.check()
    assert len(model.machines_) == 4


class EndedError(Exception):
    """Any error that ends a call in the middle of training, such as Ctrl-C."""


@pytest.mark.parametrize("warm_start", [True, False])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_call_that_ends_in_mid_training_leaves_a_fitted_model_alone(monkeypatch, method, warm_start):
    model = small(warm_start=warm_start).fit(X, y)
    watch = Unchanged(model, X, y)

    def first_and_then_no_more(epochs, *rest):
        yield next(iter(epochs))
        raise EndedError

    monkeypatch.setattr(wtm.fitting.epochs, "show_epochs", first_and_then_no_more)
    with pytest.raises(EndedError):
        getattr(model, method)(X, y)
    monkeypatch.undo()
    watch.check()


WRONG_LABELS = {
    "missing": (np.where(y == 1, None, "a"), "a label for each row, but holds the missing value None"),
    "mixed": (np.array([1 if label == 1 else "b" for label in y.tolist()], object), "all of one kind"),
    "mixed in a list": ([1 if label == 1 else "b" for label in y.tolist()], "all of one kind; got strings and 1"),
    "strings and NaN": ([NAN if label == 1 else "b" for label in y.tolist()], "all of one kind; got strings and nan"),
    "a column, mixed": ([[1] if label == 1 else ["b"] for label in y.tolist()], "all of one kind; got strings and 1"),
    "dates": (np.datetime64("2020-01-01") + y, r"got dates or times of dtype datetime64\[D\]: convert them to strings"),
    "times": (y * np.timedelta64(1, "h"), r"got dates or times of dtype timedelta64\[h\]"),
    "continuous": (y * 0.37 + 0.1, r"all of one kind; got 0\.\d+ and continuous"),
    "objects": (y.astype(bool).astype(object), "all of one kind"),
}


@pytest.mark.parametrize("labels", WRONG_LABELS.values(), ids=WRONG_LABELS)
def test_values_that_are_not_labels_are_named(labels):
    labels, message = labels
    with pytest.raises(ValueError, match=f"^(Unknown label type: )?y must hold .*{message}"):
        small().fit(X, labels)


@pytest.mark.parametrize("form", [np.array, list, pd.Series, lambda labels: pd.DataFrame({"y": labels})])
def test_complex_labels_are_refused_in_a_line(form):
    with pytest.raises(TypeError, match=r"^y must hold integers, .*; got complex numbers\.$"):
        small().fit(X, form(y * 1j))


@pytest.mark.parametrize(
    "classes", [{0, 1}, "01", [[0, 1]], 5, [0, 1, np.nan], [0, 1, None], [1, "a"], np.array([0, 1], "M8[s]")], ids=repr
)
def test_classes_that_are_not_a_list_of_labels_are_named(classes):
    with pytest.raises(ValueError, match=r"^(Unknown label type: )?classes must "):
        small().partial_fit(X, y, classes=classes)


def test_weights_of_0_for_all_other_classes_are_named():
    weights = (y == y[0]) * 1.0
    with pytest.raises(ValueError, match="y, whose other rows have weight 0, must hold at least two classes, got one"):
        small().fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match=r"^y must hold at least two classes"):
        small().fit(X, y * 0, sample_weight=weights * 0 + 1)
