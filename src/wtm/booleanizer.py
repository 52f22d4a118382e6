"""Booleanizer: columns of any kind into true/false features, with names that read as conditions."""

import numbers
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Self, TypeGuard

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from wtm.tables.columns import CategoryColumn, Column, SparseTable, Table, Tally, Value
from wtm.tables.conditions import Categories, Conditions, Numbers, conditions_from_json
from wtm.tables.reading import first_duplicate, read_validated
from wtm.tables.sparse_features import SparseFeatures
from wtm.tables.thresholds import choose_thresholds, given_thresholds, thresholds_from_json, thresholds_to_json
from wtm.utils.memory_limits import check_memory
from wtm.validation.row_weights import sample_weights, times_counted

__all__ = ["Booleanizer"]

_CELLS = 1 << 22  # features times rows worked out at a time, so that working space does not grow with the table
_FEWEST_ROWS = 64


class Booleanizer(TransformerMixin, BaseEstimator):
    """Turn columns of any kind into true/false features.

    `fit` decides what each column is, `transform` applies that:

    - a column that holds only 0 and 1, or False and True, is a feature as it is, under its own name;
    - any other number column gives a feature ``age > 40.5`` for each threshold;
    - strings, and columns of a categorical dtype, give a feature ``colour = red`` for each value. Text is never read as
      numbers, and the order of an ordered categorical dtype is not used;
    - a column with missing values (None, NaN, NaT, pandas.NA) gives one more feature, ``income is missing``;
    - a column with one value only gives none, apart from that one.

    Parameters
    ----------
    n_thresholds : int, default=10
        Most thresholds of a number column. They divide its rows evenly, lie between neighbouring training values, and
        are one in each gap where there are few values. Of a column that is mostly 0 (any sparse one) the first is 0.
        None splits off fewer than one training row in a hundred, unless the column would be left without any.
    thresholds : array-like of float, or dict, default=None
        Thresholds of your own: for every number column, or for those that are keys of the dict, by name or position.
        They are used as given, whatever the column holds.
    max_categories : int or None, default=64
        Most values of a column that get a feature, the most frequent ones; None for all. The others are treated as
        values that were never seen.
    sparse_output : bool or "auto", default="auto"
        Whether `transform` returns a CSR matrix; "auto" does where its input is sparse.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, only where `X` had names that are all strings.
    conditions_ : list of wtm.tables.conditions.Numbers or wtm.tables.conditions.Categories
        What each column is turned into.
    n_features_out_ : int
        Number of features.

    Notes
    -----
    Numbers are compared as float64, whatever their dtype: 1, 1.0 and True are the same value, in categories too. A
    value that was never seen, or a missing one in a column that had none during fit, makes all features of its column
    false. A 0/1 column is true where it is above 0.5. Infinities, dates, and integers beyond 2**53 that are no float64
    are refused.

    A name says exactly what is computed: thresholds are printed so that they read back as the same float64, and values
    in quotes where they would be ambiguous. The grammar is that of the module `wtm.tables.conditions`.

    Examples
    --------
    >>> from wtm import Booleanizer
    >>> X = [[39, "red"], [50, "blue"], [41, None]]
    >>> b = Booleanizer().fit(X)
    >>> b.get_feature_names_out().tolist()
    ['x0 > 40', 'x0 > 46', 'x1 = blue', 'x1 = red', 'x1 is missing']
    >>> b.transform([[45, "green"]]).tolist()
    [[True, False, False, False, False]]
    """

    conditions_: list[Conditions]
    n_features_in_: int

    def __init__(
        self,
        n_thresholds: int = 10,
        *,
        thresholds: Any = None,
        max_categories: int | None = 64,
        sparse_output: bool | str = "auto",
    ) -> None:
        self.n_thresholds = n_thresholds
        self.thresholds = thresholds
        self.max_categories = max_categories
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Decide what each column is turned into.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            NumPy, SciPy, pandas, polars, or lists of lists.
        y : ignored
        sample_weight : array-like of shape (n_rows,), optional
            How many rows each row counts as: 3 is the same as having it three times, 0 as leaving it out.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            A column holds what is neither a number, a boolean nor a string; or a parameter has the wrong type.
        ValueError
            No column has two different values, a number is infinite, an integer is none that float64 holds, two columns
            have the same name, or a parameter is not usable.
        """
        before = dict(self.__dict__)
        try:
            table = read_validated(self, X, reset=True)
            weights = sample_weights(sample_weight, table.n_rows)
            if weights is not None and not weights.all():
                present = np.flatnonzero(weights)
                table, weights = table[present], weights[present]
            return self._fit_table(table, getattr(self, "feature_names_in_", None), weights)
        except BaseException:
            self.__dict__ = before  # what was fitted before stays as it was
            raise

    def transform(self, X: Any) -> Any:
        """Features of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray or CSR matrix of shape (n_rows, n_features_out_), bool

        Raises
        ------
        ValueError
            The columns are not those of `fit`; a column that held numbers holds a string, or one that held text only
            numbers or booleans; or a number is infinite, or an integer that float64 does not hold.

        Warns
        -----
        UserWarning
            A column of categories has no value that was there in `fit`.
        """
        check_is_fitted(self)
        table = read_validated(self, X, reset=False)
        blocks = self._blocks(table)
        is_sparse = isinstance(table, SparseTable)
        if is_sparse if self.sparse_output == "auto" else self.sparse_output:
            return sp.vstack([sp.csr_array(block) for block in blocks], format="csr")
        check_memory(
            table.n_rows * self.n_features_out_,
            f"{table.n_rows:,} rows of {self.n_features_out_:,} features in a dense array",
            "A smaller n_thresholds or max_categories, or some rows at a time, would take less; so would a sparse X.",
        )
        out = np.empty((table.n_rows, self.n_features_out_), np.bool_)
        start = 0
        for block in blocks:
            out[start : start + block.shape[0]] = block.toarray() if is_sparse else block
            start += block.shape[0]
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features, each a condition on a column.

        Parameters
        ----------
        input_features : array-like of str of shape (n_features_in_,), optional
            Names of the columns, where `fit` saw none; ``x0``, ``x1`` and so on when left out.

        Returns
        -------
        ndarray of shape (n_features_out_,), object
        """
        check_is_fitted(self)
        literals = self.literal_names(_check_feature_names_in(self, input_features))
        return np.array(literals[: self.n_features_out_], object)

    def get_negated_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features' negations: ``age <= 40.5``, ``colour != red``, ``income is not missing``.

        Where a number column had missing values it says ``age <= 40.5 or missing``, since a missing number is not
        greater. Parameters and shape are those of `get_feature_names_out`.
        """
        check_is_fitted(self)
        literals = self.literal_names(_check_feature_names_in(self, input_features))
        return np.array(literals[self.n_features_out_ :], object)

    def literal_names(self, columns: Iterable[str]) -> list[str]:
        """Names of all features, and then of all their negations, with the columns called as given."""
        pairs = list(zip(self.conditions_, columns, strict=True))
        features = [name for conditions, column in pairs for name in conditions.names(column)]
        return features + [name for conditions, column in pairs for name in conditions.negations(column)]

    @property
    def n_features_out_(self) -> int:
        """Number of features."""
        return sum(conditions.n_features for conditions in self.conditions_)

    def to_json(self) -> dict[str, Any]:
        """Return the fitted transformer as dicts, lists, strings, numbers and booleans; `from_json` is the way back."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return {
            "n_thresholds": int(self.n_thresholds),
            "thresholds": thresholds_to_json(self.thresholds),
            "max_categories": None if self.max_categories is None else int(self.max_categories),
            "sparse_output": self.sparse_output,
            "feature_names_in": None if names is None else [str(name) for name in names],
            "columns": [conditions.to_json() for conditions in self.conditions_],
        }

    @classmethod
    def from_json(cls, state: Any) -> Self:
        """Return the transformer that `to_json` described.

        Raises
        ------
        ValueError
            `state` describes none.
        """
        keys = {"n_thresholds", "thresholds", "max_categories", "sparse_output", "feature_names_in", "columns"}
        if not isinstance(state, dict) or state.keys() != keys:
            raise ValueError(f"A Booleanizer's description must be a dict of {sorted(keys)}, got {state!r}.")
        columns, names = state["columns"], state["feature_names_in"]
        if not isinstance(columns, list) or not columns:
            raise ValueError(f"columns must be a list with at least one item, got {columns!r}.")
        self = cls(
            state["n_thresholds"],
            thresholds=thresholds_from_json(state["thresholds"]),
            max_categories=state["max_categories"],
            sparse_output=state["sparse_output"],
        )
        try:
            self._check_parameters()
        except TypeError as error:
            raise ValueError(str(error)) from error
        self.n_features_in_ = len(columns)
        if names is not None:
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise ValueError(f"feature_names_in must be None or a list of strings, got {names!r}.")
            if len(names) != len(columns) or len(set(names)) != len(names):
                raise ValueError(f"feature_names_in must be {len(columns)} different names, got {names!r}.")
            self.feature_names_in_ = np.array(names, object)
        self._set_conditions([conditions_from_json(column) for column in columns], "columns")
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "conditions_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_parameters(self) -> None:
        check_scalar(self.n_thresholds, "n_thresholds", numbers.Integral, min_val=1)
        if self.max_categories is not None:
            check_scalar(self.max_categories, "max_categories", numbers.Integral, min_val=1)
        if not isinstance(self.sparse_output, bool) and self.sparse_output != "auto":
            raise ValueError(f"sparse_output must be True, False or 'auto', got {self.sparse_output!r}.")

    def _fit_table(
        self, table: Table | SparseTable, names: np.ndarray | None, weights: np.ndarray | None = None
    ) -> Self:
        """Fit to a table that is read already, with the names of its columns where it has any.

        `weights` are those of the rows, all above 0, or None.
        """
        self._check_parameters()
        self.n_features_in_ = table.n_columns
        if names is not None:
            self.feature_names_in_ = names
        times = None if weights is None else times_counted(weights)
        given = given_thresholds(self.thresholds, _check_feature_names_in(self, None).tolist(), table.number_columns())
        if isinstance(table, SparseTable):
            conditions: list[Conditions] = [
                Numbers(given[j], tally.has_missing) if j in given else self._learn_numbers(tally)
                for j, tally in enumerate(table.tallies(times))
            ]
        else:
            conditions = [self._learn_column(column, given.get(j), times) for j, column in enumerate(table.columns)]
        self._set_conditions(conditions, f"X (n_samples = {table.n_rows})")
        return self

    def _set_conditions(self, conditions: list[Conditions], name: str) -> None:
        if not any(c.n_features for c in conditions):
            raise ValueError(f"{name} has no column with two different values, so no feature can be made of it.")
        self.conditions_ = conditions
        duplicate = first_duplicate(self.get_feature_names_out())
        if duplicate is not None:
            del self.conditions_
            raise ValueError(f"Two features would be called {duplicate!r}: rename the column of this name.")

    def _learn_column(self, column: Column, given: tuple[float, ...] | None, times: np.ndarray | None) -> Conditions:
        if isinstance(column, CategoryColumn):
            return self._learn_categories(column, times)
        if given is None:
            return self._learn_numbers(column.tally(times))
        return Numbers(given, column.has_missing())

    def _learn_numbers(self, tally: Tally) -> Numbers:
        if tally.distinct.tolist() == [0, 1]:
            return Numbers((0.5,), tally.has_missing, is_binary=True)
        chosen = choose_thresholds(tally.distinct, tally.counts, int(self.n_thresholds))
        has_missing = tally.has_missing and len(tally.distinct) > 0
        return Numbers(tuple(chosen), has_missing)

    def _learn_categories(self, column: CategoryColumn, times: np.ndarray | None) -> Categories:
        counts, has_missing = column.counts(times)
        occurring = [(value, count) for value, count in zip(column.distinct, counts, strict=True) if count]
        if len(occurring) < 2:
            return Categories((), has_missing and len(occurring) == 1)
        by_value = sorted(occurring, key=lambda pair: _sort_key(pair[0]))
        frequent = sorted(by_value, key=lambda pair: -pair[1])[: self.max_categories]
        conditions = Categories(tuple(sorted((value for value, _ in frequent), key=_sort_key)), has_missing)
        kinds = {isinstance(value, str) for value, _ in occurring}
        return conditions if kinds == conditions.are_text else replace(conditions, is_mixed=True)

    def _blocks(self, table: Table | SparseTable) -> Iterator[Any]:
        """Features of some rows at a time, bool: CSR matrices of a sparse table, else arrays that lie by columns."""
        if isinstance(table, SparseTable):
            return self._sparse_blocks(table)
        return self._dense_blocks(table)

    def _dense_blocks(self, table: Table) -> Iterator[np.ndarray]:
        writers = []
        start = 0
        for conditions, column in zip(self.conditions_, table.columns, strict=True):
            if conditions.n_features:
                writers.append((conditions.writer(column), slice(start, start + conditions.n_features)))
                self._warn_of_new_values(conditions, column)
            start += conditions.n_features
        step = max(_FEWEST_ROWS, _CELLS // self.n_features_out_)
        for first in range(0, table.n_rows, step):
            rows = slice(first, min(first + step, table.n_rows))
            block = np.empty((self.n_features_out_, rows.stop - rows.start), np.bool_)
            for write, features in writers:
                write(rows, block[features])
            yield block.T

    def _warn_of_new_values(self, conditions: Conditions, column: Column) -> None:
        if self._has_all_values(conditions) and conditions.are_all_new(column.distinct_values()):
            warnings.warn(conditions.concern_about_new(column.label), stacklevel=2)

    def _has_all_values(self, conditions: Conditions) -> TypeGuard[Categories]:
        """Whether these are conditions for every value that was there in fit."""
        if not isinstance(conditions, Categories):
            return False
        return 0 < len(conditions.values) != self.max_categories  # with that many, there may have been others too

    def _sparse_blocks(self, table: SparseTable) -> Iterator[sp.csr_array]:
        number_conditions = [c for c in self.conditions_ if isinstance(c, Numbers)]
        if len(number_conditions) < len(self.conditions_):
            raise ValueError("X is sparse, but a column held categories in fit. Pass a dense table or a data frame.")
        features = SparseFeatures.of(number_conditions)
        step = max(_FEWEST_ROWS, _CELLS // (1 + features.most_entries_a_row(table.csr)))
        for first in range(0, table.n_rows, step):
            yield features.of_rows(table.csr[first : first + step])


def _sort_key(value: Value) -> tuple[bool, Value]:
    return isinstance(value, str), value
