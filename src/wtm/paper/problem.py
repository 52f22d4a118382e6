"""The data of an experiment, packed once for all its runs."""

import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.datasets import Dataset, load_connect_4, load_imdb, load_mnist
from wtm.machine.examples import LabelledExamples, pack_examples
from wtm.paper.settings import NAMES_BY_RECIPE

__all__ = ["QUICK_CLAUSES", "QUICK_EPOCHS", "Problem", "load_problem"]

QUICK_CLAUSES = 60
QUICK_EPOCHS = 3
_QUICK_ROWS = {"train": 2_000, "test": 1_000}
_QUICK_TERMS = 500


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set as the machines take it.

    Attributes
    ----------
    key : str
        "connect-4", "mnist", "imdb" (the paper's features) or "imdb-authors" (the authors' recipe).
    quick : bool
        Whether this is a small sample, to try things out.
    dataset : Dataset
    classes : ndarray
        The labels, sorted.
    training, testing : LabelledExamples
    """

    key: str
    quick: bool
    dataset: Dataset
    classes: np.ndarray
    training: LabelledExamples
    testing: LabelledExamples

    @classmethod
    def of(cls, key: str, dataset: Dataset, *, quick: bool = False) -> "Problem":
        """Pack a data set."""
        classes = np.unique(dataset.y_train)

        def packed(X: Any, y: np.ndarray) -> LabelledExamples:
            return LabelledExamples(pack_examples(X), np.searchsorted(classes, y).astype(np.int64))

        return cls(
            key,
            quick,
            dataset,
            classes,
            packed(dataset.X_train, dataset.y_train).by_content(),  # as WTMClassifier has them
            packed(dataset.X_test, dataset.y_test),
        )

    @property
    def majority(self) -> dict[str, Any]:
        """The most frequent class in training, and the accuracy on the test set of always saying it."""
        label = np.bincount(self.training.labels).argmax()
        return {"label": str(self.classes[label]), "test_share": float(np.mean(self.testing.labels == label))}

    def describe(self) -> dict[str, Any]:
        """What results say of their data; `digest` is of every bit and label."""
        return {
            "key": self.key,
            "quick": self.quick,
            "name": self.dataset.name,
            "description": self.dataset.description,
            "training_rows": len(self.training.labels),
            "test_rows": len(self.testing.labels),
            "features": len(self.dataset.feature_names),
            "classes": [str(label) for label in self.classes],
            "majority": self.majority,
            "digest": self._digest(),
        }

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for part in (self.training, self.testing):
            digest.update(part.examples.literals.tobytes())
            digest.update(part.labels.tobytes())
        return digest.hexdigest()[:16]


def load_problem(key: str, data_dir: Path | None, *, quick: bool) -> Problem:
    """Load the data of an experiment.

    Parameters
    ----------
    key : str
        See `Problem`.
    data_dir : Path or None
        As for the loaders in `wtm.datasets`; Connect-4 comes with the package.
    quick : bool
        Take a small sample.

    Raises
    ------
    DatasetNotFoundError, ValueError
        As the loaders.
    """
    if key == "connect-4":
        dataset = load_connect_4("paper")
    elif key == "mnist":
        dataset = load_mnist(data_dir)
    else:
        sample: dict[str, Any] = {"max_reviews": _QUICK_ROWS["train"], "n_features": _QUICK_TERMS} if quick else {}
        dataset = load_imdb(data_dir, recipe="authors" if key == "imdb-authors" else "paper", **sample)
        if key == "imdb-authors":
            dataset = dataclasses.replace(dataset, name=NAMES_BY_RECIPE[key])
    return Problem.of(key, _sample(dataset) if quick else dataset, quick=quick)


def _sample(dataset: Dataset) -> Dataset:
    """A few rows, spread evenly."""
    parts: dict[str, Any] = {}
    for part, n_rows in _QUICK_ROWS.items():
        X, y = getattr(dataset, f"X_{part}"), getattr(dataset, f"y_{part}")
        rows = np.linspace(0, len(y) - 1, min(len(y), n_rows)).astype(np.intp)
        parts |= {f"X_{part}": X[rows], f"y_{part}": y[rows]}
    return dataclasses.replace(dataset, **parts, description=f"{dataset.description} A small sample of it.")
