"""The machines of the paper's experiments and what its authors report of them, as data.

`PRESETS` holds the settings that the authors give for each data set. `ECONOMY`, `WEIGHTS` and `SWEEPS` build on them
for the paper's other statements; where the authors leave a setting open, the choice is explained beside it.
`REPORTED` holds the authors' figures by data set and setting.
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

__all__ = [
    "AVERAGED",
    "ECONOMY",
    "NAMES",
    "NAMES_BY_RECIPE",
    "PRESETS",
    "REPORTED",
    "SWEEPS",
    "WEIGHTS",
    "Economy",
    "Over",
    "Plan",
    "Preset",
    "Reported",
    "Setting",
    "Statistics",
    "averaged_epochs",
    "plans_of",
]

NAMES = {"mnist": "MNIST", "imdb": "IMDb", "connect-4": "Connect-4"}
"""The paper's data sets, by key."""

NAMES_BY_RECIPE = {**NAMES, "imdb-authors": "IMDb, features by the authors' recipe"}
"""The same, and IMDb a second time."""


class Preset(StrEnum):
    """The settings that the authors give for each data set."""

    LIGHT = "light"
    CLASSIC = "classic"
    BEST = "best"


class Over(StrEnum):
    """What a sweep varies."""

    GAMMA = "gamma"
    CLAUSES = "clauses"


@dataclass(frozen=True)
class Setting:
    """A machine.

    Attributes
    ----------
    method : {"WTM", "TM"}
        With weights, or the classic machine (gamma = 0).
    n_clauses : int
        Clauses a class.
    p_s : float
        The paper's probability, 1/s.
    gamma : float
        Learning rate of the weights.
    T : int
        Threshold.
    """

    method: Literal["WTM", "TM"]
    n_clauses: int
    p_s: float
    gamma: float
    T: int


@dataclass(frozen=True)
class Plan:
    """A machine to train, and for how many epochs unless told otherwise."""

    setting: Setting
    n_epochs: int


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
    """What the authors report of a machine; accuracies are on the test set, in per cent.

    Attributes
    ----------
    source : {"paper", "program"}
        Their paper, or the readme of their program.
    where : str
        The place in it.
    epochs : int or None
        Length of the training; None where it is not told.
    statistics : Statistics or None
        Over the last epochs (`AVERAGED`).
    peak : float or None
        The largest accuracy of all epochs, as the test set itself picks it.
    last : float or None
        After the last epoch.
    seconds : float or None
        Of an epoch, on their machine.
    """

    source: Literal["paper", "program"]
    where: str
    epochs: int | None = None
    statistics: Statistics | None = None
    peak: float | None = None
    last: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Economy:
    """Few weighted clauses that are said to do the work of many without weights.

    `share` is the paper's: so much of the clauses.
    """

    share: str
    weighted: Plan
    classic: Plan


AVERAGED = {"mnist": 50, "connect-4": 200, "imdb": 5, "imdb-authors": 5}
"""The last epochs that statistics are over. For IMDb the paper does not tell; see `averaged_epochs` for short runs."""


def averaged_epochs(data: str, n_epochs: int) -> int:
    """How many of `n_epochs` epochs statistics are over: those of the paper, but not more than the last fifth."""
    return min(AVERAGED[data], -(-n_epochs // 5))


_MNIST_BEST = Setting("WTM", 4_000, 0.085, 0.012, 90)
_MNIST_CLASSIC = Setting("TM", 4_000, 0.1, 0.0, 100)
_MNIST_LIGHT = Setting("WTM", 500, 0.085, 0.0025, 25)
_IMDB_BEST = Setting("WTM", 25_000, 0.008, 0.006, 60)
_IMDB_CLASSIC = Setting("TM", 25_000, 0.02, 0.0, 150)
_IMDB_LIGHT = Setting("WTM", 3_200, 0.012, 0.0006, 12)
_CONNECT_4_BEST = Setting("WTM", 25_000, 0.0065, 0.0007, 100)
_CONNECT_4_CLASSIC = Setting("TM", 25_000, 0.033, 0.0, 100)
_CONNECT_4_LIGHT = Setting("WTM", 200, 0.037, 0.0001, 12)


def _beside(weighted: Setting, classic: Setting) -> Setting:
    """A classic machine of the same size: the T of `weighted` and the p_s of `classic`. The authors report none."""
    return replace(weighted, method="TM", gamma=0.0, p_s=classic.p_s)


Plans = tuple[Plan, ...]


def _presets(light: Setting, classic: Setting, best: Setting, light_epochs: int, epochs: int) -> dict[Preset, Plans]:
    return {
        Preset.LIGHT: (Plan(light, light_epochs), Plan(_beside(light, classic), light_epochs)),
        Preset.CLASSIC: (Plan(classic, epochs),),
        Preset.BEST: (Plan(best, epochs),),
    }


PRESETS: dict[str, dict[Preset, Plans]] = {
    "connect-4": _presets(_CONNECT_4_LIGHT, _CONNECT_4_CLASSIC, _CONNECT_4_BEST, 200, 1_000),
    "mnist": _presets(_MNIST_LIGHT, _MNIST_CLASSIC, _MNIST_BEST, 400, 300),
    "imdb": _presets(_IMDB_LIGHT, _IMDB_CLASSIC, _IMDB_BEST, 35, 25),
}
"""Machines by data set and preset. "light" sets a classic machine of the same size beside the weighted one."""


def plans_of(data: str, preset: Preset, methods: frozenset[str]) -> Plans:
    """The machines of a preset, of `methods` ("wtm", "tm") alone.

    Raises
    ------
    ValueError
        None is left.
    """
    plans = PRESETS[data.removesuffix("-authors")][preset]
    left = tuple(plan for plan in plans if plan.setting.method.lower() in methods)
    if not left:
        there = ", ".join(plan.setting.method.lower() for plan in plans)
        raise ValueError(f"--methods {','.join(sorted(methods))} leaves nothing of preset {preset}, which has {there}.")
    return left


def _fewer(classic: Setting, n_clauses: int) -> Setting:
    # The authors tell nothing but the number of clauses. T goes with the clauses, which for MNIST gives the setting
    # of the paper that introduced the Tsetlin machine: 2,000 clauses, T 50, s 10.
    return replace(classic, n_clauses=n_clauses, T=classic.T * n_clauses // classic.n_clauses)


ECONOMY: dict[str, Economy] = {
    "mnist": Economy("1/4", Plan(_MNIST_LIGHT, 300), Plan(_fewer(_MNIST_CLASSIC, 2_000), 300)),
    "imdb": Economy("1/3", Plan(_IMDB_LIGHT, 30), Plan(_fewer(_IMDB_CLASSIC, 10_000), 30)),
    "connect-4": Economy("1/50", Plan(_CONNECT_4_LIGHT, 1_000), Plan(_fewer(_CONNECT_4_CLASSIC, 10_000), 1_000)),
}

Gammas = tuple[float, ...]
Sweeps = dict[Over, Plans]

WEIGHTS = Plan(Setting("WTM", 4_000, 0.08, 0.01, 100), 300)
"""The machine of the paper's table 4 and figure, on MNIST: p_s, T and gamma are told by the figure's file name."""


def _sweeps(light: Setting, classic: Setting, gammas: Gammas, clauses: tuple[int, ...], epochs: int) -> Sweeps:
    beside = _beside(light, classic)

    def resized(setting: Setting, n_clauses: int) -> Plan:
        # The authors' small and large machines have a T that grows about as the square root of the clauses.
        return Plan(
            replace(setting, n_clauses=n_clauses, T=round(setting.T * math.sqrt(n_clauses / setting.n_clauses))), epochs
        )

    return {
        Over.GAMMA: tuple(
            Plan(replace(light, gamma=gamma, method="WTM" if gamma else "TM"), epochs) for gamma in (0.0, *gammas)
        ),
        Over.CLAUSES: tuple(resized(setting, n) for n in clauses for setting in (light, beside)),
    }


SWEEPS: dict[str, Sweeps] = {
    "connect-4": _sweeps(
        _CONNECT_4_LIGHT, _CONNECT_4_CLASSIC, (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2),
        (50, 100, 200, 400, 800, 1_600, 3_200, 6_400), 100,
    ),
    "mnist": _sweeps(
        _MNIST_LIGHT, _MNIST_CLASSIC, (6e-4, 1.2e-3, 2.5e-3, 5e-3, 1e-2, 2e-2, 5e-2),
        (60, 120, 250, 500, 1_000, 2_000, 4_000), 60,
    ),
    "imdb": _sweeps(
        _IMDB_LIGHT, _IMDB_CLASSIC, (2e-4, 6e-4, 2e-3, 6e-3, 2e-2, 6e-2),
        (200, 400, 800, 1_600, 3_200, 6_400, 12_800), 15,
    ),
}  # fmt: skip
"""Curves by data set: over gamma from 0 upward at the light preset's clauses, and over clauses at its gamma."""


def _table(where: str, epochs: int | None, seconds: float, statistics: Statistics) -> Reported:
    return Reported("paper", where, epochs, statistics, seconds=seconds)


REPORTED: dict[tuple[str, Setting], tuple[Reported, ...]] = {
    ("mnist", _MNIST_CLASSIC): (
        _table("table 3", 300, 120, Statistics(98.24, 97.97, 98.11, 0.07, 98.02, 98.23)),
        Reported("program", "readme", 200, peak=98.24),
    ),
    ("mnist", _MNIST_BEST): (
        _table("table 3", 300, 102, Statistics(98.63, 98.39, 98.50, 0.05, 98.43, 98.60)),
        Reported("program", "readme", 200, peak=98.63, last=98.51),
    ),
    ("mnist", _MNIST_LIGHT): (Reported("program", "readme", 400, last=98.13),),
    ("imdb", _IMDB_CLASSIC): (
        _table("table 6", None, 960, Statistics(89.86, 89.73, 89.80, 0.05, 89.73, 89.86)),
        Reported("program", "readme", 25, peak=89.86),
    ),
    ("imdb", _IMDB_BEST): (
        _table("table 6", None, 840, Statistics(90.37, 90.00, 90.25, 0.16, 90.00, 90.37)),
        Reported("program", "readme", 25, peak=90.37),
    ),
    ("imdb", _IMDB_LIGHT): (
        Reported("paper", "section on IMDb", 30, peak=89.54),
        Reported("program", "readme", 35, last=89.48),
    ),
    ("imdb", ECONOMY["imdb"].classic.setting): (Reported("paper", "section on IMDb", 30, peak=89.38),),
    ("connect-4", _CONNECT_4_CLASSIC): (
        _table("table 7", 1_000, 105, Statistics(82.93, 81.98, 82.49, 0.34, 82.19, 82.80)),
        Reported("program", "readme", 1_000, peak=82.93),
    ),
    ("connect-4", _CONNECT_4_BEST): (
        _table("table 7", 1_000, 76, Statistics(87.91, 86.75, 87.32, 0.20, 86.97, 87.66)),
        Reported("program", "readme", 1_000, peak=87.91, last=87.24),
    ),
    ("connect-4", _CONNECT_4_LIGHT): (Reported("program", "readme", 200, last=80.13),),
}
