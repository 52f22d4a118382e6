"""Checks of the estimator's parameters: each error names the parameter, the value and what would be right."""

import math
import numbers
from typing import Any

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.fitting.callbacks import check_callbacks
from wtm.machine.clause_weights import WEIGHT_BITS
from wtm.machine.distributions import PROBABILITY_DIGITS
from wtm.machine.machine_parameters import ENGINES, INITS, SAMPLERS, MachineParameters

__all__ = ["check_parameters", "draw_seed", "machine_parameters"]

_MAX_CLAUSES = 1 << 24  # so that sums of weights have 22 binary digits behind the point
_MAX_S = 2.0**PROBABILITY_DIGITS
_MIN_T, _MAX_T = 2.0**-WEIGHT_BITS, 2.0**WEIGHT_BITS * _MAX_CLAUSES
_MAX_GAMMA = 1000.0


def check_parameters(params: dict[str, Any]) -> None:
    """Check the parameters of `WTMClassifier`.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter has a value that is not allowed.
    """
    n_clauses = _integer(params, "n_clauses", 2, _MAX_CLAUSES)
    if n_clauses % 2:
        raise ValueError(
            f"n_clauses must be even, got {n_clauses}: half of a class's clauses have positive polarity, half negative."
        )
    T = _real(params, "T")
    if not T > 0:
        raise ValueError(f"T must be greater than 0, got {T!r}.")
    if not _MIN_T <= T <= _MAX_T:
        raise ValueError(
            f"T must be between 2**-{WEIGHT_BITS}, the smallest weight of a clause, and {_MAX_T:.4g}, the largest sum "
            f"of weights, got {T!r}: toward no other number can sums be trained. Between 5 and 200 is usual."
        )
    s = _real(params, "s")
    if not s >= 1:
        raise ValueError(f"s must be at least 1, got {s!r}: 1/s is a probability.")
    if s > _MAX_S:
        raise ValueError(
            f"s must be at most 2**{PROBABILITY_DIGITS}, got {s!r}: 1/s is a probability, drawn with "
            f"{PROBABILITY_DIGITS} binary digits, so a smaller one can't be drawn. Between 1.5 and 40 is usual."
        )
    gamma = _real(params, "gamma")
    if not 0 <= gamma <= _MAX_GAMMA:
        raise ValueError(
            f"gamma must be between 0 (no weights) and {_MAX_GAMMA:g}, got {gamma!r}: a weight is multiplied or "
            f"divided by 1 + gamma, and stays between 2**-{WEIGHT_BITS} and 2**{WEIGHT_BITS}."
        )
    _integer(params, "n_epochs", 1)
    n_states = _integer(params, "n_states", 2, 256)
    if n_states % 2:
        raise ValueError(f"n_states must be even, got {n_states}: the upper half of the states includes a literal.")
    _choice(params, "init", INITS)
    _choice(params, "engine", ENGINES)
    _choice(params, "sampler", tuple(SAMPLERS))
    fraction = _real(params, "validation_fraction")
    if not 0 < fraction < 1:
        raise ValueError(f"validation_fraction must be between 0 and 1, and neither, got {fraction!r}.")
    _integer(params, "n_iter_no_change", 1)
    weight = params["class_weight"]
    balanced = isinstance(weight, str) and weight == "balanced"
    if not (weight is None or balanced or isinstance(weight, dict)):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict from label to weight, got {weight!r}.")
    check_callbacks(params["callbacks"])
    booleanizer = params["booleanizer"]
    by_name = isinstance(booleanizer, str) and booleanizer in ("auto", "strict")
    if not (by_name or isinstance(booleanizer, Booleanizer)):
        raise ValueError(f"booleanizer must be 'auto', 'strict' or a wtm.Booleanizer, got {booleanizer!r}.")
    for name in ("boost_true_positive", "shuffle", "early_stopping", "warm_start"):
        if not isinstance(params[name], bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {params[name]!r}.")
    if params["n_jobs"] is not None and _integer(params, "n_jobs") == 0:
        raise ValueError("n_jobs must be None, a positive number of threads, or -1 for all cores; got 0.")
    if not isinstance(params["verbose"], bool):
        _integer(params, "verbose", 0)


def machine_parameters(params: dict[str, Any], n_features: int) -> MachineParameters:
    """What machines for `n_features` features need of the checked parameters of `WTMClassifier`."""
    return MachineParameters(
        n_features=n_features,
        n_clauses=int(params["n_clauses"]),
        T=float(params["T"]),
        s=float(params["s"]),
        gamma=float(params["gamma"]),
        n_states=int(params["n_states"]),
        boost_true_positive=bool(params["boost_true_positive"]),
        init=params["init"],
        engine=params["engine"],
        sampler=params["sampler"],
    )


def draw_seed(random_state: Any) -> int:
    """A seed of 63 bits: an integer `random_state` itself, or drawn from the generator that it is.

    None draws a fresh seed from the operating system; NumPy's global generator is never touched.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**63 - 1, dtype=np.int64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63 - 1))
    if not isinstance(random_state, numbers.Integral) or isinstance(random_state, bool):
        raise TypeError(f"random_state must be an integer, a RandomState, a Generator or None, got {random_state!r}.")
    return _integer({"random_state": random_state}, "random_state", 0, 2**63 - 1)


def _integer(params: dict[str, Any], name: str, low: int | None = None, high: int | None = None) -> int:
    value = params[name]
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}.")
    value = int(value)
    if low is not None and value < low:
        raise ValueError(f"{name} must be at least {low}, got {value}.")
    if high is not None and value > high:
        raise ValueError(f"{name} must be at most {high}, got {value}.")
    return value


def _real(params: dict[str, Any], name: str) -> float:
    value = params[name]
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r} of type {type(value).__name__}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}.")
    return number


def _choice(params: dict[str, Any], name: str, allowed: tuple[str, ...]) -> None:
    if not isinstance(params[name], str) or params[name] not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {params[name]!r}.")
