"""Rows held out of a training, and what a model is worth on them."""

from collections.abc import Callable, Iterator

import numpy as np
from sklearn.model_selection import train_test_split

from wtm.cli.model_kinds import AnyModel, Regressor
from wtm.cli.regression_metrics import regression_metrics, spelled_r_squared
from wtm.utils.printable import counted

_FEWEST_NUMBERS = 2  # for R squared


def divide(labels: np.ndarray, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows into those to train on and those to hold out, in about equal shares of each class.

    The row numbers are ascending. The single row of a class is trained on. Too few rows are a ValueError.
    """
    everything = np.arange(len(labels))
    if not fraction:
        return everything, everything[:0]
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    several = np.flatnonzero(counts[codes] > 1)
    if not len(several):
        raise ValueError(
            f"--holdout {fraction:g} is not possible: no class has two rows. Is the target an identifier? "
            "--holdout 0 trains on all rows."
        )
    try:
        held_out = _drawn(several, fraction, seed, codes[several])
    except ValueError:
        raise ValueError(
            f"--holdout {fraction:g} of {len(several):,} rows leaves no row of some class to train on, or to measure "
            f"with: the classes are {np.count_nonzero(counts > 1):,}. Choose another share, or --holdout 0."
        ) from None
    return np.setdiff1d(everything, held_out), held_out


def divide_numbers(n_rows: int, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows with numbers to predict in the same way, at random."""
    everything = np.arange(n_rows)
    if not fraction:
        return everything, everything[:0]
    n_held_out = int(np.ceil(fraction * n_rows))
    if not _FEWEST_NUMBERS <= n_held_out <= n_rows - _FEWEST_NUMBERS:
        raise ValueError(
            f"--holdout {fraction:g} of {n_rows:,} rows leaves fewer than two rows to train on, or to measure with. "
            "Choose another share, or --holdout 0."
        )
    held_out = _drawn(everything, fraction, seed, None)
    return np.setdiff1d(everything, held_out), held_out


def worth(
    model: AnyModel,
    predict: Callable[[AnyModel, np.ndarray], np.ndarray],
    y: np.ndarray,
    training: np.ndarray,
    held_out: np.ndarray,
) -> Iterator[str]:
    """Say in a line each what a model is worth on the rows of a table it was trained on, and on those held out.

    `predict` predicts the given rows.
    """
    for name, rows in (("training", training), ("held-out", held_out)):
        if not len(rows):
            continue
        predicted, words = predict(model, rows), counted(len(rows), f"{name} row")
        if isinstance(model, Regressor):
            metrics = regression_metrics(y[rows], predicted, float(np.mean(y[training])))
            yield (
                f"RMSE on {words}: {metrics['rmse']:.4g} "
                f"(always predicting the training mean: {metrics['rmse_of_mean']:.4g}), {spelled_r_squared(metrics)}"
            )
        else:
            _, counts = np.unique(y[rows], return_counts=True)
            yield (
                f"accuracy on {words}: {100 * np.mean(predicted == y[rows]):.2f} % "
                f"(the most frequent class alone: {100 * counts.max() / len(rows):.2f} %)"
            )


def _drawn(rows: np.ndarray, fraction: float, seed: int, classes: np.ndarray | None) -> np.ndarray:
    """Draw a share of the rows, ascending; of each class if there are some."""
    random_state = int(np.random.SeedSequence(seed).generate_state(1)[0])
    _, drawn = train_test_split(rows, test_size=fraction, random_state=random_state, stratify=classes)
    return np.sort(drawn)
