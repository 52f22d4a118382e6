"""The processor's times of trainings, compared on one kind of processor.

They are estimated, see `Record.cpu_seconds`. Times by the clock alone are left out: other work multiplies them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wtm.paper.record import Groups, Record, common_epochs


@dataclass(frozen=True)
class Times:
    """The mean seconds of an epoch of two machines on one kind of processor, one per seed."""

    processor: str
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


def mean_seconds(records: Sequence[Record], n_epochs: int) -> list[float]:
    """Return the processor's mean time of the first epochs of each training; those without it are left out."""
    return [float(np.mean(seconds[:n_epochs])) for record in records if (seconds := record.cpu_seconds)]


def times_by_processor(weighted: Sequence[Record], classic: Sequence[Record]) -> Iterator[Times]:
    """Yield the times of two machines for each kind of processor that trained both, over the epochs that all have."""
    machines = [[record for record in records if record.cpu_seconds] for records in (weighted, classic)]
    for processor in _processors(machines[0]):
        groups = [[record for record in records if processor_of(record) == processor] for records in machines]
        if all(groups):
            n_epochs = common_epochs(groups)
            yield Times(processor, n_epochs, *(mean_seconds(records, n_epochs) for records in groups))


def on_one_processor(groups: Groups) -> Groups:
    """Return the timed trainings of the kind of processor that most machines have; machines without are left out."""
    groups = [[record for record in records if record.cpu_seconds] for records in groups]
    counts = Counter(name for records in groups for name in _processors(records))
    if not counts:
        return []
    (most, _), *_ = counts.most_common(1)
    kept = ([record for record in records if processor_of(record) == most] for records in groups)
    return [records for records in kept if records]


def _processors(records: Iterable[Record]) -> list[str]:
    return list(dict.fromkeys(name for record in records if (name := processor_of(record))))
