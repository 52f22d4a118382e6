"""A training of an experiment: run, kept, interrupted, resumed."""

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from wtm import WTMClassifier, load_model
from wtm.fitting.callbacks import Epoch
from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder
from wtm.paper.problem import Problem
from wtm.paper.record import HISTORY, Record, describe_weights, read_record, record_name
from wtm.paper.run_options import Options
from wtm.paper.settings import Plan, Setting
from wtm.paper.text_table import say
from wtm.utils.interruption import StopAfterEpoch

CHECKPOINT_SECONDS = 600.0
"""The interval at which a training in progress is saved."""


@dataclass(frozen=True)
class Run:
    """A machine, a seed, and the folder of its files."""

    setting: Setting
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        """The name of its files, without a suffix."""
        return record_name(self.setting, self.seed)

    @property
    def record_path(self) -> Path:
        """The file of results."""
        return self.folder / f"{self.name}.json"

    @property
    def checkpoint_path(self) -> Path:
        """The model file to resume from."""
        return checkpoint_path(self.record_path)


def checkpoint_path(record_path: Path) -> Path:
    """Return the model file that belongs to a file of results."""
    return record_path.parent / "checkpoints" / f"{record_path.stem}.safetensors"


def prepare_folders(folder: Path) -> None:
    """Create the folder of results and that of checkpoints."""
    for needed in (folder, folder / "checkpoints"):
        prepare_folder(needed)


def new_classifier(setting: Setting, seed: int, **parameters: Any) -> WTMClassifier:
    """Return a new classifier with a setting and other `parameters`."""
    return WTMClassifier(
        n_clauses=setting.n_clauses,
        T=float(setting.T),
        s=1 / setting.p_s,
        gamma=setting.gamma,
        random_state=seed,
        **parameters,
    )


def carry_out(problem: Problem, plans: Iterable[Plan], options: Options) -> list[Record]:
    """Train the machines of `plans` with each seed; return the records, plan by plan.

    Raises ValueError if a file exists that `options.resume` does not allow to continue from, or that is of other data;
    and KeyboardInterrupt if the user stops it, when all finished epochs are kept.
    """
    folder = options.folder(problem.key)
    prepare_folders(folder)
    runs = [
        (Run(plan.setting, seed, folder), plan.n_epochs) for plan in options.choose(plans) for seed in options.seeds
    ]
    for run, n_epochs in runs:
        _existing(run, n_epochs, problem, options)
    return [_carry_out(run, n_epochs, problem, options) for run, n_epochs in runs]


def _existing(run: Run, n_epochs: int, problem: Problem, options: Options) -> Record | None:
    """Return the record to resume from, if there is one."""
    record_path, checkpoint = run.record_path, run.checkpoint_path
    if not options.resume:
        check_absent(record_path, checkpoint)
    if not record_path.exists():
        check_absent(checkpoint, resumable=False)
        return None
    record = read_record(record_path)
    if record.data["digest"] != problem.description["digest"]:
        raise ValueError(f"{record_path} is of other data: choose another folder with --out, or remove it.")
    check_resumable(record_path, checkpoint, record.n_epochs, n_epochs)
    return record


def check_resumable(record_path: Path, checkpoint: Path, done: int, n_epochs: int) -> None:
    """Refuse to resume an unfinished training without its checkpoint: starting again would replace its results."""
    if 0 < done < n_epochs and not checkpoint.exists():
        raise ValueError(
            f"{record_path} has {done:,} epochs and can't be resumed without {checkpoint}. Choose another folder with "
            "--out, or remove it."
        )


def _carry_out(run: Run, n_epochs: int, problem: Problem, options: Options) -> Record:
    before = _existing(run, n_epochs, problem, options)
    if before is not None and before.n_epochs >= n_epochs:
        say(f"{run.name}: {before.n_epochs:,} epochs are already there")
        return before
    clf = new_classifier(run.setting, run.seed) if before is None else load_checkpoint(run)
    done = getattr(clf, "n_epochs_", 0)
    sessions = [] if before is None else _sessions_until(done, before.sessions)

    def keep(clf: WTMClassifier) -> None:
        session = {"epochs": [done + 1, clf.n_epochs_], "n_jobs": options.n_jobs, **environment()}
        _record(run, n_epochs, problem, clf, [*sessions, session]).write(run.record_path)

    train(clf, problem, n_epochs, run.record_path, keep, n_jobs=options.n_jobs)
    record = read_record(run.record_path)
    share = record.data["majority"]["test_share"]
    say(
        f"{run.name}: test accuracy {record.history['test_accuracy'][-1]:.2%} after epoch {record.n_epochs:,}; the "
        f"most frequent class has {share:.2%}"
    )
    return record


def _sessions_until(n_epochs: int, sessions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the sessions of the first epochs: a record may be ahead of its checkpoint."""
    spans = [(session["epochs"][0], min(n_epochs, session["epochs"][1])) for session in sessions]
    return [
        {**session, "epochs": list(span)} for session, span in zip(sessions, spans, strict=True) if span[0] <= span[1]
    ]


def load_checkpoint(run: Run) -> WTMClassifier:
    """Read the classifier of a run; ValueError if it is of another machine or seed."""
    clf = load_model(run.checkpoint_path)
    expected = new_classifier(run.setting, run.seed)
    if any(getattr(clf, name) != getattr(expected, name) for name in ("n_clauses", "T", "s", "gamma", "random_state")):
        raise ValueError(
            f"{run.checkpoint_path} is of another machine or seed. Choose another folder with --out, or remove it."
        )
    return clf


def train(
    clf: WTMClassifier,
    problem: Problem,
    n_epochs: int,
    record_path: Path,
    keep: Callable[[WTMClassifier], None],
    *,
    n_jobs: int,
) -> None:
    """Train `clf`, new or read from the checkpoint, until `n_epochs`; save at intervals, at the end, when interrupted.

    `keep` writes the file of results, given a fitted classifier. Raises KeyboardInterrupt if the user stopped it.
    """
    name, done, data = record_path.stem, getattr(clf, "n_epochs_", 0), problem.dataset
    saved = time.monotonic()

    def save(clf: WTMClassifier) -> None:
        # The record first: if the process dies in between, the epochs that the model lacks are trained again.
        keep(clf)
        clf.save(checkpoint_path(record_path))

    with StopAfterEpoch() as stop:

        def after_epoch(epoch: Epoch) -> bool:
            nonlocal saved
            if stop.requested:
                return True
            if epoch.number < n_epochs and time.monotonic() - saved >= CHECKPOINT_SECONDS:
                save(epoch.classifier())
                saved = time.monotonic()
            return False

        say(f"{name}: epochs {done + 1:,} to {n_epochs:,} on {data.name}")
        clf.set_params(n_epochs=n_epochs - done, warm_start=True, callbacks=after_epoch, n_jobs=n_jobs, verbose=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # some of the paper's machines learn little at first
            clf.fit(data.X_train, data.y_train, X_val=data.X_test, y_val=data.y_test)
        save(clf)
    if stop.requested:
        raise stop.error(
            f"{name} has {clf.n_epochs_:,} of {n_epochs:,} epochs. Run the same command with --resume to continue."
        )


def _record(run: Run, n_epochs: int, problem: Problem, clf: WTMClassifier, sessions: list[dict[str, Any]]) -> Record:
    return Record(
        data=problem.description,
        setting=run.setting,
        seed=run.seed,
        planned=n_epochs,
        history={column: [entry[name] for entry in clf.history_] for column, name in HISTORY.items()},
        weights=[describe_weights(label, machine) for label, machine in zip(clf.classes_, clf.machines_, strict=True)],
        sessions=sessions,
    )
