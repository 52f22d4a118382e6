"""A training of an experiment: run, kept, interrupted, resumed."""

import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from wtm import WTMClassifier
from wtm.fitting.callbacks import Epoch
from wtm.loading import load_classifier
from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder
from wtm.paper.problem import Problem
from wtm.paper.record import HISTORY, SAMPLED, Record, describe_weights, read_record
from wtm.paper.run_options import Options
from wtm.paper.settings import Plan, Setting, large_machines
from wtm.paper.text_table import say
from wtm.utils.interruption import StopAfterEpoch

CHECKPOINT_SECONDS = 600.0
"""The interval at which a training in progress is saved."""


def checkpoint_path(record_path: Path) -> Path:
    """Return the model file that belongs to a file of results, to resume from."""
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
    chosen = [(plan, seed) for plan in options.choose(plans) for seed in options.seeds]
    begun = [(plan.n_epochs, _begin(plan, seed, folder, problem, options)) for plan, seed in chosen]
    records = [_carry_out(record, n_epochs, folder, problem, options) for n_epochs, record in begun]
    say(f"Results written to {folder}")
    return records


def _begin(plan: Plan, seed: int, folder: Path, problem: Problem, options: Options) -> Record:
    """Return the record to resume from, or one without epochs."""
    record = Record(problem.description, plan.setting, seed, plan.n_epochs)
    path = folder / f"{record.name}.json"
    if not options.resume:
        check_absent(path, checkpoint_path(path))
    if not path.exists():
        check_absent(checkpoint_path(path), resumable=False)
        return record
    record = read_record(path)
    problem.check_same(path, {"data": record.data})
    check_resumable(path, checkpoint_path(path), record.n_epochs, plan.n_epochs)
    return record


def check_resumable(record_path: Path, checkpoint: Path, done: int, n_epochs: int) -> None:
    """Refuse to resume an unfinished training without its checkpoint: starting again would replace its results."""
    if 0 < done < n_epochs and not checkpoint.exists():
        raise ValueError(
            f"{record_path} has {done:,} epochs and can't be resumed without {checkpoint}. Choose another folder with "
            "--out, or remove it."
        )


def check_not_ahead(record_path: Path, done: int, n_epochs: int) -> None:
    """Refuse to replace the `done` epochs of a record by fewer: another process is training it at the same time."""
    if done > n_epochs:
        raise ValueError(
            f"{record_path} has {done:,} epochs, more than the {n_epochs:,} trained here: another process trains it "
            "too. Wait for it, or choose another folder with --out."
        )


def _carry_out(before: Record, n_epochs: int, folder: Path, problem: Problem, options: Options) -> Record:
    path = folder / f"{before.name}.json"
    is_sampled = problem.key == "mnist" and before.setting in large_machines("mnist")
    if before.n_epochs >= n_epochs:
        say(f"{before.name}: {before.n_epochs:,} epochs are already there")
        return before
    clf = (
        load_checkpoint(path, before.setting, before.seed)
        if before.n_epochs
        else new_classifier(before.setting, before.seed)
    )
    done = getattr(clf, "n_epochs_", 0)
    sessions = [  # of the first epochs: a record may be ahead of its checkpoint
        {**session, "epochs": [session["epochs"][0], min(done, session["epochs"][1])]}
        for session in before.sessions
        if session["epochs"][0] <= done
    ]

    wall, cpu = time.perf_counter(), time.process_time()

    def keep(clf: WTMClassifier) -> None:
        if path.exists():
            check_not_ahead(path, read_record(path).n_epochs, max(before.n_epochs, clf.n_epochs_))
        times = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        session = {"epochs": [done + 1, clf.n_epochs_], "n_jobs": options.n_jobs, **times, **environment()}
        history = {column: [entry[name] for entry in clf.history_] for column, name in HISTORY.items()}
        if is_sampled:
            history[SAMPLED] = [entry[SAMPLED] for entry in clf.history_]
        weights = [describe_weights(*of_class) for of_class in zip(clf.classes_, clf.machines_, strict=True)]
        start = (problem.description, before.setting, before.seed, n_epochs)
        Record(*start, history, weights, [*sessions, session]).write(path)

    train(clf, problem, n_epochs, path, keep, n_jobs=options.n_jobs, is_sampled=is_sampled)
    record = read_record(path)
    say(
        f"{record.name}: test accuracy {record.history['test_accuracy'][-1]:.2%} after epoch {record.n_epochs:,}; the "
        f"most frequent class has {record.data['majority']['test_share']:.2%}"
    )
    return record


def load_checkpoint(record_path: Path, setting: Setting, seed: int, **parameters: Any) -> WTMClassifier:
    """Read the classifier of a record; ValueError if it is of another machine, seed or other `parameters`."""
    path = checkpoint_path(record_path)
    clf, expected = load_classifier(path), new_classifier(setting, seed, **parameters)
    names = ("n_clauses", "T", "s", "gamma", "random_state", *parameters)
    if any(getattr(clf, name) != getattr(expected, name) for name in names):
        raise ValueError(f"{path} is of another machine or seed. Choose another folder with --out, or remove it.")
    return clf


def train(
    clf: WTMClassifier,
    problem: Problem,
    n_epochs: int,
    record_path: Path,
    keep: Callable[[WTMClassifier], None],
    *,
    n_jobs: int,
    is_sampled: bool = False,
) -> None:
    """Train `clf`, new or read from the checkpoint, until `n_epochs`; save at intervals, at the end, when interrupted.

    `keep` writes the file of results, given a fitted classifier; `is_sampled` adds the accuracies `SAMPLED`. Raises
    KeyboardInterrupt if the user stopped it.
    """
    name, done, data = record_path.stem, getattr(clf, "n_epochs_", 0), problem.dataset
    sampled = problem.sampled_rows() if is_sampled else None
    saved = time.monotonic()

    def save(clf: WTMClassifier) -> None:
        # The record first: if the process dies in between, the epochs that the model lacks are trained again.
        keep(clf)
        clf.save(checkpoint_path(record_path))

    with StopAfterEpoch() as stop:

        def after_epoch(epoch: Epoch) -> bool:
            nonlocal saved
            if sampled is not None:
                epoch.entry[SAMPLED] = epoch.estimator().score(*sampled)
            if stop.requested:
                return True
            if epoch.number < n_epochs and time.monotonic() - saved >= CHECKPOINT_SECONDS:
                save(epoch.estimator())
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
