"""The Weighted Tsetlin Machine in plain NumPy, to be read beside the paper.

Slow, short and free of tricks: what the compiled kernels do is checked against this file. Every function
names the equation, table, figure or algorithm that it states. Inputs are taken as valid; the estimator is
what validates.

Symbols: ``o`` features make ``2 * o`` literals, literal ``l < o`` being x_l and literal ``l >= o`` being NOT
x_(l - o). An automaton has ``2 * n_half`` states, counted from 0 here and from 1 in the paper; it includes
its literal in the upper half. ``p_s`` is the probability of Table 1: 1 / s, with s the specificity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Sampler = Callable[[int, float, np.random.Generator], BoolArray]


def literals(x: ArrayLike) -> BoolArray:
    """Return the literals of an example, bool (2o,): the features x, bool (o,), then their negations."""
    features = np.asarray(x, dtype=bool)
    return np.concatenate([features, ~features])


def clause_outputs(states: IntArray, lits: BoolArray, n_half: int, *, training: bool) -> BoolArray:
    """Evaluate every clause on one example: equation 1.

    Parameters
    ----------
    states, lits, n_half : int (n_clauses, 2o), bool (2o,), int
        The automata, the literals of the example, and N, the states that exclude.
    training : bool
        What a clause without literals gives: true in training, so that it can take some in; false in
        prediction, where it has nothing to say.

    Returns
    -------
    bool (n_clauses,)
        The AND of the included literals.
    """
    include = states >= n_half
    outputs: BoolArray = np.all(lits | ~include, axis=1)
    return outputs if training else outputs & include.any(axis=1)


def weight(exponents: IntArray, gamma: float) -> FloatArray:
    """Return the weights of clauses, float64 (n_clauses,): equations 10 to 17 in closed form.

    A weight starts at 1.0 and is only ever multiplied or divided by 1 + gamma, so an integer says it without
    drift: w = (1 + gamma)^k, with k the multiplications less the divisions.
    """
    return np.asarray((1.0 + gamma) ** exponents, dtype=np.float64)


def polarities(n_clauses: int) -> IntArray:
    """Return the signs of equation 3, int (n_clauses,): +1 for the first half of the clauses, then -1.

    Raises
    ------
    ValueError
        If n_clauses is odd or below 2.
    """
    if n_clauses < 2 or n_clauses % 2:
        raise ValueError(f"n_clauses must be even and at least 2, half of either polarity; got {n_clauses}")
    return np.repeat([1, -1], n_clauses // 2)


def clause_sum(outputs: BoolArray, weights: FloatArray, polarity: IntArray) -> float:
    """Return the signed weighted sum s'(x): equation 7, or equation 3 where every weight is 1.0."""
    return float(np.sum(polarity * weights, where=outputs))


def update_probability(total: float, T: float, target: bool) -> float:
    """Return p_c(x), the probability that a clause gets feedback: equation 5.

    Parameters
    ----------
    total, T : float
        The signed sum, clamped here to [-T, T], and the threshold, > 0.
    target : bool
        Whether the sum is to rise to +T (the paper's y = 1) or to fall to -T (y = 0).
    """
    clamped = min(max(total, -T), T)
    return (T - clamped) / (2 * T) if target else (T + clamped) / (2 * T)


def type_i(row: IntArray, lits: BoolArray, output: bool, drawn: BoolArray, n_half: int, *, boost: bool) -> IntArray:
    """Give Type I feedback to one clause: Table 1.

    To reward an exclusion and to penalise an inclusion is the same move, one state down; the other two are
    one state up (Figure 1). So the two rows of the table become one step, stopped at both ends.

    Parameters
    ----------
    row, lits, output : int (2o,), bool (2o,), bool
        The automata of the clause, the literals of the example, and the clause's value on it in training.
    drawn : bool (2o,)
        The successes among 2o Bernoulli trials of probability p_s.
    n_half : int
        N, the states that exclude.
    boost : bool
        Whether a true literal of a true clause moves up always, as in Table 1, or only where its trial
        failed, hence with 1 - p_s, as in the Tsetlin machine before the paper.

    Returns
    -------
    int (2o,)
        The automata afterwards.
    """
    if output:
        up = lits if boost else lits & ~drawn
        down = ~lits & drawn
    else:
        up = np.zeros_like(lits)
        down = drawn
    # Steps of 64 bits, so that rows of bytes stop at the ends too instead of wrapping round.
    return np.clip(row + up.astype(np.int64) - down, 0, 2 * n_half - 1)


def type_ii(row: IntArray, lits: BoolArray, output: bool, n_half: int) -> IntArray:
    """Give Type II feedback to one clause: Table 2. Arguments and result as in `type_i`.

    In a true clause each excluded false literal moves one state up, towards inclusion; all else stays.
    """
    return row + (~lits & (row < n_half) & output)


def bernoulli_sampling(u: int, p: float, rng: np.random.Generator) -> BoolArray:
    """Return u Bernoulli trials of probability p, bool (u,), drawn one by one: the process of equation 6."""
    return rng.random(u) < p


def binomial_uniform_sampling(u: int, p: float, rng: np.random.Generator) -> BoolArray:
    """Return u Bernoulli trials of probability p, bool (u,): Algorithm 1, places counted from 0."""
    B = np.zeros(u, dtype=bool)
    q = rng.binomial(u, p)
    k = 1
    while k <= q:
        v = rng.integers(u)
        if not B[v]:
            B[v] = True
            k = k + 1
    return B


def initial_states(n_clauses: int, o: int, n_half: int, init: str, rng: np.random.Generator) -> IntArray:
    """Return the automata before learning, int (n_clauses, 2o): "Overall Feedback Loop".

    Parameters
    ----------
    init : {"border", "random"}
        "border": every automaton in N - 1, the last state that excludes, as the paper's program does.
        "random": each in a middle state, N - 1 or N, by a fair coin, as the paper's text says.

    Raises
    ------
    ValueError
        If init is neither.
    """
    border = np.full((n_clauses, 2 * o), n_half - 1, dtype=np.int64)
    if init == "border":
        return border
    if init == "random":
        return border + rng.integers(2, size=border.shape)
    raise ValueError(f'init must be "border" or "random"; got {init!r}')


def other_classes(labels: IntArray, n_classes: int, rng: np.random.Generator) -> IntArray:
    """Draw for each label, int (n,) in 0 .. n_classes - 1, one of the other classes, all equally likely.

    The paper leaves open which of the other machines learn from an example; here it is one.
    """
    return (labels + rng.integers(1, n_classes, size=labels.shape)) % n_classes


@dataclass
class Machine:
    """The weighted Tsetlin machine of one class: "WTM Recognition" and "WTM Learning".

    Parameters
    ----------
    states : int (n_clauses, 2o)
        The automata at the start, from `initial_states`; copied. The clauses of positive polarity come first.
    n_half : int
        N, half the states of an automaton.
    T, p_s, gamma : float
        The threshold, > 0; 1 / s, in (0, 1]; the learning rate of the weights, >= 0.
    boost : bool
        Whether true literals of true clauses move up always; see `type_i`.
    sampling : callable
        Draws the trials of Type I feedback: `bernoulli_sampling` or `binomial_uniform_sampling`.

    Attributes
    ----------
    exponents, polarity : int (n_clauses,)
        The weights, as in `weight`, and the signs of the clauses.
    n_type_i, n_type_ii : int
        Type I feedbacks given, to true and to false clauses, and Type II feedbacks given to true clauses: a
        false one has nothing to receive.
    """

    states: IntArray
    n_half: int
    T: float
    p_s: float
    gamma: float
    boost: bool = True
    sampling: Sampler = bernoulli_sampling
    exponents: IntArray = field(init=False)
    polarity: IntArray = field(init=False)
    n_type_i: int = field(init=False, default=0)
    n_type_ii: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.states = np.array(self.states, dtype=np.int64)
        self.polarity = polarities(len(self.states))
        self.exponents = np.zeros(len(self.states), dtype=np.int64)  # equations 10 and 11

    @property
    def weights(self) -> FloatArray:
        """The weights of the clauses, float64 (n_clauses,)."""
        return weight(self.exponents, self.gamma)

    def class_sum(self, x: ArrayLike) -> float:
        """Return the signed weighted sum that predicts, equation 7, of the example x, bool (o,)."""
        outputs = clause_outputs(self.states, literals(x), self.n_half, training=False)
        return clause_sum(outputs, self.weights, self.polarity)

    def train(self, x: ArrayLike, target: bool, rng: np.random.Generator) -> None:
        """Learn one example: evaluate, sum, select, feed back.

        Parameters
        ----------
        x, target : bool (o,), bool
            The features, and whether the sum is to rise to +T or to fall to -T.
        rng : numpy.random.Generator
            Read for the selection of the clauses, then for each Type I feedback in turn.
        """
        lits = literals(x)
        # Every clause is judged by the machine as the example found it, before any of them moves.
        outputs = clause_outputs(self.states, lits, self.n_half, training=True)
        p_c = update_probability(clause_sum(outputs, self.weights, self.polarity), self.T, target)
        selected = rng.random(len(outputs)) < p_c
        # At gamma = 0 every power of 1 + gamma is 1.0, and the exponents have nothing to count.
        weighted = int(self.gamma > 0)
        for j in np.flatnonzero(selected):
            if (self.polarity[j] > 0) == target:
                drawn = self.sampling(len(lits), self.p_s, rng)
                self.states[j] = type_i(self.states[j], lits, outputs[j], drawn, self.n_half, boost=self.boost)
                self.exponents[j] += weighted * outputs[j]  # equations 12, 13, 16, 17
                self.n_type_i += 1
            elif outputs[j]:
                self.states[j] = type_ii(self.states[j], lits, True, self.n_half)
                self.exponents[j] -= weighted  # equations 14, 15
                self.n_type_ii += 1


@dataclass
class MultiClassMachine:
    """One machine a class; class i is the i-th of them: "WTM Recognition", equation 9."""

    machines: Sequence[Machine]

    def fit_epoch(self, X: ArrayLike, y: IntArray, order: IntArray, other: IntArray, rng: np.random.Generator) -> None:
        """Learn examples in turn, each towards +T in the machine of its class and -T in another one.

        Parameters
        ----------
        X, y : bool (n, o), int (n,)
            The examples and their classes, 0 .. n_classes - 1.
        order : int (m,)
            The rows to learn, first to last.
        other : int (m,)
            For each entry of order the other class that learns it, never the row's own; see `other_classes`.
        rng : numpy.random.Generator
            Read by the machines as they learn.
        """
        rows = np.asarray(X, dtype=bool)
        for i, rival in zip(order, other, strict=True):
            self.machines[y[i]].train(rows[i], True, rng)
            self.machines[rival].train(rows[i], False, rng)

    def class_sums(self, X: ArrayLike) -> FloatArray:
        """Return the sum of each machine, float64 (n, n_classes), for the examples X, bool (n, o)."""
        rows = np.asarray(X, dtype=bool)
        return np.array([[machine.class_sum(x) for machine in self.machines] for x in rows])

    def predict(self, X: ArrayLike) -> IntArray:
        """Return the classes of largest sum, int (n,), the first of them on a tie: equation 9."""
        return np.asarray(np.argmax(self.class_sums(X), axis=1))


@dataclass
class BinaryMachine:
    """A single machine that tells class 1 from class 0: equation 8."""

    machine: Machine

    def fit_epoch(self, X: ArrayLike, y: IntArray, order: IntArray, rng: np.random.Generator) -> None:
        """Learn the rows `order` of X, bool (n, o), towards +T where y, int (n,), is 1, else towards -T."""
        rows = np.asarray(X, dtype=bool)
        for i in order:
            self.machine.train(rows[i], bool(y[i] == 1), rng)

    def predict(self, X: ArrayLike) -> IntArray:
        """Return 1 where the sum is at least 0 and 0 elsewhere, int (n,): the step function of equation 8."""
        sums = np.array([self.machine.class_sum(x) for x in np.asarray(X, dtype=bool)])
        return (sums >= 0).astype(np.int64)
