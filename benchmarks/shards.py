"""Measure what training clauses in shards costs and gains; writes benchmarks/results/shards.jsonl and docs/shards.md.

    python -m benchmarks.shards accuracy --data-dir DATA [--datasets mnist connect-4 imdb] [--seeds 1 2 3]
    python -m benchmarks.shards speed --data-dir DATA [--rounds 15]
    python -m benchmarks.shards parts --data-dir DATA
    python -m benchmarks.shards report

The first three append their results to the file, and `report` writes the page from the newest of each.
"""

import argparse
import copy
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.building_blocks import BuildingBlocks
from benchmarks.shards_page import page
from wtm import WTMClassifier
from wtm.datasets import Dataset, load
from wtm.machine.class_machine import Machine
from wtm.machine.examples import Examples
from wtm.machine.schedule import Schedule, draw_schedule
from wtm.paper.environment import environment
from wtm.paper.text_table import say
from wtm.utils.interruption import run_in_threads

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "shards.jsonl", ROOT / "docs" / "shards.md"
EXACT = (1, 1)
IN_SHARDS = ((2, 512), (4, 512), (8, 512), (8, 64))
SEED, FIRST_EPOCH = 1, 3


@dataclass(frozen=True)
class Setting:
    """A data set and how it is trained."""

    dataset: str
    n_clauses: int
    T: float
    s: float
    gamma: float
    n_epochs: int


SETTINGS = (
    Setting("mnist", 512, 25, 11.76, 0.0025, 12),
    Setting("connect-4", 208, 12, 1 / 0.037, 0.0001, 40),
    Setting("imdb", 3_200, 12, 1 / 0.012, 0.0006, 5),
    Setting("imdb", 3_200, 100, 1 / 0.012, 0.0006, 5),
)
LARGE = replace(SETTINGS[0], n_clauses=2_000, T=50.0)

EPOCHS_IN_PARTS = ((SETTINGS[0], 3), (SETTINGS[0], 12), (LARGE, 12), (LARGE, 50), (SETTINGS[2], 3), (SETTINGS[2], 5))


def accuracies(data: Dataset, setting: Setting, shards: tuple[int, int], seed: int) -> dict[str, Any]:
    """Train once, and test after each epoch."""
    n_shards, vote_block = shards
    model = WTMClassifier(
        setting.n_clauses, setting.T, setting.s, setting.gamma, setting.n_epochs, n_shards=n_shards,
        vote_block=vote_block, booleanizer="strict", random_state=seed,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of votes that are out of date, which is measured here
        model.fit(data.X_train, data.y_train, X_val=data.X_test, y_val=data.y_test)
    return {
        "accuracy": [entry["valid_accuracy"] for entry in model.history_],
        "vote_drift": [entry["vote_drift"] for entry in model.history_],
    }


def measure_accuracy(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a result per data set, seed and number of shards."""
    for setting in SETTINGS:
        if setting.dataset not in options.datasets:
            continue
        data = load(setting.dataset, data_dir=options.data_dir)
        for seed in options.seeds:
            for shards in (EXACT, *IN_SHARDS):
                found = accuracies(data, setting, shards, seed)
                yield vars(setting) | {"shards": shards, "seed": seed} | found


def epoch_of(data: Dataset, setting: Setting, epoch: int) -> tuple[Examples, Machine, Schedule]:
    """Return the rows, the machine of class 0 before an epoch, and the examples that it sees in it."""
    model = WTMClassifier(
        setting.n_clauses, setting.T, setting.s, setting.gamma, epoch - 1, booleanizer="strict", random_state=SEED,
        n_jobs=-1,
    )  # fmt: skip
    model.fit(data.X_train, data.y_train)
    rows = model._training_data(data.X_train, data.y_train, None, resumes=True)
    n_classes = len(model.classes_)
    schedule = draw_schedule(rows.labels, n_classes, seed=SEED, n_seen=(epoch - 1) * len(rows), shuffle=True)
    return rows.examples, model.machines_[0], schedule[0]


def ways_to_train(examples: Examples, machine: Machine, part: Schedule) -> dict[str, Callable[[], Any]]:
    """Return functions that train a copy of a machine for an epoch, by name."""

    def way(shards: tuple[int, int], n_threads: int) -> Callable[[], Any]:
        n_shards, vote_block = shards
        parameters = replace(machine.parameters, n_shards=n_shards, vote_block=vote_block)
        return lambda: machine.copy(parameters).train(examples.literals, part, n_threads=n_threads)

    exact = way(EXACT, 1)
    ways: dict[str, Callable[[], Any]] = {"exact": exact, "two machines": lambda: run_in_threads([exact, exact], 2)}
    for shards in IN_SHARDS:
        for n_threads in (1, 2):
            ways[f"{shards[0]} shards, blocks of {shards[1]}, {n_threads}"] = way(shards, n_threads)
    return ways


def measure_speed(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the seconds of an epoch of one machine, for each data set: all ways take turns."""
    for setting in (SETTINGS[0], LARGE, SETTINGS[2]):
        if setting.dataset not in options.datasets:
            continue
        data = load(setting.dataset, data_dir=options.data_dir)
        ways = ways_to_train(*epoch_of(data, setting, FIRST_EPOCH))
        seconds: dict[str, list[list[float]]] = {name: [] for name in ways}
        for train in ways.values():
            train()
        for i in range(options.rounds):
            for name in list(ways)[:: 1 if i % 2 else -1]:
                start = time.perf_counter(), time.process_time()
                ways[name]()
                seconds[name].append([time.perf_counter() - start[0], time.process_time() - start[1]])
        yield vars(setting) | {"epoch": FIRST_EPOCH, "seconds": seconds}


def measure_parts(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the processor seconds of the parts of an epoch that could run in threads without changing the model."""
    for setting, epoch in EPOCHS_IN_PARTS:
        if setting.dataset not in options.datasets:
            continue
        examples, machine, part = epoch_of(load(setting.dataset, data_dir=options.data_dir), setting, epoch)
        seconds = []
        for _ in range(3):
            twin = copy.deepcopy(machine)
            start = time.process_time()
            twin.train(examples.literals, part)
            seconds.append(time.process_time() - start)
        blocks = BuildingBlocks(examples, machine, part)
        yield vars(setting) | {
            "epoch": epoch,
            "seconds": statistics.median(seconds),
            "columns": blocks.time_columns(),
            "outputs": blocks.time_outputs(),
        }


MEASUREMENTS = {"accuracy": measure_accuracy, "speed": measure_speed, "parts": measure_parts}


def main() -> int:
    """Run the command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*MEASUREMENTS, "report"])
    parser.add_argument("--data-dir", default=os.environ.get("WTM_DATA"), help="folder with the data sets")
    parser.add_argument("--datasets", nargs="+", default=[setting.dataset for setting in SETTINGS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if options.part in MEASUREMENTS:
        for found in MEASUREMENTS[options.part](options):
            line = {"part": options.part} | found | {"environment": environment()}
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            say(json.dumps({name: value for name, value in line.items() if name != "environment"}))
        return 0
    lines = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    PAGE.write_text(page(lines), encoding="utf-8")
    say(f"Written: {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
