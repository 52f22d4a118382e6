"""The settings that are tried, as data."""

import inspect
import itertools
import math
from dataclasses import dataclass, replace

from wtm import WTMClassifier

__all__ = ["CURVES", "DEFAULT", "EPOCHS", "GRID", "LONG", "LONG_EPOCHS", "Setting"]


@dataclass(frozen=True)
class Setting:
    """What is chosen of a machine."""

    n_clauses: int
    T: float
    s: float
    gamma: float


_DEFAULTS = {name: parameter.default for name, parameter in inspect.signature(WTMClassifier).parameters.items()}
DEFAULT = Setting(*(_DEFAULTS[name] for name in ("n_clauses", "T", "s", "gamma")))
EPOCHS: int = _DEFAULTS["n_epochs"]
LONG_EPOCHS = 100

GRID = tuple(
    Setting(DEFAULT.n_clauses, T, s, gamma)
    for T, s, gamma in itertools.product((10, 25, 60, 150), (3, 8, 20, 50), (0.0, 0.003, 0.03))
)
"""All combinations, at the default number of clauses: what the defaults are chosen from."""

_CLAUSES = (20, 50, 100, 200, 500, 1_000, 2_000)
CURVES: dict[str, tuple[Setting, ...]] = {
    "T": tuple(replace(DEFAULT, T=T) for T in (3, 6, 12, 25, 35, 50, 70, 100, 200, 400)),
    "s": tuple(replace(DEFAULT, s=s) for s in (1.5, 2, 3, 5, 8, 12, 20, 35, 60, 100)),
    "gamma": tuple(replace(DEFAULT, gamma=gamma) for gamma in (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
    "n_clauses": tuple(replace(DEFAULT, n_clauses=n) for n in _CLAUSES),
    "n_clauses, T with their square root": tuple(
        replace(DEFAULT, n_clauses=n, T=round(DEFAULT.T * math.sqrt(n / DEFAULT.n_clauses))) for n in _CLAUSES
    ),
}
"""One parameter at a time, the others as the defaults have them; but for the last, in which T goes along."""

LONG = DEFAULT
"""The setting that is trained for `LONG_EPOCHS`."""
