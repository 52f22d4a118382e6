"""Columns from which little can be learnt are named once, in fit."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.problems import small
from wtm import Booleanizer
from wtm.tables.doubtful_columns import DoubtfulColumnsWarning

N_ROWS = 60
VARIED, NUMBERS, DATES, ROWS = "Drop columns with a different", "Convert numbers", "Replace dates", "Drop row numbers"
REASONS = (VARIED, NUMBERS, DATES, ROWS)
MEASURED = np.random.default_rng(0).normal(size=N_ROWS)
IDS = np.random.default_rng(1).permutation(N_ROWS)

DOUBTFUL = {
    "customer ids": ([f"C-{i:04}" for i in range(N_ROWS)], VARIED),
    "customer ids, some twice": ([f"C-{i // 2:04}" for i in range(N_ROWS)], VARIED),
    "digits with leading zeros": ([f"{i:06}" for i in range(N_ROWS)], VARIED),
    "prices as text": ([f" {value:.2f}" for value in MEASURED], NUMBERS),
    "prices as text, a few unknown": (["n/a"] * 9 + [f"{value:.2e}" for value in MEASURED[9:]], NUMBERS),
    "decimal commas": ([f"{value:.3f}".replace(".", ",") for value in MEASURED], NUMBERS),
    "ages as text": ([str(20 + i % 25) for i in range(N_ROWS)], NUMBERS),
    "days": ([f"2024-05-{1 + i % 28:02}" for i in range(N_ROWS)], DATES),
    "times": ([f"{1 + i % 28}.5.2024 10:{i:02}" for i in range(N_ROWS)], DATES),
    "row numbers": (list(range(N_ROWS)), ROWS),
    "row numbers from 1, as floats": ([float(i) for i in range(1, N_ROWS + 1)], ROWS),
    "row numbers, shuffled": (IDS.tolist(), ROWS),
    "row numbers of every third row": ((3 * IDS).tolist(), ROWS),
    "sorted ids with gaps": ([10_000 + i * i for i in range(N_ROWS)], ROWS),
    "falling time stamps": ([1_700_000_000 - 3600 * i for i in range(N_ROWS)], ROWS),
}
ORDINARY = {
    "measured": MEASURED.tolist(),
    "a sorted grid": np.linspace(0, 7, N_ROWS).tolist(),
    "sorted measured numbers": sorted(MEASURED.tolist()),
    "whole numbers far apart": (1000 * MEASURED).round().tolist(),
    "ages": [20 + i % 30 for i in range(N_ROWS)],
    "row numbers with a gap": [*range(1, N_ROWS), None],
    "codes as text": [str(i % 19) for i in range(N_ROWS)],
    "postal codes": [f"0{1000 + i % 25}" for i in range(N_ROWS)],
    "towns": [f"town {i % 25}" for i in range(N_ROWS)],
    "missing": [None] * N_ROWS,
}
CONTAINERS = {
    "list": lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
    "object array": lambda columns: np.array([np.array(c, object) for c in columns.values()], object).T,
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "pyarrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
}


def doubts(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    found = [warning for warning in caught if issubclass(warning.category, DoubtfulColumnsWarning)]
    assert all(warning.filename == __file__ for warning in found)
    return [str(warning.message) for warning in found]


@pytest.mark.parametrize("container", CONTAINERS)
def test_one_warning_names_all_doubtful_columns(container):
    names = [next(name for name, (_, words) in DOUBTFUL.items() if words == reason) for reason in REASONS]
    X = CONTAINERS[container]({"measured": MEASURED.tolist()} | {name: DOUBTFUL[name][0] for name in names})
    (text,) = doubts(lambda: Booleanizer().fit(X))
    labels = [f"column {name!r}" if hasattr(X, "columns") else f"column {j}" for j, name in enumerate(names, 1)]
    parts = zip(text.split(". ")[1:], REASONS, labels, strict=True)
    assert all(part.startswith(words) and part.removesuffix(".").endswith(label) for part, words, label in parts)


def test_a_warning_of_many_columns_is_short():
    X = np.tile(np.array(DOUBTFUL["customer ids"][0], object)[:, None], 200)
    (text,) = doubts(lambda: Booleanizer().fit(X))
    assert text.endswith(": column 0, column 1, column 2, column 3, column 4 and 195 more.")


@pytest.mark.parametrize("name", DOUBTFUL)
def test_each_kind_is_named_with_the_remedy(name):
    column, words = DOUBTFUL[name]
    X = CONTAINERS["object array"]({"x": MEASURED.tolist(), "doubtful": column})
    (text,) = doubts(lambda: Booleanizer().fit(X))
    assert f" {words}" in text
    assert text.endswith(": column 1.")


@pytest.mark.parametrize("container", CONTAINERS)
def test_ordinary_columns_give_no_warning(container):
    X = CONTAINERS[container](ORDINARY)
    assert doubts(lambda: Booleanizer().fit(X)) == []


def test_small_tables_may_be_sorted():
    for n_rows, n_warnings in ((49, 0), (50, 1)):
        X = np.column_stack([MEASURED[:n_rows], np.arange(n_rows)])
        assert len(doubts(lambda X=X: Booleanizer().fit(X))) == n_warnings


def test_the_only_column_may_be_numbered():
    assert doubts(lambda: Booleanizer().fit(np.arange(100)[:, None])) == []


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_row_numbers_in_a_sparse_matrix(form):
    ordinary = np.where(MEASURED > 0, MEASURED, 0)
    X = np.column_stack([ordinary, IDS, MEASURED, 5 + np.arange(N_ROWS)])
    (text,) = doubts(lambda: Booleanizer().fit(form(X)))
    assert text.endswith(": column 1, column 3.")
    assert doubts(lambda: Booleanizer().fit(form(X[:, [0, 2]]))) == []


@pytest.mark.parametrize("name", ["Unnamed: 0", "", "a"])
def test_a_nameless_first_column_counts_in_small_tables_too(name):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({name: [7, 3, 5.5, 1], "b": [1, 2, 2, 1]})
    assert len(doubts(lambda: Booleanizer().fit(X))) == (name != "a")
    assert doubts(lambda: Booleanizer().fit(X[["b", name]])) == []
    repeated = X.assign(**{name: [1, 2, 3, 3]})
    assert doubts(lambda: Booleanizer().fit(repeated)) == []


def test_numbers_of_a_categorical_dtype_are_categories():
    pd = pytest.importorskip("pandas")
    ages = pd.DataFrame({"a": DOUBTFUL["ages as text"][0]}, dtype="category")
    assert doubts(lambda: Booleanizer().fit(ages)) == []
    ids = pd.DataFrame({"a": DOUBTFUL["customer ids"][0]}, dtype="category")
    assert len(doubts(lambda: Booleanizer().fit(ids))) == 1


def test_the_classifier_warns_where_it_learns_features():
    X = CONTAINERS["object array"]({"x": MEASURED.tolist(), "id": DOUBTFUL["customer ids"][0]})
    y = MEASURED > 0
    clf = small(warm_start=True)
    (text,) = doubts(lambda: clf.fit(X, y))
    assert VARIED in text
    assert doubts(lambda: clf.fit(X, y)) == []  # resumes
    assert doubts(lambda: small().partial_fit(X, y, classes=[False, True])) == [text]
    assert doubts(lambda: small().fit(X, y, sample_weight=np.arange(N_ROWS) > 0)) == [text]
    model = small()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DoubtfulColumnsWarning)
        with pytest.raises(DoubtfulColumnsWarning):
            model.fit(X, y)
    assert not model.__sklearn_is_fitted__()


@given(st.integers(50, 80), st.integers(0, 2**32), st.integers(1, 4), st.integers(-(10**6), 10**6))
def test_row_numbers_are_found_in_any_order(n_rows, seed, step, first):
    rng = np.random.default_rng(seed)
    ids = first + step * rng.permutation(n_rows)
    X = np.column_stack([rng.normal(size=n_rows), ids])
    (text,) = doubts(lambda: Booleanizer().fit(X))
    assert text.endswith("Drop row numbers and identifiers: column 1.")
    X[-1, 1] = X[0, 1]
    assert doubts(lambda: Booleanizer().fit(X)) == []
