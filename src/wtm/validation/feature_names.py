"""Names of the columns of a fitted classifier."""

from collections.abc import Sequence
from typing import Any

from wtm.tables.reading import first_duplicate
from wtm.utils.printable import short_repr


def column_names(clf: Any, feature_names: Sequence[str] | None) -> Sequence[Any] | None:
    """Return the names that the caller gave, else those seen in `fit`, or None if there were none.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
    feature_names : sequence of str of length n_features_in_, or None

    Raises
    ------
    ValueError
        `feature_names` does not have a different name for each column.
    """
    if feature_names is None:
        return getattr(clf, "feature_names_in_", None)
    names = list(map(str, feature_names))
    if len(names) != clf.n_features_in_:
        raise ValueError(
            f"feature_names must name each of the model's {clf.n_features_in_} features, got {len(names)} names."
        )
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ValueError(
            f"feature_names must differ, but {short_repr(duplicate)} occurs more than once. Rename one of them."
        )
    return names
