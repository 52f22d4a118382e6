"""The times of trainings, compared on one kind of processor."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from wtm.paper.record import Groups, Record, common_epochs


@dataclass(frozen=True)
class Times:
    """The mean seconds of an epoch of two machines on one kind of processor, one per seed."""

    processor: str
    of_cpu: bool  # whether they are the processor's, and not those of the clock
    n_epochs: int
    weighted: list[float]
    classic: list[float]

    @property
    def factors(self) -> list[float]:
        """How many times as long the second machine takes, over all pairs of seeds."""
        return [b / a for a in self.weighted for b in self.classic]


def processor_of(record: Record) -> str | None:
    """Return LLVM's name of the processor of a training, or None if it had several kinds."""
    names = {session["machine"]["llvm_target"] for session in record.sessions}
    return names.pop() if len(names) == 1 else None


def mean_seconds(records: Sequence[Record], n_epochs: int) -> tuple[list[float], bool]:
    """Return the mean time of the first epochs of each training, and whether it is the processor's."""
    of_cpu = all(record.cpu_seconds is not None for record in records)
    seconds = [(of_cpu and record.cpu_seconds) or record.history["seconds"] for record in records]
    return [float(np.mean(of_seed[:n_epochs])) for of_seed in seconds], of_cpu


def times_by_processor(weighted: Sequence[Record], classic: Sequence[Record]) -> Iterator[Times]:
    """Yield the times of two machines for each kind of processor that trained both, over the epochs that all have."""
    if not (weighted and classic):
        return
    n_epochs = common_epochs([list(weighted), list(classic)])
    for processor in _processors(weighted):
        machines = [[r for r in records if processor_of(r) == processor] for records in (weighted, classic)]
        if all(machines):
            seconds, of_cpu = mean_seconds([*chain(*machines)], n_epochs)
            n = len(machines[0])
            yield Times(processor, of_cpu, n_epochs, seconds[:n], seconds[n:])


def on_one_processor(groups: Groups) -> Groups:
    """Return the trainings of the kind of processor that most machines have; machines without are left out."""
    counts = Counter(name for records in groups for name in _processors(records))
    if not counts:
        return []
    (most, _), *_ = counts.most_common(1)
    kept = ([record for record in records if processor_of(record) == most] for records in groups)
    return [records for records in kept if records]


def _processors(records: Iterable[Record]) -> list[str]:
    return list(dict.fromkeys(name for record in records if (name := processor_of(record))))
