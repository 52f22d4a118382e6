"""The figures that sum up trainings."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wtm.paper.record import Record
from wtm.paper.settings import Statistics, averaged_epochs

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True)
class Summary:
    """Trainings of one machine, with one seed or several; accuracies are on the test set, in per cent.

    Attributes
    ----------
    n_seeds : int
    epochs : int
        Of each training; where they differ, of the shortest, and the others are cut to it.
    averaged : int
        The last epochs that `statistics` are over.
    statistics : Statistics
        The paper's: maximum, minimum, mean, standard deviation (of the population) and 2.5 and 97.5 % quantiles over
        the last epochs. Of several seeds, the mean over the seeds of each.
    seed_means : tuple of float
        The mean over the last epochs for each seed.
    last : float
        After the last epoch, mean over seeds.
    peak : float
        The largest accuracy of all epochs (of several seeds, the mean of their largest). It is picked on the test set
        and therefore flatters.
    peak_epochs : tuple of int
        The first epoch that reached it, for each seed.
    train_peak : float
        The largest accuracy on training rows of all epochs, mean over seeds.
    seconds : float
        Median time of training an epoch, over all seeds.
    total_seconds : float
        Time of training all epochs, mean over seeds.
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
    def spread(self) -> float:
        """How far the mean moves by chance: standard deviation over seeds, with one seed over the last epochs."""
        return self.statistics.deviation if self.n_seeds == 1 else statistics.stdev(self.seed_means)


def summarise(records: Sequence[Record], n_epochs: int | None = None) -> Summary:
    """Sum up the trainings of one machine on one data set.

    Parameters
    ----------
    records : sequence of Record
        One a seed, at least one.
    n_epochs : int, optional
        Look at so many epochs only, as if training had ended there; at most what the shortest training has.
    """
    n_epochs = min([record.n_epochs for record in records] + ([] if n_epochs is None else [n_epochs]))
    accuracies = 100 * np.array([record.history["test_accuracy"][:n_epochs] for record in records])
    training = 100 * np.array([record.history["train_accuracy"][:n_epochs] for record in records])
    seconds = np.array([record.history["seconds"][:n_epochs] for record in records])
    averaged = averaged_epochs(records[0].data["key"], n_epochs)
    last_ones = accuracies[:, -averaged:]
    low, high = np.quantile(last_ones, (0.025, 0.975), axis=1)
    of_seeds = (last_ones.max(1), last_ones.min(1), last_ones.mean(1), last_ones.std(1), low, high)
    return Summary(
        n_seeds=len(records),
        epochs=n_epochs,
        averaged=averaged,
        statistics=Statistics(*(float(values.mean()) for values in of_seeds)),
        seed_means=tuple(last_ones.mean(1).tolist()),
        last=float(accuracies[:, -1].mean()),
        peak=float(accuracies.max(1).mean()),
        peak_epochs=tuple((accuracies.argmax(1) + 1).tolist()),
        train_peak=float(training.max(1).mean()),
        seconds=float(np.median(seconds)),
        total_seconds=float(seconds.sum(1).mean()),
    )
