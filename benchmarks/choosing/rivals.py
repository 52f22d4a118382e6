"""Defaults, tuned settings and scikit-learn's methods: trained on the training parts, measured on the test parts."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.choosing.candidates import DEFAULT, EPOCHS, Setting
from benchmarks.choosing.problems import Problem
from benchmarks.choosing.trials import append, read_lines
from wtm import FuzzyWTMClassifier, WTMClassifier
from wtm.paper.environment import environment

__all__ = ["ALL", "FUZZY", "METHODS", "N_JOBS", "SEEDS", "Result", "read_results", "run_methods"]

FUZZY = "fuzzy wtm, defaults"
SEEDS = (0, 1, 2)
N_JOBS = 2


@dataclass(frozen=True)
class Result:
    """A method on a data set.

    Attributes
    ----------
    problem, method : str
    setting : Setting or None
        The setting of wtm; None for other methods.
    accuracies : list of float
        On the test part, in percent, one per seed.
    seconds : float
        To fit, mean over the seeds.
    processor_seconds : float or None
        The same of the processor, all threads together; older measurements lack it.
    """

    problem: str
    method: str
    setting: Setting | None
    accuracies: list[float]
    seconds: float
    processor_seconds: float | None = None


def _for_columns(numbers: Any) -> Any:
    """Encode text columns with one feature per value, and apply `numbers` to the others."""
    values = OneHotEncoder(handle_unknown="ignore")
    return make_column_transformer(
        (values, make_column_selector(dtype_include="category")),
        (numbers, make_column_selector(dtype_exclude="category")),
    )


def _logistic(problem: Problem, seed: int) -> Any:
    model = LogisticRegression(max_iter=1_000)
    if problem.is_bits:
        return model
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_pipeline(_for_columns(numbers) if _is_frame(problem) else numbers, model)


def _forest(problem: Problem, seed: int) -> Any:
    model = RandomForestClassifier(random_state=seed, n_jobs=N_JOBS)
    return make_pipeline(_for_columns(SimpleImputer()), model) if _is_frame(problem) else model


def _boosting(problem: Problem, seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed, categorical_features="from_dtype")


def _fuzzy(problem: Problem, seed: int) -> Any:
    return FuzzyWTMClassifier(random_state=seed, n_jobs=N_JOBS)


METHODS: dict[str, Callable[[Problem, int], Any]] = {
    "logistic regression": _logistic,
    "random forest": _forest,
    "histogram gradient boosting": _boosting,
}
"""Methods of scikit-learn with their defaults, except 1,000 iterations for logistic regression; one seed."""
ALL = ("wtm", "wtm, tuned", FUZZY, *METHODS)


def _is_frame(problem: Problem) -> bool:
    return isinstance(problem.X_train, pd.DataFrame)


def read_results(path: Path) -> dict[tuple[str, str, Setting | None], Result]:
    """Read the results of a file, by data set, method and setting."""
    found = {}
    for content in read_lines(path):
        if "method" in content:
            setting = content["setting"] and Setting(**content["setting"])
            result = Result(**{**content, "setting": setting})
            found[result.problem, result.method, setting] = result
    return found


def run_methods(problem: Problem, tuned: Setting, path: Path, methods: Iterable[str] = ALL) -> None:
    """Measure methods on a data set, and wtm with the setting `tuned`, except those that the file already has."""
    done = read_results(path)
    left = [entry for entry in _entries(tuned) if entry[0] in methods and (problem.name, *entry[:2]) not in done]
    if left:
        append(path, {"problem": problem.name, "threads": N_JOBS, **environment()})
    for method, setting, make, seeds in left:
        print(f"{problem.name}: {method}", flush=True)
        measured = [_measure(make(problem, seed), problem, dense=method.startswith("histogram")) for seed in seeds]
        accuracies, *times = zip(*measured, strict=True)
        seconds, of_processor = (round(float(np.mean(values)), 2) for values in times)
        append(path, asdict(Result(problem.name, method, setting, list(accuracies), seconds, of_processor)))


def _entries(tuned: Setting) -> Iterator[tuple[str, Setting | None, Callable[[Problem, int], Any], tuple]]:
    for method, setting in (("wtm", DEFAULT), ("wtm, tuned", tuned)):

        def make(problem: Problem, seed: int, setting: Setting = setting) -> WTMClassifier:
            return WTMClassifier(**asdict(setting), n_epochs=EPOCHS, random_state=seed, n_jobs=N_JOBS)

        yield method, setting, make, SEEDS
    yield FUZZY, None, _fuzzy, SEEDS
    for method, make in METHODS.items():
        yield method, None, make, SEEDS[:1]


def _measure(estimator: Any, problem: Problem, *, dense: bool) -> tuple[float, float, float]:
    """Return the accuracy in percent, and the seconds of the clock and of the processor to fit."""
    X_train, X_test = problem.X_train, problem.X_test
    if dense and sp.issparse(X_train):
        X_train, X_test = X_train.toarray(), X_test.toarray()
    start, used = time.perf_counter(), time.process_time()
    estimator.fit(X_train, problem.y_train)
    seconds, of_processor = time.perf_counter() - start, time.process_time() - used
    accuracy = round(100 * float(np.mean(estimator.predict(X_test) == problem.y_test)), 3)
    return accuracy, seconds, of_processor
