"""Check the caller's labels, and convert them to class indices."""

import sys
import warnings
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from wtm.tables.columns import is_missing
from wtm.tables.lazy_tables import refuse_lazy
from wtm.utils.caller import warn_caller

_LARGEST_FLOAT = 2.0**63
"""scikit-learn treats larger floats as continuous."""

_KINDS = "integers, strings, booleans or whole floats as labels, all of one kind"


def check_labels(y: Any, name: str, *, warn: bool = True) -> np.ndarray:
    """Return the labels of rows as a one-dimensional array.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, 1)
        NumPy, pandas (nullable and categorical dtypes too), polars, pyarrow or a list.
    name : str
        The argument's name, for messages.
    warn : bool
        Whether a column gives a warning.

    Returns
    -------
    ndarray of shape (n_samples,)
        Integers, booleans, whole floats or strings (dtype object if `y` has it). Nullable integers and booleans of
        pandas get NumPy's dtype.

    Raises
    ------
    TypeError
        `y` is a lazy table, or holds complex numbers.
    ValueError
        A label is missing or of another kind, or the shape is wrong.
    """
    if y is None:
        raise ValueError(f"This classifier requires {name} to be passed, but the target {name} is None.")
    values = _as_numpy(y, name)
    if np.asarray(values).dtype.kind == "c":  # scikit-learn would print them all
        raise TypeError(f"{name} must hold {_KINDS}; got complex numbers.")
    labels: np.ndarray = column_or_1d(values, warn=warn)
    _check_kind(labels, name)
    return labels


def check_classes(classes: Any, name: str) -> np.ndarray:
    """Return all labels that may occur, sorted, each once; raise a ValueError if `classes` is not a list of labels."""
    labels = np.asarray(_as_numpy(classes, name))
    if labels.ndim != 1:
        raise ValueError(f"{name} must be a list of labels, got {classes!r} of shape {labels.shape}.")
    _check_kind(labels, name)
    return _at_least_two(np.unique(labels), name)


def unique_labels(labels: np.ndarray, name: str) -> np.ndarray:
    """Return the distinct labels of rows checked by `check_labels`, sorted.

    Raises
    ------
    ValueError
        There are fewer than two.

    Warns
    -----
    UserWarning
        More than half of the labels are distinct, as in a regression.
    """
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        check_classification_targets(labels)
    for warning in found:  # at the caller's line, and not at this one
        warn_caller(UserWarning(str(warning.message)))
    return _at_least_two(np.unique(labels), name)


def class_indices(y: np.ndarray, classes: np.ndarray, name: str) -> np.ndarray:
    """Return the position of each label in the sorted `classes`, int64 of shape (n_samples,).

    Raises
    ------
    ValueError
        A label is not one of the classes.
    """
    known = np.isin(y, classes)
    if not known.all():
        unknown = y[~known].tolist()[0]
        raise ValueError(
            f"{name} holds the label {unknown!r}, which is not one of the classes {classes}. Remove "
            "such rows, or train a new model with all labels."
        )
    return np.searchsorted(classes, y).astype(np.int64)


def _at_least_two(classes: np.ndarray, name: str) -> np.ndarray:
    if len(classes) < 2:
        one = "one class" if len(classes) else "none"
        raise ValueError(f"{name} must hold at least two classes, got {one}: {classes}.")
    return classes


def _as_numpy(labels: Any, name: str) -> Any:
    """Convert containers that NumPy would read wrongly to arrays; return all others as they are."""
    refuse_lazy(labels, name)
    _check_one_kind(labels, name)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(labels, pandas.Index | pandas.api.extensions.ExtensionArray):
        labels = pandas.Series(list(labels) if isinstance(labels, pandas.MultiIndex) else labels)
    if nw.dependencies.is_into_dataframe(labels):
        columns = list(nw.from_native(labels, eager_only=True).iter_columns())
        return _of_series(columns[0], name)[:, None] if len(columns) == 1 else labels
    if nw.dependencies.is_into_series(labels):
        return _of_series(nw.from_native(labels, series_only=True), name)
    if np.ma.is_masked(labels):
        raise _missing(name, np.ma.masked)
    # scikit-learn doesn't know NumPy's strings of variable length.
    return labels.astype(object) if getattr(getattr(labels, "dtype", None), "kind", None) == "T" else labels


def _of_series(series: nw.Series[Any], name: str) -> np.ndarray:
    if series.is_null().any():
        raise _missing(name, next(label for label in series.to_list() if is_missing(label)))
    array = np.asarray(series.to_numpy())
    return array.astype(np.bool_) if series.dtype == nw.Boolean else array


def _check_one_kind(labels: Any, name: str) -> None:
    """Refuse a list of strings and other labels, which NumPy would silently turn into strings: 1 into "1"."""
    if not isinstance(labels, list | tuple) or np.asarray(labels).dtype.kind != "U":
        return
    others = [label for label in np.array(labels, object).ravel() if not isinstance(label, str)]
    if others:
        raise _unknown_kind(name, f"strings and {others[0]!r}")


def _check_kind(labels: np.ndarray, name: str) -> None:
    kind = labels.dtype.kind
    if kind in "biuU":
        return
    if kind == "f":
        values = labels.astype(np.float64, copy=False)
        wrong = labels[~((values == np.rint(values)) & (np.abs(values) < _LARGEST_FLOAT))]
        if np.isnan(wrong).any():
            raise _missing(name, np.nan)
        if wrong.size:
            one = wrong.tolist()[0]
            if one % 1 == 0:  # not for infinity
                raise _unknown_kind(name, f"{one!r}, which is too large: convert the labels to strings")
            remedy = "predict them with a WTMRegressor (wtm train --regression), or divide them into ranges"
            raise _unknown_kind(name, f"{one!r} and continuous numbers of dtype {labels.dtype}: {remedy}")
    elif kind == "O":
        others = [label for label in labels.tolist() if not isinstance(label, str)]
        missing = [label for label in others if is_missing(label)]
        if missing:
            raise _missing(name, missing[0])
        if len(others) == len(labels) > 0:
            remedy = "convert them, such as by .astype(int) or .astype(str)"
            raise _unknown_kind(name, f"{others[0]!r} and others of dtype object: {remedy}")
        if others:
            raise _unknown_kind(name, f"strings and {others[0]!r}")
    elif kind in "mM":
        raise _unknown_kind(name, f"dates or times of dtype {labels.dtype}: convert them to strings")
    else:
        raise _unknown_kind(name, f"labels of dtype {labels.dtype}" + ": decode them into strings" * (kind == "S"))


def _missing(name: str, label: Any) -> ValueError:
    return ValueError(
        f"{name} must hold a label for each row, but holds the missing value {label!r}. Remove such rows."
    )


def _unknown_kind(name: str, found: str) -> ValueError:
    return ValueError(f"Unknown label type: {name} must hold {_KINDS}; got {found}.")
