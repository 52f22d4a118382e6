"""What the estimators share to predict: tables are read, packed into examples, and voted on."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wtm.booleanizer import Booleanizer
from wtm.encoding import learn_booleanizer, table_to_examples, table_to_parts
from wtm.kernels.layout import BLOCK
from wtm.machine.class_machine import Machine
from wtm.machine.examples import Examples, words_per_row
from wtm.machine.model_state import Model, PredictionModel
from wtm.machine.voting import VotingModel
from wtm.tables.new_values import new_values_warnings
from wtm.tables.reading import read_validated
from wtm.tables.table import SparseTable, Table
from wtm.utils.caller import forget_warnings, warn_caller_once
from wtm.utils.memory_limits import check_memory
from wtm.utils.threads import resolve_n_threads

_BYTES_PER_PART = 1 << 24  # of packed rows and sums at a time, so that working space doesn't grow with the table


class Estimator(BaseEstimator):
    """The part of the estimators that knows of tables and votes; of the parameters it needs `n_jobs` and `booleanizer`.

    Tables are predicted some rows at a time, so an array that is mapped from a file is never in memory as a whole. If
    all values of a column are missing or unseen, although `fit` saw values in it, a UserWarning names the column once.
    """

    n_jobs: int | None
    booleanizer: Any
    booleanizer_: Booleanizer | None
    _n_thresholds = 10  # per column, of a Booleanizer that "auto" makes
    _model: Model | PredictionModel
    _voting: VotingModel | None

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of the rules, by weight, that use each column."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"This {type(self).__name__} is not fitted yet, so it has no feature_importances_.")
        voting, n_features = self._voting_model(), self._model.parameters.n_features
        column_of = np.arange(n_features)
        if self.booleanizer_ is not None:
            column_of = self.booleanizer_.conditions_.column_of
        n_columns = self.n_features_in_
        clauses = np.repeat(np.arange(len(voting.clause_votes)), np.diff(voting.clause_ends))
        # A clause counts once per column, however many of its literals are conditions on it.
        uses = np.unique(clauses * n_columns + column_of[voting.literal_list % n_features])
        weights = np.abs(voting.clause_votes)[uses // n_columns] * voting.unit
        shares: np.ndarray = np.bincount(uses % n_columns, weights, minlength=n_columns)
        return shares / (shares.sum() or 1.0)

    @property
    def machines_(self) -> list[Machine]:
        """The machine of each class, or of each number that is predicted."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"This {type(self).__name__} is not fitted, so it has no machines_. Call fit first.")
        return self._model.machines

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        if not self._is_strict():
            tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_voting", None)  # a compiled copy of the model
        state.pop("_issued", None)
        return state

    def _table(self, X: Any, *, reset: bool = False, min_rows: int = 1, name: str = "X") -> Table | SparseTable:
        """Read a table and check its columns against those seen in fit; with `reset`, remember them."""
        return read_validated(self, X, reset=reset, min_rows=min_rows, name=name)

    def _learn_features(self, table: Table | SparseTable, weights: np.ndarray | None, targets: np.ndarray) -> None:
        """Decide how tables become true/false features, from the training rows, their weights and their targets."""
        names = getattr(self, "feature_names_in_", None)
        self.booleanizer_ = learn_booleanizer(self.booleanizer, table, names, weights, self._n_thresholds, targets)
        forget_warnings(self)

    def _examples(self, table: Table | SparseTable, name: str = "X") -> Examples:
        """Pack a table."""
        examples = self._packed(table, name)
        self._warn_of_new_values(table)
        return examples

    def _packed(self, table: Table | SparseTable, name: str = "X") -> Examples:
        """Pack a table that may be a part of a larger one, without warnings."""
        return table_to_examples(table, self.booleanizer_, name, strict=self._is_strict())

    def _warn_of_new_values(self, table: Table | SparseTable) -> None:
        b = self.booleanizer_
        conditions, max_categories = (None, None) if b is None else (b.conditions_, b.max_categories)
        for warning in new_values_warnings(table, conditions, max_categories):
            warn_caller_once(self, warning)

    def _is_strict(self) -> bool:
        return isinstance(self.booleanizer, str) and self.booleanizer == "strict"

    def _voting_model(self) -> VotingModel:
        voting = getattr(self, "_voting", None)
        if voting is None:
            voting = self._voting = self._model.voting_model()
        return voting

    def _worth_of_votes(self) -> np.ndarray:
        """What a vote of 1 in fixed point adds, for each machine: float64 of shape (n_machines,)."""
        voting = self._voting_model()
        return np.full(voting.n_machines, voting.unit)

    def _from_sums(self, X: Any, answer: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Compute `answer` of the sums in fixed point, int64 of shape (some rows, n_machines), some rows at a time."""
        check_is_fitted(self)
        voting, n_threads = self._voting_model(), resolve_n_threads(self.n_jobs)
        table = self._table(X, min_rows=0)
        nothing = answer(np.empty((0, voting.n_machines), np.int64))
        check_memory(
            len(table) * nothing.itemsize * math.prod(nothing.shape[1:]),
            f"Predictions for {len(table):,} rows",
            "Predict some rows at a time.",
        )
        answers = np.empty((len(table), *nothing.shape[1:]), nothing.dtype)
        start = 0
        for examples in self._parts(table, n_threads, bytes_per_row=8 * voting.n_machines):
            stop = start + len(examples)
            answers[start:stop] = answer(voting.sums(examples, n_threads=n_threads))
            start = stop
        return answers

    def _parts(self, table: Table | SparseTable, n_threads: int, *, bytes_per_row: int) -> Iterator[Examples]:
        """Pack a table part by part: whole blocks, at least one per thread if there are enough.

        `bytes_per_row` is what the caller needs for a row of a part, besides the packed row.
        """
        bytes_per_row += 8 * words_per_row(self._model.parameters.n_features)
        n_blocks = max(_BYTES_PER_PART // bytes_per_row // BLOCK, min(n_threads, -(-len(table) // BLOCK)), 1)
        parts = table_to_parts(table, self.booleanizer_, n_blocks * BLOCK, strict=self._is_strict())
        self._warn_of_new_values(table)
        return parts
