"""What is kept of a training: a small JSON file with everything that tables and figures are made from."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.machine.class_machine import Machine
from wtm.paper.json_files import naming, read_json, write_json
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


@dataclass(frozen=True)
class Record:
    """A training so far."""

    data: dict[str, Any]  # `wtm.paper.problem.Problem.description`
    setting: Setting
    seed: int
    planned: int  # number of epochs asked for
    history: dict[str, list[Any]]  # the columns of `HISTORY`, one item per epoch
    weights: list[dict[str, Any]]  # `describe_weights` of each class
    sessions: list[dict[str, Any]]  # each uninterrupted part: first and last of its epochs, n_jobs, environment

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return record_name(self.setting, self.seed)

    @property
    def n_epochs(self) -> int:
        """Number of epochs so far."""
        return len(self.history["test_accuracy"])

    def write(self, path: Path) -> None:
        """Write the file, atomically."""
        write_json(path, {"kind": "training", **asdict(self)})


def record_name(setting: Setting, seed: int) -> str:
    """Return the name of a training's files, without a suffix."""
    s = setting
    return f"{s.method.lower()}-{s.n_clauses}-p{s.p_s:g}-gamma{s.gamma:g}-T{s.T}-seed{seed}"


def read_record(path: Path) -> Record:
    """Read the record of a training; ValueError if it is damaged or belongs under another name."""
    content = read_json(path)
    with naming(path):
        del content["kind"]
        record = Record(**{**content, "setting": Setting(**content["setting"])})
        if path.stem != record.name:
            raise ValueError(f"it holds {record.name}")
        np.array([record.history[name] for name in HISTORY], float)  # columns of numbers, of equal length
    return record


def read_records(folder: Path) -> list[Record]:
    """Read all records in a folder, in the order of their names; ValueError if they are of different data."""
    records = [read_record(path) for path in sorted(folder.glob("*tm-*-seed*.json"))]
    kinds = {(record.data["quick"], record.data["digest"]) for record in records}
    if len(kinds) > len({is_quick for is_quick, _ in kinds}):
        raise ValueError(f"{folder} holds records of different data: move one kind to another folder.")
    return records


def describe_weights(label: Any, machine: Machine) -> dict[str, Any]:
    """Describe the weights of a class: minimum, maximum and mean (the paper's table 4), and histograms.

    ``all`` is over all clauses, ``voting`` over those with literals (None if there are none). The histograms
    ``positive`` and ``negative`` are of all clauses of that polarity, from bin to count.
    """
    weights, voting, positive = machine.weights, machine.include.any(axis=1), machine.polarity > 0
    return {
        "label": str(label),
        "all": _span(weights),
        "voting": {"clauses": int(voting.sum()), **_span(weights[voting])} if voting.any() else None,
        "positive": _histogram(weights[positive]),
        "negative": _histogram(weights[~positive]),
    }


def _span(weights: np.ndarray) -> dict[str, float]:
    return {"minimum": float(weights.min()), "maximum": float(weights.max()), "mean": float(weights.mean())}


def _histogram(weights: np.ndarray) -> dict[str, int]:
    bins, counts = np.unique(np.floor(BINS_PER_DOUBLING * np.log2(weights)).astype(int), return_counts=True)
    return {str(k): count for k, count in zip(bins.tolist(), counts.tolist(), strict=True)}


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
