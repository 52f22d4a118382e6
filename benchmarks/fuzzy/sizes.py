"""Accuracy of fuzzy and strict clauses by their number: trained on training parts, measured on test parts."""

import time
from pathlib import Path

from benchmarks.choosing.problems import Problem, load_problem
from benchmarks.choosing.trials import append, read_lines
from benchmarks.fuzzy.settings import Setting
from wtm import WTMClassifier
from wtm.paper.environment import environment

__all__ = ["NAMES", "SIZES", "read_sizes", "run_sizes"]

NAMES = ("MNIST", "Fashion-MNIST", "IMDb", "Connect-4", "Adult")
SIZES = (2, 4, 10, 20, 50, 100, 200, 500)
N_EPOCHS, MIN_T = 10, 0.5

Sizes = dict[tuple[str, str, int], dict[str, float]]


def read_sizes(path: Path) -> Sizes:
    """Read what is kept, by data set, kind of clauses and their number."""
    return {
        (line["problem"], line["kind"], line["n_clauses"]): {"accuracy": line["accuracy"], "seconds": line["seconds"]}
        for line in read_lines(path)
        if "kind" in line
    }


def run_sizes(setting: Setting, data_dir: Path, path: Path) -> None:
    """Train machines of all sizes, except those that the file already has; one seed, one thread."""
    for name in NAMES:
        done = read_sizes(path)
        left = [(kind, n) for n in SIZES for kind in ("fuzzy", "strict") if (name, kind, n) not in done]
        if left:
            problem = load_problem(name, data_dir)
            append(path, {"problem": name, "of": "sizes", **environment()})
        for kind, n_clauses in left:
            _run(problem, kind, n_clauses, setting, path)


def _run(problem: Problem, kind: str, n_clauses: int, setting: Setting, path: Path) -> None:
    clf = setting.classifier(n_clauses, 0) if kind == "fuzzy" else WTMClassifier(n_clauses, random_state=0)
    usual = type(clf)().n_clauses
    clf.set_params(n_epochs=N_EPOCHS, T=max(MIN_T, clf.T * min(1, n_clauses / usual)))
    start = time.process_time()
    clf.fit(problem.X_train, problem.y_train)
    seconds = round(time.process_time() - start, 2)
    accuracy = round(100 * float(clf.score(problem.X_test, problem.y_test)), 2)
    append(
        path,
        {"problem": problem.name, "kind": kind, "n_clauses": n_clauses, "accuracy": accuracy, "seconds": seconds},
    )
    print(f"{problem.name}: {n_clauses} {kind} clauses, {accuracy} %, {seconds} s", flush=True)
