"""Arrays of a known shape skip scikit-learn's checks, and all others don't."""

import numpy as np
import pandas as pd
import pytest

from wtm import WTMClassifier

X = np.arange(40).reshape(20, 2) % 3 > 0


def fitted(X):
    return WTMClassifier(4, T=1, n_epochs=1, random_state=0).fit(X, np.arange(20) % 2)


def test_an_array_of_the_same_shape_is_not_checked_again(monkeypatch):
    clf = fitted(X)
    expected = clf.predict(X)
    monkeypatch.setattr("wtm.tables.reading.validate_data", None)
    assert (clf.predict(X) == expected).all()


def test_another_number_of_columns_is_an_error():
    with pytest.raises(ValueError, match="X has 1 features, but WTMClassifier is expecting 2"):
        fitted(X).predict(X[:, :1])


def test_an_array_in_place_of_a_frame_warns_of_missing_names():
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted(pd.DataFrame(X, columns=["a", "b"])).predict(X)
