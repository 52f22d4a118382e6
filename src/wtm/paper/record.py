"""What is kept of a training: a small JSON file with everything that tables and figures are made from."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wtm.machine.class_machine import Machine
from wtm.paper.json_files import check_environment, naming, read_json, write_json
from wtm.paper.settings import Setting

BINS_PER_DOUBLING = 8
"""Bin k of a histogram holds the weights from 2**(k/8) to 2**((k+1)/8)."""

HISTORY = {
    "test_accuracy": "valid_accuracy",
    "train_accuracy": "train_accuracy",
    "seconds": "seconds",
    "type_i": "type_i",
    "type_ii": "type_ii",
    "weights_saturated": "weights_saturated",
    "literals_per_clause": "literals_per_clause",
}
"""The columns of `Record.history`, and their names in `WTMClassifier.history_`.

Accuracies are fractions of 1, on training rows those of 5,000 rows spread evenly; seconds are of training alone.
"""

SAMPLED = "sampled_accuracy"
"""One more column where the paper says something on training accuracy: on `Problem.sampled_rows`."""

_DATA = ("key", "quick", "name", "digest")


@dataclass(frozen=True)
class Record:
    """A training so far."""

    data: dict[str, Any]  # `wtm.paper.problem.Problem.description`
    setting: Setting
    seed: int
    planned: int  # number of epochs asked for
    history: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in HISTORY})  # an item per epoch
    weights: list[dict[str, Any]] = field(default_factory=list)  # `describe_weights` of each class
    sessions: list[dict[str, Any]] = field(default_factory=list)
    """Each uninterrupted part: first and last of its epochs, n_jobs, environment, and since version 0.2.0 its
    ``wall_seconds`` and ``cpu_seconds``, evaluation included."""

    @property
    def name(self) -> str:
        """The name of the training's files, without a suffix."""
        s = self.setting
        return f"{s.method.lower()}-{s.n_clauses}-p{s.p_s:g}-gamma{s.gamma:g}-T{s.T}-seed{self.seed}"

    @property
    def n_epochs(self) -> int:
        """Number of epochs so far."""
        return len(self.history["test_accuracy"])

    @property
    def cpu_seconds(self) -> list[float] | None:
        """The processor's time per epoch, estimated: by the clock, times the session's share; None if one lacks it."""
        if any("cpu_seconds" not in session for session in self.sessions):
            return None
        found = list(self.history["seconds"])
        for session in self.sessions:
            first, last = session["epochs"]
            share = session["cpu_seconds"] / session["wall_seconds"]
            found[first - 1 : last] = [seconds * share for seconds in found[first - 1 : last]]
        return found

    def write(self, path: Path) -> None:
        """Write the file, atomically."""
        write_json(path, {"kind": "training", **asdict(self)})


def read_record(path: Path) -> Record:
    """Read the record of a training; ValueError if it is damaged or belongs under another name."""
    content = read_json(path)
    with naming(path):
        del content["kind"]
        record = Record(**{**content, "setting": Setting(**content["setting"])})
        if path.stem != record.name:
            raise ValueError(f"it holds {record.name}")
        names = [*HISTORY, *[SAMPLED] * (SAMPLED in content["history"])]
        columns = np.array([content["history"][name] for name in names], float)  # of equal length
        if columns.size == 0 or not np.isfinite(columns).all():
            raise ValueError("its columns hold no epochs, or not only numbers")
        _ = [record.data[name] for name in _DATA], record.data["majority"]["test_share"]
        _ = [(entry["label"], entry["all"], entry["positive"]) for entry in content["weights"]]
        for session in content["sessions"]:
            _, _ = session["epochs"]
            check_environment(session)
        _ = record.cpu_seconds
    return record


def read_records(folder: Path) -> list[Record]:
    """Read all records of the data set that a folder is named after, in the order of their names.

    Raises ValueError if they are of different data.
    """
    records = [read_record(path) for path in sorted(folder.glob("*tm-*-seed*.json"))]
    for record in records:
        if record.data["key"] != folder.name:
            raise ValueError(
                f"{folder / record.name}.json is of {record.data['key']}: move it to the folder of that name."
            )
    kinds = {(record.data["quick"], record.data["digest"]) for record in records}
    if len(kinds) > len({is_quick for is_quick, _ in kinds}):
        raise ValueError(f"{folder} holds records of different data: move one kind to another folder.")
    return records


def describe_weights(label: Any, machine: Machine) -> dict[str, Any]:
    """Describe the weights of a class as the paper's table 4 does; `positive` is a histogram, from bin to count."""
    weights = machine.weights
    bins = np.floor(BINS_PER_DOUBLING * np.log2(weights[machine.polarity > 0])).astype(int)
    bins, counts = np.unique(bins, return_counts=True)
    return {
        "label": str(label),
        "all": {"minimum": float(weights.min()), "maximum": float(weights.max()), "mean": float(weights.mean())},
        "positive": {str(k): count for k, count in zip(bins.tolist(), counts.tolist(), strict=True)},
    }


Groups = list[list[Record]]


def by_setting(records: Iterable[Record]) -> Groups:
    """Group the trainings of the same machine, in the order of their first."""
    groups: dict[Setting, list[Record]] = {}
    for record in records:
        groups.setdefault(record.setting, []).append(record)
    return list(groups.values())


def common_epochs(groups: Groups) -> int:
    """Return the number of epochs that all trainings have; comparisons cut longer ones to it."""
    return min(record.n_epochs for records in groups for record in records)
