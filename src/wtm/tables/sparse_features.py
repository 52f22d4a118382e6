"""Compute the features of a sparse table without a dense copy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from wtm.tables.conditions import Numbers
from wtm.tables.float64 import as_float64


@dataclass(frozen=True)
class SparseFeatures:
    """Conditions on number columns, laid out for the entries of a CSR matrix.

    Attributes
    ----------
    columns : ndarray of shape (n_columns,), int64
        The columns that have conditions, ascending; the following are of these.
    first : ndarray of shape (n_columns,), int64
        The first feature of each column.
    n_thresholds : ndarray of shape (n_columns,), int64
        The number of its features that are thresholds.
    has_missing : ndarray of shape (n_columns,), bool
        Whether it has one more feature, "is missing".
    thresholds : ndarray of shape (n_features,), float64
        Threshold of each feature; infinity for "is missing".
    holds_for_zero : ndarray of shape (n_features,), bool
        The features of an entry that is not stored.
    """

    columns: np.ndarray
    first: np.ndarray
    n_thresholds: np.ndarray
    has_missing: np.ndarray
    thresholds: np.ndarray
    holds_for_zero: np.ndarray

    @classmethod
    def of(cls, conditions: Mapping[int, Numbers]) -> Self:
        """Lay out the conditions on columns, by position, ascending."""
        of_columns = conditions.values()
        n_features = np.array([c.n_features for c in of_columns], np.int64)
        thresholds = np.array([t for c in of_columns for t in (*c.thresholds, *[np.inf] * c.has_missing)], np.float64)
        return cls(
            columns=np.array(list(conditions), np.int64),
            first=np.cumsum(n_features) - n_features,
            n_thresholds=np.array([len(c.thresholds) for c in of_columns], np.int64),
            has_missing=np.array([c.has_missing for c in of_columns], np.bool_),
            thresholds=thresholds,
            holds_for_zero=thresholds < 0,
        )

    def of_rows(self, csr: sp.csr_array) -> sp.csr_array:
        """Return the features of some rows, a bool CSR matrix of shape (n_samples, n_features)."""
        differences = self._differences(csr)
        always = np.flatnonzero(self.holds_for_zero)
        if not len(always):
            return differences
        n_rows = csr.shape[0]
        ends = np.arange(n_rows + 1) * len(always)
        of_zeros = sp.csr_array((np.ones(ends[-1], np.bool_), np.tile(always, n_rows), ends), differences.shape)
        return sp.csr_array(differences != of_zeros)

    def max_entries_per_row(self, csr: sp.csr_array) -> int:
        """Return an upper bound on the number of features that hold in a row."""
        most = int(np.diff(csr.indptr).max(initial=0)) * int(self.n_thresholds.max(initial=0) + 1)
        return min(most + int(self.holds_for_zero.sum()), len(self.thresholds))

    def _differences(self, csr: sp.csr_array) -> sp.csr_array:
        """Mark the features that differ from those of zero."""
        values = as_float64(csr.data, lambda entry: f"column {csr.indices[entry]}")
        rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        columns = np.searchsorted(self.columns, csr.indices)
        columns[columns == len(self.columns)] = 0
        known = np.flatnonzero(self.columns[columns] == csr.indices)
        values, rows, columns = values[known], rows[known], columns[known]
        missing = np.flatnonzero(np.isnan(values) & self.has_missing[columns])
        found_rows = [rows[missing]]
        found_features = [self.first[columns[missing]] + self.n_thresholds[columns[missing]]]
        entries = np.arange(len(values))
        for place in range(int(self.n_thresholds.max(initial=0))):
            entries = entries[self.n_thresholds[columns[entries]] > place]
            features = self.first[columns[entries]] + place
            differs = (values[entries] > self.thresholds[features]) != self.holds_for_zero[features]
            found_rows.append(rows[entries[differs]])
            found_features.append(features[differs])
        where = np.concatenate(found_rows), np.concatenate(found_features)
        shape = csr.shape[0], len(self.thresholds)
        return sp.csr_array((np.ones(len(where[0]), np.bool_), where), shape=shape)
