"""The speed of drawing Type I feedback (the paper, "Feedback Generation Speedup").

The paper reports that drawing a binomial count and then as many positions is 7 times as fast as a Bernoulli draw per
literal, at 1,568 literals and p = 0.1 (MNIST).
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
from wtm.kernels.layout import padded_words_for
from wtm.kernels.sampling import RANDOM_WORDS, Sampler, fill_masks
from wtm.machine.distributions import PROBABILITY_DIGITS, binomial_table, threshold
from wtm.machine.machine_parameters import SAMPLERS
from wtm.paper.environment import environment
from wtm.paper.experiments.sampling_share import (
    PAPER_DRAWING_SECONDS,
    PAPER_TYPE_I,
    FirstEpoch,
    first_epoch_table,
    mnist_if_there,
    time_first_epochs,
)
from wtm.paper.json_files import check_absent, naming, prepare_folder, read_json, write_json
from wtm.paper.run_options import Options
from wtm.paper.text_table import Table, say, show

PAPER_SIZE = (1568, 0.1)
"""Literals and p_s of the paper's measurement."""
PAPER_FACTOR = 7

LITERALS = (168, 1568, 10_000)
"""Those of Connect-4, MNIST and IMDb."""
PROBABILITIES = (0.0065, 0.012, 0.037, 0.085, 0.1, 0.25)

_BASELINE = "bernoulli"
_FASTER = ("binomial", "bits")
_STANDARD_ERRORS = 5
_SECONDS_PER_TURN = 0.001


@dataclass(frozen=True)
class Timing:
    """A sampler at one size.

    Attributes
    ----------
    nanoseconds : float
        Median time per mask.
    factor, factor_low, factor_high : float
        Speed relative to Bernoulli draws: median and quartiles of the ratios within a round.
    masks : int
        Number of masks drawn.
    mean_count : float
        Their mean number of successes.
    standard_errors : float
        Difference of `mean_count` from its expectation, in standard errors of the mean.
    """

    nanoseconds: float
    factor: float
    factor_low: float
    factor_high: float
    masks: int
    mean_count: float
    standard_errors: float

    @property
    def factors(self) -> str:
        """The factor and its quartiles in words."""
        middle, low, high = (
            f"{factor:.1f}" if factor < 10 else f"{factor:.0f}"
            for factor in (self.factor, self.factor_low, self.factor_high)
        )
        return f"{middle} ({low}–{high})"


@dataclass(frozen=True)
class Point:
    """All samplers at one size: `n_literals` draws with probability `p`, and a `Timing` per sampler."""

    n_literals: int
    p: float
    samplers: dict[str, Timing]

    @property
    def agrees(self) -> bool:
        """Whether all mean counts are within 5 standard errors of their expectation."""
        return all(abs(timing.standard_errors) <= _STANDARD_ERRORS for timing in self.samplers.values())


@dataclass(frozen=True)
class SamplingResults:
    """What the experiment found.

    Attributes
    ----------
    quick : bool
    rounds : int
    points : list of Point
    first_epoch : dict of str to FirstEpoch
        By sampler; empty if MNIST was missing.
    origin : dict
        The environment.
    """

    quick: bool
    rounds: int
    points: list[Point]
    first_epoch: dict[str, FirstEpoch]
    origin: dict[str, Any]

    @property
    def at_paper(self) -> dict[str, Timing]:
        """The timings at the paper's size."""
        (found,) = (point.samplers for point in self.points if (point.n_literals, point.p) == PAPER_SIZE)
        return found


def measure_sampling(options: Options, rounds: int) -> None:
    """Time the samplers at all sizes, check their counts, time the first epoch; write ``sampling.json``, print tables.

    Parameters
    ----------
    options : Options
        The first of its seeds is that of the random streams; epochs and threads do not apply.
    rounds : int
        How often each sampler is timed at each size.

    Raises
    ------
    OSError
        The results can't be written.
    ValueError
        There are results already, or the counts of a sampler are wrong.
    """
    folder, seed = options.folder("sampling"), options.seeds[0]
    rounds = min(rounds, 3) if options.quick else rounds
    path = folder / "sampling.json"
    prepare_folder(folder)
    check_absent(path, resumable=False)
    problem = mnist_if_there(options.data_dir, quick=options.quick)
    sizes = list(itertools.product(LITERALS, PROBABILITIES))
    say(f"Timing {', '.join((_BASELINE, *_FASTER))} at {len(sizes)} sizes, {rounds} rounds each")
    results = SamplingResults(
        options.quick, rounds, [time_samplers(*size, rounds, seed) for size in sizes], {}, environment()
    )
    if problem is not None:
        nanoseconds = {name: timing.nanoseconds for name, timing in results.at_paper.items()}
        results.first_epoch.update(time_first_epochs(problem, nanoseconds, seed))
    content = asdict(results)
    write_json(path, {"kind": "sampling", "seed": seed, **content.pop("origin"), **content})
    show(sampling_table(results).rich("Drawing the literals that Type I feedback weakens"), *explain_sampling(results))
    if results.first_epoch:
        show(first_epoch_table(results.first_epoch).rich("The first epoch on MNIST, one thread"))
    say(f"Results written to {folder}")
    off = [f"u = {point.n_literals}, p = {point.p}" for point in results.points if not point.agrees]
    if off:
        raise ValueError(f"mean counts are more than {_STANDARD_ERRORS} standard errors off at {'; '.join(off)}.")


def read_sampling(path: Path) -> SamplingResults:
    """Read ``sampling.json``."""
    content = read_json(path)
    with naming(path):
        points = [
            Point(point["n_literals"], point["p"], {name: Timing(**t) for name, t in point["samplers"].items()})
            for point in content["points"]
        ]
        epochs = {name: FirstEpoch(**epoch) for name, epoch in content["first_epoch"].items()}
        results = SamplingResults(content["quick"], content["rounds"], points, epochs, content)
        _ = sampling_table(results), explain_sampling(results), first_epoch_table(epochs)  # all that it is used for
    return results


class _Stopwatch:
    """Times one sampler at one size; counts what it draws."""

    def __init__(self, sampler: str, n_literals: int, p_threshold: int, table: BinomialTable, seed: int) -> None:
        self._arguments = (
            np.random.SeedSequence(seed).generate_state(RANDOM_WORDS, np.uint64),
            np.zeros(padded_words_for(n_literals), np.uint64),
            n_literals,
            Sampler(SAMPLERS[sampler], p_threshold, table),
        )
        self._no_positions = np.zeros(0, np.int64)
        self.counts = np.zeros(n_literals + 1, np.int64)
        self.n_draws = 1
        self.draw()  # compiles, or reads the compiled kernel from disk
        while (seconds := self.draw()) < _SECONDS_PER_TURN / 4:
            self.n_draws *= 2
        self.n_draws = math.ceil(self.n_draws * _SECONDS_PER_TURN / seconds)

    def draw(self) -> float:
        """Draw `n_draws` masks; return the seconds taken."""
        start = time.perf_counter()
        fill_masks(*self._arguments, self.n_draws, self.counts, self._no_positions)
        return time.perf_counter() - start


def time_samplers(n_literals: int, p: float, rounds: int, seed: int) -> Point:
    """Time all samplers at one size in turns, so that disturbances of the machine affect all.

    Times include counting the successes of each mask, which is the same work for all samplers.

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
    exact_p, baseline = p_threshold / 2**PROBABILITY_DIGITS, nanoseconds[_BASELINE]
    timings = {name: _timing(nanoseconds[name], baseline, watch.counts, exact_p) for name, watch in watches.items()}
    return Point(n_literals, p, timings)


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


def sampling_table(results: SamplingResults) -> Table:
    """Return a row per size: nanoseconds of each sampler, and speed relative to Bernoulli draws."""
    rows = [
        [
            f"{point.n_literals:,}",
            f"{point.p:g}",
            *(f"{point.samplers[name].nanoseconds:,.0f}" for name in (_BASELINE, *_FASTER)),
            *(point.samplers[name].factors for name in _FASTER),
        ]
        for point in results.points
    ]
    return Table(["literals", "p", _BASELINE, *_FASTER, *(f"{name}, factor" for name in _FASTER)], rows)


def explain_sampling(results: SamplingResults) -> tuple[str, str]:
    """Return how to read a `sampling_table`, and the comparison with the paper."""
    factors = ", ".join(f"{name} {results.at_paper[name].factors}" for name in _FASTER)
    worst = max(abs(timing.standard_errors) for point in results.points for timing in point.samplers.values())
    return (
        f"Nanoseconds per mask of one Type I feedback, medians of {results.rounds} rounds; in brackets the quartiles "
        "of the ratios within a round.",
        f"At {PAPER_SIZE[0]:,} literals and p = {PAPER_SIZE[1]}, speed relative to {_BASELINE}: {factors}; in the "
        f"paper binomial {PAPER_FACTOR}, where {_BASELINE} took {1e9 * PAPER_DRAWING_SECONDS / PAPER_TYPE_I:,.0f} ns "
        f"per mask.\nMean counts against literals · p: at most {worst:.1f} standard errors off, {_STANDARD_ERRORS} "
        "allowed.",
    )
