"""Read a model file into the record of a trained classifier; every value is checked before it is used."""

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
from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model_state import Model, PredictionModel
from wtm.modelfile.container import Contents, read_file
from wtm.modelfile.old_names import renamed_entry
from wtm.modelfile.schema import (
    ESTIMATOR,
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


def read_model(path: Path, defaults: Mapping[str, Any]) -> ModelRecord:
    """Read a file that `wtm.modelfile.writer.write_model` wrote.

    Parameters
    ----------
    path : Path
    defaults : mapping
        The constructor's parameters by name, with their defaults. Others in the file are refused.

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


def _record(contents: Contents, defaults: Mapping[str, Any]) -> ModelRecord:
    header = contents.header
    if _field(header, "estimator", str) != ESTIMATOR:
        raise ValueError(f"it holds a {header['estimator']!r}, which this version of wtm doesn't know")
    machine_parameters = _machine_parameters(header, defaults)
    parameters = _constructor_parameters(header, defaults)
    classes = decode_labels(_field(header, "classes", dict))
    if len(classes) < 2:
        raise ValueError("it has fewer than two classes")
    attributes = _scalar_attributes(_field(header, "attributes", dict))
    feature_names = _feature_names(header, attributes["n_features_in_"])
    booleanizer = _booleanizer(header, attributes["n_features_in_"], machine_parameters.n_features)
    history = [_history_entry(entry) for entry in _field(header, "history", list)]
    read = _prediction_model if _field(header, "prediction_only", bool) else _model
    model = read(contents, machine_parameters, len(classes))
    record = ModelRecord(parameters, model, classes, history, attributes, booleanizer, feature_names)
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
    stored = {"max_literals": None} | _field(header, "machine", dict)  # files of wtm 0.1 lack it
    kinds = {field.name: field.type for field in fields(MachineParameters)}
    if set(stored) != set(kinds):
        raise ValueError(f"machine in its header must have {', '.join(kinds)}, got {sorted(stored)}")
    for name, kind in kinds.items():
        _field(stored, name, kind)  # type: ignore[arg-type]
    if not 1 <= stored["n_features"] <= _MAX_FEATURES:
        raise ValueError(f"n_features must be from 1 to {_MAX_FEATURES}, got {stored['n_features']}")
    allowed = {name: value for name, value in stored.items() if name != "n_features"}
    check_parameters(dict(defaults) | allowed)
    return MachineParameters(**stored)


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


def _booleanizer(header: dict[str, Any], n_columns: int, n_features: int) -> Booleanizer | None:
    """Read the Booleanizer; None if the columns themselves are the features."""
    booleanizer = None
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


def _model(contents: Contents, parameters: MachineParameters, n_classes: int) -> Model:
    p = parameters
    progress = _field(contents.header, "progress", dict)
    for name in PROGRESS:
        if not 0 <= _field(progress, name, int) < 1 << 63:
            raise ValueError(f"{name} must be from 0 to 2**63 - 1, got {progress[name]}")
    _check_layout(contents, {
        "states": (np.uint8, (n_classes, p.n_clauses, p.n_literals)),
        "exponents": (np.int32, (n_classes, p.n_clauses)),
        "random": (np.uint64, (n_classes, RANDOM_WORDS)),
    })  # fmt: skip
    exponents, random = _exponents(contents, parameters), contents.arrays["random"].astype(np.uint64)
    if not (random[:, [*range(8), 16]] | random[:, [*range(8, 16), 17]]).all():
        raise ValueError("one of its random states is all zeros")
    p.check_memory(n_classes)
    machines = [Machine.of(p, contents.arrays["states"][i], exponents[i], random[i]) for i in range(n_classes)]
    return Model(machines, **{name: progress[name] for name in PROGRESS}, logit_scale=_logit_scale(contents.header))


def _prediction_model(contents: Contents, parameters: MachineParameters, n_classes: int) -> PredictionModel:
    p = parameters
    if contents.header.get("progress") is not None:
        raise ValueError("it is for prediction only, but has the progress of a training")
    n_literals = contents.arrays["literals"].shape if "literals" in contents.arrays else ()
    _check_layout(contents, {
        "exponents": (np.int32, (n_classes, p.n_clauses)),
        "literal_counts": (np.int32, (n_classes, p.n_clauses)),
        "literals": (literal_dtype(p), n_literals[:1]),
    })  # fmt: skip
    counts, literals = contents.arrays["literal_counts"].ravel(), contents.arrays["literals"].astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    if (counts < 0).any() or ends[-1] != len(literals):
        raise ValueError("its literal_counts don't add up to the number of its literals")
    # Literals increase within a clause, so none occurs twice and all are in range.
    falls = np.flatnonzero(np.diff(literals) <= 0) + 1
    if literals.size and (literals.min() < 0 or literals.max() >= p.n_literals or not np.isin(falls, ends).all()):
        raise ValueError(f"its literals are not increasing numbers in each clause, from 0 to {p.n_literals - 1}")
    return PredictionModel(p, _exponents(contents, parameters), ends, literals, _logit_scale(contents.header))


def _exponents(contents: Contents, parameters: MachineParameters) -> np.ndarray:
    exponents = contents.arrays["exponents"].astype(np.int32)
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
