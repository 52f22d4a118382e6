"""The content of a model file: the record of a trained estimator, and definitions that reader and writer share."""

import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model_state import Model, PredictionModel
from wtm.utils.printable import short_repr

SCHEMA_VERSION = 4
"""docs/model-file.md describes it."""

PARAMETERS_NOT_KEPT = {"callbacks"}  # code
PROGRESS = ("seed", "n_seen", "n_epochs")
"""What the schedule of the next epoch depends on."""

_MOST_SEEN = 1 << 62  # no training gets there, and numbers of examples beyond it would not fit into 64 bits
_SCALAR_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]_")
_OTHER_ATTRIBUTES = {"classes_", "y_range_", "feature_names_in_", "history_", "booleanizer_", "machines_"}
"""Those that are kept in another way."""


@dataclass(frozen=True)
class ModelRecord:
    """A trained classifier or regressor as separate parts.

    Attributes
    ----------
    estimator : str
        Name of the estimator's class.
    parameters : dict
        The constructor's parameters by name.
    model : Model or PredictionModel
    classes : ndarray of shape (n_classes,), or None
        The labels of a classifier, sorted.
    history : list of dict
        An entry per epoch.
    attributes : dict
        Fitted attributes that are single values, by name; `n_features_in_` and `n_epochs_` are always among them.
    booleanizer : Booleanizer or None
    feature_names : list of str or None
    ranges : ndarray of shape (n_outputs, 2), float64, or None
        The smallest and largest number that a regressor predicts, for each output.
    pruning : dict or None
        What `prune` did: numbers of rules and accuracies.
    """

    estimator: str
    parameters: dict[str, Any]
    model: Model | PredictionModel
    classes: np.ndarray | None
    history: list[dict[str, Any]]
    attributes: dict[str, Any]
    booleanizer: Booleanizer | None = None
    feature_names: list[str] | None = None
    ranges: np.ndarray | None = None
    pruning: dict[str, Any] | None = None


def check_consistent(record: ModelRecord) -> None:
    """Check that what a record says of its training fits together.

    Raises
    ------
    ValueError
        It does not, so the model could not be used.
    """
    n_epochs, n_entries = record.attributes["n_epochs_"], len(record.history)
    kept = record.attributes.get("best_epoch_", n_epochs)
    if kept != n_epochs or isinstance(kept, bool):
        raise ValueError(f"best_epoch_ is {short_repr(kept)}, but the model was trained for {n_epochs} epochs")
    if n_entries < n_epochs or (n_entries > n_epochs and "best_epoch_" not in record.attributes):
        raise ValueError(f"history_ has {n_entries} entries, but the model was trained for {n_epochs} epochs")
    if isinstance(record.model, Model):
        n_seen = record.model.n_seen
        if record.model.n_epochs != n_epochs:
            raise ValueError(f"n_epochs_ is {n_epochs}, but the machines were trained for {record.model.n_epochs}")
        if n_seen < n_epochs or (n_seen and not n_epochs) or n_seen >= _MOST_SEEN:
            raise ValueError(f"n_seen can't be {n_seen} after {n_epochs} epochs")
    n_jobs = record.parameters.get("n_jobs")
    if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or not n_jobs):
        raise ValueError(
            f"n_jobs must be None, a positive number of threads, or -1 for all cores; got {short_repr(n_jobs)}"
        )


def scalar_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Choose the fitted attributes that are single values and have no other place in a file."""
    return {name: value for name, value in attributes.items() if is_attribute_name(name) and is_scalar(value)}


def is_attribute_name(name: str) -> bool:
    """Whether a single value may be kept under this name."""
    return bool(_SCALAR_ATTRIBUTE.fullmatch(name)) and name not in _OTHER_ATTRIBUTES


def is_scalar(value: Any) -> bool:
    """Whether `value` is None, a string, a real number or a boolean."""
    return value is None or isinstance(value, str | numbers.Real | np.bool_)


def literal_dtype(parameters: MachineParameters) -> type:
    """Return the type of literal numbers in a file for prediction only."""
    return np.uint16 if parameters.n_literals <= 1 << 16 else np.int32
