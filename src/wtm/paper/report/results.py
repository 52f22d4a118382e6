"""All results in a folder, found by what they are of."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wtm.paper.first_epoch import FirstEpoch
from wtm.paper.problem import QUICK_CLAUSES
from wtm.paper.record import Record, read_records
from wtm.paper.run import QUICK_FOLDER
from wtm.paper.sampling import Point, read_sampling
from wtm.paper.settings import Setting
from wtm.paper.summary import Summary, summarise
from wtm.paper.vanilla import read_vanilla
from wtm.paper.variants import read_variants

__all__ = ["KEYS", "Results", "combined_spread", "read_results"]

KEYS = ("mnist", "imdb", "imdb-authors", "connect-4")


@dataclass(frozen=True)
class Results:
    """What experiments have left in a folder.

    Attributes
    ----------
    quick : bool
        Whether they are of quick trials, which show that all works and nothing else.
    records : dict of str to list of Record
        By data set.
    vanilla : dict of str to list of dict
        See `wtm.paper.vanilla.read_vanilla`.
    variants : dict of str to list of dict
        See `wtm.paper.variants.read_variants`.
    sampling : tuple or None
        See `wtm.paper.sampling.read_sampling`.
    """

    quick: bool
    records: dict[str, list[Record]]
    vanilla: dict[str, list[dict[str, Any]]]
    variants: dict[str, list[dict[str, Any]]]
    sampling: tuple[dict[str, Any], list[Point], dict[str, FirstEpoch]] | None

    def of(self, key: str, setting: Setting) -> list[Record]:
        """The trainings of a machine, one a seed; none where it was not trained."""
        if self.quick:
            setting = replace(setting, n_clauses=min(setting.n_clauses, QUICK_CLAUSES))
        return [record for record in self.records[key] if record.setting == setting]

    def summary(self, key: str, setting: Setting) -> Summary | None:
        """The trainings of a machine summed up; None where there are none."""
        records = self.of(key, setting)
        return summarise(records) if records else None

    def runs(self) -> list[list[dict[str, Any]]]:
        """What is no `Record`: of each other method and variant, a dict a seed."""
        return [*self.vanilla.values(), *self.variants.values()]

    def environments(self) -> list[dict[str, Any]]:
        """Where everything was computed: entries with ``versions`` and ``machine``, each pair once."""
        found = [session for records in self.records.values() for record in records for session in record.sessions]
        found += [run for runs in self.runs() for run in runs]
        found += [self.sampling[0]] if self.sampling else []
        pairs = [{"versions": entry["versions"], "machine": entry["machine"]} for entry in found]
        return [pair for i, pair in enumerate(pairs) if pair not in pairs[:i]]


def read_results(folder: Path) -> Results:
    """Read a folder of results.

    Raises
    ------
    FileNotFoundError
        There are none.
    ValueError
        A file is damaged, or quick results are mixed with others.
    """
    sampling = folder / "sampling" / "sampling.json"
    results = Results(
        quick=False,
        records={key: read_records(folder / key) for key in KEYS},
        vanilla=read_vanilla(folder / "vanilla"),
        variants=read_variants(folder / "variants"),
        sampling=read_sampling(sampling) if sampling.exists() else None,
    )
    quick = {record.data["quick"] for records in results.records.values() for record in records}
    quick |= {run["data"]["quick"] for runs in results.runs() for run in runs}
    quick |= {results.sampling[0]["quick"]} if results.sampling else set()
    if not quick:
        where = f"--out {folder.parent} --quick" if folder.name == QUICK_FOLDER else f"--out {folder}"
        raise FileNotFoundError(f"There are no results in {folder}: run an experiment with {where} first.")
    if len(quick) > 1:
        raise ValueError(f"{folder} holds quick results beside others: quick ones belong into {folder / 'quick'}.")
    return replace(results, quick=quick.pop())


def combined_spread(a: Summary, b: Summary) -> float:
    """The spread of the difference of two means."""
    return math.hypot(a.spread, b.spread)
