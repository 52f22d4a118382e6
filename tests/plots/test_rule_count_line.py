import numpy as np
import pytest

from tests.helpers.export_cases import without_rules
from wtm.plots import RuleCountDisplay


@pytest.mark.parametrize("model", ["mixed", "binary"])
def test_points_are_the_accuracies_with_the_heaviest_rules(model, request):
    clf, X, y = request.getfixturevalue(model)
    y = y if model == "mixed" else y == "yes"
    display = RuleCountDisplay.from_estimator(clf, X, y)
    assert display.line_.get_xdata().tolist() == display.n_rules.tolist()
    assert display.line_.get_ydata().tolist() == display.accuracy.tolist()
    assert display.accuracy[-1] == pytest.approx(clf.score(X, y))
    assert display.baseline == pytest.approx(np.unique(y, return_counts=True)[1].max() / len(y))
    rules = clf.rules()
    assert display.n_rules[-1] == len(rules) < len(clf.classes_) * clf.n_clauses  # equal clauses are one rule
    for n_rules in (1, 4):
        assert display.accuracy[display.n_rules == n_rules] == accuracy_with(clf, X, y, rules[:n_rules])


def accuracy_with(clf, X, y, rules):
    sums = {label: np.zeros(len(X)) for label in clf.classes_}
    for rule in rules:
        sums[rule.label] += rule.polarity * rule.weight * rule.holds(X)
    return (clf.classes_[np.stack(list(sums.values()), axis=1).argmax(axis=1)] == y).mean()


def test_a_model_without_rules_and_missing_labels_are_refused(mixed):
    case = without_rules()
    with pytest.raises(ValueError, match="clf has no rules"):
        RuleCountDisplay.from_estimator(case.clf, case.X, np.zeros(len(case.rows), int))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RuleCountDisplay.from_estimator(*mixed[:2], mixed[2][:5])


def test_a_pruned_model_shows_how_it_was_pruned(mixed):
    clf, X, y = mixed
    pruned = clf.prune(X, y, n_rules=5)
    display = RuleCountDisplay.from_pruned(pruned)
    assert list(zip(display.n_rules.tolist(), display.accuracy.tolist(), strict=True)) == pruned.pruning_["curve"][::-1]
    assert display.line_.get_xdata().tolist() == display.n_rules.tolist()
    assert display.accuracy[0] == pruned.score(X, y)
    assert display.ax_.get_xlabel() == "rules kept, the most needed first"
    for without_curve in (clf, clf.prune(n_rules=5)):
        with pytest.raises(ValueError, match="clf has no pruning_ with a curve"):
            RuleCountDisplay.from_pruned(without_curve)
