"""The machines of the paper's experiments, as data.

`PRESETS` holds the settings that the authors give for each data set; `COMPRESSION`, `WEIGHTS` and `SWEEPS` build on
them. Where the authors leave a setting open, a comment explains the choice.
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

NAMES = {"mnist": "MNIST", "imdb": "IMDb", "connect-4": "Connect-4"}
"""The paper's data sets, by key."""

NAMES_BY_RECIPE = {**NAMES, "imdb-authors": "IMDb, authors' features"}
"""The same, with IMDb a second time; machines and figures of the authors are those of IMDb."""


class Preset(StrEnum):
    """The settings that the authors give for each data set."""

    LIGHT = "light"
    CLASSIC = "classic"
    BEST = "best"


class Swept(StrEnum):
    """What a sweep varies."""

    GAMMA = "gamma"
    CLAUSES = "clauses"
    T = "T"  # of the large TM whose T the authors don't give


@dataclass(frozen=True)
class Setting:
    """A machine."""

    method: Literal["WTM", "TM"]  # with weights, or the classic machine (gamma = 0)
    n_clauses: int
    p_s: float  # the paper's probability, 1/s
    gamma: float
    T: int

    def __str__(self) -> str:
        weights = f", gamma {self.gamma:g}" if self.gamma else ""
        return f"{self.method}: {self.n_clauses:,} clauses per class, p_s {self.p_s:g}, T {self.T}{weights}"


@dataclass(frozen=True)
class Plan:
    """A machine to train, and its default number of epochs."""

    setting: Setting
    n_epochs: int


Plans = tuple[Plan, ...]


@dataclass(frozen=True)
class Compression:
    """A WTM that is said to do the work of a larger TM; `share` is the paper's ratio of the clauses."""

    share: str
    weighted: Plan
    classic: Plan


AVERAGED = {"mnist": 50, "connect-4": 200, "imdb": 5, "imdb-authors": 5}
"""The number of last epochs that statistics are over. The paper does not give it for IMDb; these epochs have its
figures in the readme of the authors' program."""


def averaged_epochs(data: str, n_epochs: int) -> int:
    """Return how many of `n_epochs` epochs statistics are over: those of the paper, or the last fifth if fewer."""
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


def _same_size(weighted: Setting, classic: Setting) -> Setting:
    # The authors report no small TM: it gets the clauses and T of the WTM, and the p_s of the large TM.
    return replace(weighted, method="TM", gamma=0.0, p_s=classic.p_s)


def _presets(light: Setting, classic: Setting, best: Setting, light_epochs: int, epochs: int) -> dict[Preset, Plans]:
    return {
        Preset.LIGHT: (Plan(light, light_epochs), Plan(_same_size(light, classic), light_epochs)),
        Preset.CLASSIC: (Plan(classic, epochs),),
        Preset.BEST: (Plan(best, epochs),),
    }


PRESETS: dict[str, dict[Preset, Plans]] = {
    "connect-4": _presets(_CONNECT_4_LIGHT, _CONNECT_4_CLASSIC, _CONNECT_4_BEST, 200, 1_000),
    "mnist": _presets(_MNIST_LIGHT, _MNIST_CLASSIC, _MNIST_BEST, 400, 300),
    "imdb": _presets(_IMDB_LIGHT, _IMDB_CLASSIC, _IMDB_BEST, 35, 25),
}
PRESETS["imdb-authors"] = PRESETS["imdb"]
"""Machines by data set and preset. "light" adds a TM of the same size to the WTM."""


def large_machines(key: str) -> tuple[Setting, Setting]:
    """Return the large WTM and the large TM of a data set."""
    return PRESETS[key][Preset.BEST][0].setting, PRESETS[key][Preset.CLASSIC][0].setting


def _fewer(classic: Setting, n_clauses: int) -> Setting:
    # The authors give only the number of clauses. T is scaled with it; for MNIST that gives the setting of the paper
    # that introduced the Tsetlin machine: 2,000 clauses, T 50, s 10.
    return replace(classic, n_clauses=n_clauses, T=classic.T * n_clauses // classic.n_clauses)


COMPRESSION: dict[str, Compression] = {
    "mnist": Compression("1/4", Plan(_MNIST_LIGHT, 300), Plan(_fewer(_MNIST_CLASSIC, 2_000), 300)),
    "imdb": Compression("1/3", Plan(_IMDB_LIGHT, 30), Plan(_fewer(_IMDB_CLASSIC, 10_000), 30)),
    "connect-4": Compression("1/50", Plan(_CONNECT_4_LIGHT, 1_000), Plan(_fewer(_CONNECT_4_CLASSIC, 10_000), 1_000)),
}

WEIGHTS = Plan(Setting("WTM", 4_000, 0.08, 0.01, 100), 300)
"""The machine of the paper's table 4 and figure, on MNIST. The figure's file name gives p_s, T and gamma."""


def paper_epochs(key: str, setting: Setting) -> int | None:
    """Return the number of epochs that the paper trains a machine; None if it has no figures of it.

    IMDb's large machines have those of the authors' program, since the paper doesn't give theirs.
    """
    key = key.removesuffix("-authors")
    compression, presets = COMPRESSION[key], PRESETS[key]
    plans = [compression.weighted, compression.classic, *presets[Preset.BEST], *presets[Preset.CLASSIC]]
    plans += [WEIGHTS] * (key == "mnist")
    return next((plan.n_epochs for plan in plans if plan.setting == setting), None)


def planned_epochs(key: str, setting: Setting) -> int | None:
    """Return the number of epochs that the paper or, if it has no figures of a machine, its preset trains it.

    None for machines of sweeps alone.
    """
    light = PRESETS[key][Preset.LIGHT]
    return paper_epochs(key, setting) or next((plan.n_epochs for plan in light if plan.setting == setting), None)


def _sweeps(
    key: str, light: Setting, classic: Setting, gammas: tuple[float, ...], clauses: tuple[int, ...], epochs: int
) -> dict[Swept, Plans]:
    many = COMPRESSION[key].classic.setting

    def resized(setting: Setting, n_clauses: int) -> Plan:
        # From the authors' small machines to their large ones T grows about as the square root of the clauses.
        T = round(setting.T * math.sqrt(n_clauses / setting.n_clauses))
        return Plan(replace(setting, n_clauses=n_clauses, T=T), epochs)

    return {
        Swept.GAMMA: tuple(
            Plan(replace(light, gamma=gamma, method="WTM" if gamma else "TM"), epochs) for gamma in (0.0, *gammas)
        ),
        Swept.CLAUSES: tuple(resized(s, n) for n in clauses for s in (light, _same_size(light, classic))),
        Swept.T: tuple(Plan(replace(many, T=round(many.T * factor)), epochs) for factor in (0.25, 0.5, 1, 2, 4)),
    }


SWEEPS: dict[str, dict[Swept, Plans]] = {
    "connect-4": _sweeps(
        "connect-4", _CONNECT_4_LIGHT, _CONNECT_4_CLASSIC, (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2),
        (50, 100, 200, 400, 800, 1_600, 3_200, 6_400), 100,
    ),
    "mnist": _sweeps(
        "mnist", _MNIST_LIGHT, _MNIST_CLASSIC, (6e-4, 1.2e-3, 2.5e-3, 5e-3, 1e-2, 2e-2, 5e-2),
        (60, 120, 250, 500, 1_000, 2_000, 4_000), 60,
    ),
    "imdb": _sweeps(
        "imdb", _IMDB_LIGHT, _IMDB_CLASSIC, (2e-4, 6e-4, 2e-3, 6e-3, 2e-2, 6e-2),
        (200, 400, 800, 1_600, 3_200, 6_400, 12_800), 15,
    ),
}  # fmt: skip
SWEEPS["imdb-authors"] = SWEEPS["imdb"]
"""Curves by data set: over gamma from 0 upward at the light preset's clauses, over clauses at its gamma, and over T."""
