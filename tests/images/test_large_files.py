"""Images in files larger than memory."""

import numpy as np
import pytest

from tests.images.conftest import crosses, small, small_fuzzy
from wtm.stream import ArrayRows, fit


@pytest.mark.parametrize("new", [small, small_fuzzy])
def test_mapped_images_are_trained_on_batch_by_batch(new, tmp_path):
    X, y = crosses(700, 0)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = fit(new(n_epochs=10, average_last=5), ArrayRows(mapped, y, chunk_size=10), batch_size=350)
    assert len(model.history_) == 20
    assert model.image_shape_ == (7, 8, 1)
    assert model.score(*crosses(300, 1)) > 0.8
