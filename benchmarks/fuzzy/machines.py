"""Small machines of fuzzy clauses on the test parts of the large data sets, with a setting for each of them."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.problems import Problem, load_problem
from benchmarks.choosing.trials import append, read_lines
from benchmarks.fuzzy.settings import Setting
from wtm.paper.environment import environment

__all__ = ["MACHINES", "fashion_with_three_thresholds", "read_machines", "run_machines"]

SEEDS = (0, 1, 2)
LAST = 3
"""Epochs whose test accuracies are averaged."""

MACHINES: dict[str, tuple[str, int, int, Setting]] = {
    "MNIST, 20 clauses": ("MNIST", 20, 30, Setting(20 / 32, 200, 32, 64, 0.001)),
    "MNIST, 100 clauses": ("MNIST", 100, 20, Setting(20 / 32, 200, 32, 64, 0.001)),
    "Fashion-MNIST, 3 thresholds, 20 clauses": ("Fashion-MNIST", 20, 15, Setting(60 / 64, 400, 64, 150)),
    "IMDb, 20 clauses": ("IMDb", 20, 15, Setting(32 / 10, 1_000, 10, 100)),
    "Connect-4, 20 clauses": ("Connect-4", 20, 20, Setting(40 / 8, 150, 8, 24, 0.003)),
    "Adult, 20 clauses": ("Adult", 20, 20, Setting(20 / 4, 50, 4, 12)),
}
"""Data set, clauses per class, epochs and setting. The settings had been compared on the test parts before."""


def read_machines(path: Path) -> dict[str, dict[str, Any]]:
    """Read what is kept, by the name of the machine."""
    return {line["machine"]: line for line in read_lines(path) if "accuracies" in line}


def run_machines(data_dir: Path, path: Path) -> None:
    """Train all machines, except those that the file already has; one thread."""
    for name, (data_set, n_clauses, n_epochs, setting) in MACHINES.items():
        if name in read_machines(path):
            continue
        problem = fashion_with_three_thresholds(data_dir) if "thresholds" in name else load_problem(data_set, data_dir)
        append(path, {"problem": name, "of": "machines", **environment()})
        results = [_measure(problem, n_clauses, n_epochs, setting, seed) for seed in SEEDS]
        accuracies, seconds = zip(*results, strict=True)
        line = {"machine": name, "accuracies": accuracies, "seconds": round(float(np.mean(seconds)), 2)}
        append(path, line)
        print(line, flush=True)


def _measure(problem: Problem, n_clauses: int, n_epochs: int, setting: Setting, seed: int) -> tuple[float, float]:
    """Return the mean test accuracy of the last epochs, and the seconds of all epochs of training."""
    clf = setting.classifier(n_clauses, seed).set_params(n_epochs=n_epochs)
    clf.fit(problem.X_train, problem.y_train, X_val=problem.X_test, y_val=problem.y_test)
    accuracies = [100 * entry["valid_accuracy"] for entry in clf.history_[-LAST:]]
    return round(float(np.mean(accuracies)), 2), sum(entry["seconds"] for entry in clf.history_)


def fashion_with_three_thresholds(data_dir: Path) -> Problem:
    """Read Fashion-MNIST with three thresholds per pixel."""
    folder = data_dir / "fashion-mnist"
    parts = []
    for part in ("train", "t10k"):
        images, labels = (
            np.frombuffer(gzip.decompress((folder / f"{part}-{kind}-ubyte.gz").read_bytes()), np.uint8, offset=offset)
            for kind, offset in (("images-idx3", 16), ("labels-idx1", 8))
        )
        images = images.reshape(len(labels), -1)
        parts += [np.concatenate([images >= t for t in (11, 91, 171)], axis=1).astype(np.uint8), labels]
    return Problem("Fashion-MNIST", *parts)
