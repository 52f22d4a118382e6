"""Models that several files read."""

import pytest

from tests.helpers.tables import mixed_model


@pytest.fixture(scope="session")
def three():
    return mixed_model()


@pytest.fixture(scope="session")
def two():
    return mixed_model(2)
