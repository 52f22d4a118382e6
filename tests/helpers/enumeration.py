"""Exact distributions of tiny Tsetlin machines, and the test that holds any engine against them.

Written from the paper's tables, one automaton at a time, and from nothing in ``wtm``, which only
`simulate_reference` runs: clauses are plain tuples, probabilities are multiplied out, and every outcome that
can happen is kept. An *outcome* is the pair of all states, flattened clause by clause, and the exponents of
all weights, both as tuples of int.

To test an engine, write ``simulate(case, n_seeds) -> Counter`` of outcomes, as `simulate_reference` is, and
call `assert_matches(case, simulate, n_seeds)` for every case of `CASES`.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

from wtm import reference

Row = tuple[int, ...]
Outcome = tuple[Row, Row]
Distribution = dict[Outcome, float]
Example = tuple[tuple[int, ...], float]  # the features, and the target of the sum, as a share of T
Branch = tuple[Row, float]  # the automata of a clause, and a probability
Simulate = Callable[["Case", int], Counter[Outcome]]


@dataclass(frozen=True)
class Case:
    """A tiny system and the examples that it learns. The first half of the clauses has positive polarity."""

    name: str
    examples: tuple[Example, ...]
    n_clauses: int = 2
    n_half: int = 2  # N, half the states of an automaton
    T: float = 2.0
    p_s: float = 0.3  # 1 / s
    gamma: float = 0.5
    boost: bool = True
    max_literals: int | None = None
    init: str = "border"
    failures: int | None = None  # LF of fuzzy clauses
    moves_weights: bool = True
    image_shape: tuple[int, int, int] | None = None  # of a convolution: height, width and number of channels
    patch_shape: tuple[int, int] = (1, 1)
    positions: bool = True
    n_shards: int = 1  # see `wtm.reference.train_in_blocks`
    vote_block: int = 1

    @property
    def o(self) -> int:
        """The number of features."""
        return len(patches_of(self.examples[0][0], self)[0])


def _sequence(text: str) -> tuple[Example, ...]:
    """Read examples such as "10+ 01-": the features, then the target's sign in `TARGETS`."""
    return tuple((tuple(map(int, word[:-1])), TARGETS[word[-1]]) for word in text.split())


TARGETS = {"+": 1.0, "^": 0.5, "o": 0.0, "v": -0.5, "-": -1.0}
"""Shares of T. Those of classes are 1 and -1, all others are numbers in regression."""

CASES = [
    Case("boosted", _sequence("1+ 0- 1- 0+"), n_half=3),
    Case("unboosted", _sequence("1+ 1+ 0- 1-"), boost=False),
    Case("without weights", _sequence("1+ 0+ 1- 0-"), T=1, gamma=0.0, init="random"),
    Case("without weights, unboosted", _sequence("0- 0- 1+ 1+"), T=3, gamma=0.0, boost=False),
    Case("rare trials, up to the ceiling", _sequence("1+ 1+ 1+ 0+ 1+"), T=40, p_s=0.05, gamma=0.1),
    Case("down to the floor", _sequence("1+ 0+ 0+ 0+ 1+"), T=8, p_s=0.6, gamma=0.2),
    Case("certain trials", _sequence("1+ 0+ 1+ 0- 0-"), T=2.5, p_s=1.0, init="random"),
    Case("certain trials, unboosted", _sequence("1+ 1- 0- 0+"), T=4, p_s=1.0, boost=False, init="random"),
    Case("sums beyond a small threshold", _sequence("1+ 0- 1+"), n_clauses=4, T=0.75, gamma=1.0),
    Case("four clauses, sums within the threshold", _sequence("1- 0+ 1+"), n_clauses=4, T=3, gamma=0.3),
    Case("weights that double", _sequence("1+ 1+ 1+ 1-"), T=6, gamma=1.0, init="random"),
    Case("two features", _sequence("10+ 11- 10+"), T=2, gamma=0.2),
    Case("two features, unboosted", _sequence("01- 01+"), T=1.5, gamma=0.2, boost=False, init="random"),
    Case("a budget of a literal", _sequence("10+ 10+ 11+"), gamma=0.2, max_literals=1),
    Case("a budget of a literal, unboosted", _sequence("01- 01- 01+"), T=3, boost=False, max_literals=1),
    Case("a budget that is not reached", _sequence("10+ 10+ 11+"), gamma=0.2, max_literals=4),
    Case("numbers", _sequence("1^ 0v 1o 0+"), gamma=0.2),
    Case("numbers, without weights", _sequence("1v 1v 0^ 1o"), T=1.5, gamma=0.0, init="random"),
    Case("numbers between four clauses", _sequence("1^ 0o 1v"), n_clauses=4, T=3, gamma=0.5, boost=False),
]


FUZZY_CASES = [
    Case("one failure", _sequence("1+ 0- 1- 0+"), n_half=3, failures=1),
    Case("two failures", _sequence("10+ 01- 11+"), T=1, gamma=0.2, failures=2),
    Case("three failures, all excluded in a step", _sequence("10- 01+"), T=0.7, failures=3, init="random"),
    Case("two failures, without weights", _sequence("1+ 0+ 1- 0-"), T=1, gamma=0.0, init="random", failures=2),
    Case("weights that start later", _sequence("1+ 0+ 1- 0-"), T=1, failures=2, init="random", moves_weights=False),
    Case("down to the floor", _sequence("1+ 0+ 0+ 0+ 1+"), T=8, p_s=0.6, gamma=0.2, failures=1),
    Case("up to the ceiling", _sequence("1+ 1+ 1+ 1+ 0+"), T=40, p_s=0.05, gamma=0.1, failures=2),
    Case("certain trials", _sequence("1+ 0+ 1+ 0- 0-"), T=2.5, p_s=1.0, init="random", failures=1),
    Case("a budget of a literal", _sequence("10+ 10+ 11+"), gamma=0.2, max_literals=1, failures=2),
    Case("a budget of two literals", _sequence("10+ 01- 10+"), T=1.5, gamma=0.2, max_literals=2, failures=3),
    Case("a budget of four literals", _sequence("10- 11-"), T=3, max_literals=4, failures=2, init="random"),
    Case("four clauses", _sequence("1- 0+ 1+"), n_clauses=4, T=1.5, gamma=0.3, failures=2),
    Case("numbers", _sequence("1^ 0v 1o 0+"), T=1, gamma=0.2, failures=2),
]
"""Machines of fuzzy clauses."""


SHARD_CASES = [
    Case("two shards", _sequence("1+ 0+"), n_clauses=4, T=2, gamma=0.5, n_shards=2, vote_block=2),
    Case("two shards, sums beyond the threshold", _sequence("1+ 1-"), n_clauses=4, T=1.25, gamma=1.0, n_half=1,
         n_shards=2, vote_block=2),
    Case("two blocks, the last too short", _sequence("1+ 1+ 1-"), n_clauses=4, n_half=1, p_s=1.0, T=1.5, n_shards=2,
         vote_block=2),
    Case("two blocks of two, the votes of both shards change alike", _sequence("1- 1- 1+ 1+"), n_clauses=4, n_half=1,
         p_s=1.0, T=1.25, gamma=1.0, n_shards=2, vote_block=2),
    Case("blocks of an example", _sequence("1+ 1+ 0-"), n_clauses=4, n_half=1, p_s=1.0, gamma=0.3, n_shards=2),
    Case("one shard, blocks of two", _sequence("1- 0+ 1+"), n_clauses=2, T=3, gamma=0.3, vote_block=2),
    Case("two fuzzy shards", _sequence("1+ 1-"), n_clauses=4, T=1.5, gamma=0.3, failures=2, n_shards=2, vote_block=2),
    Case("numbers", _sequence("1^ 1v 0o"), n_clauses=4, n_half=1, p_s=1.0, gamma=0.5, n_shards=2, vote_block=3),
]  # fmt: skip
"""Machines whose clauses are trained in shards."""


CONV_CASES = [
    Case("two pixels", _sequence("10+ 01- 11+ 00-"), n_half=3, image_shape=(1, 2, 1), positions=False),
    Case("two pixels, unboosted", _sequence("10+ 01+ 11- 00-"), boost=False, image_shape=(1, 2, 1), positions=False),
    Case("two pixels and their positions", _sequence("10+ 01- 11+"), gamma=0.2, image_shape=(1, 2, 1)),
    Case("a column of two pixels", _sequence("01- 01- 10+"), T=1.5, gamma=0.2, image_shape=(2, 1, 1), init="random"),
    Case("four pixels", _sequence("1000+ 0110- 0100+ 1111-"), T=3, image_shape=(2, 2, 1), positions=False),
    Case("four pixels, without weights", _sequence("1000+ 0111- 0100+"), gamma=0.0, T=1, image_shape=(2, 2, 1),
         positions=False, init="random"),
    Case("four pixels and their positions", _sequence("1001+ 0110-"), gamma=0.2, image_shape=(2, 2, 1)),
    Case("patches of two pixels", _sequence("101+ 011- 110+"), image_shape=(1, 3, 1), patch_shape=(1, 2),
         positions=False),
    Case("two channels", _sequence("1001+ 0111-"), T=1.5, image_shape=(1, 2, 2), positions=False, boost=False),
    Case("a patch as large as the image", _sequence("10+ 11- 10+"), T=2, gamma=0.2, image_shape=(1, 2, 1),
         patch_shape=(1, 2)),
    Case("a budget of a literal", _sequence("10+ 10+ 11+"), T=8, gamma=0.2, max_literals=1, image_shape=(1, 2, 1)),
    Case("certain trials", _sequence("10+ 01+ 11- 00-"), T=2.5, p_s=1.0, image_shape=(1, 2, 1), positions=False,
         init="random"),
    Case("four clauses", _sequence("10- 01+ 11+"), n_clauses=4, T=0.75, gamma=1.0, image_shape=(1, 2, 1),
         positions=False),
    Case("numbers", _sequence("10^ 01v 11o 00+"), gamma=0.2, image_shape=(1, 2, 1), positions=False),
]  # fmt: skip
"""Machines of a convolution. The pixels of an image come channel by channel and row by row."""


CONV_FUZZY_CASES = [
    Case("two pixels, one failure", _sequence("10+ 01- 11+ 00-"), n_half=3, image_shape=(1, 2, 1), positions=False,
         failures=1),
    Case("two pixels, two failures", _sequence("10+ 01- 11+ 00-"), T=1, gamma=0.2, image_shape=(1, 2, 1),
         positions=False, failures=2, init="random"),
    Case("two pixels and their positions", _sequence("10+ 01- 11+"), T=1, gamma=0.2, image_shape=(1, 2, 1), failures=2),
    Case("four pixels and their positions", _sequence("1001+ 0110-"), T=0.8, gamma=0.0, image_shape=(2, 2, 1),
         failures=3),
    Case("four pixels", _sequence("1000+ 0110- 0100+ 1111-"), T=1.5, image_shape=(2, 2, 1), positions=False,
         failures=2, init="random", moves_weights=False),
    Case("patches of two pixels", _sequence("101+ 011- 110+"), T=1, image_shape=(1, 3, 1), patch_shape=(1, 2),
         positions=False, failures=2, max_literals=1),
    Case("two channels", _sequence("1001+ 0111-"), T=1.5, image_shape=(1, 2, 2), positions=False, failures=2,
         max_literals=2, init="random"),
    Case("rare votes", _sequence("10- 01+ 11+ 00+"), T=8, p_s=0.6, gamma=0.2, image_shape=(1, 2, 1), positions=False,
         failures=1, init="random"),
    Case("four clauses", _sequence("10- 01+ 11+"), n_clauses=4, T=1.5, gamma=0.3, image_shape=(1, 2, 1),
         positions=False, failures=2),
    Case("numbers", _sequence("10^ 01v 11o 00+"), T=1, gamma=0.2, image_shape=(1, 2, 1), positions=False, failures=2),
]  # fmt: skip
"""Convolutions of fuzzy clauses."""


# --- The machine, automaton by automaton ------------------------------------------------------------------

# Table 1: (clause, literal, includes) -> the response to the automaton. All are given with p_s except where
# clause and literal are both true; a true clause has no included false literal.
TYPE_I = {
    (0, 0, True): "penalty",
    (0, 1, True): "penalty",
    (1, 1, True): "reward",
    (0, 0, False): "reward",
    (0, 1, False): "reward",
    (1, 0, False): "reward",
    (1, 1, False): "penalty",
}
# Table 2 has one entry.
TYPE_II = {(1, 0, False): "penalty"}


def _respond(state: int, response: str, n_half: int) -> int:
    """Figure 1, states counted from 0: a penalty moves towards the centre, a reward away from it."""
    if response == "penalty":
        return state + 1 if state < n_half else state - 1
    if state < n_half:
        return 0 if state == 0 else state - 1
    return state if state == 2 * n_half - 1 else state + 1


def _literals(x: tuple[int, ...]) -> tuple[int, ...]:
    return (*x, *(1 - value for value in x))


def _clause_is_true(row: Row, x: tuple[int, ...], n_half: int) -> int:
    """The clause in training: 1 if no included literal is 0, as of a clause that includes none."""
    return int(all(literal for state, literal in zip(row, _literals(x), strict=True) if state >= n_half))


def _votes(row: Row, x: tuple[int, ...], case: Case) -> int:
    """The votes of a fuzzy clause in training: all for no literals, else one less for each that is 0."""
    if case.failures is None:
        return _clause_is_true(row, x, case.n_half)
    included = [literal for state, literal in zip(row, _literals(x), strict=True) if state >= case.n_half]
    if not included:
        return case.failures
    return max(0, min(case.failures, len(included)) - included.count(0))


def patches_of(x: tuple[int, ...], case: Case) -> list[tuple[int, ...]]:
    """The features of all patches of an image; without a convolution, the features themselves."""
    if case.image_shape is None:
        return [x]
    (height, width, n_channels), (tall, wide) = case.image_shape, case.patch_shape
    n_down, n_across = height - tall + 1, width - wide + 1
    patches = []
    for top, left in itertools.product(range(n_down), range(n_across)):
        places = itertools.product(range(n_channels), range(top, top + tall), range(left, left + wide))
        pixels = [x[(channel * height + i) * width + j] for channel, i, j in places]
        below = [int(top > i) for i in range(n_down - 1)]
        right = [int(left > j) for j in range(n_across - 1)]
        patches.append((*pixels, *(below + right if case.positions else [])))
    return patches


def _image_votes(row: Row, x: tuple[int, ...], case: Case) -> int:
    """The votes of a clause in training, those on the patch with the most."""
    return max(_votes(row, patch, case) for patch in patches_of(x, case))


def _image_feedback(row: Row, x: tuple[int, ...], kind: str, case: Case) -> list[Branch]:
    """What a clause that receives feedback can become: any of its best patches can be the one that it learns."""
    patches, most = patches_of(x, case), _image_votes(row, x, case)
    best = [patch for patch in patches if _votes(row, patch, case) == most] if most else patches[:1]
    return [(after, p / len(best)) for patch in best for after, p in _feedback(row, patch, kind, case)]


@cache
def _fuzzy_feedback(row: Row, x: tuple[int, ...], kind: str, case: Case) -> list[Branch]:
    """What a fuzzy clause with votes becomes, for certain."""
    n_half = case.n_half
    has_room = case.max_literals is None or sum(state >= n_half for state in row) < case.max_literals
    after = []
    for state, literal in zip(row, _literals(x), strict=True):
        move = 0
        if kind == "II":
            move = 1 if not literal and state < n_half else 0
        elif literal:
            move = 1 if has_room else 0
        elif state < n_half:
            move = -1
        after.append(min(max(state + move, 0), 2 * n_half - 1))
    return [(tuple(after), 1.0)]


@cache
def _feedback(row: Row, x: tuple[int, ...], kind: str, case: Case) -> list[Branch]:
    """What a clause that receives feedback can become; different ways to the same automata are listed separately."""
    n_half, p_s = case.n_half, case.p_s
    if case.failures is not None and _votes(row, x, case):
        return _fuzzy_feedback(row, x, kind, case)
    clause = 0 if case.failures is not None else _clause_is_true(row, x, n_half)
    has_budget = case.failures is None and case.max_literals is not None
    if kind == "I" and has_budget and sum(state >= n_half for state in row) > case.max_literals:
        clause = 0  # Table 1 of the machine with a budget
    moves = []  # for each automaton its (new state, probability)
    for state, literal in zip(row, _literals(x), strict=True):
        table = TYPE_I if kind == "I" else TYPE_II
        response = table.get((clause, literal, state >= n_half))
        if response is None:
            probability, moved = 0.0, state
        elif kind == "II":
            probability, moved = 1.0, _respond(state, response, n_half)
        elif clause and literal:
            probability, moved = 1.0 if case.boost else 1.0 - p_s, _respond(state, response, n_half)
        else:
            probability, moved = p_s, _respond(state, response, n_half)
        moves.append([(moved, probability), (state, 1.0 - probability)])
    return [
        (tuple(state for state, _ in choice), math.prod(probability for _, probability in choice))
        for choice in itertools.product(*moves)
        if all(probability > 0 for _, probability in choice)
    ]


def _split(states: Row, n_clauses: int) -> list[Row]:
    width = len(states) // n_clauses
    return [states[j * width : (j + 1) * width] for j in range(n_clauses)]


def _signs(case: Case) -> list[int]:
    return [1 if j < case.n_clauses // 2 else -1 for j in range(case.n_clauses)]


def _sum(outcome: Outcome, x: tuple[int, ...], case: Case) -> float:
    """The weighted sum of votes in training."""
    total = 0.0
    for row, k, sign in zip(_split(outcome[0], case.n_clauses), outcome[1], _signs(case), strict=True):
        total += sign * (1 + case.gamma) ** k * _image_votes(row, x, case) / (case.failures or 1)
    return total


def _step(outcome: Outcome, example: Example, case: Case, others: float = 0.0) -> Distribution:
    """The distribution after one more example, from one outcome: clauses move independently, given p_c.

    The votes of further clauses add up to `others`.
    """
    x, target = example
    rows, exponents, signs = _split(outcome[0], case.n_clauses), outcome[1], _signs(case)
    total = others + _sum(outcome, x, case)
    clamped = max(-case.T, min(case.T, total))
    error = target * case.T - clamped
    p_c = abs(error) / (2 * case.T)

    branches = []  # for each clause its distribution over (automata, exponent)
    for row, k, sign in zip(rows, exponents, signs, strict=True):
        kind = "I" if (sign > 0) == (error > 0) else "II"
        change = 0
        if case.gamma > 0 and case.moves_weights and _image_votes(row, x, case):
            change = 1 if kind == "I" else -1
        branch: defaultdict[tuple[Row, int], float] = defaultdict(float, {(row, k): 1 - p_c})
        for new_row, probability in _image_feedback(row, x, kind, case):
            branch[new_row, k + change] += p_c * probability
        branches.append([(clause, probability) for clause, probability in branch.items() if probability > 0])

    after: defaultdict[Outcome, float] = defaultdict(float)
    for choice in itertools.product(*branches):
        states = tuple(itertools.chain.from_iterable(row for (row, _), _ in choice))
        exponents = tuple(k for (_, k), _ in choice)
        after[states, exponents] += math.prod(probability for _, probability in choice)
    return after


@cache
def exact_distribution(case: Case) -> Distribution:
    """The probability of every outcome that the case can have after its examples."""
    n_automata = 2 * case.o * case.n_clauses
    starts = [case.n_half - 1] if case.init == "border" else [case.n_half - 1, case.n_half]
    first = list(itertools.product(starts, repeat=n_automata))
    # Besides the outcome, the next block depends on the slope of `wtm.reference.train_in_blocks`.
    distribution = {((states, (0,) * case.n_clauses), 0.0): 1 / len(first) for states in first}
    for start in range(0, len(case.examples), case.vote_block):
        after: defaultdict[tuple[Outcome, float], float] = defaultdict(float)
        for (outcome, slope), probability in distribution.items():
            examples = case.examples[start : start + case.vote_block]
            for key, conditional in _block(outcome, slope, examples, case):
                after[key] += probability * conditional
        distribution = dict(after)
    outcomes: defaultdict[Outcome, float] = defaultdict(float)
    for (outcome, _), probability in distribution.items():
        outcomes[outcome] += probability
    return dict(outcomes)


def _block(
    outcome: Outcome, slope: float, examples: tuple[Example, ...], case: Case
) -> Iterator[tuple[tuple[Outcome, float], float]]:
    """Yield what a block of examples leads to: shards move independently, given their votes at its start."""
    part = replace(case, n_clauses=case.n_clauses // case.n_shards)
    shards = [_shard(outcome, i, case) for i in range(case.n_shards)]
    ways = [_ways_of_shard(shard, outcome, slope, examples, part, case).items() for shard in shards]
    for choice in itertools.product(*ways):
        probability = math.prod(probability for _, probability in choice)
        changes = np.array([changes for (_, changes), _ in choice])
        after = reference.change_of_others(changes, slope)
        yield (joined([shard for (shard, _), _ in choice]), after), probability


def _ways_of_shard(
    shard: Outcome, outcome: Outcome, slope: float, examples: tuple[Example, ...], part: Case, case: Case
) -> dict[tuple[Outcome, tuple[float, ...]], float]:
    """The distribution of a shard after a block, and of the changes of its votes at the turn of each example."""
    ways: dict[tuple[Outcome, tuple[float, ...]], float] = {(shard, ()): 1.0}
    for example in examples:
        total, at_start = _sum(outcome, example[0], case), _sum(shard, example[0], part)
        after: defaultdict[tuple[Outcome, tuple[float, ...]], float] = defaultdict(float)
        for (now, changes), probability in ways.items():
            change = _sum(now, example[0], part) - at_start
            others = total - at_start + slope * change
            for key, conditional in _step(now, example, part, others).items():
                after[key, (*changes, change)] += probability * conditional
        ways = dict(after)
    return ways


def _shard(outcome: Outcome, i: int, case: Case) -> Outcome:
    """The clauses of one shard: its share of those of either polarity."""
    size = case.n_clauses // 2 // case.n_shards
    chosen = [first + i * size + j for first in (0, case.n_clauses // 2) for j in range(size)]
    rows = _split(outcome[0], case.n_clauses)
    return tuple(itertools.chain.from_iterable(rows[j] for j in chosen)), tuple(outcome[1][j] for j in chosen)


def joined(shards: list[Outcome]) -> Outcome:
    """The outcome of a machine, given those of its shards."""
    size = len(shards[0][1]) // 2
    rows, exponents = [], []
    for first in (0, size):
        for states, own in shards:
            rows += _split(states, 2 * size)[first : first + size]
            exponents += own[first : first + size]
    return tuple(itertools.chain.from_iterable(rows)), tuple(exponents)


# --- The comparison ---------------------------------------------------------------------------------------

MIN_EXPECTED = 5.0
# A right engine is to fail any of the cases less than once in 10^6 choices of the seeds. The further factor
# of 10 covers the tail of the statistic, heavier than that of its limit where cells expect few outcomes.
P_BOUND = 1e-6 / (10 * (len(CASES) + len(FUZZY_CASES) + len(SHARD_CASES) + len(CONV_CASES) + len(CONV_FUZZY_CASES)))


def chi_square(observed: Mapping[Any, int], exact: Mapping[Any, float], n: int) -> float:
    """Test n observed outcomes against their exact probabilities: Pearson's p-value.

    Cells that expect fewer than `MIN_EXPECTED` outcomes are pooled with their neighbours in sorted order,
    hence with outcomes like their own, until they expect as many: an engine that is wrong in rare outcomes
    alone is still seen. An outcome that cannot happen gives 0.0.
    """
    if any(exact.get(outcome, 0.0) == 0.0 for outcome, count in observed.items() if count):
        return 0.0
    expected, counts = [0.0], [0]
    for outcome in sorted(exact):
        if expected[-1] >= MIN_EXPECTED:
            expected.append(0.0)
            counts.append(0)
        expected[-1] += n * exact[outcome]
        counts[-1] += observed.get(outcome, 0)
    if len(expected) > 1 and expected[-1] < MIN_EXPECTED:
        expected[-2:] = [sum(expected[-2:])]
        counts[-2:] = [sum(counts[-2:])]
    statistic = sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True))
    return float(stats.chi2.sf(statistic, len(expected) - 1)) if len(expected) > 1 else 1.0


def assert_matches(case: Case, simulate: Simulate, n_seeds: int) -> None:
    """Fail unless the outcomes of `simulate` over n_seeds seeds follow the exact distribution of the case."""
    observed, exact = simulate(case, n_seeds), exact_distribution(case)
    assert observed.total() == n_seeds
    p = chi_square(observed, exact, n_seeds)
    impossible = sorted(set(observed) - set(exact))[:3]
    assert p > P_BOUND, f"{case.name}: p = {p:.3g}; cannot happen, but did: {impossible or 'nothing'}"


def as_image(x: tuple[int, ...], case: Case) -> np.ndarray:
    """The array of an image, (height, width, n_channels); without a convolution, of the features."""
    if case.image_shape is None:
        return np.array(x)
    height, width, n_channels = case.image_shape
    return np.moveaxis(np.reshape(x, (n_channels, height, width)), 0, 2)


def simulate_reference(
    case: Case, n_seeds: int, sampling: reference.Sampler = reference.bernoulli_sampling
) -> Counter[Outcome]:
    """Run `wtm.reference.Machine` through the case once for each of the seeds 0 .. n_seeds - 1."""
    outcomes: Counter[Outcome] = Counter()
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        start = reference.initial_states(case.n_clauses, case.o, case.n_half, case.init, rng)
        settings = (start, case.n_half, case.T, case.p_s, case.gamma, case.boost, case.max_literals, sampling)
        patches, fuzzy = {}, {}
        if case.image_shape is not None:
            patches = {"patch_shape": case.patch_shape, "positions": case.positions}
        if case.failures is not None:
            fuzzy = {"failures": case.failures, "moves_weights": case.moves_weights}
        kind = {
            (False, False): reference.Machine,
            (True, False): reference.ConvolutionalMachine,
            (False, True): reference.FuzzyMachine,
            (True, True): reference.FuzzyConvolutionalMachine,
        }[bool(patches), bool(fuzzy)]
        if case.n_shards > 1:
            outcomes[_reference_in_shards(case, kind(*settings, **patches, **fuzzy), rng)] += 1
            continue
        machine = kind(*settings, **patches, **fuzzy)
        for x, target in case.examples:
            machine.train(as_image(x, case), target * case.T, rng)
        outcomes[_outcome(machine)] += 1
    return outcomes


def _outcome(machine: reference.Machine) -> Outcome:
    return tuple(machine.states.ravel().tolist()), tuple(machine.exponents.tolist())


def _reference_in_shards(case: Case, machine: reference.Machine, rng: np.random.Generator) -> Outcome:
    """Train shards of an untrained machine, all of whose clauses start alike."""
    size = case.n_clauses // case.n_shards
    shards = [replace(machine, states=part) for part in machine.states.reshape(case.n_shards, size, -1)]
    X, targets = zip(*case.examples, strict=True)
    reference.train_in_blocks(
        shards, np.array(X, bool), [target * case.T for target in targets], case.vote_block, rng.spawn(case.n_shards)
    )
    return joined([_outcome(shard) for shard in shards])
