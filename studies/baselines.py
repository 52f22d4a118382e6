"""Well-known methods without refinements on MNIST's bits, with scikit-learn (the paper's table 5).

`python -m studies.baselines --data-dir DIR` fits every method and writes a file each.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Collection
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

from studies.command_line import MAX_SEEDS, run_command, whole_number
from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder, read_json, write_json
from wtm.paper.problem import Problem, load_problem, majority_line
from wtm.paper.report.other_methods import METHODS, PLANNED_SEEDS, baselines_table, read_baselines
from wtm.paper.text_table import say, show


def _pca_quadratic(seed: int) -> Any:
    # Shrunk a little, since the covariance of a class with few rows can't be inverted.
    return make_pipeline(PCA(40, random_state=seed), QuadraticDiscriminantAnalysis(reg_param=1e-3))


def _rbf_linear(seed: int) -> Any:
    return make_pipeline(Nystroem(gamma=0.02, n_components=1_000, random_state=seed), RidgeClassifier())


RANDOM: dict[str, Callable[[int], Any]] = {
    "mlp-800": lambda seed: MLPClassifier((800,), random_state=seed),
    "mlp-500-150": lambda seed: MLPClassifier((500, 150), random_state=seed),
    "pca-quadratic": _pca_quadratic,
    "rbf-linear": _rbf_linear,
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
}
FIXED: dict[str, Callable[[int], Any]] = {
    "neighbours": lambda seed: KNeighborsClassifier(n_neighbors=3),
    "logistic": lambda seed: LogisticRegression(max_iter=1_000),
    "linear": lambda seed: RidgeClassifier(),
    "naive-bayes": lambda seed: MultinomialNB(),
}
"""New estimators by method, with scikit-learn's defaults unless the method's name says otherwise."""


def measure_baselines(
    data_dir: Path | None, out: Path, n_seeds: int = PLANNED_SEEDS, *, names: Collection[str] = (), resume: bool = False
) -> None:
    """Fit the named methods (default: all), those that depend on a seed with several; write files; print a table."""
    prepare_folder(out)
    paths = {
        out / f"{name}-seed{seed}.json": (name, seed)
        for name in names or METHODS
        for seed in range(n_seeds if name in RANDOM else 1)
    }
    if not resume:
        check_absent(*paths)
    read_baselines(out)  # which names damaged files before the work
    problem = load_problem("mnist", data_dir)
    for path in filter(Path.exists, paths):
        problem.check_same(path, read_json(path))
    for path, (name, seed) in paths.items():
        if not path.exists():
            _measure(problem, name, seed, path)
    table = baselines_table(read_baselines(out)).rich("Other methods on MNIST's bits")
    show(table, majority_line(problem.description))
    say(f"Results written to {out}")


def _measure(problem: Problem, name: str, seed: int, path: Path) -> None:
    data, title = problem.dataset, METHODS[name][0]
    estimator = (RANDOM | FIXED)[name](seed)
    say(f"{title}, seed {seed}")
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(data.X_train.astype(np.float32), data.y_train)
    fitted = time.perf_counter()
    for warning in caught:
        say(f"{title}: {str(warning.message).splitlines()[0]}")
    accuracy = float(np.mean(estimator.predict(data.X_test.astype(np.float32)) == data.y_test))
    content = {"kind": "baseline", "method": name, "seed": seed, "data": problem.description}
    content |= {"test_accuracy": accuracy, "fit_seconds": fitted - start}
    content |= {"predict_seconds": time.perf_counter() - fitted, "estimator": str(estimator)}
    write_json(path, content | environment())


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(description="Measure methods of scikit-learn on MNIST's bits.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(METHODS)}; default: all")
    parser.add_argument("--data-dir", type=Path, help="folder with the data sets; default: $WTM_DATA")
    parser.add_argument("--out", type=Path, default=Path("out/baselines"), help="folder for the results")
    parser.add_argument(
        "--seeds", type=whole_number(1, MAX_SEEDS), default=PLANNED_SEEDS, help="fits per method that depends on one"
    )
    parser.add_argument("--resume", action="store_true", help="skip methods that have been measured")
    given = parser.parse_args()
    if unknown := set(given.names) - set(METHODS):
        parser.error(f"{', '.join(sorted(unknown))} must be one of {', '.join(METHODS)}")
    measure_baselines(given.data_dir, given.out, given.seeds, names=given.names, resume=given.resume)


if __name__ == "__main__":
    run_command(main)
