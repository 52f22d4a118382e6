"""The fewest columns to change so that a row gets another class."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any

import numpy as np

from wtm.machine.examples import pack_examples
from wtm.machine.voting import VotingModel
from wtm.rules.cells import cells_by_column
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.columns import NumberColumn
from wtm.tables.condition_grammar import Condition, IsMissing, spell_label
from wtm.tables.table import SparseTable, Table

_BATCH = 4096

Changes = tuple[tuple[int, int], ...]
"""Columns, and for each the position of its new cell."""


@dataclass(frozen=True)
class NearestChange:
    """Changes of a row after which another class is predicted.

    Attributes
    ----------
    label : object
        The class that is then predicted; the class of the row if no such change was found.
    changes : tuple of (Condition, Condition)
        What holds for each changed column now, and what has to hold.
    is_nearest : bool
        Whether no change of fewer columns gives another class; without `changes`, whether no change at all does.
    n_refuted : int
        No change of this many columns, or fewer, gives another class.
    """

    label: Any
    changes: tuple[tuple[Condition, Condition], ...]
    is_nearest: bool
    n_refuted: int

    def __str__(self) -> str:
        if not self.changes:
            found = "No change of the columns gives another class" if self.is_nearest else "No change was found"
        else:
            found = f"{spell_label(self.label)} would be predicted with "
            found += ", ".join(f"{after} instead of {_spell_before(before)}" for before, after in self.changes)
        if self.is_nearest:
            return found
        columns = f"of {self.n_refuted} columns or fewer " if self.n_refuted > 1 else "of a single column "
        ruled_out = f": a change {columns}is not enough" if self.n_refuted else ""
        return f"{found} (not proved to be the fewest columns, as the search was given up{ruled_out})"


def _spell_before(condition: Condition) -> str:
    return "missing" if isinstance(condition, IsMissing) and condition.is_missing else str(condition)


def missing_by_row(table: Table | SparseTable, columns: np.ndarray) -> list[list[int]]:
    """Return for each row of a table which of some columns are missing."""
    missing: list[list[int]] = [[] for _ in range(len(table))]
    if isinstance(table, SparseTable) and not NumberColumn("X", table.csr.data).has_missing():
        return missing  # without looking at each of very many columns
    for j in columns.tolist():
        column = table.column(j)
        if isinstance(column, NumberColumn):
            is_missing = np.isnan(column.values) if column.has_missing() else np.zeros(0, np.bool_)
        else:
            is_missing = column.codes < 0
        for row in np.flatnonzero(is_missing).tolist():
            missing[row].append(j)
    return missing


def find_nearest_change(
    voting: VotingModel,
    vocabulary: Vocabulary,
    labels: Sequence[Any],
    features: np.ndarray,
    missing: Container[int],
    max_tries: int,
) -> NearestChange:
    """Search as `wtm.rules.explanation.Explanation.nearest_change` describes.

    Parameters
    ----------
    voting : VotingModel
    vocabulary : Vocabulary
    labels : sequence
        The classes.
    features : ndarray of shape (n_features,), bool
        The row.
    missing : container of int
        The columns that are missing in the row. If `fit` saw none missing, the features don't show it.
    max_tries : int
    """
    search = _Search(voting, vocabulary, features)
    n_refuted, found = search.exactly(max_tries)
    is_nearest = found is not None
    if found is None:
        found = search.greedily()
        is_nearest = len(found) == n_refuted + 1

    def holds_now(column: int) -> Condition:
        if column in missing:
            return IsMissing(vocabulary.column_name(column))
        return search.cells[column][search.current[column]].condition

    changed = tuple((holds_now(column), search.cells[column][cell].condition) for column, cell in found)
    return NearestChange(labels[search.predicted_after(found)], changed, is_nearest, n_refuted)


class _Search:
    """Changes of a row, and the class that is predicted after them.

    Attributes
    ----------
    cells : dict of int to list of Cell
        The cells of each column that can change.
    current : dict of int to int
        Position of the row's cell, for each of these columns.
    """

    def __init__(self, voting: VotingModel, vocabulary: Vocabulary, features: np.ndarray) -> None:
        self._voting, self._features = voting, features
        cells = cells_by_column(vocabulary, np.unique(voting.literal_list.astype(np.int64) % vocabulary.n_features))
        self.current = {
            column: next(i for i, cell in enumerate(of_column) if (features[cell.features] == cell.values).all())
            for column, of_column in cells.items()
        }
        self.cells = cells
        self._others = {
            column: [(column, i) for i, cell in enumerate(of_column) if cell.is_seen and i != self.current[column]]
            for column, of_column in cells.items()
        }
        sums = self._sums([()])[0]
        self._label = int(sums.argmax())
        shares = self._largest_shares(vocabulary, self._lead(sums))
        self._order = sorted(shares, key=lambda column: -shares[column])
        self._shares = np.array([shares[column] for column in self._order])

    def exactly(self, max_tries: int) -> tuple[int, Changes | None]:
        """Return a number of columns too few to change the class, and changes of the fewest columns that do.

        The changes are empty if there are none, and None if there is too much to try.
        """
        n_left = max_tries
        for n_columns in range(1, len(self.cells) + 1):
            candidates = chain.from_iterable(
                product(*(self._others[column] for column in columns)) for columns in self._combinations(n_columns)
            )
            while batch := list(islice(candidates, _BATCH)):
                n_left -= len(batch)
                if n_left < 0:
                    return n_columns - 1, None
                changed = np.flatnonzero(self._sums(batch).argmax(axis=1) != self._label)
                if len(changed):
                    return n_columns - 1, batch[changed[0]]
        return len(self.cells), ()

    def greedily(self) -> Changes:
        """Return changes that give another class, by the best change of one more column each time; () if that fails."""
        found: Changes = ()
        behind = self._behind(self._sums([()]))[0]
        while behind > 0:
            free = self.cells.keys() - {column for column, _ in found}
            candidates = [(*found, change) for column in sorted(free) for change in self._others[column]]
            after = self._behind(self._sums(candidates)) if candidates else np.array([behind])
            if after.min() >= behind:
                return ()
            found, behind = candidates[int(after.argmin())], after.min()
        for change in found:  # that were overtaken by later ones
            fewer = tuple(other for other in found if other != change)
            if self._behind(self._sums([fewer]))[0] <= 0:
                found = fewer
        return found

    def predicted_after(self, changes: Changes) -> int:
        """Return the index of the class that is predicted after changes."""
        return int(self._sums([changes])[0].argmax())

    def _sums(self, candidates: Sequence[Changes]) -> np.ndarray:
        rows = np.repeat(self._features[np.newaxis], len(candidates), axis=0)
        for row, changes in zip(rows, candidates, strict=True):
            for column, place in changes:
                cell = self.cells[column][place]
                row[cell.features] = cell.values
        return self._voting.sums(pack_examples(rows))

    def _lead(self, sums: np.ndarray) -> np.ndarray:
        """Return what each class has to gain to be predicted, shape (..., n_classes); 0 for the row's class."""
        classes = np.arange(sums.shape[-1])
        return np.where(classes == self._label, 0, sums[..., [self._label]] - sums + (classes > self._label))

    def _behind(self, sums: np.ndarray) -> np.ndarray:
        """Return the least that another class has to gain, of shape (n_samples,); at most 0 if it is predicted."""
        return np.delete(self._lead(sums), self._label, axis=1).min(axis=1)

    def _largest_shares(self, vocabulary: Vocabulary, lead: np.ndarray) -> dict[int, float]:
        """Return for each column a bound on the share of a lead that its change alone can make up for.

        Rules that have a condition on it may become true or false; all others stay as they are.
        """
        voting = self._voting
        literals, votes = voting.literal_list, voting.clause_votes
        clause = np.repeat(np.arange(len(votes)), np.diff(voting.clause_ends))
        truth = np.concatenate([self._features, ~self._features])
        is_true = np.bincount(clause[~truth[literals]], minlength=len(votes)) == 0
        # What a class gains on the row's class if all its clauses turn as is best for it, and all of the row's class
        # as is worst.
        of_class = np.arange(len(votes)) // voting.n_clauses
        is_own = of_class == self._label
        gains = np.where(is_true == ((votes > 0) == is_own), np.abs(votes), 0)
        columns, column = np.unique(vocabulary.columns_of(literals % vocabulary.n_features), return_inverse=True)
        uses = np.unique(clause * len(columns) + column)  # of a column by a clause, each once
        clause, column = np.divmod(uses, max(1, len(columns)))
        most = np.zeros((len(columns), voting.n_machines))
        np.add.at(most, (column, of_class[clause]), gains[clause])
        others = np.arange(voting.n_machines) != self._label
        shares = ((most[:, others] + most[:, [self._label]]) / lead[others]).max(axis=1)
        return dict(zip(columns.tolist(), shares.tolist(), strict=True))

    def _combinations(self, n_columns: int, start: int = 0, reached: float = 0.0) -> Iterator[tuple[int, ...]]:
        """Yield the sets of columns whose shares add up to a lead: the others can't change the class."""
        if n_columns == 0:
            yield ()
            return
        for i in range(start, len(self._order) - n_columns + 1):
            if reached + self._shares[i : i + n_columns].sum() < 1 - 1e-9:
                return  # shares descend, so no later set gets there
            for rest in self._combinations(n_columns - 1, i + 1, reached + self._shares[i]):
                yield self._order[i], *rest
