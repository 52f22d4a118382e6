"""The benchmark of hashed text: the columns that never occur cost next to nothing."""

import numpy as np
import pytest

from benchmarks.hashed_text import VECTORIZERS, compare, documents


@pytest.mark.parametrize("kind", VECTORIZERS)
def test_a_million_columns_make_a_small_file(kind):
    texts, y = documents()
    ((of_wide, of_narrow),) = compare(VECTORIZERS[kind].transform(texts[:200]), y[:200], rounds=1)
    assert of_wide.keys() == of_narrow.keys()
    assert of_wide["file, kB"] < 1000
    assert of_wide["peak memory of that, kB"] < 1000
    assert all(np.isfinite(value) for value in of_wide.values())
