"""One training of an experiment: carried out, kept, interrupted, taken up again."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wtm.classifier import WTMClassifier
from wtm.fitting.progress import show_epochs
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model import Model
from wtm.machine.training import train
from wtm.modelfile import ModelRecord
from wtm.paper.checkpoint import REMEDY, Checkpoint, load_checkpoint, save_checkpoint
from wtm.paper.console import say
from wtm.paper.files import check_checkpoint, check_not_there, environment, prepare_folder
from wtm.paper.interruption import Interruption
from wtm.paper.problem import QUICK_CLAUSES, QUICK_EPOCHS, Problem
from wtm.paper.record import HISTORY, Record, describe_weights, name_of, read_record
from wtm.paper.settings import Plan, Setting
from wtm.utils.threads import resolve_n_threads

__all__ = [
    "CHECKPOINT_SECONDS",
    "QUICK_FOLDER",
    "Options",
    "Run",
    "carry_out",
    "folder_of",
    "parameters_of",
    "quicken",
    "trained_classifier",
]

CHECKPOINT_SECONDS = 600.0
"""So often, at most, a training in progress is kept."""

QUICK_FOLDER = "quick"
"""Quick results lie in a folder of this name, and no others do: their names may be those of full ones."""


@dataclass(frozen=True)
class Options:
    """What the caller of an experiment chooses.

    Attributes
    ----------
    out : Path
        The folder for results; made where it is missing.
    data_dir : Path or None
        As for the loaders in `wtm.datasets`.
    n_epochs : int or None
        Epochs of every machine; None: those of its `Plan`.
    seeds : sequence of int
        Each machine is trained with each of them.
    n_jobs : int
        Threads, as in `WTMClassifier`.
    resume : bool
        Take up what is there: leave out finished trainings, go on with unfinished ones.
    quick : bool
        Small samples, few clauses and epochs, in a folder of their own: to see that all works.
    """

    out: Path
    data_dir: Path | None = None
    n_epochs: int | None = None
    seeds: Sequence[int] = (0,)
    n_jobs: int = -1
    resume: bool = False
    quick: bool = False


@dataclass(frozen=True)
class Run:
    """A machine, a seed, and where its files are.

    Attributes
    ----------
    setting : Setting
    seed : int
    folder : Path
        Of the data set's results.
    """

    setting: Setting
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        """The name of its files, without a suffix."""
        return name_of(self.setting, self.seed)

    @property
    def record_path(self) -> Path:
        """The file of results."""
        return self.folder / f"{self.name}.json"

    @property
    def checkpoint_path(self) -> Path:
        """The file to go on from."""
        return self.folder / "checkpoints" / f"{self.name}.safetensors"


def folder_of(options: Options, *parts: str) -> Path:
    """A folder of results, below one of their own for quick ones."""
    return options.out.joinpath(*([QUICK_FOLDER] if options.quick else []), *parts)


def quicken(plan: Plan, options: Options) -> Plan:
    """The plan as `options` want it: fewer clauses if quick, and the number of epochs."""
    if options.quick:
        setting = replace(plan.setting, n_clauses=min(plan.setting.n_clauses, QUICK_CLAUSES))
        plan = Plan(setting, min(plan.n_epochs, QUICK_EPOCHS))
    return plan if options.n_epochs is None else replace(plan, n_epochs=options.n_epochs)


def carry_out(problem: Problem, plans: Iterable[Plan], options: Options) -> list[Record]:
    """Train each machine of `plans` with each seed, keeping each in `folder_of` of the data set.

    Returns
    -------
    list of Record
        Plan by plan, and of a plan seed by seed.

    Raises
    ------
    OSError
        Results can't be written.
    ValueError
        Something is there that would be replaced without `options.resume`, or does not fit.
    KeyboardInterrupt
        The user stopped it; all finished epochs are kept.
    """
    folder = folder_of(options, problem.key)
    for needed in (folder, folder / "checkpoints"):
        prepare_folder(needed)
    wanted = [quicken(plan, options) for plan in plans]
    # Quick machines may have become equal.
    runs = dict.fromkeys((Run(plan.setting, seed, folder), plan.n_epochs) for plan in wanted for seed in options.seeds)
    data = problem.describe()
    for run, n_epochs in runs:
        _check_nothing_is_lost(run, n_epochs, options)
    return [_Training(run, n_epochs, problem, data, options).record() for run, n_epochs in runs]


def trained_classifier(run: Run, problem: Problem, record: Record) -> WTMClassifier:
    """The classifier that a finished run came to, from its checkpoint.

    Raises
    ------
    OSError, ValueError
        The checkpoint is not there or can't be used.
    """
    checkpoint = _checkpoint_of(run, problem)
    parameters = {
        "n_clauses": run.setting.n_clauses,
        "T": run.setting.T,
        "s": 1 / run.setting.p_s,
        "gamma": run.setting.gamma,
        "n_epochs": record.n_epochs,
        "random_state": run.seed,
    }
    attributes = {
        "n_features_in_": problem.training.examples.n_features,
        "n_epochs_": checkpoint.model.n_epochs,
    }
    return WTMClassifier._from_record(
        ModelRecord(parameters, checkpoint.model, problem.classes, checkpoint.history, attributes)
    )


def _checkpoint_of(run: Run, problem: Problem) -> Checkpoint:
    checkpoint = load_checkpoint(run.checkpoint_path, parameters_of(run.setting, problem))
    if (checkpoint.about.get("setting"), checkpoint.model.seed) != (asdict(run.setting), run.seed):
        raise ValueError(f"{run.checkpoint_path} is of another machine or seed. {REMEDY}")
    return checkpoint


def parameters_of(setting: Setting, problem: Problem) -> MachineParameters:
    """The parameters of a setting's machines on a data set."""
    return MachineParameters(
        n_features=problem.training.examples.n_features,
        n_clauses=setting.n_clauses,
        T=float(setting.T),
        s=1 / setting.p_s,
        gamma=setting.gamma,
    )


def _check_nothing_is_lost(run: Run, n_epochs: int, options: Options) -> None:
    """Refuse to replace a record by one that does not go on from it."""
    if run.record_path.exists():
        before = read_record(run.record_path)
        if not options.resume:
            raise ValueError(
                f"{run.record_path} holds {before.n_epochs:,} of {before.planned:,} epochs, which {n_epochs:,} new "
                "ones would replace. Go on from there with --resume, choose another folder with --out, or remove the "
                "file."
            )
        if before.n_epochs < n_epochs:
            check_checkpoint(run.checkpoint_path, run.record_path, before.n_epochs)
    elif not options.resume:
        check_not_there(run.checkpoint_path, resumable=True)  # a process may end between the two files


class _Training:
    """A run at work."""

    def __init__(self, run: Run, n_epochs: int, problem: Problem, data: dict[str, Any], options: Options) -> None:
        self._run, self._n_epochs, self._problem, self._data, self._options = run, n_epochs, problem, data, options
        self._sessions: list[dict[str, Any]] = []

    def record(self) -> Record:
        """Do what is left to do, and return what came out."""
        run = self._run
        if self._options.resume and run.record_path.exists():
            before = read_record(run.record_path)
            self._check_data(run.record_path, before.data)
            if before.n_epochs >= self._n_epochs:
                say(f"{run.name}: {before.n_epochs:,} epochs are there")
                return before
        start = self._start()
        if start.model.n_epochs >= self._n_epochs:  # stopped between the two files
            return self._keep(start.model, start.history)
        return self._train(start.model, start.history)

    def _start(self) -> Checkpoint:
        """Where to start from: the checkpoint if there is one to go on from, else new machines."""
        run, path = self._run, self._run.checkpoint_path
        if self._options.resume and path.exists():
            checkpoint = _checkpoint_of(run, self._problem)
            self._check_data(path, checkpoint.about["data"])
            self._sessions = checkpoint.about["sessions"]
            return checkpoint
        parameters = parameters_of(run.setting, self._problem)
        return Checkpoint(Model.new(parameters, len(self._problem.classes), run.seed), [], {})

    def _check_data(self, path: Path, data: dict[str, Any]) -> None:
        if data["digest"] != self._data["digest"]:
            raise ValueError(
                f"{path} is of other data than these ({data['digest']}, not {self._data['digest']}): choose another "
                "folder with --out, or remove it."
            )

    def _train(self, model: Model, history: list[dict[str, Any]]) -> Record:
        run, problem, done = self._run, self._problem, model.n_epochs
        which = f"epochs {done + 1:,} to" if self._n_epochs > done + 1 else "epoch"
        say(f"{run.name}: {which} {self._n_epochs:,} on {problem.dataset.name}")
        self._sessions = [*self._sessions, {"epochs": [done + 1, done], "n_jobs": self._options.n_jobs}]
        history, kept, stopped = list(history), time.monotonic(), False
        n_epochs = self._n_epochs - done
        epochs = train(
            model,
            problem.training,
            problem.testing,
            n_epochs=n_epochs,
            shuffle=True,
            n_threads=resolve_n_threads(self._options.n_jobs),
        )
        with Interruption() as interruption:
            for result in show_epochs(epochs, n_epochs, 1, run.setting.method):
                history.append(result.entry)
                stopped = interruption.requested
                if stopped:
                    break
                if time.monotonic() - kept >= CHECKPOINT_SECONDS:
                    self._keep(model, history)
                    kept = time.monotonic()
            record = self._keep(model, history)
        if stopped:
            raise interruption.error(
                f"{run.name} has {model.n_epochs:,} of {self._n_epochs:,} epochs. The same command with --resume goes "
                "on."
            )
        say(f"{run.name}: test accuracy {record.history['test_accuracy'][-1]:.2%} after epoch {record.n_epochs:,}")
        return record

    def _keep(self, model: Model, history: list[dict[str, Any]]) -> Record:
        """Write checkpoint and record. The record comes second: it never tells of epochs that can't be gone on from."""
        if self._sessions:
            self._sessions[-1] |= {"epochs": [self._sessions[-1]["epochs"][0], model.n_epochs], **environment()}
        about = {"data": self._data, "setting": asdict(self._run.setting), "sessions": self._sessions}
        save_checkpoint(
            self._run.checkpoint_path,
            Checkpoint(model, history, about),
        )
        record = Record(
            data=self._data,
            setting=self._run.setting,
            seed=self._run.seed,
            planned=self._n_epochs,
            history={
                name: [entry["valid_accuracy" if name == "test_accuracy" else name] for entry in history]
                for name in HISTORY
            },
            weights=[
                describe_weights(label, machine)
                for label, machine in zip(self._problem.classes, model.machines, strict=True)
            ],
            sessions=self._sessions,
        )
        record.write(self._run.record_path)
        return record
