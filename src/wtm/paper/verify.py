"""Trains the first epochs of records again, and says whether they are the same, bit for bit."""

import warnings
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from wtm.datasets import DatasetNotFoundError
from wtm.fitting.callbacks import Epoch
from wtm.paper.problem import Problem, load_problem
from wtm.paper.record import HISTORY, SAMPLED, Record, read_records
from wtm.paper.run import new_classifier
from wtm.paper.settings import NAMES_BY_RECIPE, Setting
from wtm.paper.text_table import say, show

_TIMES = "seconds"


class DifferentResultsError(ValueError):
    """Trainings did not give the recorded figures."""


def verify_results(folder: Path, data_dir: Path | None, n_epochs: int, n_jobs: int) -> None:
    """Train `n_epochs` epochs of every record in a folder of results again; print a line for each.

    Raises DifferentResultsError if some differ, and FileNotFoundError if there are none.
    """
    n_records, different = 0, []
    for key in NAMES_BY_RECIPE:
        records = read_records(folder / key)
        problem = _problem(key, data_dir, quick=records[0].data["quick"]) if records else None
        if problem is None:
            continue
        for record in records:
            n_records += 1
            columns = different_columns(record, problem, n_epochs, n_jobs)
            name = f"{key}/{record.name}"
            show(f"{name}: {'differs in ' + ', '.join(columns) if columns else 'identical'}")
            different += [name] * bool(columns)
    if not n_records:
        raise FileNotFoundError(f"There are no results in {folder}, or their data are missing.")
    if different:
        raise DifferentResultsError(f"{len(different)} of {n_records} trainings differ: {', '.join(different)}.")
    show(f"All {n_records} trainings are identical over {n_epochs} epochs.")


def _problem(key: str, data_dir: Path | None, *, quick: bool) -> Problem | None:
    try:
        return load_problem(key, data_dir, quick=quick)
    except DatasetNotFoundError as error:
        say(f"{key} is left out: {error}")
        return None


def different_columns(record: Record, problem: Problem, n_epochs: int, n_jobs: int = -1) -> list[str]:
    """Return in which columns the first epochs of a record differ when it is trained again, times aside."""
    n_epochs = min(n_epochs, record.n_epochs)
    is_sampled = SAMPLED in record.history
    found = history_of(problem, n_epochs, record.setting, record.seed, is_sampled=is_sampled, n_jobs=n_jobs)
    different = [column for column, values in found.items() if values != record.history[column][:n_epochs]]
    return different + ["data"] * (record.data["digest"] != problem.description["digest"])


def history_of(
    problem: Problem, n_epochs: int, setting: Setting, seed: int, *, is_sampled: bool = False, **parameters: Any
) -> dict[str, list[Any]]:
    """Return the history of a training, by column as in a record, without times; `is_sampled` adds `SAMPLED`."""
    clf, data = new_classifier(setting, seed, n_epochs=n_epochs, **parameters), problem.dataset
    columns = {column: name for column, name in HISTORY.items() if column != _TIMES}
    if is_sampled:
        sampled = problem.sampled_rows()

        def measure(epoch: Epoch) -> None:
            epoch.entry[SAMPLED] = epoch.estimator().score(*sampled)

        clf.set_params(callbacks=measure)
        columns[SAMPLED] = SAMPLED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # few epochs, as asked
        clf.fit(data.X_train, data.y_train, X_val=data.X_test, y_val=data.y_test)
    return {column: [entry[name] for entry in clf.history_] for column, name in columns.items()}
