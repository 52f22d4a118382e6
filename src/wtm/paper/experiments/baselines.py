"""Well-known methods without refinements on MNIST's bits, with scikit-learn (the paper's table 5)."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder, read_seeds, write_json
from wtm.paper.problem import Problem, load_problem, majority_line
from wtm.paper.run_options import Options
from wtm.paper.text_table import NOTHING, Table, say, show, span

_HEADER = ("Method", "here (%)", "seeds", "the paper (%)", "s to fit", "s to predict")

Runs = dict[str, list[dict[str, Any]]]
"""Results of each method, one per seed."""


@dataclass(frozen=True)
class Method:
    """A method of the paper's table 5."""

    name: str
    paper: float  # its accuracy in the paper, in per cent; on grey values, from other publications
    make: Callable[[int, bool], Any]  # returns a new estimator for a seed, and for whether to be quick
    random: bool = False  # whether the seed matters


def _mlp(*hidden: int) -> Callable[[int, bool], Any]:
    return lambda seed, quick: MLPClassifier(hidden, max_iter=3 if quick else 200, random_state=seed)


def _pca_quadratic(seed: int, quick: bool) -> Any:
    # Shrunk a little, since the covariance of a class with few rows, as in a small sample, can't be inverted.
    return make_pipeline(PCA(40, random_state=seed), QuadraticDiscriminantAnalysis(reg_param=1e-3))


def _rbf_linear(seed: int, quick: bool) -> Any:
    n_components = 100 if quick else 1_000
    return make_pipeline(Nystroem(gamma=0.02, n_components=n_components, random_state=seed), RidgeClassifier())


METHODS: dict[str, Method] = {
    "mlp-800": Method("2-layer NN, 800 hidden units", 98.6, _mlp(800), random=True),
    "neighbours": Method(
        "K-nearest neighbours, K = 3, Euclidean", 97.2, lambda seed, quick: KNeighborsClassifier(n_neighbors=3)
    ),
    "mlp-500-150": Method("3-layer NN, 500 + 150 hidden units", 97.1, _mlp(500, 150), random=True),
    "pca-quadratic": Method("40 PCA + quadratic classifier", 96.7, _pca_quadratic, random=True),
    "rbf-linear": Method("1,000 RBF + linear classifier", 96.4, _rbf_linear, random=True),
    "logistic": Method(
        "Logistic regression", 91.5, lambda seed, quick: LogisticRegression(max_iter=50 if quick else 1_000)
    ),
    "linear": Method("Linear classifier, least squares", 88.0, lambda seed, quick: RidgeClassifier()),
    "tree": Method("Decision tree", 87.8, lambda seed, quick: DecisionTreeClassifier(random_state=seed), random=True),
    "naive-bayes": Method("Multinomial naive Bayes", 83.2, lambda seed, quick: MultinomialNB()),
}
"""By name, in the paper's order; settings are scikit-learn's defaults unless the method's name says otherwise."""


def measure_baselines(options: Options) -> None:
    """Fit every method; write a file each; print a table."""
    folder = options.folder("baselines")
    prepare_folder(folder)
    paths = {
        folder / f"{name}-seed{seed}.json": (name, seed)
        for name, method in METHODS.items()
        for seed in options.seeds[: None if method.random else 1]
    }
    if not options.resume:
        check_absent(*paths)
    problem = load_problem("mnist", options.data_dir, quick=options.quick)
    for path, (name, seed) in paths.items():
        if not path.exists():
            _measure(problem, name, seed, path)
    table = baselines_table(read_baselines(folder)).rich("Other methods on MNIST's bits")
    show(table, majority_line(problem.description))
    say(f"Results written to {folder}")


def _measure(problem: Problem, name: str, seed: int, path: Path) -> None:
    data, method = problem.dataset, METHODS[name]
    estimator = method.make(seed, problem.quick)
    say(f"{method.name}, seed {seed}")
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(data.X_train.astype(np.float32), data.y_train)
    fitted = time.perf_counter()
    for warning in caught:
        say(f"{method.name}: {str(warning.message).splitlines()[0]}")
    accuracy = float(np.mean(estimator.predict(data.X_test.astype(np.float32)) == data.y_test))
    write_json(
        path,
        {
            "kind": "baseline",
            "method": name,
            "seed": seed,
            "data": problem.description,
            "test_accuracy": accuracy,
            "fit_seconds": fitted - start,
            "predict_seconds": time.perf_counter() - fitted,
            "estimator": str(estimator),
            **environment(),
        },
    )


def read_baselines(folder: Path) -> Runs:
    """Read the results, in the order of `METHODS`; methods without any are left out."""
    entries = ("data", "test_accuracy", "fit_seconds", "predict_seconds")
    found = {name: read_seeds(folder, name, entries) for name in METHODS}
    return {name: runs for name, runs in found.items() if runs}


def baselines_table(results: Runs) -> Table:
    """Return a row per method, the best first: accuracy, spread over seeds, the paper's, seconds to fit and predict."""
    rows = [_row(name, runs) for name, runs in results.items()]
    return Table(_HEADER, sorted(rows, key=lambda row: -float(row[1])))


def _row(name: str, runs: list[dict[str, Any]]) -> list[str]:
    accuracies = [100 * run["test_accuracy"] for run in runs]
    paper = NOTHING if runs[0]["data"]["quick"] else f"{METHODS[name].paper:.1f}"  # quick results are of other data
    return [
        METHODS[name].name,
        f"{np.mean(accuracies):.2f}",
        span((min(accuracies), max(accuracies)) if len(runs) > 1 else None),
        paper,
        *(f"{np.mean([run[key] for run in runs]):.1f}" for key in ("fit_seconds", "predict_seconds")),
    ]
