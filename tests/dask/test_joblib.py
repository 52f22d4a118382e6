"""Classes as tasks of Dask through joblib."""

import joblib
import pytest

from tests.helpers.fits import assert_same_fit, fitted


@pytest.mark.parametrize("kind", ["two rounds", "stopped early", "fuzzy images", "two numbers"])
def test_a_cluster_changes_nothing(client, kind):
    with joblib.parallel_config("dask", client=client):
        found = fitted(kind)
    assert_same_fit(found, fitted(kind))
