"""The figures that sum up trainings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wtm.paper.intervals import MIN_SEEDS, mean_text
from wtm.paper.record import Record, common_epochs
from wtm.paper.reported import Statistics
from wtm.paper.settings import averaged_epochs, planned_epochs


@dataclass(frozen=True)
class Summary:
    """Trainings of one machine, with one or several seeds; accuracies are on the test set, in per cent."""

    n_seeds: int
    epochs: int  # of the shortest training; longer ones are cut to it
    averaged: int  # the number of last epochs that `statistics` are over
    statistics: Statistics  # as in the paper; with several seeds, the mean of each over the seeds
    seed_means: tuple[float, ...]  # over the last epochs
    seed_ranges: tuple[float, ...]  # largest minus smallest of the last epochs
    seed_peaks: tuple[float, ...]  # the largest of all epochs: selected on the test set and therefore optimistic
    last: float  # after the last epoch, mean over seeds

    @property
    def mean(self) -> float:
        """Mean accuracy over the last epochs."""
        return self.statistics.mean

    def __str__(self) -> str:
        return mean_text(self.seed_means)


def complete_or_all(records: Sequence[Record]) -> list[Record]:
    """Return the trainings of one machine that have all epochs if they are enough for an interval, else all of them."""
    if not records:
        return []
    planned = planned_epochs(records[0].data["key"], records[0].setting) or 0
    complete = [record for record in records if record.n_epochs >= planned]
    return complete if len(complete) >= MIN_SEEDS else list(records)


def summarise(records: Sequence[Record], n_epochs: int | None = None) -> Summary:
    """Sum up the trainings of one machine, one per seed; with `n_epochs`, as if they had ended there."""
    shortest = common_epochs([list(records)])
    n_epochs = shortest if n_epochs is None else min(shortest, n_epochs)
    tests = 100 * np.array([record.history["test_accuracy"][:n_epochs] for record in records], float)
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
        seed_ranges=tuple(np.ptp(last, axis=1).tolist()),
        seed_peaks=tuple(tests.max(1).tolist()),
        last=float(tests[:, -1].mean()),
    )
