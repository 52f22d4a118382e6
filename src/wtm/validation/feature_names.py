"""Names of columns that the caller gives."""

from collections.abc import Iterable, Sequence, Set
from typing import Any

from wtm.tables.reading import first_duplicate
from wtm.utils.printable import short_repr


def column_names(clf: Any, feature_names: Sequence[str] | None) -> Sequence[Any] | None:
    """Return the names that the caller gave, else those seen in `fit`, or None if there were none.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
    feature_names : sequence of str of length `n_features_in_`, or None

    Raises
    ------
    TypeError
        `feature_names` is not a sequence.
    ValueError
        `feature_names` does not have a different name for each column.
    """
    if feature_names is None:
        return getattr(clf, "feature_names_in_", None)
    return check_feature_names(feature_names, clf.n_features_in_, f"the model's {clf.n_features_in_} features")


def check_feature_names(feature_names: Any, n_columns: int, columns: str) -> list[str]:
    """Return the names as strings; errors are those of `column_names`."""
    if isinstance(feature_names, str | bytes | Set) or not isinstance(feature_names, Iterable):
        raise TypeError(
            f"feature_names must be a list of {n_columns} names, got {short_repr(feature_names)} of type "
            f"{type(feature_names).__name__}."
        )
    names = list(map(str, feature_names))
    if len(names) != n_columns:
        raise ValueError(f"feature_names must name each of {columns}, got {len(names)} names.")
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ValueError(
            f"feature_names must differ, but {short_repr(duplicate)} occurs more than once. Rename one of them."
        )
    return names
