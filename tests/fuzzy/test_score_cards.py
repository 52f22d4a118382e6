"""Score cards: what they say adds up to the votes."""

from dataclasses import replace

import numpy as np
import pytest

from tests.fuzzy.conftest import small, small_regressor
from wtm.rules import Rule, ScoreCard, ScoreCards
from wtm.rules.merging import clauses_of, find_rules, most_true
from wtm.rules.vocabulary import Vocabulary


def votes_of(card, X):
    """What a card adds to each row, by its own words."""
    score = np.zeros(len(X), int)
    for of_column in card.points:
        for condition, n in of_column:
            score += n * Rule(card.label, 1, 1.0, (condition,)).holds(X)
    return card.polarity * card.weight * np.maximum(0, score - card.n_needed + 1)


def test_cards_add_up_to_the_class_sums(people, fitted):
    X, _ = people
    cards = fitted.rules()
    assert isinstance(cards, ScoreCards)
    sums = {label: np.zeros(len(X)) for label in fitted.classes_}
    for card in cards:
        sums[card.label] += votes_of(card, X)
    np.testing.assert_allclose(np.stack(list(sums.values()), axis=1), fitted.class_sums(X), atol=1e-9)


def test_explanations_add_up_to_the_class_sums(people, fitted):
    X, _ = people
    for row, sums, label in zip(fitted.explain(X[:60]), fitted.class_sums(X[:60]), fitted.predict(X[:60]), strict=True):
        assert row.prediction == label
        of_labels = [
            sum(v for v, card in zip(row.votes, row.cards, strict=True) if card.label == c) for c in fitted.classes_
        ]
        assert of_labels == pytest.approx(sums.tolist())
        assert (np.diff(np.abs(row.votes)) <= 1e-12).all()


def test_explanations_of_numbers_add_up_to_the_prediction(majority):
    X, _ = majority
    y = X @ np.arange(12.0)
    model = small_regressor(n_epochs=10).fit(X, np.stack([y, -y], axis=1))
    for row, predicted in zip(model.explain(X[:30]), model.predict(X[:30]), strict=True):
        added = [sum(v for v, c in zip(row.votes, row.cards, strict=True) if c.label == i) for i in (0, 1)]
        middle = model.y_range_.mean(axis=1)
        assert np.clip(middle + added, *model.y_range_.T) == pytest.approx(predicted)
        assert row.prediction == pytest.approx(predicted)
    texts = "".join(map(str, model.rules()))
    assert "adds to output 1" in texts
    assert "subtracts from output 0" in texts
    single = small_regressor().fit(X, y)
    assert " THEN adds: " in "".join(map(str, single.rules()))
    (middle,) = single.y_range_.mean(axis=1)
    assert str(single.explain(X[:1])[0]).startswith(
        f"predicted: {single.predict(X[:1])[0]:.4g}, from {middle:.4g} with"
    )


@pytest.mark.parametrize(
    ("n_conditions", "n_needed", "title"),
    [
        (2, 1, "IF at least 1 of 2 hold THEN votes for yes: 0.5, and 0.5 more for each further one"),
        (2, 2, "IF all 2 hold THEN votes for yes: 0.5"),
        (0, 0, "ALWAYS votes for yes: 0.5"),
        (2, -1, "ALWAYS votes for yes: 1, and 0.5 more for each of 2 that hold"),
    ],
)
def test_titles_say_when_a_card_votes(n_conditions, n_needed, title):
    assert ScoreCard("yes", 1, n_conditions, n_needed, 0.5, (), 0, "votes for yes").title == title


@pytest.mark.parametrize("literal_failures", [1, 3])
def test_rules_that_can_never_vote_are_left_out(people, literal_failures):
    X, y = people
    model = small(n_epochs=15, literal_failures=literal_failures, n_clauses=200).fit(X, y)
    vocabulary = Vocabulary.of(model)
    clauses = clauses_of(model._voting_model())
    clauses = with_contradictions(clauses, vocabulary.n_features)
    every_card = ScoreCards(
        clauses, literal_failures, vocabulary, model.classes_.tolist(), model._worth_of_votes(), model._action
    )
    can_vote = np.array([len(clauses.literals_of(i)) > 0 and card.max_weight > 0 for i, card in enumerate(every_card)])
    most = np.array([card.n_always + card.n_conditions for card in every_card])
    assert most_true(clauses, vocabulary).tolist() == most.tolist()
    _, rule_of = find_rules(clauses, vocabulary, literal_failures=literal_failures)
    assert ((rule_of >= 0) == can_vote).all()
    assert 20 < can_vote.sum() < len(clauses) - 20


def with_contradictions(clauses, n_features):
    """The clauses, half of them with more literals, drawn at random."""
    rng = np.random.default_rng(0)
    literals = [clauses.literals_of(i) for i in range(len(clauses))]
    for i in range(0, len(clauses), 2):
        literals[i] = np.unique(np.append(literals[i], rng.integers(0, 2 * n_features, 6)))
    ends = np.cumsum([0, *map(len, literals)])
    votes = np.arange(1, len(clauses) + 1)  # all differ, so none cancel
    return replace(clauses, votes=votes, ends=ends, literals=np.concatenate(literals).astype(np.int32))


def test_support_is_counted(people, fitted):
    X, _ = people
    cards = fitted.rules(X)
    for card, support in zip(cards[:10], cards.columns["support"], strict=False):
        assert support == pytest.approx((votes_of(card, X) != 0).mean())


@pytest.mark.parametrize(
    ("needed", "title"),
    [
        (2, "IF at least 2 of 3 hold THEN votes for yes: 0.5, and 0.5 more for each further one"),
        (3, "IF all 3 hold THEN votes for yes: 0.5"),
        (0, "ALWAYS votes for yes: 0.5, and 0.5 more for each of 3 that hold"),
        (-1, "ALWAYS votes for yes: 1, and 0.5 more for each of 3 that hold"),
    ],
)
def test_titles(needed, title):
    assert ScoreCard("yes", 1, 3, needed, 0.5, (), 0, "votes for yes").title == title


def test_cards_are_shown(people, fitted):
    X, _ = people
    cards = fitted.rules(X)
    assert str(cards).splitlines()[0] == f"{len(cards)} rules"
    assert str(cards[0]) in str(cards)
    assert "<table>" in cards._repr_html_()
    assert list(cards.to_pandas().columns) == [
        "class", "side", "weight", "n_needed", "length", "conditions", "support"
    ]  # fmt: skip
    assert str(fitted.explain(X[:1])[0]).startswith("predicted: ")
    assert repr(fitted.explain(X[:1])[0]).startswith("<Explanation by ")
    assert fitted.explain(X[:0]) == []


def test_other_names_can_be_given(majority):
    X, y = majority
    model = small().fit(X, y)
    assert "bit 3" in str(list(map(str, model.rules(feature_names=[f"bit {i}" for i in range(12)]))))
    with pytest.raises(ValueError, match="feature_names"):
        model.rules(feature_names=["a"])
