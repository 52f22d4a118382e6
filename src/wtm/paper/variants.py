"""What might move the mean accuracy: the order of the examples, the start of the automata, the engine, the draws."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from wtm.machine.machine_parameters import MachineParameters
from wtm.paper.accuracy_table import describe_setting
from wtm.paper.console import NOTHING, Table, say, show
from wtm.paper.entries import ENVIRONMENT, are_shares, check_entries, is_count, is_data, of_kind
from wtm.paper.files import (
    check_checkpoint,
    check_name,
    check_not_there,
    environment,
    prepare_folder,
    read_json,
    read_runs,
    write_json,
)
from wtm.paper.problem import QUICK_CLAUSES, QUICK_EPOCHS, Problem, load_problem
from wtm.paper.program import Program
from wtm.paper.run import Options, folder_of, parameters_of
from wtm.paper.settings import ECONOMY, NAMES_BY_RECIPE, PRESETS, Preset, Setting
from wtm.paper.variant_training import MachineTraining, ProgramTraining, Training, carry_on, checkpoint_path

__all__ = [
    "PROGRAM_SEED", "VARIANTS", "Variant", "common_epochs", "means_of_seeds", "n_averaged", "read_variants",
    "reproduce", "variants_table",
]  # fmt: skip

PROGRAM_SEED = 0
"""Stands for the state in which the authors' program starts unless it is told another."""

_KIND = "variant"
_BEST = PRESETS["mnist"][Preset.BEST][0].setting
_LIGHT = PRESETS["mnist"][Preset.LIGHT][0].setting
_EXAMPLE = Setting("WTM", 500, 0.075, 0.002, 20)
_CONNECT_4 = PRESETS["connect-4"][Preset.LIGHT][0].setting
_IMDB = PRESETS["imdb"][Preset.BEST][0].setting
_CONNECT_4_TM = ECONOMY["connect-4"].classic.setting


@dataclass(frozen=True)
class Variant:
    """A machine that differs from another of them in one thing.

    Attributes
    ----------
    name : str
        In words.
    setting : Setting
    n_epochs : int
    averaged : int
        The mean is over so many last epochs.
    changes : dict
        Of `wtm.machine.machine_parameters.MachineParameters`.
    file_order : bool
        Whether examples come as in the file, in every epoch, as the authors' program has them.
    reported : float or None
        What the authors tell of these epochs, in per cent.
    data : str
        "mnist", "connect-4" or "imdb-authors".
    by_program : bool
        Whether the authors' program is followed draw by draw.
    """

    name: str
    setting: Setting
    n_epochs: int
    averaged: int
    changes: dict[str, Any]
    file_order: bool = False
    reported: float | None = None
    data: str = "mnist"
    by_program: bool = False

    @property
    def title(self) -> str:
        """Data set and name."""
        return f"{NAMES_BY_RECIPE[self.data]}: {self.name}"


VARIANTS: dict[str, Variant] = {
    # The paper's table 3 has the mean over the last 50 of 300 epochs, the program's readme the last of 200: 98.51.
    "shuffled": Variant("a new order each epoch, as everywhere here", _BEST, 200, 50, {}, reported=98.50),
    "file-order": Variant("the file's order, as the authors' program", _BEST, 200, 50, {}, True, 98.50),
    "program": Variant("the authors' program, draw by draw", _BEST, 200, 50, {}, reported=98.50, by_program=True),
    "random-start": Variant("automata start on either side of the border", _BEST, 200, 50, {"init": "random"}),
    # The program's readme shows 98.04, 98.12, 98.11 and 98.13 for the epochs 397 to 400 of this machine.
    "example": Variant("the machine of the program's readme", _EXAMPLE, 400, 4, {}, reported=98.10),
    "lazy": Variant("the lazy engine", _LIGHT, 150, 50, {}),
    "direct": Variant("the direct engine", _LIGHT, 150, 50, {"engine": "direct"}),
    # The readme has 95.17 after three epochs, and of Connect-4 the last epoch alone.
    "program-3": Variant("the authors' program, three epochs", _LIGHT, 3, 1, {}, reported=95.17, by_program=True),
    "connect-4-shuffled": Variant("a new order each epoch", _CONNECT_4, 200, 40, {}, False, 80.13, "connect-4"),
    "connect-4-file-order": Variant("the file's order", _CONNECT_4, 200, 40, {}, True, 80.13, "connect-4"),
    "connect-4-program": Variant(
        "the authors' program, draw by draw", _CONNECT_4, 200, 1, {}, reported=80.13, data="connect-4", by_program=True
    ),
    "connect-4-tm-shuffled": Variant("a TM, a new order each epoch", _CONNECT_4_TM, 200, 40, {}, data="connect-4"),
    "connect-4-tm-file-order": Variant("a TM, the file's order", _CONNECT_4_TM, 200, 40, {}, True, data="connect-4"),
    # Their file has another order than ours, which holds positive and negative reviews in turn.
    "imdb-shuffled": Variant("a new order each epoch", _IMDB, 25, 5, {}, False, 90.25, "imdb-authors"),
    "imdb-file-order": Variant("one order in all epochs", _IMDB, 25, 5, {}, True, 90.25, "imdb-authors"),
}
"""By name."""


def reproduce(only: Sequence[str], options: Options) -> None:
    """Train every variant with every seed; write a file each; print a table.

    Parameters
    ----------
    only : sequence of str
        Names of variants to be trained; all if there are none.
    options : Options
        Each variant has epochs of its own, unless `n_epochs` says other.

    Raises
    ------
    OSError, ValueError
        A variant has another name; results can't be written, or would be replaced without `options.resume`; the data
        are not there.
    KeyboardInterrupt
        The user stopped it; all finished epochs are kept.
    """
    unknown = sorted(set(only) - set(VARIANTS))
    if unknown:
        raise ValueError(f"--only {unknown[0]!r} is no variant: the variants are {', '.join(VARIANTS)}.")
    folder = folder_of(options, "variants")
    for needed in (folder, folder / "checkpoints"):
        prepare_folder(needed)
    loaded = cache(lambda data: load_problem(data, options.data_dir, quick=options.quick))
    names = [(key, seed, folder / f"{key}-seed{seed}.json") for key in only or VARIANTS for seed in options.seeds]
    for key, _, path in names:
        _check_nothing_is_lost(path, _planned(VARIANTS[key], options), options)
    for key, seed, path in names:
        _carry_out(key, seed, path, loaded, options)
    show(variants_table(read_variants(folder)).rich("What might move the mean"))
    say(f"Written to {folder}: {', '.join(only or VARIANTS)}")


def _planned(variant: Variant, options: Options) -> int:
    return options.n_epochs or (QUICK_EPOCHS if options.quick else variant.n_epochs)


def _check_nothing_is_lost(path: Path, n_epochs: int, options: Options) -> None:
    if not options.resume:
        for file in (path, checkpoint_path(path)):
            check_not_there(file, resumable=True)
    elif (done := _n_done(path)) and done < n_epochs:
        check_checkpoint(checkpoint_path(path), path, done)


def _n_done(path: Path) -> int:
    return len(_read(path)["test_accuracy"]) if path.exists() else 0


def _carry_out(key: str, seed: int, path: Path, loaded: Callable[[str], Problem], options: Options) -> None:
    """Do what is left to do of one training."""
    variant = VARIANTS[key]
    n_epochs, done = _planned(variant, options), _n_done(path)
    if done >= n_epochs:
        say(f"{path.stem}: {done:,} epochs are there")
        return
    setting = _setting(variant, quick=options.quick)
    say(f"{path.stem}: {variant.name}, {describe_setting(setting)}")
    problem = loaded(variant.data)
    about = {"variant": key, "setting": asdict(setting), "seed": seed, "data": problem.describe()}
    training: Training
    if variant.by_program:
        training = ProgramTraining(Program(problem, setting, seed))
    else:
        parameters: MachineParameters = replace(parameters_of(setting, problem), **variant.changes)
        training = MachineTraining(parameters, problem, seed, file_order=variant.file_order, n_jobs=options.n_jobs)
    accuracies = carry_on(training, path, n_epochs, about)
    write_json(path, {"kind": _KIND, **about, "test_accuracy": accuracies, **environment()})


def read_variants(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Results of each variant, one a seed, in the order of `VARIANTS`; variants without any are left out.

    Raises
    ------
    ValueError
        A file is damaged, or holds something else than its name says.
    """
    return read_runs(folder, VARIANTS, _read)


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path)
    checks = {
        "kind": of_kind(_KIND),
        "variant": lambda value: isinstance(value, str) and value in VARIANTS,
        "seed": is_count,
        "data": is_data,
        "setting": lambda value: isinstance(value, dict),
        "test_accuracy": are_shares,
    }
    check_entries(path, content, checks | ENVIRONMENT)
    variant, data = VARIANTS[content["variant"]], content["data"]
    check_name(path, f"{content['variant']}-seed{content['seed']}")
    expected = {"setting": asdict(_setting(variant, quick=data["quick"])), "data": variant.data}
    if {"setting": content["setting"], "data": data["key"]} != expected:
        raise ValueError(f"{path} is of other settings or data than the variant's: remove it, or choose another --out.")
    return content


def _setting(variant: Variant, *, quick: bool) -> Setting:
    return replace(variant.setting, n_clauses=QUICK_CLAUSES) if quick else variant.setting


def common_epochs(*variants: Sequence[dict[str, Any]]) -> int:
    """How many epochs all trainings have: a longer one is looked at as if it had ended there."""
    return min(len(run["test_accuracy"]) for runs in variants for run in runs)


def means_of_seeds(key: str, runs: Sequence[dict[str, Any]], n_epochs: int | None = None) -> list[float]:
    """Of each seed the mean over the last of `n_epochs` epochs, in per cent; None is for all that they have."""
    n_epochs = n_epochs or common_epochs(runs)
    first = n_epochs - n_averaged(key, n_epochs)
    return [100 * float(np.mean(run["test_accuracy"][first:n_epochs])) for run in runs]


def n_averaged(key: str, n_epochs: int) -> int:
    """Over how many last epochs the mean is: the same share of shorter trainings."""
    variant = VARIANTS[key]
    return max(1, min(n_epochs, round(variant.averaged * n_epochs / variant.n_epochs)))


def variants_table(results: dict[str, list[dict[str, Any]]]) -> Table:
    """A row a variant: the mean over its last epochs, over seeds, with the spread of the seeds' means."""
    rows = []
    for key, runs in results.items():
        variant, n_epochs = VARIANTS[key], common_epochs(runs)
        first = n_epochs - n_averaged(key, n_epochs) + 1
        epochs = f"{n_epochs:,}" if first == n_epochs else f"{first:,}–{n_epochs:,}"
        for title, chosen, reported in _rows(variant, runs):
            means = means_of_seeds(key, chosen, n_epochs)
            spread = f"{statistics.stdev(means):.3f}" if len(means) > 1 else NOTHING
            authors = NOTHING if reported is None else f"{reported:.2f}"
            figures = [f"{len(means)}", f"{statistics.mean(means):.2f}", spread, authors]
            rows.append([title, f"{runs[0]['setting']['n_clauses']:,}", epochs, *figures])
    header = ["", "clauses", "epochs", "seeds", "mean (%)", "s.d. of seeds", "authors (%)"]
    return Table(header, rows)


def _rows(variant: Variant, runs: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]], float | None]]:
    """Title, trainings and the authors' figure; the seed that the authors' program has by itself stands apart."""
    reported = None if runs[0]["data"]["quick"] else variant.reported
    own = [run for run in runs if run["seed"] == PROGRAM_SEED] if variant.by_program else []
    if own and len(runs) > 1:
        yield f"{variant.title}, its own seed", own, reported
        yield f"{variant.title}, other seeds", [run for run in runs if run not in own], None
    else:
        yield variant.title, runs, reported
