import pytest

from tests.helpers.tables import mixed_frame, mixed_model

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def close_figures():
    """Draw without a window, and drop the figures."""
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="package")
def mixed():
    return mixed_model(), *mixed_frame()


@pytest.fixture(scope="package")
def binary():
    return mixed_model(2), *mixed_frame()
