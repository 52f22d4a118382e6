"""The speed of drawing Type I feedback (the paper, "Feedback Generation Speedup").

`python -m studies.sampling_speed` times the paper's Algorithm 1 and two other samplers, and checks their counts. With
MNIST at hand, it also times the first epoch with each.
"""

import argparse
import itertools
import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from studies.command_line import run_command, whole_number
from wtm.datasets import DATA_DIR_VARIABLE, DatasetNotFoundError
from wtm.kernels.distribution_tables import BinomialTable
from wtm.kernels.layout import padded_words_for
from wtm.kernels.sampling import RANDOM_WORDS, Sampler, fill_masks
from wtm.machine.class_machine import Machine
from wtm.machine.distributions import PROBABILITY_DIGITS, binomial_table, threshold
from wtm.machine.machine_parameters import SAMPLERS, MachineParameters
from wtm.machine.schedule import draw_schedule
from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder, write_json
from wtm.paper.problem import Problem, load_problem
from wtm.paper.report.sampling import (
    ALLOWED_ERRORS,
    BASELINE,
    FASTER,
    Results,
    explain_sampling,
    first_epoch_table,
    largest_error,
    sampling_table,
    timings_at_paper,
)
from wtm.paper.settings import COMPRESSION, Setting
from wtm.paper.text_table import say, show

LITERALS = (168, 1568, 10_000)
"""Those of Connect-4, MNIST and IMDb."""
PROBABILITIES = (0.0065, 0.012, 0.037, 0.085, 0.1, 0.25)
FIRST_EPOCH = COMPRESSION["mnist"].classic.setting
"""The machine of the paper's measurement: a TM of 2,000 clauses."""

_SECONDS_PER_TURN = 0.001


def measure_sampling(problem: Problem | None, out: Path, rounds: int, seed: int = 0) -> None:
    """Time the samplers at all sizes, check their counts, time the first epoch on `problem`; write ``sampling.json``.

    Raises
    ------
    ValueError
        The counts of a sampler are wrong; the results are written first.
    """
    path = out / "sampling.json"
    prepare_folder(out)
    check_absent(path, resumable=False)
    sizes = list(itertools.product(LITERALS, PROBABILITIES))
    say(f"Timing {', '.join((BASELINE, *FASTER))} at {len(sizes)} sizes, {rounds} rounds each")
    results: Results = {"kind": "sampling", "seed": seed, **environment(), "rounds": rounds}
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
    show(sampling_table(results).rich("Drawing the literals that Type I feedback weakens"), explain_sampling(results))
    if problem:
        show(first_epoch_table(results).rich("The first epoch on MNIST, one thread"))
    say(f"Results written to {out}")
    wrong = [point for point in results["points"] if largest_error(point) > ALLOWED_ERRORS]
    off = [f"u = {point['n_literals']}, p = {point['p']}" for point in wrong]
    if off:
        raise ValueError(f"mean counts are more than {ALLOWED_ERRORS} standard errors off at {'; '.join(off)}.")


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
    watches = {name: _Stopwatch(name, n_literals, p_threshold, table, seed) for name in (BASELINE, *FASTER)}
    turns = [[1e9 * watch.draw() / watch.n_draws for watch in watches.values()] for _ in range(rounds)]
    nanoseconds = dict(zip(watches, np.transpose(turns), strict=True))
    exact_p = p_threshold / 2**PROBABILITY_DIGITS
    return {
        name: _timing(nanoseconds[name], nanoseconds[BASELINE], watch.counts, exact_p)
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


# --- The first epoch ---


def _time_first_epoch(problem: Problem, sampler: str, nanoseconds: float, seed: int) -> dict[str, Any]:
    """Train the first epoch with the direct engine on one thread; a mask takes `nanoseconds` to draw."""
    say(f"First epoch on MNIST with {FIRST_EPOCH.n_clauses:,} clauses per class, one thread, sampler {sampler}")
    parameters = _direct(FIRST_EPOCH, problem.description["features"], sampler)
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


def mnist_if_there(data_dir: Path | None) -> Problem | None:
    """Return MNIST from `data_dir`; without one, from WTM_DATA if it is there."""
    if data_dir is not None:
        return load_problem("mnist", data_dir)
    try:
        if named := os.environ.get(DATA_DIR_VARIABLE):
            return load_problem("mnist", Path(named))
    except DatasetNotFoundError:
        pass
    say("No MNIST: the share of drawing in the first epoch is not measured. --data-dir names the folder.")
    return None


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(description="Time the paper's Algorithm 1 and two other samplers.")
    parser.add_argument("--data-dir", type=Path, help="folder with MNIST; default: $WTM_DATA")
    parser.add_argument("--out", type=Path, default=Path("out/sampling"), help="folder for the results")
    parser.add_argument("--rounds", type=whole_number(1), default=61, help="timings of each sampler at each size")
    given = parser.parse_args()
    measure_sampling(mnist_if_there(given.data_dir), given.out, given.rounds)


if __name__ == "__main__":
    run_command(main)
