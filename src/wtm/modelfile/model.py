"""A trained classifier as a header and arrays, and back; every value of a file is checked before it is believed."""

import numbers
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm import __version__
from wtm.booleanizer import Booleanizer
from wtm.kernels.sampling import RANDOM_WORDS
from wtm.machine.machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model import Model, PredictionModel
from wtm.modelfile.container import Contents, open_file, write_file
from wtm.modelfile.values import decode, decode_labels, encode, encode_labels
from wtm.utils.memory_limits import check_memory
from wtm.utils.paths import as_path
from wtm.validation.parameters import check_parameters

if TYPE_CHECKING:
    from wtm.classifier import WTMClassifier

__all__ = ["load_model", "save_model"]

_VERSION = 1  # of the schema; docs/model-file.md
_SCALAR_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]_")
_OWN_FIELDS = {"classes_", "feature_names_in_", "history_", "booleanizer_"}  # attributes with a field of their own
_NOT_KEPT = {"callbacks"}  # code
_PROGRESS = ("seed", "n_seen", "n_epochs")  # what the schedule of the next epoch depends on
_LONGEST_REASON = 1000
_COPIES_TO_WRITE = 3  # of all states: those of each machine and of all, which then become those of all and their bytes


def save_model(clf: "WTMClassifier", path: str | os.PathLike[str], *, prediction_only: bool = False) -> None:
    """Write a trained classifier to a file; see `WTMClassifier.save`."""
    from wtm.classifier import WTMClassifier

    path = as_path(path, "path")
    check_is_fitted(clf)
    if type(clf) is not WTMClassifier:
        raise TypeError(f"A model file holds a WTMClassifier, got a {type(clf).__name__}; pickle can save it.")
    if not isinstance(prediction_only, bool | np.bool_):
        raise TypeError(f"prediction_only must be True or False, got {prediction_only!r}.")
    model = clf._model
    if prediction_only:
        if not isinstance(model, PredictionModel):
            model = PredictionModel.of(model.machines, model.logit_scale)
        arrays = _voting_arrays(model)
    elif isinstance(model, PredictionModel):
        raise ValueError(
            "prediction_only must be True for this model, got False: it comes from a file that was saved for "
            "prediction only, and has no automata."
        )
    else:
        arrays = _machine_arrays(model.machines)
    write_file(path, _header(clf, prediction_only), arrays)


def load_model(path: str | os.PathLike[str]) -> "WTMClassifier":
    """Read a classifier that `WTMClassifier.save` wrote.

    It predicts, and goes on training, as the one that was saved would have, bit for bit. A file saved with
    ``prediction_only=True`` holds no automata: the model predicts the same, but can't go on training.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    WTMClassifier

    Raises
    ------
    ValueError
        The file is no model file, is cut short, altered or damaged, or a later version of wtm wrote it.
    TypeError
        `path` is neither a string nor path-like.
    MemoryError
        The model is larger than the memory that is free.
    OSError
        The file can't be read.

    Notes
    -----
    A model file holds no code and none is run. The checksum in it finds damage; it does not tell who wrote the file.
    """
    path = as_path(path, "path")
    try:
        with open_file(path, _check_version) as contents:
            return _classifier(contents)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        reason = str(error)[:_LONGEST_REASON]  # a file can hold names of any length
        raise ValueError(f"{path} can't be loaded as a model: {reason}") from error


# --- Writing --------------------------------------------------------------------------------------------------


def _header(clf: "WTMClassifier", prediction_only: bool) -> dict[str, Any]:
    model = clf._model
    names = getattr(clf, "feature_names_in_", None)
    return {
        "schema_version": _VERSION,
        "wtm_version": __version__,
        "estimator": "WTMClassifier",
        "prediction_only": bool(prediction_only),
        "parameters": _encoded_parameters(clf),
        "machine": asdict(model.parameters),
        "progress": None if prediction_only else {name: int(getattr(model, name)) for name in _PROGRESS},
        "logit_scale": float(model.logit_scale),
        "classes": encode_labels(clf.classes_),
        "feature_names_in": None if names is None else [str(name) for name in names],
        "attributes": _scalar_attributes(clf),
        "history": [_encoded_entry(entry) for entry in clf.history_],
        "booleanizer": None if clf.booleanizer_ is None else clf.booleanizer_.to_json(),
    }


def _encoded_parameters(clf: "WTMClassifier") -> dict[str, Any]:
    return {
        name: _encoded_parameter(name, value)
        for name, value in clf.get_params(deep=False).items()
        if name not in _NOT_KEPT
    }


def _encoded_parameter(name: str, value: Any) -> Any:
    if name == "random_state" and isinstance(value, np.random.RandomState | np.random.Generator):
        return None  # what was drawn from it is in the model
    if isinstance(value, Booleanizer):
        return {name: {key: _encoded_parameter(key, item) for key, item in value.get_params(deep=False).items()}}
    try:
        return encode(value)
    except TypeError as error:
        raise TypeError(f"The parameter {name} can't be written to a model file: {error}.") from error


def _encoded_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {str(key): encode(value) for key, value in entry.items()}
    except TypeError as error:
        raise TypeError(f"history_ can't be written to a model file: {error}.") from error


def _scalar_attributes(clf: "WTMClassifier") -> dict[str, Any]:
    return {
        name: encode(value)
        for name, value in vars(clf).items()
        if _SCALAR_ATTRIBUTE.fullmatch(name) and name not in _OWN_FIELDS and _is_scalar(value)
    }


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | numbers.Real | np.bool_)


def _machine_arrays(machines: list[Machine]) -> dict[str, np.ndarray]:
    p = machines[0].parameters
    check_memory(
        _COPIES_TO_WRITE * len(machines) * p.n_clauses * p.n_literals,
        f"Writing {len(machines)} machines of {p.n_clauses:,} clauses and {p.n_literals:,} literals",
        "With prediction_only=True a model takes less.",
    )
    return {
        "states": np.stack([machine.states for machine in machines]),
        "exponents": np.stack([machine.exponents for machine in machines]),
        "random": np.stack([machine.random for machine in machines]),
    }


def _voting_arrays(model: PredictionModel) -> dict[str, np.ndarray]:
    counts = np.diff(model.clause_ends).astype(np.int32)
    return {
        "exponents": model.exponents,
        "literal_counts": counts.reshape(model.exponents.shape),
        "literals": model.literal_list.astype(_literal_dtype(model.parameters)),
    }


# --- Reading --------------------------------------------------------------------------------------------------


def _check_version(header: dict[str, Any]) -> None:
    version = _field(header, "schema_version", int)
    if version > _VERSION:
        raise ValueError(
            f"{_writer(header)} wrote it, with version {version} of the file's schema, and this is wtm "
            f"{__version__}, which reads versions up to {_VERSION}: install that wtm or a newer one"
        )
    if version < 1:
        raise ValueError(f"there is no version {version} of the file's schema")


def _classifier(contents: Contents) -> "WTMClassifier":
    from wtm.classifier import WTMClassifier

    header = contents.header
    if _field(header, "estimator", str) != WTMClassifier.__name__:
        raise ValueError(f"it holds a {header['estimator']!r}, which this version of wtm does not know")
    parameters = _machine_parameters(header)
    clf = WTMClassifier(**_constructor_parameters(header, WTMClassifier().get_params(deep=False)))
    clf.classes_ = decode_labels(_field(header, "classes", dict))
    if len(clf.classes_) < 2:
        raise ValueError("it has fewer than two classes")
    _set_scalar_attributes(clf, _field(header, "attributes", dict))
    _set_features(clf, header, parameters)
    clf.history_ = [_history_entry(entry) for entry in _field(header, "history", list)]
    if _field(header, "prediction_only", bool):
        clf._model = _prediction_model(contents, parameters, len(clf.classes_))
    else:
        clf._model = _model(contents, parameters, len(clf.classes_))
    return clf


def _field(header: Mapping[str, Any], name: str, kind: type) -> Any:
    if name not in header:
        raise ValueError(f"its header lacks {name}")
    value = header[name]
    if type(value) is not kind:
        raise ValueError(f"{name} in its header must be a JSON {kind.__name__}, and is {value!r:.60}")
    return value


def _writer(header: dict[str, Any]) -> str:
    version = header.get("wtm_version")
    known = isinstance(version, str) and re.fullmatch(r"[0-9a-z.+]{1,40}", version)
    return f"wtm {version}" if known else "an unknown version of wtm"


def _machine_parameters(header: dict[str, Any]) -> MachineParameters:
    """Parameters of the machines: what the sizes of all arrays follow from."""
    from wtm.classifier import WTMClassifier

    stored = _field(header, "machine", dict)
    kinds = {field.name: field.type for field in fields(MachineParameters)}
    if set(stored) != set(kinds):
        raise ValueError(f"machine in its header must have {', '.join(kinds)}, and has {sorted(stored)}")
    for name, kind in kinds.items():
        _field(stored, name, kind)  # type: ignore[arg-type]
    if stored["n_features"] < 1:
        raise ValueError(f"n_features must be at least 1, got {stored['n_features']}")
    allowed = {name: value for name, value in stored.items() if name != "n_features"}
    check_parameters(WTMClassifier().get_params(deep=False) | allowed)
    return MachineParameters(**stored)


def _constructor_parameters(header: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    stored = _field(header, "parameters", dict)
    unknown = sorted(set(stored) - (set(defaults) - _NOT_KEPT))
    if unknown:
        raise ValueError(
            f"{_writer(header)} wrote it, and this is wtm {__version__}, which does not know the parameters {unknown}"
        )
    return {name: _decoded_parameter(name, value) for name, value in stored.items()}


def _decoded_parameter(name: str, value: Any) -> Any:
    if name == "booleanizer" and isinstance(value, dict) and set(value) == {name}:
        return Booleanizer(**{key: decode(item) for key, item in _field(value, name, dict).items()})
    return decode(value)


def _set_scalar_attributes(clf: "WTMClassifier", attributes: dict[str, Any]) -> None:
    for name, encoded in attributes.items():
        value = decode(encoded)
        if not _SCALAR_ATTRIBUTE.fullmatch(name) or name in _OWN_FIELDS or hasattr(type(clf), name):
            raise ValueError(f"{name!r} is no attribute that a trained model has")
        if not _is_scalar(value):
            raise ValueError(f"the attribute {name} must be a number, a string, a boolean or null")
        setattr(clf, name, value)
    for name in ("n_features_in_", "n_epochs_"):
        if _field(attributes, name, int) < 0:
            raise ValueError(f"{name} is negative")


def _set_features(clf: "WTMClassifier", header: dict[str, Any], parameters: MachineParameters) -> None:
    if header.get("feature_names_in") is not None:
        names = _field(header, "feature_names_in", list)
        if len(names) != clf.n_features_in_ or not all(isinstance(name, str) for name in names):
            raise ValueError(f"its feature names are not {clf.n_features_in_} strings")
        clf.feature_names_in_ = np.array(names, object)
    clf.booleanizer_ = None
    n_columns = n_features = clf.n_features_in_
    if header.get("booleanizer") is not None:
        description = _field(header, "booleanizer", dict)
        clf.booleanizer_ = Booleanizer.from_json(description)
        n_columns, n_features = clf.booleanizer_.n_features_in_, clf.booleanizer_.n_features_out_
    if (n_columns, n_features) != (clf.n_features_in_, parameters.n_features):
        raise ValueError(
            f"its machines have {parameters.n_features} features, and its {clf.n_features_in_} columns do not make them"
        )


def _history_entry(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise ValueError("an entry of its history is no JSON object")
    return {key: decode(value) for key, value in entry.items()}


def _model(contents: Contents, parameters: MachineParameters, n_classes: int) -> Model:
    p = parameters
    progress = _field(contents.header, "progress", dict)
    for name in _PROGRESS:
        if not 0 <= _field(progress, name, int) < 1 << 63:
            raise ValueError(f"{name} must be from 0 to 2**63 - 1, got {progress[name]}")
    _check_layout(contents, {
        "states": ("U8", (n_classes, p.n_clauses, p.n_literals)),
        "exponents": ("I32", (n_classes, p.n_clauses)),
        "random": ("U64", (n_classes, RANDOM_WORDS)),
    })  # fmt: skip
    exponents, random = _exponents(contents, parameters), contents.read("random")
    if not (random[:, [*range(8), 16]] | random[:, [*range(8, 16), 17]]).all():
        raise ValueError("its random states hold one that gives nothing but zeros")
    p.check_memory(n_classes)
    machines = [Machine.of(p, contents.read("states", i), exponents[i], random[i]) for i in range(n_classes)]
    return Model(machines, **{name: progress[name] for name in _PROGRESS}, logit_scale=_logit_scale(contents.header))


def _prediction_model(contents: Contents, parameters: MachineParameters, n_classes: int) -> PredictionModel:
    p = parameters
    n_literals = contents.layout.get("literals", ("", ()))[1]
    _check_layout(contents, {
        "exponents": ("I32", (n_classes, p.n_clauses)),
        "literal_counts": ("I32", (n_classes, p.n_clauses)),
        "literals": ("U16" if _literal_dtype(p) is np.uint16 else "I32", n_literals[:1]),
    })  # fmt: skip
    counts, literals = contents.read("literal_counts").ravel(), contents.read("literals").astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    if (counts < 0).any() or ends[-1] != len(literals):
        raise ValueError("its literal_counts do not sum to the number of its literals")
    # Literals rise within a clause, so that none comes twice and none is beyond its range.
    falls = np.flatnonzero(np.diff(literals) <= 0) + 1
    if literals.size and (literals.min() < 0 or literals.max() >= p.n_literals or not np.isin(falls, ends).all()):
        raise ValueError(f"its literals are not, for each clause, rising numbers from 0 to {p.n_literals - 1}")
    return PredictionModel(p, _exponents(contents, parameters), ends, literals, _logit_scale(contents.header))


def _exponents(contents: Contents, parameters: MachineParameters) -> np.ndarray:
    exponents = contents.read("exponents")
    limit = parameters.weight_table.max_exponent
    if exponents.min() < -limit or exponents.max() > limit:
        raise ValueError(f"its exponents are not within -{limit} to {limit}, as gamma = {parameters.gamma} has them")
    return exponents


def _logit_scale(header: dict[str, Any]) -> float:
    scale: float = _field(header, "logit_scale", float)
    if scale <= 0:
        raise ValueError(f"logit_scale must be greater than 0, got {scale}")
    return scale


def _check_layout(contents: Contents, expected: dict[str, tuple[str, tuple[int, ...]]]) -> None:
    if contents.layout != expected:
        raise ValueError(f"its arrays are {contents.layout}, and by its header should be {expected}")


def _literal_dtype(parameters: MachineParameters) -> type:
    return np.uint16 if parameters.n_literals <= 1 << 16 else np.int32
