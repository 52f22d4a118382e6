"""Warnings before and after a fit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from wtm.machine.model_state import Model
from wtm.machine.training_rows import LabelledExamples, NumberedExamples, TrainingRows

_MAX_EMPTY = 0.5
_MAX_T_TO_SUM = 2.0
_MIN_MEAN_WEIGHT = 0.1
_MAX_MEAN_WEIGHT = 100
_ROUNDING = 1e-9
MAX_DRIFT = 0.5
"""Above those of docs/shards.md, with which hardly any accuracy is lost."""


def warnings_about_weights(model: Model, entries: list[dict[str, Any]]) -> Iterator[Warning]:
    """Warn if weights of clauses were kept at the largest weight in the epochs `entries`.

    Weights at the smallest one are no reason to warn: their clauses have no say, and can grow again.
    """
    table = model.parameters.weight_table
    largest = max(int(machine.exponents.max()) for machine in model.machines)
    if largest == table.max_exponent and any(entry["weights_saturated"] for entry in entries):
        yield RuntimeWarning(
            f"Some weights of clauses reached the largest weight, {table.weight(np.array(largest)):.3g}, and were kept "
            "there. Use a smaller gamma or a smaller T."
        )


def warnings_about_shards(model: Model, entry: dict[str, Any]) -> Iterator[Warning]:
    """Warn if the sums of votes that shards used in the epoch `entry` were so far off that accuracy may be lost."""
    drift, p = entry["vote_drift"], model.parameters
    if drift > MAX_DRIFT:
        yield UserWarning(
            f"Shards trained with sums of votes that were off by {drift:.2g} T on average (vote_drift in history_). "
            f"Above {MAX_DRIFT:g} T, accuracy may be lost. Use vote_block below {p.vote_block}, n_shards below "
            f"{p.n_shards}, or a larger T, which may need more clauses."
        )


def warnings_about_fit(
    model: Model, training: TrainingRows, entry: dict[str, Any], by_class: np.ndarray | None = None
) -> Iterator[Warning]:
    """Warn if a fit has learnt little.

    Ordinary fits stay far from these bounds: they have few empty clauses, and their sums can reach T.

    Parameters
    ----------
    model : Model
        The model that is kept.
    training : TrainingRows
        The rows on which it was trained.
    entry : dict
        The entry of `history_` for the epoch that is kept.
    by_class : ndarray of shape (n_classes,), float64, or None
        Weights of the classes. With weights, accuracy is not the objective and is not checked.
    """
    is_fuzzy = hasattr(model.parameters, "literal_failures")  # their s acts on clauses without votes only
    remedy = "Try more epochs or more clauses." if is_fuzzy else "Try more epochs, more clauses or a smaller s."
    if isinstance(training, NumberedExamples):
        if not np.ptp(training.answers):
            return  # nothing to learn
        yield from _if_no_better_than_the_mean(entry["train_r2"], remedy)
    elif isinstance(training, LabelledExamples) and by_class is None:
        yield from _if_no_better_than_the_most_frequent(training, entry["train_accuracy"], remedy)
    empty = np.mean([machine.is_empty.mean() for machine in model.machines])
    if empty > _MAX_EMPTY:
        yield ConvergenceWarning(
            f"{empty:.0%} of the clauses are empty: they have no literals and don't vote. Use a larger s."
        )
    T = model.parameters.T
    largest = max(machine.weights[machine.polarity == sign].sum() for machine in model.machines for sign in (1, -1))
    if _MAX_T_TO_SUM * largest < T:
        sums = "sums of votes" if isinstance(training, NumberedExamples) else "class sums"
        yield ConvergenceWarning(
            f"T={T:g} is too large: {sums} can't exceed {largest:.3g}, so feedback never decreases. Use a smaller T or "
            "more clauses."
        )


def warnings_about_row_weights(
    training: TrainingRows, by_class: np.ndarray | None = None, *, is_batch: bool = False
) -> Iterator[Warning]:
    """Warn before a training whose epochs are far longer or shorter than its rows.

    Parameters
    ----------
    training : TrainingRows
        The rows to train on.
    by_class : ndarray of shape (n_classes,), float64, or None
        Weights of the classes.
    is_batch : bool
        Whether further rows will follow. Small weights are then not checked, since those of the others may be large.
    """
    weights = training.weighted(by_class).weights if isinstance(training, LabelledExamples) else training.weights
    if weights is None:
        return
    name = " times ".join(
        ["sample_weight"] * (training.weights is not None) + ["class_weight"] * (by_class is not None)
    )
    if weights.mean() > _MAX_MEAN_WEIGHT:
        yield UserWarning(
            f"{name} has a mean of {weights.mean():,.0f}, so an epoch sees each row about this many times and takes as "
            f"long as one of {weights.sum():,.0f} rows. If only the ratios of the weights matter, divide them by their "
            "mean."
        )
    elif weights.mean() < _MIN_MEAN_WEIGHT and not is_batch:
        yield UserWarning(
            f"{name} adds up to {weights.sum():.3g} for {len(weights)} rows, so an epoch sees only this many examples. "
            "Divide the weights by their mean."
        )


def _if_no_better_than_the_most_frequent(training: LabelledExamples, accuracy: float, remedy: str) -> Iterator[Warning]:
    share = _share_of_most_frequent(training)
    if accuracy <= share + _ROUNDING:
        yield ConvergenceWarning(
            f"Training did not converge: the training accuracy is {accuracy:.1%}, and predicting the most frequent "
            f"class would give {share:.1%}. {remedy} The features may also be unrelated to the labels."
        )


def _if_no_better_than_the_mean(r2: float, remedy: str) -> Iterator[Warning]:
    if r2 <= 0:
        yield ConvergenceWarning(
            f"Training did not converge: R squared on training rows is {r2:.3g}, and predicting the mean would give 0. "
            f"{remedy} The features may also be unrelated to y."
        )


def _share_of_most_frequent(training: LabelledExamples) -> float:
    """Accuracy of always predicting the most frequent class."""
    measured = training.sample()
    counts = np.bincount(measured.labels, measured.weights)
    return float(counts.max() / counts.sum())
