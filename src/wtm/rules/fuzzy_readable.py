"""The part of the fuzzy estimators that shows what they have learnt."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm.number_prediction import NumberPredictor
from wtm.prediction import Predictor
from wtm.rules.card_explanation import CardExplanation
from wtm.rules.merging import Clauses
from wtm.rules.rule_based import RuleBased
from wtm.rules.score_cards import ScoreCards
from wtm.rules.vocabulary import Vocabulary
from wtm.rules.vote_counts import most_votes
from wtm.tables.condition_grammar import spell_label
from wtm.utils.threads import resolve_n_threads
from wtm.validation.targets import middle_and_half


class FuzzyReadable(RuleBased):
    """An estimator of fuzzy clauses whose rules can be read and explain its predictions."""

    def rules(self, X: Any = None, y: Any = None, *, feature_names: Sequence[str] | None = None) -> ScoreCards:
        """Return the rules as score cards.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
            Rows on which the rules are counted.
        y : ignored
            There so that all estimators are called in the same way: only the rules of `WTMClassifier` have a precision.
        feature_names : sequence of str of length n_features, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.

        Returns
        -------
        wtm.rules.ScoreCards
            The rules that can add most come first; with `X`, those that add most on all rows together. Clauses that
            never vote, since too many of their literals contradict each other, are left out.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError
            `X` can't be used, or `feature_names` does not have a different name for each column.
        """
        check_is_fitted(self)
        vocabulary = Vocabulary.of(self, feature_names)
        return self._cards(vocabulary, *self._by_size(self._find_rules(vocabulary)[0], X))

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
        vocabulary, voting, explanations = Vocabulary.of(self, feature_names), self._voting_model(), []
        rules, _ = self._find_rules(vocabulary)
        cards = self._cards(vocabulary, rules)
        n_surplus = np.diff(rules.ends) - most_votes(rules.ends, self._literal_failures)
        worth = rules.votes * self._worth_of_votes()[rules.classes]
        for examples, counts in self._votes_by_part(self._table(X, min_rows=0), rules.ends, rules.literals):
            predictions = self._predictions(voting.sums(examples, n_threads=resolve_n_threads(self.n_jobs)))
            for i, (prediction, heading) in enumerate(predictions):
                start, end = counts.indptr[i : i + 2]
                voted, n_votes = counts.indices[start:end], counts.data[start:end].astype(np.int64)
                order = np.argsort(-np.abs(n_votes * worth[voted]), kind="stable")
                voted, n_votes = voted[order], n_votes[order]
                n_true, votes = n_surplus[voted] + n_votes, n_votes * worth[voted]
                explanations.append(CardExplanation(prediction, heading, n_true, votes, cards, voted))
        return explanations

    def _cards(self, vocabulary: Vocabulary, rules: Clauses, support: np.ndarray | None = None) -> ScoreCards:
        failures, worth = self._literal_failures, self._worth_of_votes()
        assert failures is not None
        return ScoreCards(rules, failures, vocabulary, self._labels(), worth, self._action, support)

    def _labels(self) -> list[Any]:
        raise NotImplementedError

    def _action(self, label: Any, polarity: int) -> str:
        """Say what a rule does."""
        raise NotImplementedError

    def _predictions(self, sums: np.ndarray) -> list[tuple[Any, str]]:
        """Return the prediction of each row, and the first line of its explanation."""
        raise NotImplementedError


class FuzzyLabels(FuzzyReadable, Predictor):
    """A classifier of fuzzy clauses that shows what it has learnt."""

    has_strict_rules = False

    def _labels(self) -> list[Any]:
        labels: list[Any] = self.classes_.tolist()
        return labels

    def _action(self, label: Any, polarity: int) -> str:
        return f"votes {'for' if polarity > 0 else 'against'} {spell_label(label)}"

    def _predictions(self, sums: np.ndarray) -> list[tuple[Any, str]]:
        predicted = self.classes_[sums.argmax(axis=1)].tolist()
        return [(label, f"predicted: {spell_label(label)}") for label in predicted]


class FuzzyNumbers(FuzzyReadable, NumberPredictor):
    """A regressor of fuzzy clauses that shows what it has learnt."""

    def _labels(self) -> list[Any]:
        return list(range(self.n_outputs_))

    def _action(self, label: Any, polarity: int) -> str:
        verb, preposition = ("adds", "to") if polarity > 0 else ("subtracts", "from")
        return verb if self.n_outputs_ == 1 else f"{verb} {preposition} output {label}"

    def _predictions(self, sums: np.ndarray) -> list[tuple[Any, str]]:
        middle, _ = middle_and_half(self.y_range_)
        start = ", ".join(f"{number:.4g}" for number in middle.tolist())
        return [
            (row, f"predicted: {', '.join(f'{number:.4g}' for number in row.tolist())}, from {start} with these rules:")
            for row in self._numbers(sums)
        ]
