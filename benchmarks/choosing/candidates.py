"""The settings to try, as data."""

import inspect
import itertools
from dataclasses import dataclass, replace

from wtm import WTMClassifier

__all__ = ["CURVES", "DEFAULT", "EPOCHS", "GRID", "LONG_EPOCHS", "Setting"]


@dataclass(frozen=True)
class Setting:
    """The parameters to choose."""

    n_clauses: int
    T: float
    s: float
    gamma: float


_DEFAULTS = {name: parameter.default for name, parameter in inspect.signature(WTMClassifier).parameters.items()}
DEFAULT = Setting(*(_DEFAULTS[name] for name in ("n_clauses", "T", "s", "gamma")))
EPOCHS: int = _DEFAULTS["n_epochs"]
LONG_EPOCHS = 100
"""Epochs of one longer training with the defaults, for the curve over epochs."""

GRID = tuple(
    Setting(DEFAULT.n_clauses, T, s, gamma)
    for T, s, gamma in itertools.product((10, 25, 60, 150), (3, 8), (0.0, 0.003, 0.03))
)
"""All combinations at the default number of clauses; the defaults are chosen from them."""

CURVES: dict[str, tuple[Setting, ...]] = {
    "T": tuple(replace(DEFAULT, T=T) for T in (5, 10, 15, 25, 40, 60, 100, 200)),
    "s": tuple(replace(DEFAULT, s=s) for s in (1.5, 2, 3, 4, 6, 10, 20, 40)),
    "gamma": tuple(replace(DEFAULT, gamma=gamma) for gamma in (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
    "n_clauses": tuple(replace(DEFAULT, n_clauses=n) for n in (20, 50, 100, 200, 500, 1_000)),
}
"""One parameter at a time; the others have their defaults."""
