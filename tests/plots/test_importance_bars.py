import numpy as np
import pytest

from wtm.plots import ImportanceDisplay


def test_bars_are_the_largest_importances(mixed):
    clf, X, _ = mixed
    display = ImportanceDisplay.from_estimator(clf, n_columns=3)
    order = np.argsort(-clf.feature_importances_)[:3]
    assert [bar.get_width() for bar in display.bars_] == clf.feature_importances_[order].tolist()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == X.columns[order].tolist()
    left = clf.feature_importances_.min()
    assert display.ax_.get_xlabel() == f"share of the weighted rules; 1 other columns have {left:.1%}"
    named = ImportanceDisplay.from_estimator(clf, feature_names=["a", "b", "c", "$d"])
    assert sorted(named.names) == ["$d", "a", "b", "c"]
    assert len(named.bars_) == 4
    with pytest.raises(ValueError, match="n_columns == 0, must be >= 1"):
        ImportanceDisplay.from_estimator(clf, n_columns=0)
