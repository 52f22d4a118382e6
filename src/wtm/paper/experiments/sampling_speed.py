"""The speed of drawing Type I feedback (the paper, "Feedback Generation Speedup").

The paper reports that drawing a binomial count and then as many positions is 7 times as fast as a Bernoulli draw per
literal, at 1,568 literals and p = 0.1 (MNIST), and which share of the first epoch on MNIST is drawing.
"""

import itertools
import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from wtm.datasets import DATA_DIR_VARIABLE, DatasetNotFoundError
from wtm.kernels.distribution_tables import BinomialTable
from wtm.kernels.layout import padded_words_for
from wtm.kernels.sampling import RANDOM_WORDS, Sampler, fill_masks
from wtm.machine.class_machine import Machine
from wtm.machine.distributions import PROBABILITY_DIGITS, binomial_table, threshold
from wtm.machine.machine_parameters import SAMPLERS, MachineParameters
from wtm.machine.schedule import draw_schedule
from wtm.paper.environment import environment
from wtm.paper.json_files import ENVIRONMENT, check_absent, naming, prepare_folder, read_json, write_json
from wtm.paper.problem import Problem, load_problem
from wtm.paper.run_options import Options, quick_setting
from wtm.paper.settings import COMPRESSION, Setting
from wtm.paper.text_table import Table, say, show

PAPER_SIZE = (1568, 0.1)
"""Literals and p_s of the paper's measurement."""
PAPER_FACTOR = 7
_PAPER_TYPE_I = 12.6e6  # in the first epoch on MNIST with 2,000 clauses and p_s 0.1
_PAPER_DRAWING_SECONDS = 61.2
_PAPER_OTHER_SECONDS = 23.5  # recognizing the images

LITERALS = (168, 1568, 10_000)
"""Those of Connect-4, MNIST and IMDb."""
PROBABILITIES = (0.0065, 0.012, 0.037, 0.085, 0.1, 0.25)

_BASELINE = "bernoulli"
_FASTER = ("binomial", "bits")
_STANDARD_ERRORS = 5
_SECONDS_PER_TURN = 0.001

Results = dict[str, Any]
"""The content of ``sampling.json``: a point per size, with a timing per sampler, and a first epoch per sampler."""


def measure_sampling(options: Options, rounds: int) -> None:
    """Time the samplers at all sizes, check their counts, time the first epoch; write ``sampling.json``, print tables.

    Raises ValueError if the counts of a sampler are wrong; the results are written first.
    """
    folder, seed = options.folder("sampling"), options.seeds[0]
    rounds = min(rounds, 3) if options.quick else rounds
    path = folder / "sampling.json"
    prepare_folder(folder)
    check_absent(path, resumable=False)
    problem = _mnist_if_there(options)
    sizes = list(itertools.product(LITERALS, PROBABILITIES))
    say(f"Timing {', '.join((_BASELINE, *_FASTER))} at {len(sizes)} sizes, {rounds} rounds each")
    results: Results = {"kind": "sampling", "seed": seed, **environment(), "quick": options.quick, "rounds": rounds}
    results["points"] = [
        {"n_literals": n_literals, "p": p, "samplers": time_samplers(n_literals, p, rounds, seed)}
        for n_literals, p in sizes
    ]
    results["first_epoch"] = {}
    if problem:
        for sampler in sorted(SAMPLERS):
            nanoseconds = timings_at_paper(results)[sampler]["nanoseconds"]
            results["first_epoch"][sampler] = _time_first_epoch(problem, sampler, nanoseconds, seed)
    write_json(path, results)
    show(sampling_table(results).rich("Drawing the literals that Type I feedback weakens"), *explain_sampling(results))
    if problem:
        show(first_epoch_table(results).rich("The first epoch on MNIST, one thread"))
    say(f"Results written to {folder}")
    wrong = [point for point in results["points"] if _errors(point) > _STANDARD_ERRORS]
    off = [f"u = {point['n_literals']}, p = {point['p']}" for point in wrong]
    if off:
        raise ValueError(f"mean counts are more than {_STANDARD_ERRORS} standard errors off at {'; '.join(off)}.")


def read_sampling(path: Path) -> Results:
    """Read ``sampling.json``; ValueError if it is damaged."""
    results = read_json(path)
    with naming(path):  # all that it is used for
        _ = [results[name] for name in ("quick", *ENVIRONMENT)]
        _ = sampling_table(results), explain_sampling(results), first_epoch_table(results)
    return results


def timings_at_paper(results: Results) -> dict[str, dict[str, Any]]:
    """Return the timings by sampler at the paper's size."""
    (found,) = (point for point in results["points"] if (point["n_literals"], point["p"]) == PAPER_SIZE)
    timings: dict[str, dict[str, Any]] = found["samplers"]
    return timings


# --- Masks ---


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
        """Draw `n_draws` masks, for about a millisecond; return the seconds taken."""
        start = time.perf_counter()
        fill_masks(*self._arguments, self.n_draws, self.counts, self._no_positions)
        return time.perf_counter() - start


def time_samplers(n_literals: int, p: float, rounds: int, seed: int) -> dict[str, dict[str, Any]]:
    """Time all samplers at one size in turns, so that disturbances of the machine affect all.

    Times include counting the successes of each mask, which is the same work for all samplers.
    """
    p_threshold = threshold(p)
    table = binomial_table(n_literals, p_threshold)
    watches = {name: _Stopwatch(name, n_literals, p_threshold, table, seed) for name in (_BASELINE, *_FASTER)}
    turns = [[1e9 * watch.draw() / watch.n_draws for watch in watches.values()] for _ in range(rounds)]
    nanoseconds = dict(zip(watches, np.transpose(turns), strict=True))
    exact_p = p_threshold / 2**PROBABILITY_DIGITS
    return {
        name: _timing(nanoseconds[name], nanoseconds[_BASELINE], watch.counts, exact_p)
        for name, watch in watches.items()
    }


def _timing(own: np.ndarray, baseline: np.ndarray, counts: np.ndarray, p: float) -> dict[str, Any]:
    """Return the time per mask, the speed relative to the baseline within a round, and a check of the counts."""
    low, middle, high = np.quantile(baseline / own, (0.25, 0.5, 0.75)).tolist()
    n_literals, masks = len(counts) - 1, int(counts.sum())
    mean = float(counts @ np.arange(n_literals + 1)) / masks
    return {
        "nanoseconds": float(np.median(own)),
        "factor": middle,
        "factor_low": low,
        "factor_high": high,
        "masks": masks,
        "mean_count": mean,
        "standard_errors": (mean - n_literals * p) / math.sqrt(n_literals * p * (1 - p) / masks),
    }


def _errors(point: dict[str, Any]) -> float:
    """Return by how many standard errors a mean count is off, at most."""
    return max(abs(timing["standard_errors"]) for timing in point["samplers"].values())


def sampling_table(results: Results) -> Table:
    """Return a row per size: nanoseconds of each sampler, and speed relative to Bernoulli draws."""
    rows = [
        [
            f"{point['n_literals']:,}",
            f"{point['p']:g}",
            *(f"{point['samplers'][name]['nanoseconds']:,.0f}" for name in (_BASELINE, *_FASTER)),
            *(_factors(point["samplers"][name]) for name in _FASTER),
        ]
        for point in results["points"]
    ]
    return Table(["literals", "p", _BASELINE, *_FASTER, *(f"{name}, factor" for name in _FASTER)], rows)


def _factors(timing: dict[str, Any]) -> str:
    factors = (timing[name] for name in ("factor", "factor_low", "factor_high"))
    middle, low, high = (f"{factor:.1f}" if factor < 10 else f"{factor:.0f}" for factor in factors)
    return f"{middle} ({low}–{high})"


def explain_sampling(results: Results) -> tuple[str, str]:
    """Return how to read a `sampling_table`, and the comparison with the paper."""
    timings = timings_at_paper(results)
    factors = ", ".join(f"{name} {_factors(timings[name])}" for name in _FASTER)
    return (
        f"Nanoseconds per mask of one Type I feedback, medians of {results['rounds']} rounds; in brackets the "
        "quartiles of the ratios within a round.",
        f"At {PAPER_SIZE[0]:,} literals and p = {PAPER_SIZE[1]}, speed relative to {_BASELINE}: {factors}; in the "
        f"paper binomial {PAPER_FACTOR}, where {_BASELINE} took {1e9 * _PAPER_DRAWING_SECONDS / _PAPER_TYPE_I:,.0f} ns "
        f"per mask.\nMean counts against literals · p: at most {max(map(_errors, results['points'])):.1f} standard "
        f"errors off, {_STANDARD_ERRORS} allowed.",
    )


# --- The first epoch ---


def _mnist_if_there(options: Options) -> Problem | None:
    """Return MNIST from `data_dir`; without one, from WTM_DATA if it is there."""
    if options.data_dir is not None:
        return load_problem("mnist", options.data_dir, quick=options.quick)
    try:
        if named := os.environ.get(DATA_DIR_VARIABLE):
            return load_problem("mnist", Path(named), quick=options.quick)
    except DatasetNotFoundError:
        pass
    say("No MNIST: the share of drawing in the first epoch is not measured. --data-dir names the folder.")
    return None


def _time_first_epoch(problem: Problem, sampler: str, nanoseconds: float, seed: int) -> dict[str, Any]:
    """Train the first epoch with the direct engine on one thread; a mask takes `nanoseconds` to draw."""
    setting = COMPRESSION["mnist"].classic.setting
    setting = quick_setting(setting) if problem.quick else setting
    say(f"First epoch on MNIST with {setting.n_clauses:,} clauses per class, one thread, sampler {sampler}")
    parameters = _direct(setting, problem.description["features"], sampler)
    training, n_classes = problem.packed("train").by_content(), len(problem.classes)
    literals = training.examples.literals
    few, schedule = (
        draw_schedule(labels, n_classes, seed=seed, n_seen=0, shuffle=True)
        for labels in (training.labels[:8], training.labels)
    )
    Machine.new(parameters, seed, 0).train(literals, few[0])  # compiles, or reads the compiled kernel from disk
    machines = [Machine.new(parameters, seed, i) for i in range(n_classes)]
    start = time.perf_counter()
    counts = [machine.train(literals, part) for machine, part in zip(machines, schedule, strict=True)]
    seconds = time.perf_counter() - start
    type_i = sum(count.type_i for count in counts)
    return {"seconds": seconds, "type_i": type_i, "drawing_seconds": type_i * nanoseconds / 1e9}


def _direct(setting: Setting, n_features: int, sampler: str) -> MachineParameters:
    return MachineParameters(
        n_features=n_features,
        n_clauses=setting.n_clauses,
        T=float(setting.T),
        s=1 / setting.p_s,
        gamma=setting.gamma,
        engine="direct",
        sampler=sampler,
    )


def drawing_share(epoch: dict[str, Any]) -> str:
    """Return the share of drawing in a first epoch."""
    return f"{epoch['drawing_seconds'] / epoch['seconds']:.0%}"


def first_epoch_table(results: Results) -> Table:
    """Return a row per sampler, after the paper's."""
    paper_seconds = _PAPER_DRAWING_SECONDS + _PAPER_OTHER_SECONDS
    rows = [_row("bernoulli, the paper", _PAPER_TYPE_I, _PAPER_DRAWING_SECONDS, paper_seconds, "“about 2/3”")]
    rows += [
        _row(f"{sampler}, here", epoch["type_i"], epoch["drawing_seconds"], epoch["seconds"], drawing_share(epoch))
        for sampler, epoch in results["first_epoch"].items()
    ]
    return Table(["sampler", "Type I, millions", "s of drawing", "s of the epoch", "share"], rows)


def _row(name: str, type_i: float, drawing: float, seconds: float, share: str) -> list[str]:
    return [name, f"{type_i / 1e6:.1f}", f"{drawing:.1f}", f"{seconds:.1f}", share]
