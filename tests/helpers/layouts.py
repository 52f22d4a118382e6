"""The same table in other layouts of memory and other sparse formats."""

import numpy as np
import scipy.sparse as sp


def layouts(X, folder):
    """Arrays equal to X by what is unusual about them; one is mapped to a file in the folder."""
    twice = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    read_only = X.copy()
    read_only.flags.writeable = False
    mapped = np.memmap(folder / "X.bin", X.dtype, "w+", shape=X.shape)
    mapped[:] = X
    mapped.flush()
    return {
        "by columns": np.asfortranarray(X),
        "sliced": twice[::2, ::3],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": read_only,
        "memory-mapped": np.memmap(folder / "X.bin", X.dtype, "r", shape=X.shape),
    }


def unsorted(csr):
    """A CSR matrix whose entries lie backwards in each row."""
    csr = csr.copy()
    for row in range(csr.shape[0]):
        part = slice(csr.indptr[row], csr.indptr[row + 1])
        csr.indices[part], csr.data[part] = csr.indices[part][::-1], csr.data[part][::-1]
    csr.has_sorted_indices = False
    return csr


def with_stored_zeros(X):
    """A COO matrix that stores every value of an array."""
    rows, columns = np.indices(X.shape)
    return sp.coo_array((X.ravel(), (rows.ravel(), columns.ravel())), X.shape)


def with_long_indices(csr):
    """A CSR matrix with indices of 64 bits."""
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr
