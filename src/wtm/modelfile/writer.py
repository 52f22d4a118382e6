"""Write the record of a trained estimator to a model file."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wtm import __version__
from wtm.booleanizer import Booleanizer
from wtm.kernels.kernel_cache import kernel_digest
from wtm.machine.class_machine import Machine
from wtm.machine.model_state import Model, PredictionModel
from wtm.modelfile.container import write_file
from wtm.modelfile.schema import (
    PARAMETERS_NOT_KEPT,
    PROGRESS,
    SCHEMA_VERSION,
    ModelRecord,
    check_consistent,
    literal_dtype,
)
from wtm.modelfile.values import encode, encode_labels
from wtm.utils.memory_limits import check_memory
from wtm.utils.revision import git_revision

_COPIES_TO_WRITE = 3  # of all states: each machine's and all together, then all together and their bytes


def write_model(path: Path, record: ModelRecord, *, prediction_only: bool = False) -> None:
    """Write a trained estimator to a file, or replace the file.

    Raises
    ------
    TypeError
        A parameter, a label or an entry of the history is not plain data.
    ValueError
        `prediction_only` is False for a model that can only predict, the record contradicts itself, or `path` can't
        be replaced.
    MemoryError
        There is not enough free memory for the copy that is written.
    OSError
        The file can't be written.
    """
    model = record.model
    if prediction_only:
        model = model.for_prediction()
        arrays = _voting_arrays(model)
    elif isinstance(model, PredictionModel):
        raise ValueError(
            "prediction_only must be True for this model, got False: it was simplified, pruned, refitted or saved for "
            "prediction only, so it has no automata."
        )
    else:
        arrays = _machine_arrays(model.machines) | _last_epochs_arrays(model.last_epochs)
    header = _header(record, model)
    try:
        check_consistent(record)
    except ValueError as error:
        raise ValueError(f"The model can't be written to a file: {error}.") from None
    write_file(path, header, arrays)


def _header(record: ModelRecord, model: Model | PredictionModel) -> dict[str, Any]:
    header = {
        "schema_version": SCHEMA_VERSION,
        "wtm_version": __version__,
        "revision": git_revision(),
        "kernel_digest": kernel_digest(),
        "estimator": record.estimator,
        "prediction_only": isinstance(model, PredictionModel),
        "parameters": _encoded_parameters(record.parameters),
        "machine": asdict(model.parameters),
        "progress": {name: int(getattr(model, name)) for name in PROGRESS} if isinstance(model, Model) else None,
        "logit_scale": float(model.logit_scale),
        "n_averaged": model.n_averaged,
        "classes": None if record.classes is None else encode_labels(record.classes),
        "feature_names_in": record.feature_names,
        "attributes": {name: encode(value) for name, value in record.attributes.items()},
        "history": [_encoded_entry(entry) for entry in record.history],
        "booleanizer": None if record.booleanizer is None else record.booleanizer.to_json(),
    }
    if record.ranges is not None:
        header["y_range"] = encode(record.ranges)
    if record.pruning is not None:
        header["pruning"] = {name: encode(value) for name, value in record.pruning.items()}
    return header


def _encoded_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _encoded_parameter(name, value) for name, value in parameters.items() if name not in PARAMETERS_NOT_KEPT
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


def _machine_arrays(machines: list[Machine]) -> dict[str, np.ndarray]:
    p = machines[0].parameters
    check_memory(
        _COPIES_TO_WRITE * len(machines) * p.n_clauses * p.n_literals,
        f"Writing {len(machines)} machines of {p.n_clauses:,} clauses and {p.n_literals:,} literals",
        "Use prediction_only=True, which needs less.",
    )
    return {
        "states": np.stack([machine.states for machine in machines]),
        "exponents": np.stack([machine.exponents for machine in machines]),
        "random": np.stack([machine.random for machine in machines]),
    }


def _last_epochs_arrays(states: Sequence[PredictionModel]) -> dict[str, np.ndarray]:
    """Return the states whose votes are averaged, one after the other."""
    if not states:
        return {}
    parts = [_voting_arrays(state) for state in states]
    return {
        "last_exponents": np.stack([part["exponents"] for part in parts]),
        "last_literal_counts": np.stack([part["literal_counts"] for part in parts]),
        "last_literals": np.concatenate([part["literals"] for part in parts]),
    }


def _voting_arrays(model: PredictionModel) -> dict[str, np.ndarray]:
    counts = np.diff(model.clause_ends).astype(np.int32)
    return {
        "exponents": model.exponents,
        "literal_counts": counts.reshape(model.exponents.shape),
        "literals": model.literal_list.astype(literal_dtype(model.parameters)),
    }
