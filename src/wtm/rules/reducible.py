"""The part of the estimators that makes models with shorter or fewer rules, or with new weights."""

import copy
import numbers
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from wtm.kernels.removals import Answers
from wtm.machine.model_state import PredictionModel
from wtm.machine.training_rows import TrainingRows
from wtm.rules.merging import Clauses, clauses_of, distinct_clauses
from wtm.rules.pruning import eliminate, with_clauses
from wtm.rules.refitting import model_of
from wtm.rules.rule_based import RuleBased
from wtm.rules.simplification import needed_literals
from wtm.rules.vocabulary import Vocabulary
from wtm.rules.vote_counts import vote_counts
from wtm.utils.caller import warn_caller
from wtm.utils.threads import resolve_n_threads
from wtm.validation.row_weights import mean_one_if_shares


class Reducible(RuleBased):
    """An estimator whose rules can be shortened, chosen from, and weighted again."""

    pruning_: dict[str, Any]
    _has_classes: bool

    def simplify(self, X: Any, tolerance: float = 0.0) -> Self:
        """Return a model with shorter rules that predicts the same on the given rows.

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
            together cast at most this share of votes more, by weight. With 0, all sums of votes on `X` stay the same.

        Returns
        -------
        estimator
            For prediction: as after ``save(prediction_only=True)``, it can be saved, but not trained further. This
            one stays as it is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            `X` can't be used, `tolerance` is not a number from 0 to 1, or the rules are fuzzy: each of their conditions
            counts, so none can be left out.
        MemoryError
            The rows don't fit in memory, column by column.
        """
        check_is_fitted(self)
        if self._literal_failures is not None:
            raise TypeError(
                "The rules are fuzzy: each of their conditions counts, so none can be left out. Use prune to get fewer "
                "rules, or train with a smaller max_literals to get shorter ones."
            )
        check_scalar(tolerance, "tolerance", numbers.Real)
        if not 0 <= tolerance <= 1:
            raise ValueError(f"tolerance must be a share of the votes, from 0 to 1, got {tolerance!r}.")
        examples, n_threads = self._examples(self._table(X)), resolve_n_threads(self.n_jobs)
        model = self._model.for_prediction()
        ends, literals = needed_literals(
            examples, model.clause_ends, model.literal_list, float(tolerance), n_threads=n_threads
        )
        return self._with_model(replace(model, clause_ends=ends, literal_list=literals))

    def _prune(self, X: Any, y: Any, wanted: dict[str, Any], sample_weight: Any) -> Self:
        """Do what `prune` does; `wanted` are n_rules, min_weight and the largest loss, in this order."""
        check_is_fitted(self)
        _check_wanted(wanted)
        n_rules, min_weight, max_loss = wanted.values()
        if (X is None) != (y is None):
            raise ValueError("X and y must be passed together: the rows, and what is to be predicted for them.")
        if X is None and max_loss is not None:
            raise ValueError(f"{[*wanted][-1]} needs rows to count: pass X and y.")
        if X is None and sample_weight is not None:
            raise ValueError("sample_weight needs the rows that have these weights: pass X and y.")
        data = None if X is None else self._prunable(_counted(self._data(X, y, sample_weight)))
        is_one_sided = self._has_classes and self._n_sums == 2 and self._literal_failures is None
        rules, rule_of = self._find_rules(Vocabulary.of(self), one_sided=is_one_sided)
        curve, size = None, self._most_added(rules)
        if min_weight is not None:
            chosen = np.flatnonzero(size >= min_weight)
            if len(rules) and not len(chosen):
                largest = size.max()
                raise ValueError(f"min_weight must be at most {largest:g}, the largest weight, got {min_weight!r}.")
        elif data is None:
            chosen = np.argsort(-size, kind="stable")[:n_rules]
        else:
            counts = self._vote_counts(data, rules)
            removed = eliminate(rules, counts, self._answers(data), self._n_sums, n_rules or 1)
            n_removed = len(removed.order) if max_loss is None else removed.fewest(max_loss)
            chosen, curve = np.setdiff1d(np.arange(len(rules)), removed.order[:n_removed]), removed.curve()
        is_kept = np.zeros(len(rules) + 1, np.bool_)  # the last is for clauses that are in no rule
        is_kept[chosen] = True
        pruned = self._with_model(with_clauses(self._model.for_prediction(), is_kept[rule_of]))
        pruned.pruning_ = {"n_rules_before": len(rules), "n_rules": len(chosen)}
        if data is not None:
            pruned.pruning_ |= {f"{data.metric}_before": self._score(data), data.metric: pruned._score(data)}
            pruned._calibrate(data)
        if curve is not None:
            pruned.pruning_["curve"] = curve
        return pruned

    def _refit(self, X: Any, y: Any, penalty: str, C: float | None, sample_weight: Any) -> Self:
        """Do what `refit` does."""
        check_is_fitted(self)
        if penalty not in ("l1", "l2"):
            raise ValueError(f"penalty must be 'l1' or 'l2', got {penalty!r}.")
        if C is not None:
            _check_number("C", C, numbers.Real, "a number greater than 0", lambda C: 0 < C < np.inf)
        data = _counted(self._data(X, y, sample_weight))
        self._check_refittable(data, C)
        failures = self._literal_failures
        rules = distinct_clauses(clauses_of(self._voting_model()), Vocabulary.of(self), literal_failures=failures)
        if not len(rules):
            raise ValueError("This model has no rules to refit: train it for longer, or on more rows.")
        outputs = self._vote_counts(data, rules) / (failures or 1)
        coefficients, intercepts = self._coefficients(outputs, data, penalty, C)
        if not coefficients.any():
            warn_caller(
                UserWarning(
                    "refit left no rules but the intercept, so all rows get the same prediction. Pass a larger C."
                )
            )
        n_features, T = self._model.parameters.n_features, self._threshold_of_refit()
        votes = coefficients, intercepts
        refitted = self._with_model(model_of(rules, n_features, *votes, T=T, literal_failures=failures))
        if penalty == "l1" and self._n_sums > 2:  # sums of several classes are not those of a single regression
            refitted._calibrate(data)
        return refitted

    @property
    def _n_sums(self) -> int:
        """Number of classes, or of numbers to predict."""
        return self._voting_model().n_machines

    @abstractmethod
    def _threshold_of_refit(self) -> float:
        """Return T of a refitted model."""

    @abstractmethod
    def _data(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Return rows with their labels or numbers, and weights."""

    @abstractmethod
    def _prunable(self, data: Any) -> Any:
        """Return the rows, checked for `prune`."""

    @abstractmethod
    def _check_refittable(self, data: Any, C: float | None) -> None:
        """Check that `refit` can be done on rows."""

    @abstractmethod
    def _answers(self, data: Any) -> Answers:
        """Return what `eliminate` needs to know of the rows."""

    @abstractmethod
    def _coefficients(self, outputs: Any, data: Any, penalty: str, C: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the coefficients of the rules, and the intercepts, that fit the rows best."""

    def _calibrate(self, data: Any) -> None:
        """Adapt to the rows what turns sums into predictions."""

    def _vote_counts(self, data: TrainingRows, rules: Clauses) -> sp.csr_array:
        n_threads = resolve_n_threads(self.n_jobs)
        return vote_counts(data.examples, rules.ends, rules.literals, self._literal_failures, n_threads=n_threads)

    def _score(self, data: TrainingRows) -> float:
        sums = self._voting_model().sums(data.examples, n_threads=resolve_n_threads(self.n_jobs))
        return data.score(sums, self._unit_of_score())

    def _unit_of_score(self) -> float:
        """Value of a vote of 1 in fixed point, of numbers as a share of T."""
        return self._voting_model().unit

    def _with_model(self, model: PredictionModel) -> Self:
        changed = copy.copy(self)
        changed._model = model
        changed.__dict__.pop("pruning_", None)
        return changed


def _counted(data: Any) -> Any:
    """Return rows without those of weight 0, in an order that depends only on their content."""
    if data.weights is not None:
        present = np.flatnonzero(data.weights)
        data = replace(data.rows(present), weights=mean_one_if_shares(data.weights[present]))
    return data.by_content()


def _check_wanted(wanted: dict[str, Any]) -> None:
    """Check that exactly one of the arguments of `prune` is given, and has a value in its range."""
    n_rules, min_weight, max_loss = wanted.values()
    given = [name for name, value in wanted.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        raise ValueError(f"prune needs exactly one of {', '.join(wanted)}, got {found}.")
    if n_rules is not None:
        _check_number("n_rules", n_rules, numbers.Integral, "an integer of at least 1", lambda n: n >= 1)
    if min_weight is not None:
        _check_number("min_weight", min_weight, numbers.Real, "a weight of at least 0", lambda w: 0 <= w < np.inf)
    if max_loss is not None:
        name, what = given[0], "a number from 0 to 1"
        _check_number(name, max_loss, numbers.Real, what, lambda share: 0 <= share <= 1)


def _check_number(name: str, value: Any, kind: type, what: str, is_allowed: Callable[[Any], bool]) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} must be {what}, got {value!r} of type {type(value).__name__}.")
    if not is_allowed(value):
        raise ValueError(f"{name} must be {what}, got {value!r}.")
