"""Well-known methods without refinements on MNIST's bits, with scikit-learn (the paper's table 5)."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.datasets import Dataset
from wtm.paper.console import NOTHING, Table, say, show
from wtm.paper.entries import ENVIRONMENT, check_entries, is_count, is_data, is_number, is_share, of_kind
from wtm.paper.files import check_name, environment, missing_runs, prepare_folder, read_json, read_runs, write_json
from wtm.paper.problem import Problem, load_problem
from wtm.paper.run import Options, folder_of

__all__ = ["METHODS", "Method", "read_vanilla", "reproduce", "vanilla_table"]

_KIND = "vanilla"


@dataclass(frozen=True)
class Method:
    """A method of the paper's table 5.

    Attributes
    ----------
    name : str
        In words.
    paper : float
        Its accuracy there, in per cent; on grey values, from others' publications.
    make : callable
        A new estimator, from a seed and whether to be quick.
    random : bool
        Whether the seed changes anything.
    """

    name: str
    paper: float
    make: Callable[[int, bool], Any]
    random: bool = False


def _mlp(*hidden: int) -> Callable[[int, bool], Any]:
    def make(seed: int, quick: bool) -> Any:
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(hidden, max_iter=3 if quick else 200, random_state=seed)

    return make


def _neighbours(seed: int, quick: bool) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors=3)


def _pca_quadratic(seed: int, quick: bool) -> Any:
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline

    # Shrunk a little: without, a class with few rows of a small sample has no covariance matrix that can be inverted.
    return make_pipeline(PCA(40, random_state=seed), QuadraticDiscriminantAnalysis(reg_param=1e-3))


def _rbf_linear(seed: int, quick: bool) -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(
        Nystroem(gamma=0.02, n_components=100 if quick else 1_000, random_state=seed), RidgeClassifier()
    )


def _logistic(seed: int, quick: bool) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=50 if quick else 1_000)


def _linear(seed: int, quick: bool) -> Any:
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier()


def _tree(seed: int, quick: bool) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed)


def _naive_bayes(seed: int, quick: bool) -> Any:
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


METHODS: dict[str, Method] = {
    "mlp-800": Method("2-layer NN, 800 hidden units", 98.6, _mlp(800), random=True),
    "neighbours": Method("K-nearest neighbours, K = 3, Euclidean", 97.2, _neighbours),
    "mlp-500-150": Method("3-layer NN, 500 + 150 hidden units", 97.1, _mlp(500, 150), random=True),
    "pca-quadratic": Method("40 PCA + quadratic classifier", 96.7, _pca_quadratic, random=True),
    "rbf-linear": Method("1,000 RBF + linear classifier", 96.4, _rbf_linear, random=True),
    "logistic": Method("Logistic regression", 91.5, _logistic),
    "linear": Method("Linear classifier, least squares", 88.0, _linear),
    "tree": Method("Decision tree", 87.8, _tree, random=True),
    "naive-bayes": Method("Multinomial naive Bayes", 83.2, _naive_bayes),
}
"""By name, in the paper's order; settings are scikit-learn's defaults unless the method's name says more."""


def reproduce(options: Options) -> None:
    """Fit every method; write a file each; print a table.

    `options.resume` leaves out what is there. Epochs do not apply.

    Raises
    ------
    OSError, ValueError
        Results can't be written, or would be replaced without `options.resume`; the data are not there.
    """
    folder = folder_of(options, "vanilla")
    prepare_folder(folder)
    wanted = [
        (name, seed)
        for name, method in METHODS.items()
        for seed in (options.seeds if method.random else options.seeds[:1])
    ]
    missing = missing_runs(folder, wanted, resume=options.resume)
    problem = load_problem("mnist", options.data_dir, quick=options.quick)
    data = problem.describe()
    for name, seed, path in missing:
        measured = _measure(problem, METHODS[name], seed)
        write_json(path, {"kind": _KIND, "method": name, "seed": seed, "data": data, **measured})
    show(vanilla_table(read_vanilla(folder)).rich("Vanilla methods on MNIST's bits"))
    say(f"Written to {folder}: {len(METHODS)} methods")


def _measure(problem: Problem, method: Method, seed: int) -> dict[str, Any]:
    dataset: Dataset = problem.dataset
    estimator = method.make(seed, problem.quick)
    say(f"{method.name}, seed {seed}")
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(dataset.X_train.astype(np.float32), dataset.y_train)
    fitted = time.perf_counter()
    for warning in caught:
        say(f"{method.name}: {str(warning.message).splitlines()[0]}")
    accuracy = float(np.mean(estimator.predict(dataset.X_test.astype(np.float32)) == dataset.y_test))
    return {
        "test_accuracy": accuracy,
        "fit_seconds": fitted - start,
        "predict_seconds": time.perf_counter() - fitted,
        "estimator": str(estimator),
        **environment(),
    }


def read_vanilla(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Results of each method, one a seed, in the order of `METHODS`; methods without any are left out."""
    return read_runs(folder, METHODS, _read)


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path)
    checks = {"kind": of_kind(_KIND), "seed": is_count, "data": is_data, "test_accuracy": is_share}
    check_entries(path, content, checks | dict.fromkeys(("fit_seconds", "predict_seconds"), is_number) | ENVIRONMENT)
    check_name(path, f"{content.get('method')}-seed{content['seed']}")
    return content


def vanilla_table(results: dict[str, list[dict[str, Any]]]) -> Table:
    """A row a method, the best first: accuracy here, spread over seeds, the paper's, seconds of fitting and predicting.

    The paper's is left out of quick results, which are of other data.
    """
    rows = []
    for name, runs in results.items():
        accuracies = 100 * np.array([run["test_accuracy"] for run in runs])
        spread = f"{accuracies.min():.2f}–{accuracies.max():.2f}" if len(runs) > 1 else NOTHING
        paper = NOTHING if runs[0]["data"]["quick"] else f"{METHODS[name].paper:.1f}"
        seconds = [f"{np.mean([run[key] for run in runs]):.1f}" for key in ("fit_seconds", "predict_seconds")]
        rows.append(
            (float(accuracies.mean()), [METHODS[name].name, f"{accuracies.mean():.2f}", spread, paper, *seconds])
        )
    rows.sort(key=lambda pair: -pair[0])
    return Table(["Method", "here (%)", "seeds", "the paper (%)", "s to fit", "s to predict"], [row for _, row in rows])
