"""The rules of a regressor add up to its predictions."""

import numpy as np
import pytest

from tests.regressor.conftest import small
from wtm.rules import AddendTable


def test_rules_add_up_to_the_predictions(bits, fitted):
    X, _ = bits
    table = fitted.rules(X)
    total = table.middle[0] + sum(rule.vote * rule.holds(X) for rule in table)
    np.testing.assert_allclose(np.clip(total, *fitted.y_range_[0]), fitted.predict(X), atol=1e-9)
    support = [rule.holds(X).mean() for rule in table]
    assert table.columns["support"] == pytest.approx(np.array(support))
    sizes = np.abs(table.columns["adds"]) * support
    assert (np.diff(sizes) <= 1e-12).all()


def test_the_text_says_what_is_added(fitted):
    table = fitted.rules()
    for rule in (table[0], table[int(np.argmin(table.columns["adds"]))]):
        verb = "adds" if rule.polarity > 0 else "subtracts"
        assert str(rule) == f"IF {' AND '.join(rule.literals)} THEN {verb} {rule.weight:.4g}"
    assert isinstance(table[:3], AddendTable)
    assert len(table[:3]) == 3
    assert "adds" in str(table)
    assert "adds" in table.to_html()
    assert list(table.to_pandas().columns) == ["adds", "conditions", "length"]


def test_several_outputs_are_named(bits):
    X, y = bits
    model = small().fit(X, np.stack([y, 3 - y], axis=1))
    table = model.rules(feature_names=list("abcdefgh"))
    assert set(table.columns["output"]) == {0, 1}
    assert {str(rule).rpartition(" ")[2] for rule in table} == {"0", "1"}
    total = np.tile(table.middle, (len(X), 1))
    for rule in table:
        total[:, rule.label] += rule.vote * rule.holds(X, list("abcdefgh"))
    np.testing.assert_allclose(np.clip(total, *model.y_range_.T), model.predict(X), atol=1e-9)


def test_explanations_add_up_to_the_prediction(bits, fitted):
    X, _ = bits
    for row, predicted, explanation in zip(X[:50], fitted.predict(X[:50]), fitted.explain(X[:50]), strict=True):
        assert explanation.prediction.tolist() == [predicted]
        assert all(rule.holds(row[None])[0] for rule in explanation.rules)
        assert explanation.totals[0] == pytest.approx(sum(rule.vote for rule in explanation.rules))
        total = explanation.middle[0] + explanation.totals[0]
        assert np.clip(total, *fitted.y_range_[0]) == pytest.approx(predicted)
        assert ("clipped" in str(explanation)) == (abs(total - predicted) > 1e-6)


def test_explanations_are_shown(bits, fitted):
    X, y = bits
    explanation = fitted.explain(X[:1], feature_names=list("abcdefgh"))[0]
    heading, first, *_ = str(explanation).splitlines()
    assert heading.startswith(f"predicted {explanation.prediction[0]:.4g}: {explanation.middle[0]:.4g}, and ")
    rule = explanation.rules[0]
    assert first == f"  {rule.vote:+9.4g}  {' AND '.join(rule.literals)}"
    assert f"<td>{rule.vote:+.4g}</td>" in explanation._repr_html_()
    assert repr(explanation).startswith("<Explanation of ")
    both = small().fit(X, np.stack([y, 3 - y], axis=1)).explain(X[:2])[1]
    assert "output 1: predicted" in str(both)
    assert fitted.explain(X[:0]) == []
