import pytest

from tests.helpers.modelfiles import trained_model


@pytest.fixture
def path(tmp_path):
    """Where a model file may be written."""
    return tmp_path / "model.safetensors"


@pytest.fixture(scope="module")
def trained():
    """A trained model, which nothing may change."""
    return trained_model()
