"""All results in a folder, found by their machines."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from wtm.paper.json_files import ENVIRONMENT, check_environment, naming, read_json
from wtm.paper.record import Groups, Record, by_setting, read_records
from wtm.paper.report.other_methods import Runs, read_baselines
from wtm.paper.report.program_speed import RESULTS as PROGRAM_SPEED
from wtm.paper.report.program_speed import Results as ProgramSpeed
from wtm.paper.report.program_speed import read_program_speed
from wtm.paper.report.sampling import Results as Sampling
from wtm.paper.report.sampling import read_sampling
from wtm.paper.run_options import QUICK_FOLDER, quick_setting
from wtm.paper.settings import COMPRESSION, NAMES_BY_RECIPE, Plans, Setting, averaged_epochs, large_machines
from wtm.paper.summary import Summary, complete_or_all, summarise

FILE_ORDER = {
    "file-order": ("mnist", large_machines("mnist")[0]),
    "connect-4-file-order": ("connect-4", COMPRESSION["connect-4"].weighted.setting),
    "connect-4-tm-file-order": ("connect-4", COMPRESSION["connect-4"].classic.setting),
    "connect-4-large-file-order": ("connect-4", large_machines("connect-4")[0]),
    "connect-4-large-tm-file-order": ("connect-4", large_machines("connect-4")[1]),
}
"""Data set and machine of the ablations in which all epochs have the order of the file, as in the authors' program."""


class NotMeasuredError(Exception):
    """There are no results for what was asked."""


@dataclass(frozen=True)
class Results:
    """The results of experiments."""

    quick: bool  # of small samples, and meaningless
    records: dict[str, list[Record]]  # by data set
    baselines: Runs
    sampling: Sampling | None
    program_speed: ProgramSpeed | None
    ablations: dict[str, list[dict[str, Any]]]  # by name, a training per seed

    def settings(self, plans: Plans) -> list[Setting]:
        """Return the machines of plans; several may have the same quick one."""
        return list(dict.fromkeys(quick_setting(plan.setting) if self.quick else plan.setting for plan in plans))

    def of(self, key: str, setting: Setting) -> list[Record]:
        """Return the trainings of a machine, one per seed, that `complete_or_all` chooses, or an empty list."""
        setting = quick_setting(setting) if self.quick else setting
        return complete_or_all([record for record in self.records[key] if record.setting == setting])

    def groups(self, key: str, plans: Plans) -> Groups:
        """Return the trainings of each machine that has any."""
        return by_setting(record for setting in self.settings(plans) for record in self.of(key, setting))

    def required(self, key: str, setting: Setting) -> list[Record]:
        """Return the trainings of a machine; NotMeasuredError if there are none."""
        records = self.of(key, setting)
        if not records:
            raise NotMeasuredError
        return records

    def summary(self, key: str, setting: Setting, n_epochs: int | None = None) -> Summary:
        """Sum up the trainings of a machine; NotMeasuredError if there are none."""
        return summarise(self.required(key, setting), n_epochs)

    def ablation(self, name: str) -> list[dict[str, Any]]:
        """Return the trainings of an ablation, one per seed; NotMeasuredError if there are none."""
        if name not in self.ablations:
            raise NotMeasuredError
        return self.ablations[name]

    def origins(self) -> list[dict[str, Any]]:
        """Return what has the entries of `wtm.paper.environment.environment`: a session per training, and others."""
        sessions = [session for record in chain(*self.records.values()) for session in record.sessions]
        single = [found for found in (self.sampling, self.program_speed) if found]
        return [*sessions, *chain(*self.baselines.values(), *self.ablations.values()), *single]

    def environments(self) -> list[dict[str, Any]]:
        """Return the ``versions`` and ``machine`` of all computations, each pair once."""
        pairs: list[dict[str, Any]] = []
        for origin in self.origins():
            pair = {name: origin[name] for name in ENVIRONMENT}
            if pair not in pairs:
                pairs.append(pair)
        return pairs


def read_results(folder: Path) -> Results:
    """Read a folder of results.

    Raises FileNotFoundError if there are none; ValueError if a file is damaged, or quick results are mixed with others.
    """
    records = {key: read_records(folder / key) for key in NAMES_BY_RECIPE}
    baselines = read_baselines(folder / "baselines")
    sampling = read_sampling(folder / "sampling" / "sampling.json")
    speed = read_program_speed(folder / PROGRAM_SPEED)
    quick = {record.data["quick"] for record in chain(*records.values())}
    if not (quick or baselines or sampling or speed):
        where = f"--out {folder.parent} --quick" if folder.name == QUICK_FOLDER else f"--out {folder}"
        raise FileNotFoundError(f"There are no results in {folder}: run an experiment with {where} first.")
    if len(quick) > 1:
        raise ValueError(f"{folder} holds quick results next to others: move quick ones to {folder / QUICK_FOLDER}.")
    return Results(True in quick, records, baselines, sampling, speed, _read_ablations(folder / "ablations"))


def _read_ablations(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Read what `studies.ablations` and `studies.authors_program` wrote."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*-seed*.json")):
        run = read_json(path)
        with naming(path):
            check_environment(run)
            _ = run["seed"], run["data"]["key"], [float(accuracy) for accuracy in run["test_accuracy"]]
            found.setdefault(run["ablation"], []).append(run)
    return found


def last_mean(run: dict[str, Any], n_epochs: int | None = None) -> float:
    """Return the mean test accuracy of an ablation's training over its last epochs, in per cent."""
    accuracies = run["test_accuracy"][:n_epochs]
    return 100 * float(np.mean(accuracies[-averaged_epochs(run["data"]["key"], len(accuracies)) :]))
