"""Checks of the estimators' parameters."""

import math
import numbers
from typing import Any

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.fitting.callbacks import check_callbacks
from wtm.kernels.layout import BLOCK
from wtm.machine.automatic_s import AUTO
from wtm.machine.clause_weights import WEIGHT_BITS
from wtm.machine.conv_fuzzy_machine import ConvFuzzyParameters
from wtm.machine.conv_machine import ConvParameters
from wtm.machine.distributions import PROBABILITY_DIGITS
from wtm.machine.fuzzy_machine import MAX_FAILURES, FuzzyParameters
from wtm.machine.machine_parameters import ENGINES, INITS, SAMPLERS, MachineParameters
from wtm.validation.images import check_patch_shape

_MAX_CLAUSES = 1 << 24  # leaves sums of weights 22 binary digits after the point
_MAX_S = 2.0**PROBABILITY_DIGITS
_MIN_T, _MAX_T = 2.0**-WEIGHT_BITS, 2.0**WEIGHT_BITS * _MAX_CLAUSES
_MAX_GAMMA = 1000.0
_USUAL = {"T": "5 and 200", "s": "1.5 and 40"}
_USUAL_IF_FUZZY = {"T": "0.5 and 20", "s": "20 and 1000"}
"""What docs/fuzzy.md and docs/regression.md compare."""


def check_parameters(params: dict[str, Any]) -> None:
    """Check the parameters of an estimator.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter has a value that is not allowed.
    """
    _check_machine_parameters(params)
    check_integer(params, "n_epochs", 1)
    check_integer(params, "n_iter_no_change", 1)
    fraction = _check_real(params, "validation_fraction")
    if not 0 < fraction < 1:
        raise ValueError(f"validation_fraction must be in the open interval (0, 1), got {fraction!r}.")
    weight = params.get("class_weight")
    if not (weight is None or isinstance(weight, dict) or _is_one_of(weight, ("balanced",))):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict of weights by label, got {weight!r}.")
    check_callbacks(params["callbacks"])
    booleanizer = params.get("booleanizer", "strict")  # images have none
    if not (isinstance(booleanizer, Booleanizer) or _is_one_of(booleanizer, ("auto", "strict"))):
        raise ValueError(f"booleanizer must be 'auto', 'strict' or a wtm.Booleanizer, got {booleanizer!r}.")
    for name in ("shuffle", "early_stopping", "warm_start"):
        _check_boolean(params, name)
    if params["n_jobs"] is not None and check_integer(params, "n_jobs") == 0:
        raise ValueError("n_jobs must be None, a positive number of threads, or -1 for all cores; got 0.")
    if not isinstance(params["verbose"], bool):
        check_integer(params, "verbose", 0)
    if "average_last" in params:  # but not where a file for prediction only is read
        check_integer(params, "average_last", 1, _MAX_CLAUSES // int(params["n_clauses"]))


def _check_machine_parameters(params: dict[str, Any]) -> None:
    n_clauses = check_integer(params, "n_clauses", 2, _MAX_CLAUSES)
    if n_clauses % 2:
        raise ValueError(f"n_clauses must be even, got {n_clauses}: half of the clauses have negative polarity.")
    usual = _USUAL_IF_FUZZY if "literal_failures" in params else _USUAL
    T = _check_real(params, "T")
    if not _MIN_T <= T <= _MAX_T:
        raise ValueError(
            f"T must lie between the smallest weight (2**-{WEIGHT_BITS}) and the largest possible class sum "
            f"({_MAX_T:.4g}), got {T!r}. Values between {usual['T']} are usual."
        )
    _check_s(params, usual["s"])
    gamma = _check_real(params, "gamma")
    if not 0 <= gamma <= _MAX_GAMMA:
        raise ValueError(f"gamma must be between 0 and {_MAX_GAMMA:g}, got {gamma!r}. Values up to 0.3 are usual.")
    n_states = check_integer(params, "n_states", 2, 256)
    if n_states % 2:
        raise ValueError(f"n_states must be even, got {n_states}: half of the states include the literal.")
    for name, allowed in (("init", INITS), ("engine", ENGINES), ("sampler", tuple(SAMPLERS))):
        if not _is_one_of(params[name], allowed):
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {params[name]!r}.")
    _check_boolean({"boost_true_positive": True} | params, "boost_true_positive")  # fuzzy clauses are always boosted
    if params["max_literals"] is not None and check_integer(params, "max_literals") < 1:
        raise ValueError(f"max_literals must be at least 1, got {params['max_literals']}. Pass None for no limit.")
    if "n_shards" in params:  # but not with patches
        _check_shards(params, n_clauses)
    if "literal_failures" in params:
        check_integer(params, "literal_failures", 1, MAX_FAILURES)
        check_integer(params, "gamma_start", 0)
    if "patch_shape" in params:
        check_patch_shape(params["patch_shape"])
        _check_boolean(params, "positions")


def _check_shards(params: dict[str, Any], n_clauses: int) -> None:
    n_shards = check_integer(params, "n_shards", 1)
    check_integer(params, "vote_block", 1, BLOCK)
    if n_clauses % (2 * n_shards):
        most = next(n for n in range(min(n_shards, n_clauses // 2), 0, -1) if n_clauses % (2 * n) == 0)
        above = -(-n_clauses // (2 * n_shards)) * 2 * n_shards
        larger = f", or n_clauses={above}" if above <= _MAX_CLAUSES else ""
        raise ValueError(
            f"n_shards must divide half of n_clauses, got n_shards={n_shards} and n_clauses={n_clauses}: each shard "
            f"has as many clauses of either polarity. Use n_shards={most}{larger}."
        )


def _check_s(params: dict[str, Any], usual: str) -> None:
    # Of WTMClassifier alone: clauses that are fuzzy or look at patches were not measured with it.
    can_be_auto = {"boost_true_positive", "class_weight"} <= params.keys() and "patch_shape" not in params
    if can_be_auto and _is_one_of(params["s"], (AUTO,)):
        return
    if can_be_auto and isinstance(params["s"], str):
        raise TypeError(f"s must be a number or 'auto', got {params['s']!r} of type str.")
    if _is_one_of(params["s"], (AUTO,)):
        raise TypeError("s must be a number, got 'auto' of type str: only WTMClassifier chooses it by the rows.")
    s = _check_real(params, "s")
    if not 1 <= s <= _MAX_S:
        raise ValueError(
            f"s must be between 1 and 2**{PROBABILITY_DIGITS}, got {s!r}: 1/s is a probability, drawn with "
            f"{PROBABILITY_DIGITS} binary digits. Values between {usual} are usual."
        )


def machine_parameters(params: dict[str, Any], n_features: int) -> MachineParameters:
    """Return what machines need of the checked parameters, which for patches include the `image_shape`."""
    parameters = MachineParameters(
        n_features=n_features,
        n_clauses=int(params["n_clauses"]),
        T=float(params["T"]),
        s=float(params["s"]),
        gamma=float(params["gamma"]),
        n_states=int(params["n_states"]),
        boost_true_positive=bool(params.get("boost_true_positive", True)),
        max_literals=None if params["max_literals"] is None else int(params["max_literals"]),
        init=params["init"],
        engine=params["engine"],
        sampler=params["sampler"],
        n_shards=int(params.get("n_shards", 1)),  # patches have none
        vote_block=int(params.get("vote_block", 1)),
    )
    patches: dict[str, Any] = {}
    if "patch_shape" in params:
        (height, width, n_channels), (patch_height, patch_width) = params["image_shape"], params["patch_shape"]
        patches = {
            "image_height": height, "image_width": width, "n_channels": n_channels, "patch_height": patch_height,
            "patch_width": patch_width, "positions": bool(params["positions"]),
        }  # fmt: skip
    if "literal_failures" not in params:
        return ConvParameters(**vars(parameters) | patches) if patches else parameters
    # With as many failures as features, a clause could vote for every row, and would then never lose a literal.
    # With room for more literals than features, it would include features together with their negations.
    failures, start = min(int(params["literal_failures"]), -(-n_features // 2)), int(params["gamma_start"])
    budget = None if parameters.max_literals is None else min(parameters.max_literals, n_features)
    kind = ConvFuzzyParameters if patches else FuzzyParameters
    return kind(**vars(parameters) | patches | {"max_literals": budget}, literal_failures=failures, gamma_start=start)


def draw_seed(random_state: Any) -> int:
    """Return a seed of 63 bits.

    An integer `random_state` is the seed itself. A generator draws one, and None takes one from the operating system;
    NumPy's global generator is never used.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**63 - 1, dtype=np.int64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63 - 1))
    if not isinstance(random_state, numbers.Integral) or isinstance(random_state, bool):
        raise TypeError(f"random_state must be an integer, a RandomState, a Generator or None, got {random_state!r}.")
    return check_integer({"random_state": random_state}, "random_state", 0, 2**63 - 1)


def check_integer(params: dict[str, Any], name: str, low: int | None = None, high: int | None = None) -> int:
    """Return the parameter `name`; raise a TypeError or ValueError unless it is an integer from `low` to `high`."""
    value = params[name]
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}.")
    value = int(value)
    if low is not None and value < low:
        raise ValueError(f"{name} must be at least {low}, got {value}.")
    if high is not None and value > high:
        raise ValueError(f"{name} must be at most {high}, got {value}.")
    return value


def _check_real(params: dict[str, Any], name: str) -> float:
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


def _check_boolean(params: dict[str, Any], name: str) -> None:
    if not isinstance(params[name], bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {params[name]!r}.")


def _is_one_of(value: Any, allowed: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in allowed
