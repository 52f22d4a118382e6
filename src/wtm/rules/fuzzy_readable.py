"""The part of the fuzzy estimators that shows what they have learnt."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from wtm.estimator import Estimator
from wtm.machine.examples import Examples
from wtm.machine.fuzzy_voting import FuzzyVotingModel
from wtm.rules.card_explanation import CardExplanation
from wtm.rules.score_cards import ScoreCards
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.table import SparseTable, Table
from wtm.utils.threads import resolve_n_threads


class FuzzyReadable(Estimator):
    """An estimator of fuzzy clauses whose rules can be read and explain its predictions."""

    def rules(self, X: Any = None, *, feature_names: Sequence[str] | None = None) -> ScoreCards:
        """Return the rules as score cards.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
            Rows on which the rules are counted.
        feature_names : sequence of str of length n_features, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.

        Returns
        -------
        wtm.rules.ScoreCards
            The rules that can add most come first; with `X`, those that add most on all rows together.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError
            `X` can't be used, or `feature_names` does not have a different name for each column.
        """
        check_is_fitted(self)
        voting = self._fuzzy_voting()
        lengths = np.diff(voting.clause_ends)
        most = np.minimum(lengths, voting.literal_failures)
        machines = np.arange(len(lengths)) // voting.n_clauses
        size, support = most * np.abs(voting.clause_votes) * self._worth_of_votes()[machines], None
        if X is not None:
            table = self._table(X)
            n_votes, n_rows = np.zeros(len(lengths)), np.zeros(len(lengths))
            for _, counts in self._clause_votes(table):
                n_votes += counts.sum(axis=1)
                n_rows += (counts > 0).sum(axis=1)
            size, support = n_votes * np.abs(voting.clause_votes), n_rows / len(table)
        order = np.argsort(-size, kind="stable")
        order = order[lengths[order] > 0]
        return self._cards(order, feature_names, None if support is None else support[order])

    def explain(self, X: Any, *, feature_names: Sequence[str] | None = None) -> list[CardExplanation]:
        """Explain the prediction of each row by the rules that vote on it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        feature_names : sequence of str of length n_features, optional
            As in `rules`.

        Returns
        -------
        list of wtm.rules.CardExplanation, of length n_samples

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError
            As in `rules`.
        """
        check_is_fitted(self)
        voting, explanations = self._fuzzy_voting(), []
        lengths = np.diff(voting.clause_ends)
        most = np.minimum(lengths, voting.literal_failures)
        cards = self._cards(np.arange(len(lengths)), feature_names, None)
        worth = voting.clause_votes * self._worth_of_votes()[np.arange(len(lengths)) // voting.n_clauses]
        for examples, counts in self._clause_votes(self._table(X, min_rows=0)):
            sums = voting.sums(examples, n_threads=resolve_n_threads(self.n_jobs))
            for (prediction, heading), found in zip(self._predictions(sums), counts.T, strict=True):
                clauses = np.flatnonzero(found)
                clauses = clauses[np.argsort(-np.abs(found[clauses] * worth[clauses]), kind="stable")]
                n_true = lengths[clauses] - most[clauses] + found[clauses]
                votes = found[clauses] * worth[clauses]
                explanations.append(CardExplanation(prediction, heading, n_true, votes, cards, clauses))
        return explanations

    def _cards(self, clauses: np.ndarray, names: Sequence[str] | None, support: np.ndarray | None) -> ScoreCards:
        vocabulary, worth = Vocabulary.of(self, names), self._worth_of_votes()
        return ScoreCards(self._fuzzy_voting(), vocabulary, self._labels(), clauses, worth, self._action, support)

    def _fuzzy_voting(self) -> FuzzyVotingModel:
        voting = self._voting_model()
        assert isinstance(voting, FuzzyVotingModel)
        return voting

    def _clause_votes(self, table: Table | SparseTable) -> Iterator[tuple[Examples, np.ndarray]]:
        """Yield parts of a table, and the votes of all clauses on them, int64 of shape (n_clauses, n_rows)."""
        voting, n_threads = self._fuzzy_voting(), resolve_n_threads(self.n_jobs)
        n_literals, lengths = 2 * self._model.parameters.n_features, np.diff(voting.clause_ends)
        included = np.ones(len(voting.literal_list), np.int64)
        clauses = sp.csr_array((included, voting.literal_list, voting.clause_ends), (len(lengths), n_literals))
        most = np.minimum(lengths, voting.literal_failures)
        for examples in self._parts(table, n_threads, bytes_per_row=n_literals + 8 * len(lengths)):
            as_bytes = examples.literals.astype("<u8").view(np.uint8)
            literals = np.unpackbits(as_bytes, axis=1, count=n_literals, bitorder="little")
            n_false = lengths[:, None] - clauses @ literals.T.astype(np.int64)
            yield examples, np.maximum(0, most[:, None] - n_false)

    def _worth_of_votes(self) -> np.ndarray:
        """What a vote of 1 in fixed point adds, for each machine: float64 of shape (n_machines,)."""
        voting = self._voting_model()
        return np.full(voting.n_machines, voting.unit)

    def _labels(self) -> list[Any]:
        raise NotImplementedError

    def _action(self, label: Any, polarity: int) -> str:
        """Say what a rule does."""
        raise NotImplementedError

    def _predictions(self, sums: np.ndarray) -> list[tuple[Any, str]]:
        """Return the prediction of each row, and the first line of its explanation."""
        raise NotImplementedError
