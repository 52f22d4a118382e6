"""Files that wtm 0.2 wrote are read, predict and train on."""

from pathlib import Path

import pytest

from tests.helpers.modelfiles import contents
from tests.images.conftest import crosses, small, small_fuzzy
from wtm import load_model

DATA = Path(__file__).parents[1] / "data"
STORED = {"model-v4-images": small, "model-v4-fuzzy-images": small_fuzzy}


def write():
    """Write the files; for a new version of the schema, under new names."""
    X, y = crosses(120, 0, n_channels=2)
    for name, new in STORED.items():
        model = new(average_last=2, n_clauses=6, n_epochs=3, n_jobs=1).fit(X, y)
        model.save(DATA / f"{name}.safetensors")
        model.save(DATA / f"{name}-prediction-only.safetensors", prediction_only=True)


@pytest.mark.parametrize("name", STORED)
def test_files_of_images_are_read(name):
    file = DATA / f"{name}.safetensors"
    header, arrays = contents(file)
    assert header["schema_version"] == 4
    model = load_model(file)
    assert type(model) is type(STORED[name]())
    assert (model.image_shape_, model.patch_shape, model.average_last) == ((7, 8, 2), (3, 3), 2)
    assert model.classes_.tolist() == ["cross", "ring"]
    for machine, states, exponents in zip(model.machines_, arrays["states"], arrays["exponents"], strict=True):
        assert (machine.states == states).all()
        assert (machine.exponents == exponents).all()
    X, y = crosses(120, 0, n_channels=2)
    assert model.score(X, y) == model.history_[-1]["train_accuracy"]
    read = load_model(DATA / f"{name}-prediction-only.safetensors")
    assert (read.class_sums(X) == model.class_sums(X)).all()
    assert model.partial_fit(X, y).n_epochs_ == 4


if __name__ == "__main__":
    write()
