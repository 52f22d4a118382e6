"""The part of the estimators that reads clauses, strict or fuzzy, as rules."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from wtm.estimator import Estimator
from wtm.machine.examples import Examples
from wtm.machine.fuzzy_voting import FuzzyVotingModel
from wtm.rules.merging import Clauses, clauses_of, find_rules
from wtm.rules.vocabulary import Vocabulary
from wtm.rules.vote_counts import most_votes, vote_counts
from wtm.tables.table import SparseTable, Table
from wtm.utils.threads import resolve_n_threads


class RuleBased(Estimator):
    """An estimator whose clauses are rules."""

    @property
    def _literal_failures(self) -> int | None:
        """LF of fuzzy clauses; None for strict ones."""
        voting = self._voting_model()
        return voting.literal_failures if isinstance(voting, FuzzyVotingModel) else None

    def _find_rules(self, vocabulary: Vocabulary, *, one_sided: bool = False) -> tuple[Clauses, np.ndarray]:
        """Return the rules, and which of them each clause is a part of; see `find_rules`."""
        clauses, failures = clauses_of(self._voting_model()), self._literal_failures
        return find_rules(clauses, vocabulary, one_sided=one_sided, literal_failures=failures)

    def _most_added(self, rules: Clauses) -> np.ndarray:
        """Return the most that each rule adds to a sum or a number, without its sign."""
        added: np.ndarray = np.abs(rules.votes) * self._worth_of_votes()[rules.classes]
        return added * most_votes(rules.ends, self._literal_failures)

    def _by_size(self, rules: Clauses, X: Any) -> tuple[Clauses, np.ndarray | None]:
        """Order rules by the most that they add and, with rows, by what they add on all of them together.

        With rows, also return the share of them on which each rule votes.
        """
        size, support = self._most_added(rules), None
        if X is not None:
            table = self._table(X)
            n_votes, n_rows = np.zeros((2, len(rules)))
            for _, counts in self._votes_by_part(table, rules.ends, rules.literals):
                n_votes += counts.sum(axis=0)
                n_rows += (counts > 0).sum(axis=0)
            size, support = np.abs(rules.votes) * self._worth_of_votes()[rules.classes] * n_votes, n_rows / len(table)
        order = np.argsort(-size, kind="stable")
        return rules[order], None if support is None else support[order]

    def _votes_by_part(
        self, table: Table | SparseTable, ends: np.ndarray, literals: np.ndarray
    ) -> Iterator[tuple[Examples, sp.csr_array]]:
        """Yield examples, some rows at a time, and how often clauses vote on them."""
        failures, n_threads, n_clauses = self._literal_failures, resolve_n_threads(self.n_jobs), len(ends) - 1
        n_literals = 2 * self._model.parameters.n_features
        bytes_per_row = n_clauses // 8 if failures is None else 5 * n_literals + 16 * n_clauses
        for examples in self._parts(table, n_threads, bytes_per_row=bytes_per_row):
            yield examples, vote_counts(examples, ends, literals, failures, n_threads=n_threads)
