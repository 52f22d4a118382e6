"""The figures that sum up trainings."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wtm.paper.record import Record, common_epochs
from wtm.paper.reported import Statistics
from wtm.paper.settings import averaged_epochs


@dataclass(frozen=True)
class Summary:
    """Trainings of one machine, with one or several seeds; accuracies are on the test set, in per cent.

    Attributes
    ----------
    n_seeds : int
    epochs : int
        Of the shortest training; longer ones are cut to it.
    averaged : int
        The number of last epochs that `statistics` are over.
    statistics : Statistics
        As in the paper: maximum, minimum, mean, standard deviation (of the population) and 2.5 and 97.5 % quantiles
        over the last epochs. With several seeds, the mean of each over the seeds.
    seed_means : tuple of float
        The mean over the last epochs for each seed.
    last : float
        After the last epoch, mean over seeds.
    peak : float
        The largest accuracy of all epochs, mean over seeds. It is selected on the test set and therefore optimistic.
    peak_epochs : tuple of int
        The first epoch that reached it, for each seed.
    train_peak : float
        The largest accuracy on training rows of all epochs, mean over seeds.
    seconds : float
        Median training time of an epoch, over all seeds.
    total_seconds : float
        Training time of all epochs, mean over seeds.
    """

    n_seeds: int
    epochs: int
    averaged: int
    statistics: Statistics
    seed_means: tuple[float, ...]
    last: float
    peak: float
    peak_epochs: tuple[int, ...]
    train_peak: float
    seconds: float
    total_seconds: float

    @property
    def mean(self) -> float:
        """Mean accuracy over the last epochs."""
        return self.statistics.mean

    @property
    def spread(self) -> float:
        """How much the mean varies by chance: standard deviation over seeds, or over epochs if there is one seed."""
        return self.statistics.deviation if self.n_seeds == 1 else statistics.stdev(self.seed_means)

    @property
    def seed_range(self) -> tuple[float, float] | None:
        """The smallest and largest mean of a seed; None if there is one seed."""
        return (min(self.seed_means), max(self.seed_means)) if self.n_seeds > 1 else None

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.spread:.2f}"


def summarise(records: Sequence[Record], n_epochs: int | None = None) -> Summary:
    """Sum up the trainings of one machine on one data set.

    Parameters
    ----------
    records : sequence of Record
        One per seed, at least one.
    n_epochs : int, optional
        Use only this many epochs, as if training had ended there.
    """
    shortest = common_epochs([list(records)])
    n_epochs = shortest if n_epochs is None else min(shortest, n_epochs)
    tests, trains, seconds = (
        np.array([record.history[name][:n_epochs] for record in records], float)
        for name in ("test_accuracy", "train_accuracy", "seconds")
    )
    tests, trains = 100 * tests, 100 * trains
    averaged = averaged_epochs(records[0].data["key"], n_epochs)
    last = tests[:, -averaged:]
    quantiles = np.quantile(last, (0.025, 0.975), axis=1)
    per_seed = (last.max(1), last.min(1), last.mean(1), last.std(1), *quantiles)
    return Summary(
        n_seeds=len(records),
        epochs=n_epochs,
        averaged=averaged,
        statistics=Statistics(*(float(values.mean()) for values in per_seed)),
        seed_means=tuple(last.mean(1).tolist()),
        last=float(tests[:, -1].mean()),
        peak=float(tests.max(1).mean()),
        peak_epochs=tuple((tests.argmax(1) + 1).tolist()),
        train_peak=float(trains.max(1).mean()),
        seconds=float(np.median(seconds)),
        total_seconds=float(seconds.sum(1).mean()),
    )


def combined_spread(a: Summary, b: Summary) -> float:
    """Return the spread of the difference of two means."""
    return math.hypot(a.spread, b.spread)
