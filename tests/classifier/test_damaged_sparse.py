"""Sparse matrices whose indices point out of range are refused before anything follows them."""

import numpy as np
import pytest
import scipy.sparse as sp

from wtm import Booleanizer, WTMClassifier

N_ROWS, N_COLUMNS = 40, 20
X = (np.random.default_rng(0).random((N_ROWS, N_COLUMNS)) < 0.4).astype(np.int64)
X[-1, -1] = 1
Y = X[:, 0]
SETTINGS = {"n_clauses": 4, "T": 4, "n_epochs": 1, "random_state": 0}


@pytest.fixture(scope="module")
def clf():
    return WTMClassifier(**SETTINGS).fit(X, Y)


def change(name, place, value):
    """Return what writes `value` into an array of a matrix."""

    def damage(Z):
        getattr(Z, name)[place] = value
        return Z

    return damage


def replace(name, make):
    """Return what puts another array in the place of one."""

    def damage(Z):
        setattr(Z, name, make(getattr(Z, name)))
        return Z

    return damage


FORMATS = {
    "csr_matrix": lambda: sp.csr_matrix(X),
    "csr_array": lambda: sp.csr_array(X),
    "csc_array": lambda: sp.csc_array(X),
    "bsr_array": lambda: sp.bsr_array(X, blocksize=(2, 4)),
    "coo_matrix": lambda: sp.coo_matrix(X),
    "dia_array": lambda: sp.dia_array(X),
    "lil_array": lambda: sp.lil_array(X),
    "dok_array": lambda: sp.dok_array(X),
}
COMPRESSED = ("csr_matrix", "csr_array", "csc_array", "bsr_array")
INDICES = [change("indices", -1, value) for value in (10**9, -1, N_ROWS)] + [
    replace("indices", lambda old: old.astype(np.float64)),
    replace("indices", lambda old: old.astype(np.uint64)),
    replace("indices", lambda old: old[:-1]),
    replace("indices", lambda old: old.tolist()),
]
ENDS = [change("indptr", place, value) for place, value in ((-1, 10**9), (1, 10**9), (2, -1), (0, 1))] + [
    replace("indptr", lambda old: old[:-1]),
    replace("indptr", lambda old: old[::-1].copy()),
    replace("indptr", lambda old: old.astype(np.float64)),
    replace("data", lambda old: old[:-1]),
]


def dict_with(key):
    Z = sp.dok_array(X)
    Z._dict[key] = 1
    return Z


def coo_with(axis, value):
    Z = sp.coo_matrix(X)
    coords = [c.copy() for c in (Z.row, Z.col)]
    coords[axis][-1] = value
    Z.coords = tuple(coords)
    return Z


def list_with(name, row):
    Z = sp.lil_array(X)
    getattr(Z, name)[0] = row
    return Z


DAMAGED = (
    [
        pytest.param(lambda f=f, d=d: d(FORMATS[f]()), id=f"{f}-{i}")
        for f in COMPRESSED
        for i, d in enumerate(INDICES + ENDS)
    ]
    + [pytest.param(lambda a=a, v=v: coo_with(a, v), id=f"coo-{a}-{v}") for a in (0, 1) for v in (-1, 40, 10**9)]
    + [pytest.param(lambda k=k: dict_with(k), id=f"dok-{k}") for k in [(0, 20), (40, 0), (-1, 0), (0, 10**12)]]
    + [
        pytest.param(lambda r=r: list_with("rows", r), id=f"lil-{r}")
        for r in ([20], [-1], [10**9], [0.5], list(range(20)))
    ]
    + [pytest.param(lambda: list_with("data", [1] * 1000), id="lil-data")]
    + [
        pytest.param(lambda v=v: change("offsets", 0, v)(FORMATS["dia_array"]()), id=f"dia-{v}")
        for v in (N_COLUMNS, -N_ROWS, 10**9)
    ]
    + [pytest.param(lambda: replace("offsets", lambda old: old[:-1])(FORMATS["dia_array"]()), id="dia-short")]
)


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_matrix_is_refused(clf, damaged):
    Z = damaged()
    new = WTMClassifier(**SETTINGS)
    for name, call in {
        "X": lambda: clf.predict(Z),
        "X ": lambda: new.fit(Z, Y),
        "X  ": lambda: new.partial_fit(Z, Y, classes=[0, 1]),
        "X_val": lambda: new.fit(X, Y, X_val=Z, y_val=Y),
        "X   ": lambda: Booleanizer().fit(Z),
        "X    ": lambda: Booleanizer().fit(X).transform(Z),
    }.items():
        with pytest.raises(ValueError, match=rf"^{name.strip()} is not a valid [A-Z]{{3}} matrix: .*Build"):
            call()


def test_a_damaged_matrix_from_a_file_is_refused(clf, tmp_path):
    sp.save_npz(tmp_path / "hostile.npz", change("indices", -1, 10**9)(sp.csr_matrix(X)))
    with pytest.raises(ValueError, match="indices"):  # some versions of SciPy refuse it first
        clf.predict(sp.load_npz(tmp_path / "hostile.npz"))


def shuffled(Z):
    """Entries in reverse within each row, and a flag that says they are sorted."""
    assert Z.has_canonical_format
    for start, stop in zip(Z.indptr[:-1], Z.indptr[1:], strict=True):
        Z.indices[start:stop] = Z.indices[start:stop][::-1].copy()
        Z.data[start:stop] = Z.data[start:stop][::-1].copy()
    return Z


def with_spare_entries(Z):
    """Entries that belong to no row."""
    Z.indices, Z.data = np.append(Z.indices, 10**6).astype(Z.indices.dtype), np.append(Z.data, 1)
    return Z


UNUSUAL = {
    **FORMATS,
    "unsorted": lambda: shuffled(sp.csr_array(X)),
    "unsorted CSC": lambda: shuffled(sp.csc_array(X)),
    "spare entries": lambda: with_spare_entries(sp.csr_array(X)),
    "int16": lambda: replace("indices", lambda old: old.astype(np.int16))(sp.csr_array(X)),
    "int64 beside int32": lambda: replace("indices", lambda old: old.astype(np.int64))(sp.csr_array(X)),
    "empty": lambda: sp.csr_array(X.shape, dtype=np.int64),
}


@pytest.mark.parametrize("unusual", UNUSUAL)
def test_unusual_but_valid_matrices_mean_what_they_hold(clf, unusual):
    dense = np.zeros_like(X) if unusual == "empty" else X
    assert (clf.class_sums(UNUSUAL[unusual]()) == clf.class_sums(dense)).all()
