"""Training chunk by chunk: nothing of a chunk is kept."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

from tests.helpers.problems import assert_same_model, small, table
from wtm import Booleanizer

N_ROWS = 2000


def numbers(seed):
    X = np.random.default_rng(seed).normal(size=(N_ROWS, 6))
    return X, (X[:, 0] > 0).astype(int)


def bits(seed):
    X = np.roll(table(N_ROWS, 50), 100 * seed, axis=0)
    return X, (X[:, 0] ^ X[:, 1]).astype(int)


def sparse(seed):
    X, y = numbers(seed)
    return sp.csr_array(X * (np.abs(X) > 0.5)), y


def frame(seed):
    pd = pytest.importorskip("pandas")
    X, y = numbers(seed)
    return pd.DataFrame(X, columns=list("abcdef")).assign(word=np.array(["no", "yes"])[y]), y


CHUNKS = {"bits": bits, "numbers": numbers, "sparse": sparse, "frame": frame}


@pytest.mark.parametrize("kind", CHUNKS)
@pytest.mark.parametrize("shuffle", [True, False])
def test_no_chunk_is_kept_alive(kind, shuffle):
    model = small(shuffle=shuffle, early_stopping=True)
    gc.disable()  # a chunk must go with its last reference, and not wait for a search
    try:
        for seed in range(3):
            X, y = CHUNKS[kind](seed)
            model.partial_fit(X, y, classes=[0, 1])
            model.predict_proba(X)
            parts = [weakref.ref(X), weakref.ref(y)]
            if kind == "sparse":
                parts += [weakref.ref(X.data), weakref.ref(X.indices)]
            if kind == "frame":
                gc.collect()  # pandas' own frames are in cycles
            del X, y
            assert [part() for part in parts] == [None] * len(parts)
    finally:
        gc.enable()


@pytest.mark.usefixtures("without_coverage")
@pytest.mark.parametrize("kind", CHUNKS)
def test_many_chunks_take_no_more_memory_than_a_few(kind):
    make = CHUNKS[kind]
    model = small(n_clauses=4, booleanizer=Booleanizer()).partial_fit(*make(0), classes=[0, 1])

    def peak_of(seeds):
        tracemalloc.reset_peak()
        for seed in seeds:
            model.partial_fit(*make(seed))
            gc.collect()  # what joblib leaves in cycles
        return tracemalloc.get_traced_memory()

    gc.freeze()  # what is there already need not be searched each time
    tracemalloc.start()
    try:
        now, peak = peak_of(range(1, 6))
        later, later_peak = peak_of(range(6, 26))
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    packed = N_ROWS * 64
    assert later - now < packed / 2, "an entry of the history for each chunk, and nothing else"
    assert later_peak - peak < packed / 2


def test_the_same_chunks_in_the_same_order_are_the_same_model(tmp_path):
    X, y = (np.concatenate(parts) for parts in zip(*map(numbers, range(3)), strict=True))
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    models = []
    for rows_of in (X, mapped):
        model = small()
        for start in range(0, len(y), 700):
            model.partial_fit(rows_of[start : start + 700], y[start : start + 700], classes=[0, 1])
        models.append(model)
    assert_same_model(*models)
    assert models[0].n_epochs_ == len(models[0].history_) == 9
    assert models[0].score(X, y) > 0.9


def test_rows_at_random_places_of_a_mapped_file_are_the_rows_of_the_array(tmp_path):
    X, y = bits(0)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:500])
    one, other = (small().partial_fit(data[rows], y[rows], classes=[0, 1]) for data in (X, mapped))
    assert_same_model(one, other)
