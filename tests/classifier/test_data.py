"""Labels and tables of every kind give the model that plain ones give."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from tests.helpers.layouts import layouts, unsorted, with_long_indices, with_stored_zeros
from tests.helpers.problems import assert_same_model, is_same_model, small, table, three_classes, xor
from wtm.rules import rules_of
from wtm.tables.condition_grammar import spell_name


@pytest.fixture(scope="module")
def problem():
    return three_classes()


@pytest.fixture(scope="module")
def plain(problem):
    """The model of the plain table and labels."""
    return small().fit(*problem)


# --- Labels -------------------------------------------------------------------------------------------------

LABELS = {
    "strings": np.array(["no", "perhaps", "yes"]),
    "strings of any length": np.array(["a", "bb", "a much longer name"])[[0, 2, 1]],
    "objects": np.array(["a", "b", "c"], object),
    "from 1": np.array([1, 2, 3]),
    "negative": np.array([-7, -1, 4]),
    "far apart": np.array([0, 7, 10**6]),
    "floats": np.array([0.0, 1.0, 2.0]),
    "bytes": np.array([0, 1, 255], np.uint8),
    "large": np.array([-(2**62), 0, 2**62]),
    "big-endian": np.array([1, 2, 3], ">i8"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_any_labels_come_back_and_change_nothing(problem, plain, kind):
    X, y = problem
    names = LABELS[kind]
    model = small().fit(X, names[y])
    assert model.classes_.tolist() == sorted(names.tolist())
    assert model.predict(X).dtype == names.dtype
    ordered = np.argsort(names)  # the plain class of each of the sorted labels
    if ordered.tolist() == [0, 1, 2]:
        assert_same_model(model, plain)
        assert (model.predict(X) == names[plain.predict(X)]).all()
    assert model.score(X, names[y]) == np.mean(model.predict(X) == names[y])


@pytest.mark.parametrize(
    "names", [np.array([False, True]), np.array([0.0, 1.0]), np.array([-1, 1]), np.array([0, 10**6])], ids=str
)
def test_two_labels_come_back_in_their_dtype(names):
    X, y = xor()
    model = small().fit(X, names[y])
    assert model.classes_.tolist() == names.tolist()
    assert model.classes_.dtype == model.predict(X).dtype == names.dtype
    assert_same_model(model, small().fit(X, y))


def test_labels_as_a_list_and_as_a_column(problem, plain):
    X, y = problem
    assert_same_model(small().fit(X, y.tolist()), plain)
    with pytest.warns(DataConversionWarning):
        assert_same_model(small().fit(X, y[:, None]), plain)
    words = np.array(["a", "b", "c"])[y].tolist()
    assert small().fit(X, words).predict(X[:3]).dtype.kind == "U"


def test_memory_does_not_follow_the_largest_label():
    X, y = xor()
    model = small().fit(X, y * 10**12)
    assert len(model.machines_) == 2


# --- Tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int64", "float16", "float32", "float64", ">i4", ">f8", "O"]
)
def test_any_dtype_gives_the_same_model(problem, plain, dtype):
    X, y = problem
    model = small().fit(X.astype(dtype), y)
    assert_same_model(model, plain)
    assert (model.class_sums(X.astype(dtype)) == plain.class_sums(X)).all()
    assert (plain.predict(X.astype(dtype)) == plain.predict(X)).all()


def test_any_layout_gives_the_same_model(problem, plain, tmp_path):
    X, y = problem
    for name, Z in (layouts(X, tmp_path) | {"list of lists": X.tolist()}).items():
        model = small().fit(Z, y)
        assert_same_model(model, plain)
        assert (model.class_sums(Z) == plain.class_sums(X)).all(), name


SPARSE = {
    **{f"{name} matrix": getattr(sp, f"{name}_matrix") for name in ("bsr", "coo", "csc", "csr", "dok", "lil")},
    **{f"{name} array": getattr(sp, f"{name}_array") for name in ("bsr", "coo", "csc", "csr", "dok", "lil")},
    "diagonals": lambda X: sp.dia_array(sp.csr_array(X).T).T,
    "bool": lambda X: sp.csr_array(X.astype(np.bool_)),
    "float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "unsorted": lambda X: unsorted(sp.csr_array(X)),
    "stored zeros": lambda X: with_stored_zeros(X).tocsr(),
    "stored zeros, COO": with_stored_zeros,
    "long indices": lambda X: with_long_indices(sp.csr_array(X)),
}


@pytest.mark.parametrize("kind", SPARSE)
def test_any_sparse_table_gives_the_same_model(problem, plain, kind):
    X, y = problem
    Z = SPARSE[kind](X)
    model = small().fit(Z, y, X_val=Z, y_val=y)
    assert_same_model(model, plain)
    assert (model.class_sums(Z) == plain.class_sums(X)).all()


def test_a_sparse_table_is_never_made_dense():
    """A byte for each of its values takes more than all that training and prediction hold at a time."""
    import tracemalloc

    rng = np.random.default_rng(0)
    n_rows, n_features = 400, 20_000
    X = sp.random_array((n_rows, n_features), density=0.001, rng=rng, data_sampler=lambda size: np.ones(size))
    X, y = X.tocsr(), rng.integers(0, 2, n_rows)
    model = small(n_clauses=2, n_epochs=1).fit(X, y)  # compiles
    packed = n_rows * 2 * n_features / 8
    for call in (lambda: model.fit(X, y), lambda: model.predict(X)):
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 3 * packed < n_rows * n_features


@pytest.mark.parametrize("sparse", [False, True])
def test_the_callers_data_stay_as_they_are(problem, sparse):
    X, y = (a.copy() for a in problem)
    Z = unsorted(sp.csr_array(X)) if sparse else X
    arrays = [Z.data, Z.indices, Z.indptr, y] if sparse else [X, y]
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    model = small().fit(Z, y, X_val=Z, y_val=y)
    model.partial_fit(Z, y).predict(Z)
    model.score(Z, y)
    assert all((a == b).all() for a, b in zip(arrays, before, strict=True))


def test_a_model_keeps_no_part_of_its_data(problem, plain):
    X, y = (a.copy() for a in problem)
    model = small().fit(X, y)
    expected = model.class_sums(X)
    Z = X.copy()
    X[:], y[:] = 1, 0
    assert (model.class_sums(Z) == expected).all()
    assert_same_model(model, plain)


# --- Tables with little in them -----------------------------------------------------------------------------------


def test_constant_columns_and_equal_rows(problem):
    X, y = problem
    X = np.column_stack([np.zeros(len(X), int), X, np.ones(len(X), int)])
    model = small(n_epochs=20).fit(X, y)
    assert model.score(X, y) > 0.9
    equal = small().fit(np.ones((20, 3)), y[:20])
    assert len(set(equal.predict(np.ones((5, 3))).tolist())) == 1
    assert np.isfinite(equal.class_sums(np.zeros((1, 3)))).all()


def test_one_column():
    X = table(100, 1)
    model = small(n_epochs=20).fit(X, X[:, 0])
    assert model.score(X, X[:, 0]) == 1.0


def test_a_class_with_a_single_row_can_be_predicted():
    X, y = table(60, 6), np.zeros(60, int)
    X[:, 0], X[17] = 0, 1
    y[17] = 1
    model = small(n_clauses=20, n_epochs=60).fit(X, y)
    assert model.predict(X[17:18]).tolist() == [1]
    assert model.predict(X[:17]).tolist() == [0] * 17


def test_a_row_of_each_class():
    model = small(n_epochs=30).fit([[0, 1], [1, 0]], ["a", "b"])
    assert model.predict([[0, 1], [1, 0]]).tolist() == ["a", "b"]


# --- Names of columns ---------------------------------------------------------------------------------------------


def test_columns_with_names():
    pd = pytest.importorskip("pandas")
    X, y = three_classes()
    frame = pd.DataFrame(X.astype(bool), columns=[f"x {i}, [{i}]" for i in range(7)])
    model = small().fit(frame, pd.Series(y, index=np.arange(len(y))[::-1]))
    assert_same_model(model, small().fit(X, y))
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert (model.predict(frame) == small().fit(X, y).predict(X)).all()
    renamed = frame.rename(columns={frame.columns[0]: "another"})
    for other in (frame[frame.columns[::-1]], frame.assign(one_more=True), frame[frame.columns[1:]], renamed):
        with pytest.raises(ValueError, match="feature names"):
            model.predict(other)
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(other, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (model.predict(X) == model.predict(frame)).all()
    unnamed = small().fit(X, y)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        assert (unnamed.predict(frame) == model.predict(frame)).all()
    mixed = frame.astype({frame.columns[0]: "int8", frame.columns[1]: "float32"})
    assert_same_model(small().fit(mixed, y), model)
    assert not hasattr(unnamed, "feature_names_in_")
    assert not hasattr(small().fit(frame, y).fit(X, y), "feature_names_in_")


NAMES = {
    "integers": (range(7), False),
    "of a multi-index": ([("a", i) for i in range(7)], False),
    "spaces, brackets and line breaks": (["", " ", "a, b", "[c]", "член", "d\ne", '"f" > 3'], True),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_any_kind(plain, problem, kind):
    pd = pytest.importorskip("pandas")
    names, are_kept = NAMES[kind]
    X, y = problem
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(list(names))
    before = frame.copy(deep=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = small().fit(frame, y)
        assert (model.class_sums(frame) == plain.class_sums(X)).all()
    assert_same_model(model, plain)
    assert getattr(model, "feature_names_in_", np.array([])).tolist() == (names if are_kept else [])
    literals = {literal for rule in rules_of(model) for literal in rule.literals}
    known = [spell_name(name) for name in names] if are_kept else [f"x{i}" for i in range(7)]
    assert literals <= {*known, *(f"NOT ({name})" for name in known)}
    assert literals
    pd.testing.assert_frame_equal(frame, before)


def test_different_data_give_different_models(problem, plain):
    X, y = problem
    assert not is_same_model(small().fit(1 - X, y), plain)
    assert not is_same_model(small().fit(X, 2 - y), plain)
