"""The accuracies and times that the authors report, as data."""

from dataclasses import dataclass
from typing import Literal

from wtm.paper.settings import COMPRESSION, PRESETS, Preset, Setting, large_machines


@dataclass(frozen=True)
class Statistics:
    """Test accuracies over the last epochs of a training, in per cent: a row of the paper's tables 3, 6 and 7."""

    maximum: float
    minimum: float
    mean: float
    deviation: float
    low: float
    high: float


@dataclass(frozen=True)
class Reported:
    """Figures of a machine; accuracies are on the test set, in per cent."""

    source: Literal["paper", "program"]  # the authors' paper, or the readme of their program
    epochs: int | None = None
    statistics: Statistics | None = None  # over the last epochs, `wtm.paper.settings.AVERAGED`
    peak: float | None = None  # the largest of all epochs, selected on the test set
    last: float | None = None  # after the last epoch
    seconds: float | None = None  # per epoch, on the authors' machine


def reported_for(data: str, setting: Setting) -> tuple[Reported, ...]:
    """Return what the authors report of a machine, on data of either recipe."""
    return REPORTED.get((data.removesuffix("-authors"), setting), ())


def papers_row(data: str, setting: Setting) -> tuple[Reported, Statistics]:
    """Return the row of the paper's tables for one of the `large_machines`."""
    reported = reported_for(data, setting)[0]
    assert reported.statistics is not None
    return reported, reported.statistics


def _table(epochs: int | None, seconds: float, *statistics: float) -> Reported:
    return Reported("paper", epochs, Statistics(*statistics), seconds=seconds)


def _light(data: str) -> Setting:
    return PRESETS[data][Preset.LIGHT][0].setting


(_MNIST_WTM, _MNIST_TM), (_IMDB_WTM, _IMDB_TM), (_CONNECT_4_WTM, _CONNECT_4_TM) = map(
    large_machines, ("mnist", "imdb", "connect-4")
)

REPORTED: dict[tuple[str, Setting], tuple[Reported, ...]] = {
    ("mnist", _MNIST_TM): (
        _table(300, 120, 98.24, 97.97, 98.11, 0.07, 98.02, 98.23),  # table 3
        Reported("program", 200, peak=98.24, last=98.16),
    ),
    ("mnist", _MNIST_WTM): (
        _table(300, 102, 98.63, 98.39, 98.50, 0.05, 98.43, 98.60),  # table 3
        Reported("program", 200, peak=98.63, last=98.51),
    ),
    ("mnist", _light("mnist")): (Reported("program", 400, last=98.13),),
    ("imdb", _IMDB_TM): (
        _table(None, 960, 89.86, 89.73, 89.80, 0.05, 89.73, 89.86),  # table 6
        Reported("program", 25, peak=89.86, last=89.84),
    ),
    ("imdb", _IMDB_WTM): (
        _table(None, 840, 90.37, 90.00, 90.25, 0.16, 90.00, 90.37),  # table 6
        Reported("program", 25, peak=90.37, last=90.19),
    ),
    ("imdb", _light("imdb")): (
        Reported("paper", 30, peak=89.54),
        Reported("program", 35, last=89.48),
    ),
    ("imdb", COMPRESSION["imdb"].classic.setting): (Reported("paper", 30, peak=89.38),),
    ("connect-4", _CONNECT_4_TM): (
        _table(1_000, 105, 82.93, 81.98, 82.49, 0.34, 82.19, 82.80),  # table 7
        Reported("program", 1_000, peak=82.93, last=82.64),
    ),
    ("connect-4", _CONNECT_4_WTM): (
        _table(1_000, 76, 87.91, 86.75, 87.32, 0.20, 86.97, 87.66),  # table 7
        Reported("program", 1_000, peak=87.91, last=87.24),
    ),
    ("connect-4", _light("connect-4")): (Reported("program", 200, last=80.13),),
}
"""By data set and machine."""
