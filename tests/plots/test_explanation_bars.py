import numpy as np
import pytest

from tests.helpers.export_cases import HOSTILE_NAMES, bits
from wtm.plots import ExplanationDisplay


def extents(display):
    """Left and right end of each bar."""
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in display.bars_]


def test_the_bars_add_up_to_the_class_sum(mixed):
    clf, X, _ = mixed
    for row in (0, 7):
        sums = clf.class_sums(X[row : row + 1])[0]
        for label, expected in zip(clf.classes_, sums, strict=True):
            display = ExplanationDisplay.from_estimator(clf, X[row : row + 1], label=label, n_rules=3)
            *votes, (start, end) = extents(display)
            assert (start, end) == (0, pytest.approx(expected))
            starts, ends = [vote[0] for vote in votes], [vote[1] for vote in votes]
            assert [*starts, expected] == pytest.approx([0, *ends])
            assert len(votes) <= 4


def test_bars_are_those_of_the_heaviest_rules(mixed):
    clf, X, _ = mixed
    (explanation,) = clf.explain(X[:1])
    rules = [rule for rule in explanation.rules if rule.label == explanation.label]
    display = ExplanationDisplay.from_explanation(explanation, n_rules=2)
    assert display.votes.tolist() == pytest.approx([rules[0].vote, rules[1].vote, sum(r.vote for r in rules[2:])])
    texts = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert texts[0][:50] == str(rules[0]).removeprefix("IF ")[:50].partition(" THEN")[0]
    assert texts[2:] == [f"{len(rules) - 2} lighter rules", "class sum"]
    assert [bar.get_hatch() for bar in display.bars_] == [None if vote > 0 else "////" for vote in display.votes] + [
        None
    ]
    assert display.ax_.get_xlabel() == f"votes for {explanation.label}"


def test_two_classes_are_drawn_as_votes_on_the_second(binary):
    clf, X, _ = binary
    display = ExplanationDisplay.from_estimator(clf, X[:1])
    assert display.label is True or display.label == np.True_
    assert extents(display)[-1][1] == pytest.approx(clf.decision_function(X[:1])[0])


def test_names_are_text():
    case = bits(len(HOSTILE_NAMES))
    names = ["$\\frac{1}", "a_b$c$", *HOSTILE_NAMES[2:]]
    display = ExplanationDisplay.from_estimator(case.clf, case.X[:1], feature_names=names)
    display.figure_.canvas.draw()


def test_what_can_not_be_drawn_is_refused(mixed):
    for wrong in (None, [1], "explanation", np.ones((2, 2))):
        with pytest.raises(TypeError, match=r"explanation must be one of those that explain\(X\) lists, got"):
            ExplanationDisplay.from_explanation(wrong)
    clf, X, _ = mixed
    with pytest.raises(ValueError, match="label must be one of 'maybe', 'no', 'yes', got 'other'"):
        ExplanationDisplay.from_estimator(clf, X[:1], label="other")
    with pytest.raises(ValueError, match="X has no rows"):
        ExplanationDisplay.from_estimator(clf, X[:0])
    with pytest.raises(ValueError, match="n_rules == 0, must be >= 1"):
        ExplanationDisplay.from_estimator(clf, X[:1], n_rules=0)
