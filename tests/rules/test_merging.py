"""A rule has the truth value of its clause on every possible row, and no condition too many."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wtm import Booleanizer
from wtm.rules import parse_condition
from wtm.rules.merging import Clauses, merge_equal, seen_from_second_class, without_redundancy
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.reading import read_table

UNSEEN = "never seen"
COLUMNS = {
    "numbers": [1.0, 2.0, 3.0, 4.0],
    "numbers, some missing": [1.0, 2.0, 3.0, None],
    "0/1": [0, 1, 1, 0],
    "0/1, some missing": [0, 1, None, 0],
    "only missing varies": [5, 5, None, 5],
    "text": ["a", "b", "c", "a"],
    "text, some missing": ["a", "b", None, "b"],
    "mixed": ["a", 1, True, 2.5],
}


def representatives(values):
    """A value in every part of the column that any of its conditions can tell apart."""
    known = sorted({v for v in values if v is not None}, key=str)
    if any(isinstance(v, str) for v in known):
        return [*known, None, UNSEEN]
    return [-9.0, *known, *(v + 0.25 for v in known), *(v + 0.75 for v in known), 9.0, None]


def clause_set(*clauses, votes=None, classes=None):
    n = len(clauses)
    return Clauses(
        np.array(classes or [0] * n),
        np.array(votes or [1] * n),
        np.cumsum([0, *map(len, clauses)]),
        np.array(list(itertools.chain(*clauses)), np.int32),
    )


@settings(max_examples=300)
@given(st.data())
def test_a_rule_has_the_truth_value_of_its_clause_on_every_possible_row(data):
    kinds = data.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=2))
    columns = [COLUMNS[kind] for kind in kinds]
    b = Booleanizer().fit(list(zip(*columns, strict=True)))
    literal = st.integers(0, 2 * b.n_features_out_ - 1)
    clauses = data.draw(st.lists(st.sets(literal, min_size=1, max_size=6).map(sorted), min_size=1, max_size=8))
    vocabulary = Vocabulary(b.n_features_out_, b, None)
    rows = list(itertools.product(*map(representatives, columns)))
    features = b.transform(np.array(rows, object))
    truth = np.concatenate([features, ~features], axis=1)

    rules = without_redundancy(clause_set(*clauses, votes=list(range(1, len(clauses) + 1))), vocabulary)
    possible = [vote for vote, clause in enumerate(clauses, start=1) if truth[:, clause].all(axis=1).any()]
    assert set(possible) <= set(rules.votes.tolist())
    for i, vote in enumerate(rules.votes.tolist()):
        expected = truth[:, clauses[vote - 1]].all(axis=1)
        literals = rules.literals_of(i).tolist()
        assert set(literals) <= set(clauses[vote - 1])
        conditions = vocabulary.conditions(literals)
        holds = [np.ones(len(rows), bool)]
        for condition in conditions:
            again = parse_condition(str(condition))
            assert again == condition
            holds.append(again.holds(_column(rows, int(condition.column.removeprefix("x")))))
        assert (np.all(holds, axis=0) == expected).all()
        assert len({condition.column for condition in conditions}) == len(conditions)
        for literal in literals:  # each of them matters for some row
            others = [other for other in literals if other != literal]
            assert (truth[:, others].all(axis=1) != expected).any()
    # Clauses left out are true for no row.
    for vote in set(range(1, len(clauses) + 1)) - set(rules.votes.tolist()):
        assert not truth[:, clauses[vote - 1]].all(axis=1).any()


def _column(rows, j):
    return read_table([[row[j]] for row in rows]).column(0)


def test_what_is_left_of_the_conditions_on_a_column():
    X = [[1.0, "red"], [2.0, "blue"], [3.0, None], [4.0, "red"]]
    b = Booleanizer(thresholds={0: [1.5, 2.5, 3.5]}).fit(X)
    names = [*b.get_feature_names_out(), *b.get_negated_feature_names_out()]
    vocabulary = Vocabulary(b.n_features_out_, b, ["age", "colour"])

    def left(*conditions):
        wanted = [c.replace("age", "x0").replace("colour", "x1") for c in conditions]
        rules = without_redundancy(clause_set(sorted(map(names.index, wanted))), vocabulary)
        return [str(c) for i in range(len(rules)) for c in vocabulary.conditions(rules.literals_of(i).tolist())]

    assert left("age > 1.5", "age > 2.5", "age <= 3.5") == ["2.5 < age <= 3.5"]
    assert left("age <= 3.5", "age <= 2.5") == ["age <= 2.5"]
    assert left("colour = red", "colour != blue", "colour is not missing") == ["colour = red"]
    assert left("colour != red", "colour != blue") == ["colour not in {blue, red}"]
    assert left("colour != red", "colour is not missing") == ["colour != red and not missing"]
    assert left("age > 2.5", "age <= 2.5") == left("colour = red", "colour = blue") == []
    assert left("colour = red", "colour is missing") == []
    assert left("colour != red", "age > 1.5") == ["age > 1.5", "colour != red"]


def test_votes_of_equal_rules_are_added():
    clauses = clause_set([0, 1], [2], [0, 1], [2], [0, 1], votes=[5, 3, -2, -3, 7], classes=[0, 0, 0, 0, 1])
    merged = merge_equal(clauses)
    assert merged.votes.tolist() == [3, 7]
    assert merged.classes.tolist() == [0, 1]
    assert [merged.literals_of(i).tolist() for i in range(2)] == [[0, 1], [0, 1]]
    one_sided = merge_equal(seen_from_second_class(clauses))
    assert one_sided.votes.tolist() == [4]
    assert one_sided.classes.tolist() == [1]


@pytest.mark.parametrize("clauses", [[], [[]], [[], []]])
def test_clauses_without_literals_are_no_rules(clauses):
    rules = without_redundancy(clause_set(*clauses), Vocabulary(3, None, None))
    assert len(rules) == len(merge_equal(rules)) == 0


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), min_size=1, max_size=6), st.data())
def test_chosen_clauses_keep_their_literals(clauses, data):
    chosen = data.draw(st.lists(st.integers(0, len(clauses) - 1), max_size=8))
    picked = clause_set(*clauses, votes=list(range(len(clauses))))[np.array(chosen, np.int64)]
    assert picked.votes.tolist() == chosen
    assert [picked.literals_of(i).tolist() for i in range(len(chosen))] == [clauses[i] for i in chosen]
