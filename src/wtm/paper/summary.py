"""The figures that sum up trainings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wtm.paper.intervals import mean_text
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
    seed_peaks: tuple[float, ...]  # the largest of all epochs: selected on the test set and therefore optimistic
    seed_seconds: tuple[float, ...]  # mean training time of an epoch
    last: float  # after the last epoch, mean over seeds

    @property
    def mean(self) -> float:
        """Mean accuracy over the last epochs."""
        return self.statistics.mean

    def __str__(self) -> str:
        return mean_text(self.seed_means)


def summarise(records: Sequence[Record], n_epochs: int | None = None) -> Summary:
    """Sum up the trainings of one machine, one per seed; with `n_epochs`, as if they had ended there."""
    shortest = common_epochs([list(records)])
    n_epochs = shortest if n_epochs is None else min(shortest, n_epochs)
    tests, seconds = (
        np.array([record.history[name][:n_epochs] for record in records], float)
        for name in ("test_accuracy", "seconds")
    )
    tests = 100 * tests
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
        seed_peaks=tuple(tests.max(1).tolist()),
        seed_seconds=tuple(seconds.mean(1).tolist()),
        last=float(tests[:, -1].mean()),
    )
