"""What is kept of a training: one JSON file, small, with all that tables and figures are made from."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.machine.machine import Machine
from wtm.paper.entries import (
    ENVIRONMENT,
    are_numbers,
    are_shares,
    check_entries,
    has_entries,
    is_count,
    is_data,
    is_number,
    is_text,
    of_kind,
)
from wtm.paper.files import check_name, read_json, write_json
from wtm.paper.settings import Setting

__all__ = [
    "BINS_A_DOUBLING",
    "HISTORY",
    "Record",
    "by_setting",
    "describe_weights",
    "name_of",
    "read_record",
    "read_records",
]

_KIND = "training"
BINS_A_DOUBLING = 8
"""Bin k of a histogram holds the weights from 2**(k/8) to 2**((k+1)/8)."""

HISTORY = (
    "test_accuracy",
    "train_accuracy",
    "seconds",
    "type_i",
    "type_ii",
    "weights_at_edge",
    "literals_per_clause",
)
"""The columns of `Record.history`."""


@dataclass(frozen=True)
class Record:
    """A training so far.

    Attributes
    ----------
    data : dict
        `wtm.paper.problem.Problem.describe`.
    setting : Setting
    seed : int
    planned : int
        Epochs that were asked for.
    history : dict of str to list
        A column for each of `HISTORY`, an item an epoch. Accuracies are fractions of 1, that on training rows is of
        5,000 spread evenly; seconds are of training alone.
    weights : list of dict
        `describe_weights` of each class.
    sessions : list of dict
        For each stretch that was trained without a stop: its ``epochs``, first and last, the number of threads
        ``n_jobs``, and the environment.
    """

    data: dict[str, Any]
    setting: Setting
    seed: int
    planned: int
    history: dict[str, list[Any]]
    weights: list[dict[str, Any]]
    sessions: list[dict[str, Any]]

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return name_of(self.setting, self.seed)

    @property
    def n_epochs(self) -> int:
        """Epochs trained so far."""
        return len(self.history["test_accuracy"])

    def write(self, path: Path) -> None:
        """Write the file, atomically."""
        write_json(path, {"kind": _KIND, **asdict(self)})


def name_of(setting: Setting, seed: int) -> str:
    """The name of a training's files, without a suffix."""
    s = setting
    return f"{s.method.lower()}-{s.n_clauses}-p{s.p_s:g}-gamma{s.gamma:g}-T{s.T}-seed{seed}"


def read_record(path: Path) -> Record:
    """Read a training's file.

    Raises
    ------
    ValueError
        It is none.
    """
    content = read_json(path)
    check_entries(path, content, _CHECKS)
    try:
        del content["kind"]
        record = Record(**{**content, "setting": Setting(**content["setting"])})
    except TypeError as error:
        raise ValueError(f"{path} is no record of a training ({error}): remove it, or get it again.") from None
    check_name(path, record.name)
    return record


def _is_history(history: Any) -> bool:
    """Whether it has all columns, of numbers, and of the same length."""
    return (
        isinstance(history, dict)
        and all(are_numbers(history.get(name)) for name in HISTORY)
        and all(are_shares(history[name]) for name in ("test_accuracy", "train_accuracy"))
        and len({len(history[name]) for name in HISTORY}) == 1
    )


def _are_weights(weights: Any) -> bool:
    needed = {"label": is_text, "all": _is_span, "positive": _is_histogram, "negative": _is_histogram}
    return isinstance(weights, list) and bool(weights) and all(has_entries(entry, needed) for entry in weights)


def _is_span(value: Any) -> bool:
    return has_entries(value, dict.fromkeys(("minimum", "maximum", "mean"), is_number)) and value["minimum"] > 0


def _is_histogram(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(key.removeprefix("-").isdecimal() and is_count(count) for key, count in value.items())
    )


def _is_setting(setting: Any) -> bool:
    numbers = dict.fromkeys(("n_clauses", "p_s", "gamma", "T"), is_number)
    return has_entries(setting, {"method": ("WTM", "TM").__contains__, **numbers})


def _are_sessions(sessions: Any) -> bool:
    return isinstance(sessions, list) and all(has_entries(session, ENVIRONMENT) for session in sessions)


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "kind": of_kind(_KIND), "data": is_data, "setting": _is_setting, "seed": is_count,
    "planned": is_count, "history": _is_history, "weights": _are_weights, "sessions": _are_sessions,
}  # fmt: skip


def read_records(folder: Path) -> list[Record]:
    """Read all trainings in a folder, in the order of their names.

    Raises
    ------
    ValueError
        A file is damaged, or not all are of the same data.
    """
    paths = sorted(folder.glob("*tm-*-seed*.json"))
    records = [read_record(path) for path in paths]
    for path, record in zip(paths, records, strict=True):
        if record.data["digest"] != records[0].data["digest"] and record.data["quick"] == records[0].data["quick"]:
            raise ValueError(f"{path} is of other data than {paths[0].name}: remove one of them.")
    return records


def describe_weights(label: Any, machine: Machine) -> dict[str, Any]:
    """Weights of one class: minimum, maximum and mean (the paper's table 4), and histograms.

    ``all`` is over all clauses, ``voting`` over those that have literals, None where there are none; the histograms
    ``positive`` and ``negative`` are of all clauses of that polarity, bin to count.
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
    bins, counts = np.unique(np.floor(BINS_A_DOUBLING * np.log2(weights)).astype(int), return_counts=True)
    return {str(k): count for k, count in zip(bins.tolist(), counts.tolist(), strict=True)}


def by_setting(records: Iterable[Record]) -> list[list[Record]]:
    """Group trainings of the same machine, in the order of their first."""
    groups: dict[Setting, list[Record]] = {}
    for record in records:
        groups.setdefault(record.setting, []).append(record)
    return list(groups.values())
