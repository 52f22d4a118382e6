"""The part of `wtm.WTMClassifier` that shows what it has learnt."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from wtm.machine.voting import VotingModel
from wtm.prediction import Predictor
from wtm.rules.merging import Clauses, merge_equal, seen_from_second_class, without_redundancy
from wtm.rules.rule_statistics import count_rows
from wtm.rules.rule_table import RuleTable
from wtm.rules.vocabulary import Vocabulary
from wtm.utils.threads import resolve_n_threads
from wtm.validation.labels import check_labels, class_indices


class Readable(Predictor):
    """A predictor whose rules can be read."""

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
            With `X`, rules that decide more rows come first, then those with more votes on the rows; else those with
            larger weights.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError
            `X` or `y` can't be used, `y` is passed without `X`, or `feature_names` does not have one name for each
            column.

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
        clauses = without_redundancy(_clauses(self._voting_model()), vocabulary)
        clauses = merge_equal(seen_from_second_class(clauses) if is_one_sided else clauses)
        weights, statistics = np.abs(clauses.votes), {}
        order = np.argsort(-weights, kind="stable")
        if X is not None:
            statistics = self._statistics(clauses, X, y)
            order = np.lexsort((-weights, -statistics["vote_share"], -statistics["decides"]))
        statistics = {name: values[order] for name, values in statistics.items()}
        unit = self._voting_model().unit
        return RuleTable(clauses[order], vocabulary, self.classes_.tolist(), unit, is_one_sided, statistics)

    def _statistics(self, clauses: Clauses, X: Any, y: Any) -> dict[str, np.ndarray]:
        table, labels = self._table(X), None
        if y is not None:
            y = check_labels(y, "y")
            check_consistent_length(table, y)
            labels = class_indices(y, self.classes_, "y")
        n_threads = resolve_n_threads(self.n_jobs)
        parts = self._parts(table, n_threads, bytes_per_row=len(clauses) // 8)
        return count_rows(clauses, self._voting_model(), parts, labels, n_threads=n_threads).columns(clauses)


def _clauses(voting: VotingModel) -> Clauses:
    classes = np.repeat(np.arange(voting.n_machines), voting.n_clauses)
    return Clauses(classes, voting.clause_votes, voting.clause_ends, voting.literal_list)
