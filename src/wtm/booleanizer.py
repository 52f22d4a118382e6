"""Booleanizer: a transformer from columns of any kind to true/false features."""

import math
import numbers
from collections.abc import Callable, Collection, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.counted_columns import CountedColumn
from wtm.tables.doubtful_columns import doubtful_columns_warning
from wtm.tables.feature_blocks import feature_blocks
from wtm.tables.learn_conditions import conditions_of_counts, learn_conditions
from wtm.tables.new_values import new_values_warnings
from wtm.tables.reading import read_validated
from wtm.tables.split_thresholds import MIN_ROWS, with_split_thresholds
from wtm.tables.table import SparseTable, Table
from wtm.tables.thresholds import given_thresholds, thresholds_from_json, thresholds_to_json
from wtm.utils.caller import forget_warnings, warn_caller, warn_caller_once
from wtm.utils.memory_limits import check_memory
from wtm.validation.row_weights import integer_weights, sample_weights
from wtm.validation.separated_targets import separated_targets

__all__ = ["Booleanizer"]

STRATEGIES = ("quantile", "splits")
_STRATEGIES_BEFORE = {"strategy": "quantile", "fitted_strategy": "quantile"}  # of descriptions that lack them


class Booleanizer(TransformerMixin, BaseEstimator):
    """Turn columns of any kind into true/false features.

    `fit` learns the conditions on each column, and `transform` evaluates them:

    - a column of only 0 and 1, or False and True, is used as it is, under its own name;
    - any other number column gets a feature ``age > 40.5`` for each threshold;
    - a column of strings, or of a categorical dtype, gets a feature ``colour = red`` for each value. Strings are never
      read as numbers, and the order of an ordered categorical dtype is not used;
    - a column with missing values (None, NaN, NaT, pandas.NA) gets one more feature, ``income is missing``;
    - a column with a single value gets no other feature.

    Parameters
    ----------
    n_thresholds : int, default=10
        Largest number of thresholds of a number column. They divide its rows evenly and lie between neighbouring
        training values; if there are few values, every gap between them has a threshold. In a column that is mostly 0,
        such as a sparse one, the first threshold is 0. A threshold splits off at least one training row in a hundred,
        unless that would leave the column without any.
    strategy : {"quantile", "splits"}, default="quantile"
        How thresholds are chosen. "quantile" is as above, and ignores the targets. "splits" needs `y`: the thresholds
        of columns with more values than that are splits of a decision tree that separates the targets. Columns that the
        tree does not use keep their quantiles, and so do all with fewer than 2,000 rows, from which a tree learns too
        much chance.
    thresholds : array-like of float, or dict, default=None
        Your own thresholds: a list for all number columns, those of only 0 and 1 too, or a dict of lists for some
        columns, by name or position. They are used as given, with either strategy: `n_thresholds` and `strategy` are
        then for the other columns.
    max_categories : int or None, default=64
        Largest number of values of a column that get a feature: the most frequent ones. None means no limit. Other
        values are treated as unseen.
    sparse_output : bool or "auto", default="auto"
        Whether `transform` returns a CSR matrix. "auto" returns one for sparse input.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, defined only if all names in `X` are strings.
    strategy_ : str
        The strategy for columns without `thresholds` of your own: "quantile" with too few rows for "splits".
    conditions_ : wtm.tables.column_conditions.ColumnConditions
        The conditions on each column by its position: :class:`~wtm.tables.conditions.Numbers` or
        :class:`~wtm.tables.conditions.Categories`.
    n_features_out_ : int
        Number of features.

    Notes
    -----
    Numbers are compared as float64, whatever their dtype: 1, 1.0 and True are the same value, even as categories. For
    an unseen value, or a missing one in a column that had none during fit, all features of the column are false. A 0/1
    column is true above 0.5. Infinities, dates, and integers that float64 can't hold are refused.

    Names are exact: a threshold reads back as the same float64, and ambiguous values are in quotes. See the module
    `wtm.tables.conditions` for the grammar.

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

    conditions_: ColumnConditions
    n_features_in_: int
    strategy_: str

    def __init__(
        self,
        n_thresholds: int = 10,
        *,
        strategy: str = "quantile",
        thresholds: Any = None,
        max_categories: int | None = 64,
        sparse_output: bool | str = "auto",
    ) -> None:
        self.n_thresholds = n_thresholds
        self.strategy = strategy
        self.thresholds = thresholds
        self.max_categories = max_categories
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the conditions on each column.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            NumPy, SciPy, pandas, polars, or lists of lists.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Targets, needed with ``strategy="splits"`` and ignored otherwise. Text, booleans and whole numbers of up to
            100 different values are labels, and all else are numbers.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts: a row of weight 3 counts as three rows, and a row of weight 0 is left out.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            A column holds something other than numbers, booleans and strings, or a parameter has the wrong type.
        ValueError
            No column has two different values, a number is infinite, float64 can't hold an integer, two columns have
            the same name, or a parameter has a value that is not allowed.

        Warns
        -----
        UserWarning
            Little can be learnt from some columns: identifiers, row numbers, or numbers and dates stored as text.
        """
        before = dict(self.__dict__)
        try:
            table = read_validated(self, X, reset=True)
            weights = sample_weights(sample_weight, table.n_rows)
            targets = separated_targets(y, len(table)) if self.strategy == "splits" else None
            if weights is not None and not weights.all():
                present = np.flatnonzero(weights)
                table, weights = table[present], weights[present]
                targets = None if targets is None else targets[present]
            return self.fit_table(table, getattr(self, "feature_names_in_", None), weights, targets)
        except BaseException:
            self.__dict__ = before  # a failed fit leaves an earlier one as it was
            raise

    def transform(self, X: Any) -> Any:
        """Evaluate the conditions on each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, `n_features_out_`), bool

        Raises
        ------
        ValueError
            The columns differ from those of `fit`, a column that held numbers holds a string, a column that held only
            text holds only numbers or booleans, a number is infinite, or float64 can't hold an integer.

        Warns
        -----
        UserWarning
            All values of a column are missing, or were not seen in `fit`. Each column is named once.
        """
        check_is_fitted(self)
        table = read_validated(self, X, reset=False)
        blocks = feature_blocks(self.conditions_, table)
        for warning in new_values_warnings(table, self.conditions_, self.max_categories):
            warn_caller_once(self, warning)
        is_sparse = isinstance(table, SparseTable)
        if is_sparse if self.sparse_output == "auto" else self.sparse_output:
            return sp.vstack([sp.csr_array(block) for block in blocks], format="csr")
        check_memory(
            table.n_rows * self.n_features_out_,
            f"{table.n_rows:,} rows of {self.n_features_out_:,} features in a dense array",
            "Use a smaller n_thresholds or max_categories, transform some rows at a time, or pass a sparse X.",
        )
        out = np.empty((table.n_rows, self.n_features_out_), np.bool_)
        start = 0
        for block in blocks:
            out[start : start + block.shape[0]] = block.toarray() if is_sparse else block
            start += block.shape[0]
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features, each a condition on a column.

        Parameters
        ----------
        input_features : array-like of str of shape (`n_features_in_`,), optional
            Names of the columns, if `fit` got none; the default is ``x0``, ``x1`` and so on.

        Returns
        -------
        ndarray of shape (`n_features_out_`,), object
        """
        check_is_fitted(self)
        return np.array(self._feature_names(self._column_name(input_features), negated=False), object)

    def get_negated_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the negated features: ``age <= 40.5``, ``colour != red``, ``income is not missing``.

        For a number column with missing values the name is ``age <= 40.5 or missing``, since a missing number is not
        greater. Parameters and shape are those of `get_feature_names_out`.
        """
        check_is_fitted(self)
        return np.array(self._feature_names(self._column_name(input_features), negated=True), object)

    def _feature_names(self, column_name: Callable[[int], str], *, negated: bool) -> list[str]:
        return [
            str(conditions.condition(column_name(j), place, negated=negated))
            for j, conditions in self.conditions_.with_features.items()
            for place in range(conditions.n_features)
        ]

    def _column_name(self, input_features: Any) -> Callable[[int], str]:
        if input_features is None and not hasattr(self, "feature_names_in_"):
            return "x{}".format  # only of columns with features: there may be far more
        names = _check_feature_names_in(self, input_features)
        return lambda j: str(names[j])

    @property
    def n_features_out_(self) -> int:
        """Number of features."""
        return self.conditions_.n_features

    def to_json(self) -> dict[str, Any]:
        """Return the fitted transformer as plain JSON types; `from_json` is the inverse."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return {
            "n_thresholds": int(self.n_thresholds),
            "strategy": self.strategy,
            "fitted_strategy": self.strategy_,
            "thresholds": thresholds_to_json(self.thresholds),
            "max_categories": None if self.max_categories is None else int(self.max_categories),
            "sparse_output": self.sparse_output,
            "feature_names_in": None if names is None else [str(name) for name in names],
            "columns": self.conditions_.to_json(),
        }

    @classmethod
    def from_json(cls, state: Any) -> Self:
        """Return the transformer that `to_json` described.

        Raises
        ------
        ValueError
            `state` is not such a description.
        """
        keys = {
            "n_thresholds", "strategy", "fitted_strategy", "thresholds", "max_categories", "sparse_output",
            "feature_names_in", "columns",
        }  # fmt: skip
        if not isinstance(state, dict) or (_STRATEGIES_BEFORE | state).keys() != keys:
            raise ValueError(f"A Booleanizer's description must be a dict of {sorted(keys)}, got {state!r}.")
        state = _STRATEGIES_BEFORE | state
        columns, names = ColumnConditions.from_json(state["columns"]), state["feature_names_in"]
        self = cls(
            state["n_thresholds"],
            strategy=state["strategy"],
            thresholds=thresholds_from_json(state["thresholds"]),
            max_categories=state["max_categories"],
            sparse_output=state["sparse_output"],
        )
        try:
            self._check_parameters()
        except TypeError as error:
            raise ValueError(str(error)) from error
        if state["fitted_strategy"] not in (self.strategy, "quantile"):
            raise ValueError(f"fitted_strategy can't be {state['fitted_strategy']!r} with strategy={self.strategy!r}.")
        self.strategy_ = state["fitted_strategy"]
        self.n_features_in_ = len(columns)
        if names is not None:
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise ValueError(f"feature_names_in must be None or a list of strings, got {names!r}.")
            if len(names) != len(columns) or len(set(names)) != len(names):
                raise ValueError(f"feature_names_in must be {len(columns)} different names, got {names!r}.")
            self.feature_names_in_ = np.array(names, object)
        self._set_conditions(columns, "columns")
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_issued", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        before = {"strategy": "quantile"} | ({"strategy_": "quantile"} if "conditions_" in state else {})
        super().__setstate__(before | state)  # pickles of wtm 0.1 lack them
        if isinstance(state.get("conditions_"), list):  # of wtm 0.1
            self.conditions_ = ColumnConditions(len(state["conditions_"]), dict(enumerate(state["conditions_"])))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "conditions_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.strategy == "splits"
        return tags

    def _check_parameters(self) -> None:
        check_scalar(self.n_thresholds, "n_thresholds", numbers.Integral, min_val=1)
        if not isinstance(self.strategy, str) or self.strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {', '.join(map(repr, STRATEGIES))}; got {self.strategy!r}.")
        if self.max_categories is not None:
            check_scalar(self.max_categories, "max_categories", numbers.Integral, min_val=1)
        if not isinstance(self.sparse_output, bool) and self.sparse_output != "auto":
            raise ValueError(f"sparse_output must be True, False or 'auto', got {self.sparse_output!r}.")

    def fit_table(
        self,
        table: Table | SparseTable,
        names: np.ndarray | None,
        weights: np.ndarray | None = None,
        targets: np.ndarray | None = None,
    ) -> Self:
        """Fit to a table as wtm reads it.

        Parameters
        ----------
        table : Table or SparseTable
        names : ndarray of str or None
            Names of its columns.
        weights : ndarray of shape (n_samples,), float64, or None
            Weights of its rows, all above 0.
        targets : ndarray of shape (n_samples,), int64, or (n_samples, n_outputs), float64
            Class indices, or numbers; needed with the strategy "splits".
        """
        self._check_parameters()
        given = self._start_fit(table.n_columns, names, table.number_columns())
        n_thresholds, times = int(self.n_thresholds), None if weights is None else integer_weights(weights)
        conditions = learn_conditions(table, given, n_thresholds, self.max_categories, times)
        n_rows = table.n_rows if weights is None else math.fsum(weights)
        self.strategy_ = self.strategy if n_rows >= MIN_ROWS else "quantile"
        if self.strategy_ == "splits":
            assert targets is not None
            conditions = with_split_thresholds(table, conditions, targets, times, n_thresholds, given)
        self._set_conditions(conditions, f"X (n_samples = {table.n_rows})")
        forget_warnings(self)
        doubt = doubtful_columns_warning(table, names)
        if doubt is not None:
            warn_caller(doubt)
        return self

    def fit_counts(self, columns: Sequence[CountedColumn], n_rows: int, names: np.ndarray | None) -> Self:
        """Fit to what was counted of the columns of a table of `n_rows` rows, by quantiles; warn of no columns."""
        self._check_parameters()
        self.strategy_ = "quantile"
        given = self._start_fit(len(columns), names, [j for j, column in enumerate(columns) if column.is_number])
        counts = [column.counts for column in columns]
        conditions = conditions_of_counts(counts, given, int(self.n_thresholds), self.max_categories)
        self._set_conditions(conditions, f"X (n_samples = {n_rows})")
        return self

    def _start_fit(
        self, n_columns: int, names: np.ndarray | None, number_columns: Collection[int]
    ) -> dict[int, tuple[float, ...]]:
        """Remember the columns, and return the caller's thresholds."""
        self.n_features_in_ = n_columns
        if names is not None:
            self.feature_names_in_ = names
        column_names = [] if self.thresholds is None else _check_feature_names_in(self, None).tolist()
        return given_thresholds(self.thresholds, column_names, number_columns)

    def _set_conditions(self, conditions: ColumnConditions, name: str) -> None:
        if not conditions.n_features:
            raise ValueError(
                f"{name} has no column with two different values, so it gives no features. Fit on rows that differ."
            )
        self.conditions_ = conditions
