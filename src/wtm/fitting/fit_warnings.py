"""What a user ought to hear of after a fit, each thing once."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from wtm.machine.examples import LabelledExamples
from wtm.machine.model import Model

__all__ = ["concerns_about_fit", "concerns_about_weights"]

_MOST_EMPTY = 0.5
_OUT_OF_REACH = 2.0
_LEAST_WEIGHT = 0.1
_ROUNDING = 1e-9


def concerns_about_weights(model: Model, entries: list[dict[str, Any]]) -> Iterator[Warning]:
    """Whether weights of clauses met the edge of their range in one of the epochs `entries`."""
    if any(entry["weights_at_edge"] for entry in entries):
        table = model.parameters.weight_table
        low, high = table.weight(np.array([-table.max_exponent, table.max_exponent]))
        yield RuntimeWarning(
            f"Some weights reached the edge of their range ({low:.3g} to {high:.3g}) and stayed there. "
            "A smaller gamma or a smaller T keeps them inside."
        )


def concerns_about_fit(
    model: Model, training: LabelledExamples, entry: dict[str, Any], by_class: np.ndarray | None
) -> Iterator[Warning]:
    """What went wrong in a fit that has ended.

    The bounds are far from what ordinary fits come to: they have hardly an empty clause, and sums that can reach T.

    Parameters
    ----------
    model : Model
        As it is kept.
    training : LabelledExamples
        What it was trained on.
    entry : dict
        The entry of `history_` for the epoch that is kept.
    by_class : ndarray of shape (n_classes,), float64, or None
        Weights of the classes. With them accuracy is not what training aims at.
    """
    share = _most_frequent(training)
    if by_class is None and entry["train_accuracy"] <= share + _ROUNDING:
        yield ConvergenceWarning(
            f"Training did not converge: {entry['train_accuracy']:.1%} of the training rows are predicted right, and "
            f"always saying the most frequent class would be right for {share:.1%}. More epochs, more clauses or a "
            "smaller s may help; or the features say nothing about the labels."
        )
    empty = np.mean([machine.is_empty.mean() for machine in model.machines])
    if empty > _MOST_EMPTY:
        yield ConvergenceWarning(
            f"{empty:.0%} of the clauses are empty and have no vote: with a larger s they keep more literals."
        )
    T = model.parameters.T
    reach = max(machine.weights[machine.polarity == sign].sum() for machine in model.machines for sign in (1, -1))
    if _OUT_OF_REACH * reach < T:
        yield ConvergenceWarning(
            f"T={T:g} is out of proportion: the sums that are trained toward it are {reach:.3g} at most, if all "
            "clauses of a polarity vote, so every example changes about half of the clauses for ever. A smaller T or "
            "more clauses are needed."
        )
    weights = training.weighted(by_class).weights
    if weights is not None and weights.mean() < _LEAST_WEIGHT:
        names = ["sample_weight"] * (training.weights is not None) + ["class_weight"] * (by_class is not None)
        yield UserWarning(
            f"{' times '.join(names)} adds up to {weights.sum():.3g} for {len(weights)} rows, and an epoch sees "
            "as many examples. Multiply the weights so that their mean is about 1."
        )


def _most_frequent(training: LabelledExamples) -> float:
    """Accuracy of always saying the most frequent class."""
    measured = training.sample()
    counts = np.bincount(measured.labels, measured.weights)
    return float(counts.max() / counts.sum())
