"""From clauses to rules: drop redundant literals and contradictory clauses, and merge equal rules."""

from dataclasses import dataclass, replace

import numpy as np

from wtm.machine.voting import VotingModel
from wtm.rules.vocabulary import Vocabulary
from wtm.rules.vote_counts import most_votes

_NO_THRESHOLD = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Clauses:
    """Weighted clauses of classes.

    Attributes
    ----------
    classes : ndarray of shape (n_clauses,), int64
        Index of the class that each clause votes on.
    votes : ndarray of shape (n_clauses,), int64
        Signed weights in fixed point.
    ends : ndarray of shape (n_clauses + 1,), int64
        Clause c includes ``literals[ends[c]:ends[c + 1]]``.
    literals : ndarray of int32
    """

    classes: np.ndarray
    votes: np.ndarray
    ends: np.ndarray
    literals: np.ndarray

    def __len__(self) -> int:
        return len(self.votes)

    def __getitem__(self, chosen: np.ndarray) -> "Clauses":
        """Return the clauses at these positions, in this order."""
        lengths = np.diff(self.ends)[chosen]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.ends[:-1][chosen] - ends[:-1], lengths) + np.arange(ends[-1])
        return Clauses(self.classes[chosen], self.votes[chosen], ends, self.literals[places])

    def literals_of(self, clause: int) -> np.ndarray:
        """Return the literals of a clause."""
        return self.literals[self.ends[clause] : self.ends[clause + 1]]


def without_redundancy(clauses: Clauses, vocabulary: Vocabulary) -> Clauses:
    """Return the clauses that can be true, with the fewest literals that have the same truth value on every row.

    Of the thresholds of a column, only the largest lower one and the smallest upper one say anything; if a column
    equals a value, it differs from all others. The literals of a clause are then ordered by column, and have no two
    conditions of which one follows from the other.
    """
    n_features = vocabulary.n_features
    clause = np.repeat(np.arange(len(clauses)), np.diff(clauses.ends))
    columns = vocabulary.columns_of(clauses.literals % n_features)
    order = np.lexsort((columns, clause))
    literals, clause, columns = clauses.literals[order], clause[order], columns[order]
    if not len(literals):
        return clauses[np.empty(0, np.int64)]
    features, negated = literals.astype(np.int64) % n_features, literals >= n_features
    is_threshold = vocabulary.are_thresholds(features)
    # Literals on the same column of a clause are a group.
    starts = _starts(columns, clause)
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(literals))))
    low = np.maximum.reduceat(np.where(is_threshold & ~negated, features, -1), starts)
    high = np.minimum.reduceat(np.where(is_threshold & negated, features, _NO_THRESHOLD), starts)
    is_equality = ~is_threshold & ~negated
    n_equal = np.add.reduceat(is_equality.astype(np.int64), starts)
    equal_to = np.maximum.reduceat(np.where(is_equality, features, -1), starts)
    differs = ~is_threshold & negated

    contradicts = (low >= high) | (n_equal > 1) | ((n_equal == 1) & (low >= 0))
    contradicts |= np.logical_or.reduceat(differs & (features == equal_to[group]), starts)
    says_more = is_equality | (is_threshold & ~negated & (features == low[group]))
    says_more |= is_threshold & negated & (features == high[group]) & (n_equal[group] == 0)
    says_more |= differs & (n_equal[group] == 0) & (low[group] < 0)

    is_possible = np.diff(clauses.ends) > 0
    is_possible[clause[starts[contradicts]]] = False
    lengths = np.bincount(clause[says_more], minlength=len(clauses))
    ends = np.concatenate([[0], np.cumsum(lengths)])
    minimal = Clauses(clauses.classes, clauses.votes, ends, literals[says_more])
    return minimal[np.flatnonzero(is_possible)]


def most_true(clauses: Clauses, vocabulary: Vocabulary) -> np.ndarray:
    """Return how many literals of each clause can be true for a row at most.

    Of the thresholds of a column, the lowest ones hold; of its other features, one or none. Where none holds, all
    negations are true, and each feature that holds adds its literal and takes away its negation.
    """
    clause = np.repeat(np.arange(len(clauses)), np.diff(clauses.ends))
    features, is_negated = clauses.literals % vocabulary.n_features, clauses.literals >= vocabulary.n_features
    most = np.bincount(clause[is_negated], minlength=len(clauses))
    if not len(features):
        return most
    order = np.lexsort((features, clause))
    features, clause = features[order], clause[order]
    first = _starts(features, clause)
    gains = np.add.reduceat(np.where(is_negated[order], -1, 1), first)
    features, clause = features[first], clause[first]
    starts = _starts(vocabulary.columns_of(features), clause)
    is_threshold = vocabulary.are_thresholds(features)
    by_threshold = np.where(is_threshold, gains, 0)
    total = np.cumsum(by_threshold)
    before = np.repeat((total - by_threshold)[starts], np.diff(np.append(starts, len(total))))
    gained = np.maximum.reduceat(np.where(is_threshold, total - before, gains), starts)
    np.add.at(most, clause[starts], np.maximum(0, gained))
    return most


def _starts(keys: np.ndarray, clause: np.ndarray) -> np.ndarray:
    """Return where runs of equal keys of a clause start."""
    return np.flatnonzero(np.concatenate([[True], (keys[1:] != keys[:-1]) | (clause[1:] != clause[:-1])]))


def find_rules(
    clauses: Clauses, vocabulary: Vocabulary, *, one_sided: bool = False, literal_failures: int | None = None
) -> tuple[Clauses, np.ndarray]:
    """Return the rules of a model, and which of them each clause is a part of.

    Parameters
    ----------
    clauses : Clauses
    vocabulary : Vocabulary
    one_sided : bool
        Whether the votes of two classes are shown as votes on the second.
    literal_failures : int or None
        LF of fuzzy clauses, of which each literal counts, so that none is redundant; None for strict ones.

    Returns
    -------
    rules : Clauses
        Without redundant literals, and with equal rules merged.
    rule_of : ndarray of shape (n_clauses,), int64
        -1 for a clause that can't vote, and one whose vote others cancel.
    """
    numbered = replace(clauses, votes=np.arange(len(clauses)))  # to know which clauses are left
    minimal = _minimal(numbered, vocabulary, literal_failures)
    source = minimal.votes
    minimal = replace(minimal, votes=clauses.votes[source])
    if one_sided:
        minimal = seen_from_second_class(minimal)
    group, distinct = _equal(minimal)
    has_vote = distinct.votes != 0
    rule_of = np.full(len(clauses), -1)
    rule_of[source] = np.where(has_vote, np.cumsum(has_vote) - 1, -1)[group]
    return distinct[np.flatnonzero(has_vote)], rule_of


def distinct_clauses(clauses: Clauses, vocabulary: Vocabulary, *, literal_failures: int | None = None) -> Clauses:
    """Return the rules that differ from each other, whatever they vote for: all have the vote 1."""
    minimal = _minimal(clauses, vocabulary, literal_failures)
    _, distinct = _equal(replace(minimal, classes=np.zeros_like(minimal.classes)))
    return replace(distinct, votes=np.ones_like(distinct.votes))


def _minimal(clauses: Clauses, vocabulary: Vocabulary, literal_failures: int | None) -> Clauses:
    """Return the clauses that can vote, without redundant literals if they are strict."""
    if literal_failures is None:
        return without_redundancy(clauses, vocabulary)
    fewest_false = np.diff(clauses.ends) - most_true(clauses, vocabulary)
    return clauses[np.flatnonzero(fewest_false < most_votes(clauses.ends, literal_failures))]


def merge_equal(clauses: Clauses) -> Clauses:
    """Return clauses that all differ: the votes of equal clauses of a class are added, and are left out if they are 0.

    A clause stands where the first of those that it replaces stood.
    """
    _, distinct = _equal(clauses)
    return distinct[np.flatnonzero(distinct.votes)]


def _equal(clauses: Clauses) -> tuple[np.ndarray, Clauses]:
    """Return for each clause the position of its merged clause, and these with the sums of the votes."""
    place_of: dict[tuple[int, bytes], int] = {}
    ends = clauses.ends.tolist()
    merged = np.empty(len(clauses), np.int64)
    for i, index in enumerate(clauses.classes.tolist()):
        key = index, clauses.literals[ends[i] : ends[i + 1]].tobytes()
        merged[i] = place_of.setdefault(key, len(place_of))
    votes = np.zeros(len(place_of), np.int64)
    np.add.at(votes, merged, clauses.votes)
    _, first = np.unique(merged, return_index=True)
    return merged, replace(clauses[first], votes=votes)


def seen_from_second_class(clauses: Clauses) -> Clauses:
    """Return the clauses of two classes as votes for and against the second: the sum is the decision function."""
    votes = np.where(clauses.classes == 0, -clauses.votes, clauses.votes)
    return Clauses(np.ones_like(clauses.classes), votes, clauses.ends, clauses.literals)


def clauses_of(voting: VotingModel) -> Clauses:
    """Return the clauses of all machines."""
    classes = np.repeat(np.arange(voting.n_machines), voting.n_clauses)
    return Clauses(classes, voting.clause_votes, voting.clause_ends, voting.literal_list)
