"""Parts of columns within which the rules can't tell values apart."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wtm.rules.vocabulary import Vocabulary
from wtm.tables.condition_grammar import Condition, conjunction


@dataclass(frozen=True)
class Cell:
    """Values of a column that are alike to the rules.

    Attributes
    ----------
    condition : Condition
        True for these values.
    features : ndarray of int64
        The features on the column that rules use.
    values : ndarray of bool
        What they are in this cell.
    is_seen : bool
        Whether the cell holds values that `fit` saw.
    """

    condition: Condition
    features: np.ndarray
    values: np.ndarray
    is_seen: bool = True


def cells_by_column(vocabulary: Vocabulary, used: np.ndarray) -> dict[int, list[Cell]]:
    """Return the cells of each column that rules use; `used` are their features, int64, ascending."""
    columns, starts = np.unique(vocabulary.columns_of(used), return_index=True)
    parts = np.split(used, starts[1:])
    # Not strict: of no features, np.split makes one part.
    return {c: list(_cells(vocabulary, c, features)) for c, features in zip(columns.tolist(), parts, strict=False)}


def _cells(vocabulary: Vocabulary, column: int, features: np.ndarray) -> Iterator[Cell]:
    """Yield the cells between thresholds, or of all other values, and one for each value and for a missing one."""
    n_cuts = int(vocabulary.are_thresholds(features).sum())
    cuts, others = features[:n_cuts].tolist(), features[n_cuts:].tolist()
    n_features = vocabulary.n_features_of(column)
    # If rules use all values of a column of categories, what is left was not seen in fit.
    is_seen = n_cuts > 0 or len(others) < n_features or n_features == 1
    for place in range(n_cuts + 1):
        false = cuts[place : place + 1] + ([] if place else others)
        literals = cuts[max(0, place - 1) : place] + [vocabulary.n_features + feature for feature in false]
        condition = conjunction(list(map(vocabulary.condition, literals)))
        yield Cell(condition, features, np.arange(len(features)) < place, is_seen)
    for place, feature in enumerate(others, start=n_cuts):
        yield Cell(vocabulary.condition(feature), features, np.arange(len(features)) == place)
