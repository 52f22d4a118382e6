import numpy as np
import pytest

from tests.helpers.export_cases import without_rules
from tests.helpers.problems import small, three_classes
from wtm.plots import RuleHistogramDisplay


@pytest.mark.parametrize("column", ["weight", "length", "support", "precision", "separation"])
def test_bars_count_all_rules_by_side(column, mixed):
    clf, X, y = mixed
    display = RuleHistogramDisplay.from_estimator(clf, X, y, column=column)
    table = clf.rules(X, y, one_sided=False)
    values, is_for = table.columns[column], np.array(table.columns["side"]) == "for"
    is_known = ~np.isnan(values)
    assert display.counts_.sum(axis=1).tolist() == [(is_for & is_known).sum(), (~is_for & is_known).sum()]
    heights = [bar.get_height() for bar in display.ax_.patches]
    assert heights == display.counts_.ravel().tolist()
    assert {bar.get_hatch() for bar in display.ax_.patches} == {None, "////"}


def test_each_length_has_a_bar_of_its_own(mixed):
    lengths = mixed[0].rules(one_sided=False).columns["length"]
    display = RuleHistogramDisplay.from_estimator(mixed[0], column="length")
    assert display.counts_.sum(axis=0).tolist() == np.bincount(lengths)[lengths.min() :].tolist()


def test_weights_that_differ_much_have_a_logarithmic_axis(mixed):
    display = RuleHistogramDisplay(column="weight", values=np.array([0.1, 1, 50]), is_for=np.ones(3, bool)).plot()
    assert display.ax_.get_xscale() == "log"
    assert display.counts_.sum() == 3
    assert RuleHistogramDisplay.from_estimator(mixed[0], column="length").ax_.get_xscale() == "linear"


def test_equal_weights_and_no_rules_are_drawn():
    X, y = three_classes()
    clf = small(gamma=0, n_clauses=10).fit(X, y)
    assert RuleHistogramDisplay.from_estimator(clf).counts_.sum() == len(clf.rules(one_sided=False))
    assert RuleHistogramDisplay.from_estimator(without_rules().clf).counts_.sum() == 0


def test_columns_that_are_not_there_are_refused(mixed):
    with pytest.raises(ValueError, match=r"column must be one of weight, length, got 'support'. Others need X"):
        RuleHistogramDisplay.from_estimator(mixed[0], column="support")
