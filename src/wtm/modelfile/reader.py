"""Read a model file into the record of a trained estimator; every value is checked before it is used."""

import math
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import numpy as np
from joblib import cpu_count

from wtm import __version__
from wtm.booleanizer import Booleanizer
from wtm.kernels.sampling import RANDOM_WORDS
from wtm.machine.conv_fuzzy_machine import ConvFuzzyParameters
from wtm.machine.conv_machine import ConvParameters
from wtm.machine.fuzzy_machine import FuzzyParameters
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model_state import Model, PredictionModel, machine_class
from wtm.modelfile.container import Contents, read_file
from wtm.modelfile.old_names import renamed_entry
from wtm.modelfile.schema import (
    PARAMETERS_NOT_KEPT,
    PROGRESS,
    SCHEMA_VERSION,
    ModelRecord,
    check_consistent,
    is_attribute_name,
    is_scalar,
    literal_dtype,
)
from wtm.modelfile.values import decode, decode_labels
from wtm.utils.printable import short_repr, shorten
from wtm.validation.parameters import check_parameters

_LONGEST_REASON = 1000
_MAX_FEATURES = 1 << 30  # literals are numbered in 31 bits
_THREADS_ALLOWED = 8  # whatever the machine has
_NEW_MACHINE_PARAMETERS: dict[str, Any] = {"max_literals": None, "n_shards": 1, "vote_block": 1}
"""Values of those that files of wtm 0.1 lack."""


def read_model(path: Path, defaults: Mapping[str, Mapping[str, Any]]) -> ModelRecord:
    """Read a file that `wtm.modelfile.writer.write_model` wrote.

    Parameters
    ----------
    path : Path
    defaults : mapping
        The constructor's parameters of each estimator that can be read, with their defaults. Others in the file are
        refused.

    Raises
    ------
    ValueError
        The file is not a model file, is incomplete, altered or damaged, or was written by a later version of wtm.
    MemoryError
        The model is larger than the memory that is free.
    OSError
        The file can't be read.
    """
    try:
        return _record(read_file(path, _check_version), defaults)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        reason = shorten(str(error), _LONGEST_REASON)  # a file can hold names of any length
        raise ValueError(f"{path} can't be loaded as a model: {reason}") from error


def _check_version(header: dict[str, Any]) -> None:
    version = _field(header, "schema_version", int)
    if version > SCHEMA_VERSION:
        raise ValueError(
            f"{_writer(header)} wrote it with schema version {version}, but this is wtm {__version__}, which reads "
            f"versions up to {SCHEMA_VERSION}: install the version that wrote it, or a newer one"
        )
    if version < 1:
        raise ValueError(f"its schema version must be at least 1, got {version}")


def _record(contents: Contents, known: Mapping[str, Mapping[str, Any]]) -> ModelRecord:
    header = contents.header
    if _field(header, "estimator", str) not in known:
        raise ValueError(f"it holds a {short_repr(header['estimator'])}, which this version of wtm doesn't know")
    defaults = known[header["estimator"]]
    machine_parameters = _machine_parameters(header, defaults)
    parameters = _constructor_parameters(header, defaults)
    is_regressor = "y_range" in defaults
    targets = _ranges(header) if is_regressor else _classes(header)
    classes, ranges = (None, targets) if is_regressor else (targets, None)
    attributes = _scalar_attributes(_field(header, "attributes", dict))
    feature_names = _feature_names(header, attributes["n_features_in_"])
    booleanizer = _booleanizer(header, attributes["n_features_in_"], machine_parameters)
    history = [_history_entry(entry) for entry in _field(header, "history", list)]
    read = _prediction_model if _field(header, "prediction_only", bool) else _model
    model = read(contents, machine_parameters, len(targets))
    record = ModelRecord(
        header["estimator"],
        parameters,
        model,
        classes,
        history,
        attributes,
        booleanizer,
        feature_names,
        ranges,
        _pruning(header),
    )
    check_consistent(record)
    if parameters.get("n_jobs") is not None:  # a file can't ask for more threads than there are cores
        parameters["n_jobs"] = min(parameters["n_jobs"], max(_THREADS_ALLOWED, cpu_count()))
    return record


def _field(header: Mapping[str, Any], name: str, kind: type) -> Any:
    if name not in header:
        raise ValueError(f"its header lacks {name}")
    value = header[name]
    kinds = get_args(kind) or (kind,)
    if type(value) not in kinds:
        names = " or ".join("null" if kind is NoneType else kind.__name__ for kind in kinds)
        raise ValueError(f"{name} in its header must be a JSON {names}, got {short_repr(value)}")
    return value


def _writer(header: dict[str, Any]) -> str:
    version = header.get("wtm_version")
    known = isinstance(version, str) and re.fullmatch(r"[0-9a-z.+]{1,40}", version)
    return f"wtm {version}" if known else "an unknown version of wtm"


def _machine_parameters(header: dict[str, Any], defaults: Mapping[str, Any]) -> MachineParameters:
    """Read the parameters of the machines, which determine the sizes of all arrays."""
    stored = _NEW_MACHINE_PARAMETERS | _field(header, "machine", dict)
    kind = {
        (False, False): MachineParameters,
        (True, False): FuzzyParameters,
        (False, True): ConvParameters,
        (True, True): ConvFuzzyParameters,
    }["literal_failures" in defaults, "patch_shape" in defaults]
    kinds = {field.name: field.type for field in fields(kind)}
    if set(stored) != set(kinds):
        raise ValueError(f"machine in its header must have {', '.join(kinds)}, got {sorted(stored)}")
    for name, value_kind in kinds.items():
        _field(stored, name, value_kind)  # type: ignore[arg-type]
    if not 1 <= stored["n_features"] <= _MAX_FEATURES:
        raise ValueError(f"n_features must be from 1 to {_MAX_FEATURES}, got {stored['n_features']}")
    allowed = {name: value for name, value in stored.items() if name != "n_features"}
    # Checked together with n_clauses, which is that of all averaged epochs in a file for prediction only.
    check_parameters({name: value for name, value in defaults.items() if name != "average_last"} | allowed)
    return kind(**stored)


def _constructor_parameters(header: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    stored = _field(header, "parameters", dict)
    unknown = sorted(set(stored) - (set(defaults) - PARAMETERS_NOT_KEPT))
    if unknown:
        raise ValueError(
            f"{_writer(header)} wrote it, but this is wtm {__version__}, which doesn't know the parameters {unknown}: "
            "install the version that wrote it, or a newer one"
        )
    return {name: _decoded_parameter(name, value) for name, value in stored.items()}


def _decoded_parameter(name: str, value: Any) -> Any:
    if name == "booleanizer" and isinstance(value, dict) and set(value) == {name}:
        return Booleanizer(**{key: decode(item) for key, item in _field(value, name, dict).items()})
    return decode(value)


def _classes(header: dict[str, Any]) -> np.ndarray:
    classes = decode_labels(_field(header, "classes", dict))
    if len(classes) < 2:
        raise ValueError("it has fewer than two classes")
    return classes


def _ranges(header: dict[str, Any]) -> np.ndarray:
    pairs = _field(header, "y_range", list)
    if not pairs or not all(isinstance(pair, list) and [*map(type, pair)] == [float, float] for pair in pairs):
        raise ValueError(f"y_range in its header must be pairs of numbers, got {short_repr(pairs)}")
    ranges = np.array(pairs)
    if (ranges[:, 0] > ranges[:, 1]).any():
        raise ValueError(f"y_range in its header must have the smaller number first, got {short_repr(pairs)}")
    return ranges


def _n_averaged(header: dict[str, Any]) -> int:
    """Read how many epochs' votes are averaged; files of wtm 0.1 lack it."""
    n_averaged: int = _field({"n_averaged": 1} | header, "n_averaged", int)
    if n_averaged < 1:
        raise ValueError(f"n_averaged must be at least 1, got {n_averaged}")
    return n_averaged


def _scalar_attributes(encoded: dict[str, Any]) -> dict[str, Any]:
    attributes = {name: decode(value) for name, value in encoded.items()}
    for name, value in attributes.items():
        if not is_attribute_name(name):
            raise ValueError(f"{name!r} is not an attribute that a trained model has")
        if not is_scalar(value):
            raise ValueError(f"the attribute {name} must be a number, a string, a boolean or null")
    for name in ("n_features_in_", "n_epochs_"):
        if _field(encoded, name, int) < 0:
            raise ValueError(f"{name} must be at least 0, got {encoded[name]}")
    return attributes


def _feature_names(header: dict[str, Any], n_columns: int) -> list[str] | None:
    if header.get("feature_names_in") is None:
        return None
    names: list[str] = _field(header, "feature_names_in", list)
    if len(names) != n_columns or not all(isinstance(name, str) for name in names):
        raise ValueError(f"feature_names_in must be {n_columns} strings, got {len(names)} values")
    return names


def _booleanizer(header: dict[str, Any], n_columns: int, parameters: MachineParameters) -> Booleanizer | None:
    """Read the Booleanizer; None if the columns themselves, or the pixels of patches, are the features."""
    if isinstance(parameters, ConvParameters):
        n_pixels = math.prod(parameters.image_shape)
        if header.get("booleanizer") is not None or n_columns != n_pixels:
            raise ValueError(f"its images have {n_pixels} pixels and channels, but n_features_in_ is {n_columns}")
        return None
    booleanizer, n_features = None, parameters.n_features
    made_from, made = n_columns, n_columns
    if header.get("booleanizer") is not None:
        booleanizer = Booleanizer.from_json(_field(header, "booleanizer", dict))
        made_from, made = booleanizer.n_features_in_, booleanizer.n_features_out_
    if made_from != n_columns:
        raise ValueError(f"its booleanizer has {made_from} columns, but n_features_in_ is {n_columns}")
    if made != n_features:
        raise ValueError(f"its columns make {made} features, but its machines have {n_features}")
    return booleanizer


def _history_entry(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise ValueError("an entry of its history is not a JSON object")
    return renamed_entry({key: decode(value) for key, value in entry.items()})


def _pruning(header: dict[str, Any]) -> dict[str, Any] | None:
    """Read what `prune` did, if it did anything."""
    if "pruning" not in header:
        return None
    pruning = _field(header, "pruning", dict)
    counts = {name: pruning.get(name) for name in ("n_rules_before", "n_rules")}
    names = ("accuracy_before", "accuracy", "r2_before", "r2")
    scores = {name: pruning[name] for name in names if name in pruning}
    least = -np.inf if "r2" in scores else 0
    points = pruning.get("curve", [])
    if not isinstance(points, list) or not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise ValueError(f"the curve of its pruning must be a list of pairs, got {short_repr(points)}")
    for count in (*counts.values(), *(n for n, _ in points)):
        if type(count) is not int or count < 0:
            raise ValueError(
                f"a number of rules of its pruning must be an integer of at least 0, got {short_repr(count)}"
            )
    for score in (*scores.values(), *(score for _, score in points)):
        if type(score) is not float or not least <= score <= 1 or score == -np.inf:
            what = (
                "an R squared of its pruning must be at most 1"
                if least
                else "an accuracy of its pruning must be a number from 0 to 1"
            )
            raise ValueError(f"{what}, got {short_repr(score)}")
    curve = {"curve": list(map(tuple, points))} if "curve" in pruning else {}
    return counts | scores | curve


def _model(contents: Contents, parameters: MachineParameters, n_machines: int) -> Model:
    p, n_averaged = parameters, _n_averaged(contents.header)
    progress = _field(contents.header, "progress", dict)
    for name in PROGRESS:
        if not 0 <= _field(progress, name, int) < 1 << 63:
            raise ValueError(f"{name} must be from 0 to 2**63 - 1, got {progress[name]}")
    n_states = min(progress["n_epochs"], n_averaged) if n_averaged > 1 else 0
    sizes = (n_machines, p.n_clauses)
    _check_layout(contents, {
        "states": (np.uint8, (*sizes, p.n_literals)),
        "exponents": (np.int32, sizes),
        "random": (np.uint64, (n_machines, RANDOM_WORDS)),
        **(_clause_layout(contents, p, (n_states, *sizes), "last_") if n_states else {}),
    })  # fmt: skip
    exponents, random = _exponents(contents, parameters), contents.arrays["random"].astype(np.uint64)
    if not (random[:, [*range(8), 16]] | random[:, [*range(8, 16), 17]]).all():
        raise ValueError("one of its random states is all zeros")
    p.check_memory(n_machines)
    machines = [
        machine_class(p).of(p, contents.arrays["states"][i], exponents[i], random[i]) for i in range(n_machines)
    ]
    return Model(
        machines,
        **{name: progress[name] for name in PROGRESS},
        logit_scale=_logit_scale(contents.header),
        n_averaged=n_averaged,
        last_epochs=_last_epochs(contents, parameters) if n_states else (),
    )


def _last_epochs(contents: Contents, parameters: MachineParameters) -> tuple[PredictionModel, ...]:
    exponents, scale = _exponents(contents, parameters, "last_"), _logit_scale(contents.header)
    ends, literals = _clauses(contents, parameters, "last_")
    size = exponents[0].size
    parts = [ends[start : start + size + 1] for start in range(0, exponents.size, size)]
    return tuple(
        PredictionModel(parameters, state, part - part[0], literals[part[0] : part[-1]], scale)
        for state, part in zip(exponents, parts, strict=True)
    )


def _prediction_model(contents: Contents, parameters: MachineParameters, n_machines: int) -> PredictionModel:
    if contents.header.get("progress") is not None:
        raise ValueError("it is for prediction only, but has the progress of a training")
    _check_layout(contents, _clause_layout(contents, parameters, (n_machines, parameters.n_clauses)))
    exponents, scale = _exponents(contents, parameters), _logit_scale(contents.header)
    return PredictionModel(parameters, exponents, *_clauses(contents, parameters), scale, _n_averaged(contents.header))


def _clause_layout(
    contents: Contents, parameters: MachineParameters, shape: tuple[int, ...], prefix: str = ""
) -> dict[str, tuple[type, tuple[int, ...]]]:
    """Return the arrays of clauses as lists of literals."""
    literals = contents.arrays.get(f"{prefix}literals")
    return {
        f"{prefix}exponents": (np.int32, shape),
        f"{prefix}literal_counts": (np.int32, shape),
        f"{prefix}literals": (literal_dtype(parameters), () if literals is None else literals.shape[:1]),
    }


def _clauses(contents: Contents, parameters: MachineParameters, prefix: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Read the ends and the literals of clauses."""
    counts = contents.arrays[f"{prefix}literal_counts"].ravel()
    literals = contents.arrays[f"{prefix}literals"].astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    if (counts < 0).any() or ends[-1] != len(literals):
        raise ValueError("its literal_counts don't add up to the number of its literals")
    # Literals increase within a clause, so none occurs twice and all are in range.
    falls = np.flatnonzero(np.diff(literals) <= 0) + 1
    n_literals = parameters.n_literals
    if literals.size and (literals.min() < 0 or literals.max() >= n_literals or not np.isin(falls, ends).all()):
        raise ValueError(f"its literals are not increasing numbers in each clause, from 0 to {n_literals - 1}")
    return ends, literals


def _exponents(contents: Contents, parameters: MachineParameters, prefix: str = "") -> np.ndarray:
    exponents = contents.arrays[f"{prefix}exponents"].astype(np.int32)
    limit = parameters.weight_table.max_exponent
    if exponents.min() < -limit or exponents.max() > limit:
        raise ValueError(f"its exponents are not within -{limit} to {limit}, the range for gamma = {parameters.gamma}")
    return exponents


def _logit_scale(header: dict[str, Any]) -> float:
    scale: float = _field(header, "logit_scale", float)
    if scale <= 0:
        raise ValueError(f"logit_scale must be greater than 0, got {scale}")
    return scale


def _check_layout(contents: Contents, expected: dict[str, tuple[type, tuple[int, ...]]]) -> None:
    found = {name: (array.dtype.type, array.shape) for name, array in contents.arrays.items()}
    if found != expected:
        raise ValueError(f"its arrays are {_spelled(found)}, but by its header they should be {_spelled(expected)}")


def _spelled(layout: dict[str, tuple[type, tuple[int, ...]]]) -> str:
    return ", ".join(f"{name} {dtype.__name__} {shape}" for name, (dtype, shape) in layout.items()) or "none"
