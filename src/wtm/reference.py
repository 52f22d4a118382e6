"""The Weighted Tsetlin Machine in plain NumPy, to be read next to the paper.

It is short, slow and simple: the compiled kernels are tested against it. Every function names the equation, table,
figure, algorithm or section of the paper that it implements. Inputs are not validated; the estimator does that.

Notation: ``o`` features have ``2 * o`` literals; literal ``l < o`` is x_l, and literal ``l >= o`` is NOT x_(l - o). An
automaton has ``2 * n_half`` states, numbered from 0 (in the paper from 1), and includes its literal in the upper half.
``p_s`` is the probability in Table 1: 1 / s, where s is the specificity.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
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
    states : int (n_clauses, 2o)
        The automata.
    lits : bool (2o,)
        The literals of the example.
    n_half : int
        N: the states below it exclude.
    training : bool
        The output of a clause without literals: true in training, so that it can include some; false in prediction,
        so that it does not vote.

    Returns
    -------
    bool (n_clauses,)
        The AND of the included literals of each clause.
    """
    include = states >= n_half
    outputs: BoolArray = np.all(lits | ~include, axis=1)
    return outputs if training else outputs & include.any(axis=1)


def clause_votes(states: IntArray, lits: BoolArray, n_half: int, failures: int, *, training: bool) -> IntArray:
    """Count the votes of fuzzy clauses on one example, as in the Fuzzy-Pattern Tsetlin Machine.

    The rule is that of https://arxiv.org/abs/2508.08350, with an empty clause as in its program.
    A clause that includes n literals has min(failures, n) votes if all of them are true, and one less for each that is
    false. With ``failures=1`` it has one vote where `clause_outputs` is true.

    Parameters
    ----------
    states, lits, n_half
        As in `clause_outputs`.
    failures : int
        LF: with this many false literals or more, a clause has no vote.
    training : bool
        The votes of a clause without literals: `failures` in training, none in prediction.

    Returns
    -------
    int (n_clauses,)
        From 0 to `failures`.
    """
    include = states >= n_half
    n_included = include.sum(axis=1)
    most = np.where(n_included > 0, np.minimum(failures, n_included), failures * training)
    votes: IntArray = np.maximum(0, most - np.sum(include & ~lits, axis=1))
    return votes


def weight(exponents: IntArray, gamma: float) -> FloatArray:
    """Return the weights of clauses, float64 (n_clauses,): equations 10 to 17 in closed form.

    A weight starts at 1.0 and is only multiplied or divided by 1 + gamma. So it is (1 + gamma)^k, where the integer k
    is the number of multiplications minus that of divisions, and has no rounding errors that add up.
    """
    return np.asarray((1.0 + gamma) ** exponents, dtype=np.float64)


def polarities(n_clauses: int) -> IntArray:
    """Return the signs of equation 3, int (n_clauses,): +1 for the first half of the clauses, then -1.

    Raises
    ------
    ValueError
        n_clauses is odd or below 2.
    """
    if n_clauses < 2 or n_clauses % 2:
        raise ValueError(f"n_clauses must be even and at least 2, got {n_clauses}: half have negative polarity.")
    return np.repeat([1, -1], n_clauses // 2)


def clause_sum(outputs: BoolArray, weights: FloatArray, polarity: IntArray) -> float:
    """Return the weighted sum s'(x): equation 7, or equation 3 if every weight is 1.0."""
    return float(np.sum(polarity * weights, where=outputs))


def error(total: float, T: float, target: float) -> float:
    """Return how far the sum s'(x), clamped to T, is from its target, in [-2T, 2T].

    A clause votes for a larger sum or for a smaller one, so the sign says which clauses get Type I feedback.
    """
    return target - min(max(total, -T), T)


def update_probability(total: float, T: float, target: float) -> float:
    """Return p_c(x), the probability that a clause gets feedback: equation 5.

    Parameters
    ----------
    total : float
        The sum s'(x).
    T : float
        The threshold, > 0.
    target : float
        What the sum should reach: T (y = 1 in the paper) or -T (y = 0). In regression any number between them; the
        regression machine of Abeyrathna et al. 2020 (https://doi.org/10.1098/rsta.2019.0165), too, gives feedback in
        proportion to the error.
    """
    return abs(error(total, T, target)) / (2 * T)


def type_i(row: IntArray, lits: BoolArray, output: bool, drawn: BoolArray, n_half: int, *, boost: bool) -> IntArray:
    """Give Type I feedback to one clause: Table 1.

    Rewarding an exclusion and penalizing an inclusion both move an automaton one state down; the other two move it one
    state up (Figure 1). So both are handled alike, except that states stop at both ends.

    Parameters
    ----------
    row : int (2o,)
        The automata of the clause.
    lits : bool (2o,)
        The literals of the example.
    output : bool
        The output of the clause in training.
    drawn : bool (2o,)
        The successes among 2o Bernoulli trials of probability p_s.
    n_half : int
        N: the states below it exclude.
    boost : bool
        Whether a true literal of a true clause always moves up, as in Table 1, or only if its trial failed, that is
        with probability 1 - p_s, as in the original Tsetlin machine.

    Returns
    -------
    int (2o,)
        The new states.
    """
    if output:
        up = lits if boost else lits & ~drawn
        down = ~lits & drawn
    else:
        up = np.zeros_like(lits)
        down = drawn
    # In 64 bits, so that rows of bytes don't wrap around.
    return np.clip(row + up.astype(np.int64) - down, 0, 2 * n_half - 1)


def type_i_fuzzy(row: IntArray, lits: BoolArray, n_half: int, *, has_room: bool) -> IntArray:
    """Give Type I feedback to a fuzzy clause that has votes: see `clause_votes` for the source.

    True literals move up as in `type_i` with boost, but only if the clause has room for more literals. False literals
    move down without a trial if they are excluded, and not at all if they are included: a clause with votes may have
    some that are false. A clause without votes gets the feedback of `type_i` to a false clause.

    Parameters
    ----------
    row, lits, n_half
        As in `type_i`.
    has_room : bool
        Whether the clause includes fewer literals than its budget L.

    Returns
    -------
    int (2o,)
        The new states.
    """
    up = lits & has_room
    down = ~lits & (row < n_half)
    return np.clip(row + up.astype(np.int64) - down, 0, 2 * n_half - 1)


def type_ii(row: IntArray, lits: BoolArray, output: bool, n_half: int) -> IntArray:
    """Give Type II feedback to one clause: Table 2. Parameters and result are those of `type_i`.

    In a true clause, each excluded false literal moves one state up, towards inclusion.
    """
    return row + (~lits & (row < n_half) & output)


def bernoulli_sampling(u: int, p: float, rng: np.random.Generator) -> BoolArray:
    """Return u Bernoulli trials of probability p, bool (u,), drawn one by one; equation 6 counts their successes."""
    return rng.random(u) < p


def binomial_uniform_sampling(u: int, p: float, rng: np.random.Generator) -> BoolArray:
    """Return u Bernoulli trials of probability p, bool (u,): Algorithm 1, numbering from 0."""
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
    """Return the states before learning, int (n_clauses, 2o): section "Overall Feedback Loop".

    Parameters
    ----------
    init : {"border", "random"}
        "border": N - 1, the last state that excludes, as in the authors' program. "random": N - 1 or N with equal
        probability, as in the paper's text.

    Raises
    ------
    ValueError
        init has another value.
    """
    border = np.full((n_clauses, 2 * o), n_half - 1, dtype=np.int64)
    if init == "border":
        return border
    if init == "random":
        return border + rng.integers(2, size=border.shape)
    raise ValueError(f"init must be 'border' or 'random', got {init!r}.")


def other_classes(labels: IntArray, n_classes: int, rng: np.random.Generator) -> IntArray:
    """Draw one of the other classes for each label, int (n,) in 0 .. n_classes - 1, with equal probability.

    The paper does not say how many of the other machines learn from an example; here it is one.
    """
    return (labels + rng.integers(1, n_classes, size=labels.shape)) % n_classes


@dataclass
class Machine:
    """The weighted Tsetlin machine of one class: sections "WTM Recognition" and "WTM Learning".

    Parameters
    ----------
    states : int (n_clauses, 2o)
        The initial states of the automata, from `initial_states`. They are copied. Clauses of positive polarity come
        first.
    n_half : int
        N, half the number of states.
    T : float
        The threshold, > 0.
    p_s : float
        1 / s, in (0, 1].
    gamma : float
        The learning rate of the weights, >= 0.
    boost : bool
        Whether true literals of true clauses always move up; see `type_i`.
    max_literals : int or None
        The literal budget: a clause that includes more literals takes Type I feedback to its automata as if it were
        false (Abeyrathna et al. 2023, https://doi.org/10.24963/ijcai.2023/378, Table 1). None: no budget, as in the
        paper.
    sampling : callable
        Draws the trials of Type I feedback: `bernoulli_sampling` or `binomial_uniform_sampling`.

    Attributes
    ----------
    exponents : int (n_clauses,)
        The weights, as in `weight`.
    polarity : int (n_clauses,)
        The signs of the clauses.
    n_type_i : int
        How often Type I feedback was given to a clause.
    n_type_ii : int
        How often Type II feedback was given to a true clause; a false one does not change.
    """

    states: IntArray
    n_half: int
    T: float
    p_s: float
    gamma: float
    boost: bool = True
    max_literals: int | None = None
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
        """Return the weighted sum s'(x) of an example, bool (o,), for prediction: equation 7."""
        return self.sum_of(self.evaluate(literals(x), training=False))

    def evaluate(self, lits: BoolArray, *, training: bool) -> BoolArray | IntArray:
        """Evaluate every clause on the literals of an example, (n_clauses,)."""
        return clause_outputs(self.states, lits, self.n_half, training=training)

    def sum_of(self, outputs: BoolArray | IntArray) -> float:
        """Return the weighted sum s'(x), given what `evaluate` returned."""
        return clause_sum(outputs.astype(bool), self.weights, self.polarity)

    def exceeds_budget(self, row: IntArray) -> bool:
        """Whether a clause with the automata `row`, int (2o,), includes more than `max_literals` literals."""
        return self.max_literals is not None and int(np.sum(row >= self.n_half)) > self.max_literals

    def train(self, x: ArrayLike, target: float, rng: np.random.Generator) -> None:
        """Learn one example: evaluate the clauses, sum, select, give feedback.

        Parameters
        ----------
        x : bool (o,)
            The features.
        target : float
            What the sum should reach, from -T to T.
        rng : numpy.random.Generator
            Used to select the clauses, and then for each Type I feedback in turn.
        """
        self.train_beside(0.0, x, target, rng)

    def train_beside(self, others: float, x: ArrayLike, target: float, rng: np.random.Generator) -> None:
        """Learn one example, where further clauses have votes that add up to `others`; see `train`."""
        lits = literals(x)
        # All clauses are evaluated before any of them changes.
        outputs = self.evaluate(lits, training=True)
        for j, is_type_i in self.selected(others + self.sum_of(outputs), target, rng):
            self.give_feedback(j, lits, bool(outputs[j] > 0), is_type_i, rng)

    def training_sum(self, x: ArrayLike) -> float:
        """Return the weighted sum s'(x) of an example, bool (o,), as training sees it: with the empty clauses."""
        return self.sum_of(self.evaluate(literals(x), training=True))

    def selected(self, total: float, target: float, rng: np.random.Generator) -> Iterator[tuple[int, bool]]:
        """Select clauses for feedback, given the sum of all, and say of each whether it gets Type I feedback."""
        should_rise = error(total, self.T, target) > 0
        selected = rng.random(len(self.states)) < update_probability(total, self.T, target)
        for j in np.flatnonzero(selected):
            yield int(j), (self.polarity[j] > 0) == should_rise

    def give_feedback(self, j: int, lits: BoolArray, output: bool, is_type_i: bool, rng: np.random.Generator) -> None:
        """Give feedback to clause j, whose output is `output`."""
        # With gamma = 0 all weights are 1.0, and the exponents stay 0.
        weighted = int(self.gamma > 0)
        if is_type_i:
            drawn = self.sampling(len(lits), self.p_s, rng)
            fits = output and not self.exceeds_budget(self.states[j])
            self.states[j] = type_i(self.states[j], lits, fits, drawn, self.n_half, boost=self.boost)
            self.exponents[j] += weighted * output  # equations 12, 13, 16, 17
            self.n_type_i += 1
        elif output:
            self.states[j] = type_ii(self.states[j], lits, True, self.n_half)
            self.exponents[j] -= weighted  # equations 14, 15
            self.n_type_ii += 1


def patch_features(image: ArrayLike, patch_shape: tuple[int, int], *, positions: bool) -> BoolArray:
    """Return the features of all patches of an image, as in the Convolutional Tsetlin Machine.

    The source is section 3 of https://arxiv.org/abs/1905.09688.

    Parameters
    ----------
    image : bool (height, width, n_channels)
        The pixels.
    patch_shape : tuple of int
        Height and width of a patch.
    positions : bool
        Whether the features say where the patch is.

    Returns
    -------
    bool (n_patches, n_features)
        Of each patch, row by row, the pixels, channel by channel and row by row; then whether it lies below row 0, 1,
        ... and right of column 0, 1, ... of the patches.
    """
    windows = sliding_window_view(np.asarray(image, dtype=bool), patch_shape, axis=(0, 1))
    n_down, n_across = windows.shape[:2]
    pixels = windows.reshape(n_down * n_across, -1)
    if not positions:
        return pixels
    y, x = np.divmod(np.arange(n_down * n_across)[:, np.newaxis], n_across)
    return np.concatenate([pixels, y > np.arange(n_down - 1), x > np.arange(n_across - 1)], axis=1)


@dataclass
class ConvolutionalMachine(Machine):
    """A machine whose clauses are true for an image if they are for one of its patches: see `patch_features`.

    Feedback to a true clause is for one of these patches, each with the same probability. With patches as large as the
    image it is `Machine`, draw for draw.

    Parameters
    ----------
    patch_shape : tuple of int
        Height and width of a patch.
    positions : bool
        Whether patches have features for their position.
    """

    patch_shape: tuple[int, int] = (1, 1)
    positions: bool = True

    def patches(self, image: ArrayLike) -> BoolArray:
        """Return the literals of all patches of an image, bool (n_patches, 2o)."""
        features = patch_features(image, self.patch_shape, positions=self.positions)
        return np.array([literals(x) for x in features])

    def evaluate_patches(self, patches: BoolArray, *, training: bool) -> BoolArray | IntArray:
        """Evaluate every clause on every patch, (n_patches, n_clauses)."""
        return np.array([self.evaluate(lits, training=training) for lits in patches])

    def class_sum(self, x: ArrayLike) -> float:
        """Return the weighted sum of an image, bool (height, width, n_channels), for prediction."""
        return self.sum_of(np.max(self.evaluate_patches(self.patches(x), training=False), axis=0))

    def train(self, x: ArrayLike, target: float, rng: np.random.Generator) -> None:
        """Learn one image; the other parameters are those of `Machine.train`."""
        patches = self.patches(x)
        of_patches = self.evaluate_patches(patches, training=True)
        outputs = np.max(of_patches, axis=0)
        for j, is_type_i in self.selected(self.sum_of(outputs), target, rng):
            lits = patches[drawn_patch(of_patches[:, j] == outputs[j], rng)] if outputs[j] else patches[0]
            self.give_feedback(j, lits, bool(outputs[j] > 0), is_type_i, rng)


def drawn_patch(candidates: BoolArray, rng: np.random.Generator) -> int:
    """Draw one of the patches of `candidates`, bool (n_patches,); a single one without a random number."""
    found = np.flatnonzero(candidates)
    return int(found[rng.integers(len(found))] if len(found) > 1 else found[0])


@dataclass
class FuzzyMachine(Machine):
    """A machine of fuzzy clauses with the weights of the WTM: see `clause_votes` for the source.

    A clause with votes is treated as true. The sum counts the weight of a clause in full for `failures` votes.

    Parameters
    ----------
    failures : int
        LF, as in `clause_votes`.
    moves_weights : bool
        Whether weights are learnt; else they stay as they are.
    max_literals : int or None
        L: Type I feedback adds no literals to a clause that includes this many. Type II feedback does.
    """

    failures: int = 1
    moves_weights: bool = True

    def evaluate(self, lits: BoolArray, *, training: bool) -> IntArray:
        """Count the votes of every clause on the literals of an example, int (n_clauses,)."""
        return clause_votes(self.states, lits, self.n_half, self.failures, training=training)

    def sum_of(self, outputs: BoolArray | IntArray) -> float:
        """Return the weighted sum of votes."""
        return float(np.sum(self.polarity * self.weights * outputs) / self.failures)

    def has_room(self, row: IntArray) -> bool:
        """Whether a clause with the automata `row`, int (2o,), includes fewer than `max_literals` literals."""
        return self.max_literals is None or int(np.sum(row >= self.n_half)) < self.max_literals

    def give_feedback(self, j: int, lits: BoolArray, output: bool, is_type_i: bool, rng: np.random.Generator) -> None:
        """Give feedback to clause j; `output` says whether it has votes."""
        row, weighted = self.states[j], int(self.gamma > 0 and self.moves_weights)
        if is_type_i:
            if output:
                self.states[j] = type_i_fuzzy(row, lits, self.n_half, has_room=self.has_room(row))
            else:
                drawn = self.sampling(len(lits), self.p_s, rng)
                self.states[j] = type_i(row, lits, False, drawn, self.n_half, boost=self.boost)
            self.exponents[j] += weighted * output
            self.n_type_i += 1
        elif output:
            self.states[j] = type_ii(row, lits, True, self.n_half)
            self.exponents[j] -= weighted
            self.n_type_ii += 1


@dataclass
class FuzzyConvolutionalMachine(ConvolutionalMachine, FuzzyMachine):
    """A convolution of fuzzy clauses, each with the votes of its best patch, which fails the fewest literals.

    Feedback to a clause with votes is for one of its best patches, each with the same probability.
    """


def train_in_blocks(
    shards: Sequence[Machine],
    X: BoolArray,
    targets: Sequence[float],
    vote_block: int,
    rngs: Sequence[np.random.Generator],
) -> float:
    """Train the clauses of a machine in shards that can work at the same time, which is not part of the paper.

    The examples are cut into blocks. At the start of a block, every shard sums its own votes on all of its examples.
    Then each shard learns these examples in turn as if it were alone. Of its own clauses it knows the current votes, of
    the other shards those at the start of the block. It expects that they have changed since then, by a multiple of
    the change of its own votes: the slope by which least squares would have predicted these changes in the block
    before, from 0 to the number of other shards; 0 in the first block. Else each shard would make the whole of a
    correction that all of them make together. With a single shard, or blocks of one example, all votes are current, as
    in `Machine.train`.

    Parameters
    ----------
    shards : sequence of Machine
        Machines that share the clauses: half of those of each shard have positive polarity.
    X : bool (n, o)
        The examples, in the order of training.
    targets : sequence of n float
        What the sums should reach, from -T to T.
    vote_block : int
        Number of examples in a block.
    rngs : sequence of numpy.random.Generator
        One for each shard.

    Returns
    -------
    float
        The vote drift: how far, as a share of T, the clamped sums that were used lie from those of the current votes of
        all shards. The mean over examples and shards.
    """
    T, n_examples = shards[0].T, len(targets)
    used, current = np.zeros((2, len(shards), n_examples))
    slope = 0.0
    for first in range(0, n_examples, vote_block):
        block = range(first, min(first + vote_block, n_examples))
        at_start = np.array([[shard.training_sum(X[i]) for i in block] for shard in shards])
        totals = at_start.sum(axis=0)
        for s, shard in enumerate(shards):
            for i in block:
                current[s, i] = own = shard.training_sum(X[i])
                used[s, i] = totals[i - first] + (1 + slope) * (own - at_start[s, i - first])
                shard.train_beside(used[s, i] - own, X[i], targets[i], rngs[s])
        slope = change_of_others(current[:, block] - at_start, slope)
    return float(np.abs(np.clip(used, -T, T) - np.clip(current.sum(axis=0), -T, T)).mean() / T)


def change_of_others(changes: FloatArray, before: float) -> float:
    """Return the multiple of its own change by which a shard predicts the change of the votes of all others.

    Parameters
    ----------
    changes : float (n_shards, n)
        How much the votes of each shard on the examples of a block had changed at their turns.
    before : float
        The multiple in this block, which is kept if nothing has changed.
    """
    squares = (changes**2).sum()
    if squares == 0:
        return before
    products = (changes * (changes.sum(axis=0) - changes)).sum()
    return float(np.clip(products / squares, 0, len(changes) - 1))


@dataclass
class MultiClassMachine:
    """One machine per class, in the order of the classes: equation 9."""

    machines: Sequence[Machine]

    def fit_epoch(self, X: ArrayLike, y: IntArray, order: IntArray, other: IntArray, rng: np.random.Generator) -> None:
        """Learn examples in turn, towards +T in the machine of the example's class and -T in another machine.

        Parameters
        ----------
        X : bool (n, o)
            The examples.
        y : int (n,)
            Their classes, 0 .. n_classes - 1.
        order : int (m,)
            The rows to learn, in this order.
        other : int (m,)
            The other class that learns each of them; see `other_classes`.
        rng : numpy.random.Generator
            Used by the machines.
        """
        rows = np.asarray(X, dtype=bool)
        for i, rival in zip(order, other, strict=True):
            own, other_machine = self.machines[y[i]], self.machines[rival]
            own.train(rows[i], own.T, rng)
            other_machine.train(rows[i], -other_machine.T, rng)

    def class_sums(self, X: ArrayLike) -> FloatArray:
        """Return the sums of all machines, float64 (n, n_classes), for examples X, bool (n, o)."""
        rows = np.asarray(X, dtype=bool)
        return np.array([[machine.class_sum(x) for machine in self.machines] for x in rows])

    def predict(self, X: ArrayLike) -> IntArray:
        """Return the class with the largest sum, int (n,), the first of them on a tie: equation 9."""
        return np.asarray(np.argmax(self.class_sums(X), axis=1))


@dataclass
class BinaryMachine:
    """A single machine for the classes 0 and 1: equation 8."""

    machine: Machine

    def fit_epoch(self, X: ArrayLike, y: IntArray, order: IntArray, rng: np.random.Generator) -> None:
        """Learn the rows `order` of X, bool (n, o), towards +T if y, int (n,), is 1, else towards -T."""
        rows = np.asarray(X, dtype=bool)
        for i in order:
            self.machine.train(rows[i], self.machine.T if y[i] == 1 else -self.machine.T, rng)

    def predict(self, X: ArrayLike) -> IntArray:
        """Return 1 where the sum is at least 0, else 0, int (n,): the step function in equation 8."""
        sums = np.array([self.machine.class_sum(x) for x in np.asarray(X, dtype=bool)])
        return (sums >= 0).astype(np.int64)
