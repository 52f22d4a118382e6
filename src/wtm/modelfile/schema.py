"""What a model file holds: the record of a trained classifier, and what reader and writer have to agree on."""

import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model import Model, PredictionModel

SCHEMA_VERSION = 2
"""docs/model-file.md describes it."""

ESTIMATOR = "WTMClassifier"
PARAMETERS_NOT_KEPT = {"callbacks"}  # code
PROGRESS = ("seed", "n_seen", "n_epochs")
"""What the schedule of the next epoch depends on."""

_SCALAR_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]_")
_OTHER_ATTRIBUTES = {"classes_", "feature_names_in_", "history_", "booleanizer_", "machines_"}  # kept in another way


@dataclass(frozen=True)
class ModelRecord:
    """A trained classifier, taken apart.

    Attributes
    ----------
    parameters : dict
        The constructor's parameters by name.
    model : Model or PredictionModel
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    history : list of dict
        An entry per epoch.
    attributes : dict
        Fitted attributes that are single values, by name; `n_features_in_` and `n_epochs_` are always among them.
    booleanizer : Booleanizer or None
    feature_names : list of str or None
    """

    parameters: dict[str, Any]
    model: Model | PredictionModel
    classes: np.ndarray
    history: list[dict[str, Any]]
    attributes: dict[str, Any]
    booleanizer: Booleanizer | None = None
    feature_names: list[str] | None = None


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
