"""The figures that sum up trainings."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wtm.paper.record import Record, common_epochs
from wtm.paper.reported import Statistics
from wtm.paper.settings import averaged_epochs


@dataclass(frozen=True)
class Summary:
    """Trainings of one machine, with one or several seeds; accuracies are on the test set, in per cent."""

    n_seeds: int
    epochs: int  # of the shortest training; longer ones are cut to it
    averaged: int  # the number of last epochs that `statistics` are over
    statistics: Statistics  # as in the paper; with several seeds, the mean of each over the seeds
    seed_means: tuple[float, ...]  # over the last epochs
    last: float  # after the last epoch, mean over seeds
    peak: float  # the largest of all epochs, mean over seeds: selected on the test set and therefore optimistic
    peak_epochs: tuple[int, ...]  # the first epoch that reached it, for each seed
    train_peak: float  # the largest accuracy on training rows, mean over seeds
    seconds: float  # median training time of an epoch, over all seeds
    total_seconds: float  # of all epochs, mean over seeds

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
    """Sum up the trainings of one machine, one per seed; with `n_epochs`, as if they had ended there."""
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
