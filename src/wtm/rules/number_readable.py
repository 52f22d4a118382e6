"""The part of `wtm.WTMRegressor` that shows what it has learnt."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm.number_prediction import NumberPredictor
from wtm.rules.addend_explanation import AddendExplanation
from wtm.rules.addends import AddendTable
from wtm.rules.rule_based import RuleBased
from wtm.rules.vocabulary import Vocabulary
from wtm.utils.threads import resolve_n_threads
from wtm.validation.targets import middle_and_half


class NumberReadable(RuleBased, NumberPredictor):
    """A regressor of strict clauses whose rules can be read and explain its predictions."""

    def rules(self, X: Any = None, y: Any = None, *, feature_names: Sequence[str] | None = None) -> AddendTable:
        """Return the rules as a table, without redundant conditions and with equal rules merged.

        A prediction is the middle of `y_range_`, plus what the rules add that hold for the row, clipped to `y_range_`.

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
        wtm.rules.AddendTable
            The rules that add or subtract most come first; with `X`, most on all rows together.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError
            `X` can't be used, or `feature_names` does not have a different name for each column.

        Examples
        --------
        >>> import numpy as np
        >>> from wtm import WTMRegressor
        >>> X = np.random.default_rng(0).integers(0, 2, (1000, 3))
        >>> reg = WTMRegressor(n_clauses=4, T=4, s=4, random_state=0).fit(X, 10 * X[:, 0] + X[:, 1])
        >>> print(reg.rules()[0])
        IF NOT (x0) AND NOT (x1) THEN subtracts 5.878
        """
        check_is_fitted(self)
        vocabulary = Vocabulary.of(self, feature_names)
        clauses, support = self._by_size(self._find_rules(vocabulary)[0], X)
        middle, _ = middle_and_half(self.y_range_)
        outputs, unit = list(range(self.n_outputs_)), self._voting_model().unit
        statistics = {} if support is None else {"support": support}
        return AddendTable(
            clauses, vocabulary, outputs, unit, False, statistics, middle=middle, _per_vote=self._worth_of_votes()
        )

    def explain(self, X: Any, *, feature_names: Sequence[str] | None = None) -> list[AddendExplanation]:
        """Explain the prediction of each row by the rules that hold for it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        feature_names : sequence of str of length n_features, optional
            As in `rules`.

        Returns
        -------
        list of wtm.rules.AddendExplanation, of length n_samples

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError
            As in `rules`.
        """
        rules, voting = self.rules(feature_names=feature_names), self._voting_model()
        explanations = []
        ends, literals = rules._clauses.ends, rules._clauses.literals
        for examples, held in self._votes_by_part(self._table(X, min_rows=0), ends, literals):
            predicted = self._numbers(voting.sums(examples, n_threads=resolve_n_threads(self.n_jobs)))
            of_rows = np.split(held.indices, held.indptr[1:-1])
            explanations += [
                AddendExplanation(numbers, rules, of_row) for numbers, of_row in zip(predicted, of_rows, strict=True)
            ]
        return explanations
