"""The part of `wtm.WTMClassifier` that makes classifiers with shorter or fewer rules."""

import copy
import numbers
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length, check_scalar
from sklearn.utils.validation import check_is_fitted

from wtm.machine.calibration import PRIOR_SCALE, fit_logit_scale
from wtm.machine.model_state import PredictionModel
from wtm.machine.training_rows import LabelledExamples
from wtm.rules.merging import clauses_of, distinct_clauses, find_rules
from wtm.rules.output_bits import output_bits, sparse_outputs
from wtm.rules.pruning import eliminate, with_clauses
from wtm.rules.readable import Readable
from wtm.rules.refitting import fit_votes, model_of
from wtm.rules.simplification import needed_literals
from wtm.rules.vocabulary import Vocabulary
from wtm.utils.caller import warn_caller
from wtm.utils.printable import short_repr
from wtm.utils.threads import resolve_n_threads
from wtm.validation.labels import check_labels, class_indices
from wtm.validation.row_weights import mean_one_if_shares, sample_weights


class Reducible(Readable):
    """A readable predictor whose rules can be shortened, chosen from, and weighted again."""

    pruning_: dict[str, Any]

    def simplify(self, X: Any, tolerance: float = 0.0) -> Self:
        """Return a classifier with shorter rules that predicts the same on the given rows.

        Of each rule, the conditions are kept that rule out the rows it does not hold for: first the one that rules out
        the most, then the one that rules out the most others, and so on. Rules that hold for none of the rows are
        removed. On other rows the rules may hold more often, so compare the accuracy on rows that are neither in `X`
        nor in the training data; ``rules().n_conditions`` is the number of conditions.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Such as the training rows.
        tolerance : float, default=0.0
            Each rule may hold for this many more rows, as a share of those for which it holds, so that all rules
            together cast at most this share of votes more, by weight. With 0, all class sums on `X` stay the same.

        Returns
        -------
        WTMClassifier
            For prediction: as after ``save(prediction_only=True)``, it can be saved, but not trained further. This
            classifier stays as it is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            `X` can't be used, or `tolerance` is not a number from 0 to 1.
        MemoryError
            The rows don't fit in memory, column by column.
        """
        check_is_fitted(self)
        check_scalar(tolerance, "tolerance", numbers.Real)
        if not 0 <= tolerance <= 1:
            raise ValueError(f"tolerance must be a share of the votes, from 0 to 1, got {tolerance!r}.")
        examples, n_threads = self._examples(self._table(X)), resolve_n_threads(self.n_jobs)
        model = self._model.for_prediction()
        ends, literals = needed_literals(
            examples, model.clause_ends, model.literal_list, float(tolerance), n_threads=n_threads
        )
        return self._with_model(replace(model, clause_ends=ends, literal_list=literals))

    def prune(
        self,
        X: Any = None,
        y: Any = None,
        *,
        n_rules: int | None = None,
        min_weight: float | None = None,
        max_accuracy_loss: float | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Return a classifier with some of the rules.

        With `X` and `y`, rules are removed one by one: each time the one without which most rows are right, and of
        several such rules the one that casts the fewest votes. Without, the rules with the largest weights are kept.
        Rules are those of `rules`. Pass exactly one of `n_rules`, `min_weight` and `max_accuracy_loss`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
            Such as the training rows. Report the accuracy on others, since these choose the rules.
        y : array-like of shape (n_samples,), optional
            Labels of the rows, of two classes or more.
        n_rules : int, optional
            How many rules to keep.
        min_weight : float, optional
            Keep the rules with at least this weight.
        max_accuracy_loss : float, optional
            Keep the fewest rules found with which the accuracy on `X` is at most this much smaller, such as 0.01 for
            one percent of the rows.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a row of weight 2 counts as two, in the accuracies too. As in `fit`, weights that add
            up to at most 1 are scaled to a mean of 1.

        Returns
        -------
        WTMClassifier
            For prediction, as after `simplify`; this classifier stays as it is. With `X`, the probabilities are
            calibrated on it. Its attribute `pruning_` is a dict with ``n_rules_before`` and ``n_rules`` and, with `X`,
            ``accuracy_before`` and ``accuracy``. If rules were removed one by one, ``curve`` lists the number of rules
            and the accuracy after each removal.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            `X`, `y` or `sample_weight` can't be used, one of `X` and `y` is passed without the other,
            `max_accuracy_loss` or `sample_weight` without both, or there is not exactly one of the numbers, in its
            range.
        MemoryError
            The rows don't fit in memory.
        """
        check_is_fitted(self)
        _check_wanted(n_rules, min_weight, max_accuracy_loss)
        if (X is None) != (y is None):
            raise ValueError("X and y must be passed together: the rows, and their labels.")
        if X is None and max_accuracy_loss is not None:
            raise ValueError("max_accuracy_loss needs rows to count: pass X and y.")
        if X is None and sample_weight is not None:
            raise ValueError("sample_weight needs the rows that have these weights: pass X and y.")
        voting, n_classes = self._voting_model(), len(self.classes_)
        data = None if X is None else self._labelled(X, y, sample_weight)
        if data is not None and len(np.unique(data.labels)) < 2:
            raise ValueError("y must have rows of two classes or more, got one with a weight: pass rows of all.")
        rules, rule_of = find_rules(clauses_of(voting), Vocabulary.of(self), one_sided=n_classes == 2)
        curve, weights = None, np.abs(rules.votes)
        if min_weight is not None:
            chosen = np.flatnonzero(weights * voting.unit >= min_weight)
            if len(rules) and not len(chosen):
                largest = weights.max() * voting.unit
                raise ValueError(f"min_weight must be at most {largest:g}, the largest weight, got {min_weight!r}.")
        elif data is None:
            chosen = np.argsort(-weights, kind="stable")[:n_rules]
        else:
            rows, n_threads = (data.examples, data.labels, data.weights), resolve_n_threads(self.n_jobs)
            removed = eliminate(rules, *rows, n_classes, n_rules or 1, n_threads=n_threads)
            n_removed = len(removed.order) if max_accuracy_loss is None else removed.fewest(max_accuracy_loss)
            chosen, curve = np.setdiff1d(np.arange(len(rules)), removed.order[:n_removed]), removed.curve()
        is_kept = np.zeros(len(rules) + 1, np.bool_)  # the last is for clauses that are in no rule
        is_kept[chosen] = True
        pruned = self._with_model(with_clauses(self._model.for_prediction(), is_kept[rule_of]))
        pruned.pruning_ = {"n_rules_before": len(rules), "n_rules": len(chosen)}
        if data is not None:
            pruned.pruning_ |= {"accuracy_before": self._accuracy(data), "accuracy": pruned._accuracy(data)}
            pruned._calibrate(data)
        if curve is not None:
            pruned.pruning_["curve"] = curve
        return pruned

    def refit(self, X: Any, y: Any, penalty: str = "l1", *, C: float | None = None, sample_weight: Any = None) -> Self:
        """Return a classifier with the same rules and new weights, by logistic regression on their outputs.

        Equal rules are merged first. Rules get the coefficients as weights, so their votes add up to log-odds: in
        models of two classes to those of the second class. A rule with a negative coefficient votes against its class,
        and one without a coefficient is removed. With more than two classes, a rule can vote on several of them. The
        intercept becomes the votes of two rules with one condition, of which one always holds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Such as the training rows. Rules fit these better than new rows; with enough data, pass rows that the model
            was not trained on.
        y : array-like of shape (n_samples,)
            Labels of the rows. Each class must occur.
        penalty : {"l1", "l2"}, default="l1"
            "l1" removes many rules: cross-validation on `X` chooses the strongest penalty whose log-loss is within one
            standard error of the best. Several classes are each separated from all others. "l2" keeps nearly all rules,
            and minimizes the log-loss.
        C : float, optional
            Inverse strength of the penalty, as in scikit-learn's `LogisticRegression`. With "l1", a smaller `C` leaves
            fewer rules. By default cross-validation chooses it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a row of weight 2 counts as two. As in `fit`, weights that add up to at most 1 are
            scaled to a mean of 1.

        Returns
        -------
        WTMClassifier
            For prediction, as after `simplify`; this classifier stays as it is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            An argument can't be used; a class does not occur, or too rarely for cross-validation; or the model has no
            rules.

        Notes
        -----
        The result depends neither on the order of the rows nor on `n_jobs`. The weights are rounded to within 0.05 %.
        They may still differ between platforms, as those of `LogisticRegression` do.
        """
        check_is_fitted(self)
        if penalty not in ("l1", "l2"):
            raise ValueError(f"penalty must be 'l1' or 'l2', got {penalty!r}.")
        if C is not None:
            _check_number("C", C, numbers.Real, "a number greater than 0", lambda C: 0 < C < np.inf)
        data = self._labelled(X, y, sample_weight)
        n_classes, n_threads = len(self.classes_), resolve_n_threads(self.n_jobs)
        _check_counts(np.bincount(data.labels, minlength=n_classes), self.classes_.tolist(), C)
        rules = distinct_clauses(clauses_of(self._voting_model()), Vocabulary.of(self))
        if not len(rules):
            raise ValueError("This model has no rules to refit: train it for longer, or on more rows.")
        bits = output_bits(data.examples, rules.ends, rules.literals, n_threads=n_threads)
        outputs = sparse_outputs(bits, len(data.labels), len(rules))
        votes = fit_votes(outputs, data.labels, data.weights, penalty=penalty, C=C)
        if not votes[0].any():
            message = "refit left no rules but the intercept, so all rows get the same class. Pass a larger C."
            warn_caller(UserWarning(message))
        refitted = self._with_model(model_of(rules, self._model.parameters.n_features, *votes))
        if penalty == "l1" and n_classes > 2:  # its sums are not those of a single regression
            refitted._calibrate(data)
        return refitted

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> LabelledExamples:
        """Return rows without those of weight 0, in an order that depends only on their content."""
        table, y = self._table(X), check_labels(y, "y")
        check_consistent_length(table, y)
        weights = sample_weights(sample_weight, len(y))
        data = LabelledExamples(self._examples(table), class_indices(y, self.classes_, "y"), weights)
        if weights is not None:
            present = np.flatnonzero(weights)
            data = replace(data.rows(present), weights=mean_one_if_shares(weights[present]))
        return data.by_content()

    def _with_model(self, model: PredictionModel) -> Self:
        changed = copy.copy(self)
        changed._model = model
        changed.__dict__.pop("pruning_", None)
        return changed

    def _accuracy(self, data: LabelledExamples) -> float:
        voting = self._voting_model()
        return data.score(voting.sums(data.examples, n_threads=resolve_n_threads(self.n_jobs)), voting.unit)

    def _calibrate(self, data: LabelledExamples) -> None:
        """Fit the factor of the probabilities, with the present one as its prior."""
        voting, T = self._voting_model(), PRIOR_SCALE / self._model.logit_scale
        sums = voting.sums(data.examples, n_threads=resolve_n_threads(self.n_jobs)) * voting.unit
        self._model = replace(self._model, logit_scale=fit_logit_scale(sums, data.labels, data.weights, T))


def _check_wanted(n_rules: Any, min_weight: Any, max_accuracy_loss: Any) -> None:
    """Check that exactly one of the arguments of `prune` is given, and has a value in its range."""
    wanted = {"n_rules": n_rules, "min_weight": min_weight, "max_accuracy_loss": max_accuracy_loss}
    given = [name for name, value in wanted.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        raise ValueError(f"prune needs exactly one of {', '.join(wanted)}, got {found}.")
    if n_rules is not None:
        _check_number("n_rules", n_rules, numbers.Integral, "an integer of at least 1", lambda n: n >= 1)
    if min_weight is not None:
        _check_number("min_weight", min_weight, numbers.Real, "a weight of at least 0", lambda w: 0 <= w < np.inf)
    if max_accuracy_loss is not None:
        what = "a share of the rows, from 0 to 1"
        _check_number("max_accuracy_loss", max_accuracy_loss, numbers.Real, what, lambda share: 0 <= share <= 1)


def _check_number(name: str, value: Any, kind: type, what: str, is_allowed: Callable[[Any], bool]) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} must be {what}, got {value!r} of type {type(value).__name__}.")
    if not is_allowed(value):
        raise ValueError(f"{name} must be {what}, got {value!r}.")


def _check_counts(counts: np.ndarray, classes: list[Any], C: float | None) -> None:
    """Check that each class occurs, and often enough for cross-validation."""
    label, count = short_repr(classes[counts.argmin()]), counts.min()
    if count == 0:
        raise ValueError(f"y must have rows of every class, but {label} does not occur. Pass more rows.")
    if count == 1 and C is None:
        raise ValueError(
            f"C can't be chosen by cross-validation, since {label} occurs only once in y. Pass more rows, or C=1."
        )
