"""The part of `wtm.WTMClassifier` that shows what it has learnt."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from wtm.prediction import Predictor
from wtm.rules.explanation import Explanation
from wtm.rules.merging import Clauses
from wtm.rules.nearest_change import missing_by_row
from wtm.rules.rule_based import RuleBased
from wtm.rules.rule_statistics import count_rows
from wtm.rules.rule_table import RuleTable
from wtm.rules.vocabulary import Vocabulary
from wtm.utils.threads import resolve_n_threads
from wtm.validation.labels import check_labels, class_indices


class Readable(TransformerMixin, RuleBased, Predictor):
    """A predictor whose rules can be read, explain its predictions, and serve as features."""

    def rules(
        self, X: Any = None, y: Any = None, *, one_sided: bool = True, feature_names: Sequence[str] | None = None
    ) -> RuleTable:
        """Return the rules as a table, without redundant conditions and with equal rules merged.

        A rule has the same truth value on every possible row as the clause that it comes from. Conditions that follow
        from others are left out: of all thresholds of a column only ``40.5 < age <= 60`` is left, and of ``colour !=
        red`` and ``colour = blue`` only the latter. Clauses that are never true are left out. The weights of rules with
        the same conditions and class are added, with opposite signs for opposite sides.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
            Rows on which the rules are counted.
        y : array-like of shape (n_samples,), optional
            Labels of the rows.
        one_sided : bool, default=True
            Whether the rules of a model of two classes are shown as votes for and against the second class. A vote for
            the first class is then a vote against the second, so the votes of the rules that hold add up to
            `decision_function`. If False, or with more classes, the votes on each class add up to its class sum.
        feature_names : sequence of str of length n_features, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.

        Returns
        -------
        wtm.rules.RuleTable
            With `X`, rules whose votes separate the predicted classes more come first (``separation``); without, or on
            a tie, those with larger weights.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError
            `X` or `y` can't be used, `y` is passed without `X`, or `feature_names` does not have a different name for
            each column.

        Examples
        --------
        >>> import numpy as np
        >>> from wtm import WTMClassifier
        >>> X = np.random.default_rng(0).integers(0, 2, (1000, 3))
        >>> clf = WTMClassifier(n_clauses=4, T=4, random_state=0).fit(X, X[:, 0] & X[:, 1])
        >>> print(clf.rules()[0])
        IF NOT (x1) THEN votes against 1, weight 8.054
        """
        check_is_fitted(self)
        if X is None and y is not None:
            raise ValueError("y was passed without X: pass the rows that have these labels as X.")
        vocabulary = Vocabulary.of(self, feature_names)
        is_one_sided = one_sided and len(self.classes_) == 2
        clauses, _ = self._find_rules(vocabulary, one_sided=is_one_sided)
        weights, statistics = np.abs(clauses.votes), {}
        order = np.argsort(-weights, kind="stable")
        if X is not None:
            statistics = self._statistics(clauses, X, y)
            order = np.lexsort((-weights, -statistics["separation"]))
        statistics = {name: values[order] for name, values in statistics.items()}
        unit = self._voting_model().unit
        return RuleTable(clauses[order], vocabulary, self.classes_.tolist(), unit, is_one_sided, statistics)

    def explain(
        self, X: Any, *, one_sided: bool = True, feature_names: Sequence[str] | None = None
    ) -> list[Explanation]:
        """Explain the prediction of each row by the rules that hold for it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        one_sided, feature_names
            As in `rules`.

        Returns
        -------
        list of wtm.rules.Explanation, of length n_samples

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError
            As in `rules`.
        """
        rules = self.rules(one_sided=one_sided, feature_names=feature_names)
        labels, voting = self.classes_.tolist(), self._voting_model()
        explanations: list[Explanation] = []
        table, vocabulary = self._table(X, min_rows=0), rules._vocabulary
        missing = missing_by_row(table, np.unique(vocabulary.columns_of(voting.literal_list % vocabulary.n_features)))
        for examples, held in self._votes_by_part(table, rules._clauses.ends, rules._clauses.literals):
            first = len(explanations)
            predicted = voting.sums(examples, n_threads=resolve_n_threads(self.n_jobs)).argmax(axis=1).tolist()
            rows = zip(predicted, np.split(held.indices, held.indptr[1:-1]), range(len(examples)), strict=True)
            explanations += [
                Explanation(labels[index], rules, rules_of_row, examples, row, voting, missing[first + row])
                for index, rules_of_row, row in rows
            ]
        return explanations

    def transform(self, X: Any) -> sp.csr_array:
        """Return the outputs of all clauses, so that the model can make features for another one.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        CSR matrix of shape (n_samples, n_classes * n_clauses), float64
            1 where a clause is true, else 0. Clauses without literals, which don't vote, are 0. The clauses of the
            first class come first; of each class, those that vote for it.
        """
        check_is_fitted(self)
        voting = self._voting_model()
        table = self._table(X, min_rows=0)
        parts = [outputs for _, outputs in self._votes_by_part(table, voting.clause_ends, voting.literal_list)]
        if len(parts) == 1:
            return parts[0]
        return sp.vstack(parts, format="csr") if parts else sp.csr_array((0, len(voting.clause_votes)))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of `transform`: ``LABEL_for_0``, ..., ``LABEL_against_0``, ...

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of shape (n_classes * n_clauses,), object
        """
        check_is_fitted(self)
        half = self._voting_model().n_clauses // 2
        return np.array(
            [f"{label}_{side}_{i}" for label in self.classes_ for side in ("for", "against") for i in range(half)],
            object,
        )

    def _statistics(self, clauses: Clauses, X: Any, y: Any) -> dict[str, np.ndarray]:
        table, labels = self._table(X), None
        if y is not None:
            y = check_labels(y, "y")
            check_consistent_length(table, y)
            labels = class_indices(y, self.classes_, "y")
        n_threads = resolve_n_threads(self.n_jobs)
        parts = self._parts(table, n_threads, bytes_per_row=len(clauses) // 8)
        voting = self._voting_model()
        return count_rows(clauses, voting, parts, labels, n_threads=n_threads).columns(clauses, voting.unit)
