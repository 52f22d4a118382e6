"""The figures that sum up a training."""

import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.classifier import WTMClassifier
from wtm.machine import Machine

__all__ = ["Summary", "WeightSpan", "summarise"]


@dataclass(frozen=True)
class WeightSpan:
    """Weights of the clauses that have literals; clauses without do not vote."""

    min: float
    max: float
    mean: float


@dataclass(frozen=True)
class Summary:
    """A training in figures; accuracies are on the test set, as fractions of 1.

    Attributes
    ----------
    epochs : int
        Number of epochs.
    last : float
        Accuracy after the last epoch.
    averaged : int
        How many of the last epochs `mean`, `deviation`, `low` and `high` are over: a fifth of all, rounded up.
    mean, deviation, low, high : float
        Mean, standard deviation (of the population), smallest and largest accuracy over the last epochs.
    peak : float
        The largest accuracy of all epochs. It is picked on the test set and therefore flatters.
    peak_epoch : int
        The first epoch that reached it.
    seconds_per_epoch, seconds_low, seconds_high : float
        Median and quartiles of the time of training an epoch.
    rules : int
        Clauses that have literals, over all classes.
    literals_per_clause : float
        Over all clauses.
    weights : WeightSpan or None
        Over all classes; None where no clause has a literal.
    weights_by_class : dict of str to WeightSpan or None
        The same for each class (the paper's table 4).
    """

    epochs: int
    last: float
    averaged: int
    mean: float
    deviation: float
    low: float
    high: float
    peak: float
    peak_epoch: int
    seconds_per_epoch: float
    seconds_low: float
    seconds_high: float
    rules: int
    literals_per_clause: float
    weights: WeightSpan | None
    weights_by_class: dict[str, WeightSpan | None]


def summarise(clf: WTMClassifier) -> Summary:
    """Sum up a classifier that was fitted with the test set as validation data."""
    history: list[dict[str, Any]] = clf.history_
    accuracies = [entry["valid_accuracy"] for entry in history]
    averaged = -(-len(accuracies) // 5)  # a fifth, as in the paper's 200 of 1,000 epochs on Connect-4
    last_ones = accuracies[-averaged:]
    peak = max(accuracies)
    low, median, high = np.quantile([entry["seconds"] for entry in history], (0.25, 0.5, 0.75)).tolist()
    by_class = [_voting_weights(machine) for machine in clf.machines_]
    together = np.concatenate(by_class)
    return Summary(
        epochs=len(history),
        last=accuracies[-1],
        averaged=averaged,
        mean=statistics.fmean(last_ones),
        deviation=statistics.pstdev(last_ones),
        low=min(last_ones),
        high=max(last_ones),
        peak=peak,
        peak_epoch=history[accuracies.index(peak)]["epoch"],
        seconds_per_epoch=median,
        seconds_low=low,
        seconds_high=high,
        rules=len(together),
        literals_per_clause=history[-1]["literals_per_clause"],
        weights=_span(together),
        weights_by_class={str(label): _span(weights) for label, weights in zip(clf.classes_, by_class, strict=True)},
    )


def _voting_weights(machine: Machine) -> np.ndarray:
    return machine.weights[machine.include.any(axis=1)]


def _span(weights: np.ndarray) -> WeightSpan | None:
    if not weights.size:
        return None
    return WeightSpan(min=float(weights.min()), max=float(weights.max()), mean=float(weights.mean()))
