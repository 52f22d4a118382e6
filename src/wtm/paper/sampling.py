"""Sampling for Type I feedback: the paper's Algorithm 1 and others (the paper, section "Feedback Generation Speedup").

The paper reports that drawing a binomial count and then as many positions is 7 times as fast as a Bernoulli draw for
each literal, at 1,568 literals and p = 0.1 (MNIST).
"""

import itertools
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.kernels.distribution_tables import BinomialTable
from wtm.kernels.sampling import RANDOM_WORDS, fill_masks
from wtm.machine.distributions import PROBABILITY_DIGITS, binomial_table, threshold
from wtm.machine.machine_parameters import SAMPLERS
from wtm.paper.console import Table, say, show
from wtm.paper.entries import ENVIRONMENT, check_entries, is_count, is_flag, is_number, of_kind
from wtm.paper.files import check_not_there, environment, prepare_folder, read_json, write_json
from wtm.paper.first_epoch import FirstEpoch, first_epoch_table, mnist_if_there, time_first_epochs
from wtm.paper.run import Options, folder_of

__all__ = [
    "PAPER_FACTOR",
    "PAPER_SIZE",
    "Point",
    "Timing",
    "explain_sampling",
    "read_sampling",
    "reproduce",
    "sampling_table",
    "sampling_verdict",
    "time_samplers",
]

PAPER_SIZE = (1568, 0.1)
"""Literals and p_s of the paper's measurement."""
PAPER_FACTOR = 7
PAPER_NANOSECONDS = 61.2e9 / 12.6e6
"""A mask by Bernoulli draws: the paper's 61.2 s for 12.6 million Type I feedbacks."""

LITERALS = (168, 1568, 10_000)
"""Those of Connect-4, MNIST and IMDb."""
PROBABILITIES = (0.0065, 0.012, 0.037, 0.085, 0.1, 0.25)

_TITLE = "Drawing the literals that Type I feedback weakens"
_BASELINE = "bernoulli"
_FASTER = ("binomial", "bits")
_STANDARD_ERRORS = 5
_SECONDS_A_TURN = 0.001
_VECTOR_WORDS = 8


@dataclass(frozen=True)
class Timing:
    """A sampler at one size.

    Attributes
    ----------
    nanoseconds : float
        Median time of a mask.
    factor, factor_low, factor_high : float
        How many times as fast as a draw a literal: median and quartiles of the ratios within a round.
    masks : int
        Number of masks drawn.
    mean_count : float
        Their mean number of successes.
    standard_errors : float
        How far `mean_count` is from its expectation, in standard errors of the mean.
    """

    nanoseconds: float
    factor: float
    factor_low: float
    factor_high: float
    masks: int
    mean_count: float
    standard_errors: float


@dataclass(frozen=True)
class Point:
    """All samplers at one size: `n_literals` draws with probability `p`, and a `Timing` for each sampler by name."""

    n_literals: int
    p: float
    samplers: dict[str, Timing]

    @property
    def agrees(self) -> bool:
        """Whether all mean counts are within 5 standard errors of what they should be."""
        return all(abs(timing.standard_errors) <= _STANDARD_ERRORS for timing in self.samplers.values())


def reproduce(rounds: int, options: Options) -> None:
    """Time the samplers at all sizes, check their counts, time the first epoch; write ``sampling.json``, print tables.

    Parameters
    ----------
    rounds : int
        How often each sampler is timed at each size.
    options : Options
        The first of its seeds is that of the random streams; epochs and threads do not apply.

    Raises
    ------
    OSError
        The results can't be written.
    ValueError
        There are results already, or a sampler's counts are off.
    """
    folder, seed = folder_of(options, "sampling"), options.seeds[0]
    prepare_folder(folder)
    check_not_there(folder / "sampling.json", resumable=False)
    problem = mnist_if_there(options.data_dir, quick=options.quick)
    say(
        f"Timing {', '.join((_BASELINE, *_FASTER))} at {len(LITERALS) * len(PROBABILITIES)} sizes, {rounds} rounds each"
    )
    points = [time_samplers(n_literals, p, rounds, seed) for n_literals in LITERALS for p in PROBABILITIES]
    (at_paper,) = (point.samplers for point in points if (point.n_literals, point.p) == PAPER_SIZE)
    nanoseconds = {name: timing.nanoseconds for name, timing in at_paper.items()}
    epochs = {} if problem is None else time_first_epochs(problem, nanoseconds, seed)
    write_json(
        folder / "sampling.json",
        {
            "kind": "sampling",
            "quick": options.quick,
            "seed": seed,
            "rounds": rounds,
            "points": [asdict(point) for point in points],
            "first_epoch": {name: asdict(epoch) for name, epoch in epochs.items()},
            **environment(),
        },
    )
    show(sampling_table(points).rich(_TITLE), explain_sampling(rounds), sampling_verdict(points))
    if epochs:
        show(first_epoch_table(epochs).rich("The first epoch on MNIST, one thread"))
    say(f"Written to {folder}: sampling.json")
    off = [f"u = {point.n_literals}, p = {point.p}" for point in points if not point.agrees]
    if off:
        raise ValueError(f"mean counts are more than {_STANDARD_ERRORS} standard errors off at {'; '.join(off)}.")


def read_sampling(path: Path) -> tuple[dict[str, Any], list[Point], dict[str, FirstEpoch]]:
    """Read ``sampling.json``: all of it, its points, and the first epochs by sampler (none where not measured)."""
    content = read_json(path)
    check_entries(path, content, {"kind": of_kind("sampling"), "quick": is_flag, "rounds": is_count} | ENVIRONMENT)
    try:
        points = [
            Point(point["n_literals"], point["p"], {name: Timing(**t) for name, t in point["samplers"].items()})
            for point in content["points"]
        ]
        epochs = {name: FirstEpoch(**epoch) for name, epoch in content["first_epoch"].items()}
        _check_times(points, epochs)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} holds no usable times ({error}): remove it, or get it again.") from None
    return content, points, epochs


def _check_times(points: list[Point], epochs: dict[str, FirstEpoch]) -> None:
    names = {_BASELINE, *_FASTER}
    if {(point.n_literals, point.p) for point in points} != set(itertools.product(LITERALS, PROBABILITIES)):
        raise ValueError("sizes are missing")
    if any(set(point.samplers) != names for point in points) or (epochs and set(epochs) != names):
        raise ValueError("samplers are missing")
    times: list[FirstEpoch | Timing] = [
        *epochs.values(),
        *(timing for point in points for timing in point.samplers.values()),
    ]
    if not all(is_number(value) for time in times for value in asdict(time).values()):
        raise ValueError("not all are numbers")


class _Stopwatch:
    """Times one sampler at one size; counts what it draws."""

    def __init__(self, sampler: str, n_literals: int, p_threshold: int, table: BinomialTable, seed: int) -> None:
        n_words = -(-n_literals // 64)
        self._arguments = (
            np.random.SeedSequence(seed).generate_state(RANDOM_WORDS, np.uint64),
            np.zeros(-(-n_words // _VECTOR_WORDS) * _VECTOR_WORDS, np.uint64),
            n_literals, SAMPLERS[sampler], p_threshold, table,
        )  # fmt: skip
        self._no_positions = np.zeros(0, np.int64)
        self.counts = np.zeros(n_literals + 1, np.int64)
        self.n_draws = 1
        self.draw()  # compiles, or reads the compiled kernel from disk
        while (seconds := self.draw()) < _SECONDS_A_TURN / 4:
            self.n_draws *= 2
        self.n_draws = math.ceil(self.n_draws * _SECONDS_A_TURN / seconds)

    def draw(self) -> float:
        """Draw `n_draws` masks; the seconds that they take."""
        start = time.perf_counter()
        fill_masks(*self._arguments, self.n_draws, self.counts, self._no_positions)
        return time.perf_counter() - start


def time_samplers(n_literals: int, p: float, rounds: int, seed: int) -> Point:
    """Time all samplers at one size, turn by turn, so that what disturbs the machine disturbs all.

    Times include counting each mask's successes, which all samplers have in common.

    Parameters
    ----------
    n_literals : int
    p : float
        Probability of a success.
    rounds : int
        How often each sampler is timed, for about a millisecond.
    seed : int
    """
    p_threshold = threshold(p)
    table = binomial_table(n_literals, p_threshold)
    watches = {name: _Stopwatch(name, n_literals, p_threshold, table, seed) for name in (_BASELINE, *_FASTER)}
    nanoseconds: dict[str, list[float]] = {name: [] for name in watches}
    for _ in range(rounds):
        for name, watch in watches.items():
            nanoseconds[name].append(1e9 * watch.draw() / watch.n_draws)
    exact_p = p_threshold / 2**PROBABILITY_DIGITS
    return Point(
        n_literals,
        p,
        {
            name: _timing(nanoseconds[name], nanoseconds[_BASELINE], watch.counts, exact_p)
            for name, watch in watches.items()
        },
    )


def _timing(own: Sequence[float], baseline: Sequence[float], counts: np.ndarray, p: float) -> Timing:
    low, middle, high = np.quantile(np.divide(baseline, own), (0.25, 0.5, 0.75)).tolist()
    n_literals = len(counts) - 1
    masks = int(counts.sum())
    mean = float(counts @ np.arange(n_literals + 1)) / masks
    return Timing(
        nanoseconds=statistics.median(own),
        factor=middle,
        factor_low=low,
        factor_high=high,
        masks=masks,
        mean_count=mean,
        standard_errors=(mean - n_literals * p) / math.sqrt(n_literals * p * (1 - p) / masks),
    )


def sampling_table(points: Sequence[Point]) -> Table:
    """A row a size: nanoseconds of each sampler, and how many times as fast as the first the others are."""
    rows = [
        [
            f"{point.n_literals:,}",
            f"{point.p:g}",
            *(f"{point.samplers[name].nanoseconds:,.0f}" for name in (_BASELINE, *_FASTER)),
            *(_factor(point.samplers[name]) for name in _FASTER),
        ]
        for point in points
    ]
    return Table(["literals", "p", _BASELINE, *_FASTER, *(f"{name}, factor" for name in _FASTER)], rows)


def explain_sampling(rounds: int) -> str:
    """How to read a `sampling_table`."""
    return (
        f"Nanoseconds for the mask of one Type I feedback, medians of {rounds} rounds; in brackets the quartiles of "
        "the ratios within a round."
    )


def _factor(timing: Timing) -> str:
    middle, low, high = (
        f"{factor:.1f}" if factor < 10 else f"{factor:.0f}"
        for factor in (timing.factor, timing.factor_low, timing.factor_high)
    )
    return f"{middle} ({low}–{high})"


def sampling_verdict(points: Sequence[Point]) -> str:
    """What the paper says of one size, and what came out."""
    (at_paper,) = (point.samplers for point in points if (point.n_literals, point.p) == PAPER_SIZE)
    factors = ", ".join(f"{name} {_factor(at_paper[name])}" for name in _FASTER)
    worst = max(abs(timing.standard_errors) for point in points for timing in point.samplers.values())
    return (
        f"At {PAPER_SIZE[0]:,} literals and p = {PAPER_SIZE[1]}, times as fast as {_BASELINE}: {factors}; in the paper "
        f"binomial {PAPER_FACTOR}, where {_BASELINE} took {PAPER_NANOSECONDS:,.0f} ns a mask.\n"
        f"Mean counts against literals · p: at most {worst:.1f} standard errors off, {_STANDARD_ERRORS} allowed."
    )
