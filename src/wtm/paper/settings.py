"""The paper's settings and what it reached with them: one table, `PRESETS`."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

__all__ = ["PRESETS", "PaperFigure", "Preset", "Setting", "machines_of"]


class Preset(StrEnum):
    """The settings that the authors give for each data set."""

    LIGHT = "light"
    CLASSIC = "classic"
    BEST = "best"


_PAPER = "the paper"
_PROGRAM = "readme of the authors' program"


@dataclass(frozen=True)
class PaperFigure:
    """A test accuracy that the authors report.

    Attributes
    ----------
    measure : {"last", "mean", "peak"}
        Accuracy after the last epoch, mean over the last `averaged` epochs, or the largest of all epochs.
    accuracy : float
        As a fraction of 1.
    epochs : int or None
        Epochs of that training; None where they are not told.
    source : str
        Where the figure stands.
    averaged : int or None
        How many epochs a mean is over; None for other measures and where it is not told.
    """

    measure: Literal["last", "mean", "peak"]
    accuracy: float
    epochs: int | None
    source: str
    averaged: int | None = None


@dataclass(frozen=True)
class Setting:
    """A machine to train.

    Attributes
    ----------
    machine : {"WTM", "TM"}
        With weights, or the classic machine (gamma = 0).
    n_clauses : int
        Clauses a class.
    p_s : float
        The paper's probability, 1/s.
    gamma : float
        Learning rate of the weights.
    T : int
        Threshold.
    epochs : int
        Epochs that the authors trained this setting for, unless a figure says otherwise.
    default_epochs : int
        Epochs that ``wtm reproduce`` trains unless told otherwise.
    paper : tuple of PaperFigure
        What the authors report for this setting.
    paper_seconds : float or None
        Seconds an epoch that the authors report, on their machine.
    """

    machine: Literal["WTM", "TM"]
    n_clauses: int
    p_s: float
    gamma: float
    T: int
    epochs: int
    default_epochs: int
    paper: tuple[PaperFigure, ...] = ()
    paper_seconds: float | None = None


_TABLE_3, _TABLE_6, _TABLE_7 = (f"{_PAPER}, table {number}" for number in (3, 6, 7))
_IMDB_TEXT = f"{_PAPER}, section on IMDb"

PRESETS: dict[str, dict[Preset, Setting]] = {
    "connect-4": {
        Preset.LIGHT: Setting("WTM", 200, 0.037, 0.0001, 12, 200, 200, (PaperFigure("last", 0.8013, 200, _PROGRAM),)),
        Preset.CLASSIC: Setting(
            "TM", 25_000, 0.033, 0.0, 100, 1_000, 1_000,
            (PaperFigure("peak", 0.8293, 1_000, _TABLE_7), PaperFigure("mean", 0.8249, 1_000, _TABLE_7, 200)), 105,
        ),
        Preset.BEST: Setting(
            "WTM", 25_000, 0.0065, 0.0007, 100, 1_000, 1_000,
            (
                PaperFigure("peak", 0.8791, 1_000, _TABLE_7), PaperFigure("mean", 0.8732, 1_000, _TABLE_7, 200),
                PaperFigure("last", 0.8724, 1_000, _PROGRAM),
            ), 76,
        ),
    },
    "mnist": {
        Preset.LIGHT: Setting("WTM", 500, 0.085, 0.0025, 25, 400, 400, (PaperFigure("last", 0.9813, 400, _PROGRAM),)),
        Preset.CLASSIC: Setting(
            "TM", 4_000, 0.1, 0.0, 100, 200, 200,
            (PaperFigure("peak", 0.9824, 300, _TABLE_3), PaperFigure("mean", 0.9811, 300, _TABLE_3, 50)), 200,
        ),
        Preset.BEST: Setting(
            "WTM", 4_000, 0.085, 0.012, 90, 200, 200,
            (
                PaperFigure("peak", 0.9863, 300, _TABLE_3), PaperFigure("mean", 0.9850, 300, _TABLE_3, 50),
                PaperFigure("last", 0.9851, 200, _PROGRAM),
            ), 102,
        ),
    },
    "imdb": {
        Preset.LIGHT: Setting(
            "WTM", 3_200, 0.012, 0.0006, 12, 35, 35,
            (PaperFigure("peak", 0.8954, 30, _IMDB_TEXT), PaperFigure("last", 0.8948, 35, _PROGRAM)),
        ),
        Preset.CLASSIC: Setting(
            "TM", 25_000, 0.02, 0.0, 150, 25, 25,
            (PaperFigure("peak", 0.8986, None, _TABLE_6), PaperFigure("mean", 0.8980, None, _TABLE_6)), 960,
        ),
        Preset.BEST: Setting(
            "WTM", 25_000, 0.008, 0.006, 60, 25, 25,
            (PaperFigure("peak", 0.9037, None, _TABLE_6), PaperFigure("mean", 0.9025, None, _TABLE_6)), 840,
        ),
    },
}  # fmt: skip
"""Settings by data set and preset; the settings themselves are those of the authors' program."""


def machines_of(dataset: str, preset: Preset) -> tuple[Setting, ...]:
    """The machines that a preset trains.

    "light" sets a classic machine beside the weighted one: of the same size, with the p_s of the "classic" preset. The
    authors report nothing for that machine.

    Parameters
    ----------
    dataset : str
        A key of `PRESETS`.
    preset : Preset
    """
    setting = PRESETS[dataset][preset]
    if preset != Preset.LIGHT:
        return (setting,)
    classic = PRESETS[dataset][Preset.CLASSIC]
    return setting, replace(setting, machine="TM", p_s=classic.p_s, gamma=0.0, paper=(), paper_seconds=None)
