"""The data of an experiment."""

import dataclasses
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wtm.datasets import Dataset, load_connect_4, load_imdb, load_mnist
from wtm.machine.examples import pack_examples
from wtm.machine.training_rows import LabelledExamples
from wtm.paper.json_files import naming
from wtm.paper.settings import NAMES_BY_RECIPE

_QUICK_ROWS = {"train": 2_000, "test": 1_000}
_QUICK_TERMS = 500


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set with what records say about it."""

    key: str  # of `wtm.paper.settings.NAMES_BY_RECIPE`
    dataset: Dataset
    quick: bool = False  # a small sample

    @cached_property
    def classes(self) -> np.ndarray:
        """The labels, sorted."""
        return np.unique(self.dataset.y_train)

    def packed(self, part: str) -> LabelledExamples:
        """Return the rows of "train" or "test" as bits, in the order of the file."""
        X, y = getattr(self.dataset, f"X_{part}"), getattr(self.dataset, f"y_{part}")
        return LabelledExamples(pack_examples(X), np.searchsorted(self.classes, y).astype(np.int64))

    def sampled_rows(self) -> tuple[Any, np.ndarray]:
        """Return random training rows, a quarter as many as test rows, as the authors' program measures itself on."""
        data = self.dataset
        rows = np.random.RandomState(0).permutation(len(data.y_train))[: len(data.y_test) // 4]
        return data.X_train[rows], data.y_train[rows]

    @cached_property
    def description(self) -> dict[str, Any]:
        """What records say about their data; `digest` is of every bit and label, in any order of training rows."""
        training, testing = self.packed("train").by_content(), self.packed("test")
        majority = np.bincount(training.labels).argmax()
        digest = hashlib.sha256()
        for part in (training, testing):
            digest.update(part.examples.literals.tobytes())
            digest.update(part.labels.tobytes())
        return {
            "key": self.key,
            "quick": self.quick,
            "name": self.dataset.name,
            "description": self.dataset.description,
            "training_rows": len(training.labels),
            "test_rows": len(testing.labels),
            "features": len(self.dataset.feature_names),
            "classes": [str(label) for label in self.classes],
            "majority": {
                "label": str(self.classes[majority]),
                "test_share": float(np.mean(testing.labels == majority)),
            },
            "digest": digest.hexdigest()[:16],
        }

    def check_same(self, path: Path, content: dict[str, Any]) -> None:
        """Refuse to continue a file of results of other data; ValueError too if it is damaged."""
        with naming(path):
            digest = content["data"]["digest"]
        if digest != self.description["digest"]:
            raise ValueError(f"{path} is of other data. Choose another folder with --out, or remove it.")


def majority_line(description: dict[str, Any]) -> str:
    """Return what always predicting the most frequent class of the training rows would give."""
    majority = description["majority"]
    return f"Always predicting “{majority['label']}”, the most frequent class: {majority['test_share']:.2%}"


def load_problem(key: str, data_dir: Path | None, *, quick: bool = False, grey: int | None = None) -> Problem:
    """Load the data of an experiment, or a small sample; raises what the loaders in `wtm.datasets` raise.

    With `grey`, MNIST's pixels are 1 from this grey value on.
    """
    if key == "connect-4":
        dataset = load_connect_4("paper")
    elif key == "mnist":
        dataset = load_mnist(data_dir, **{} if grey is None else {"threshold": grey})
    else:
        sample: dict[str, Any] = {"max_reviews": _QUICK_ROWS["train"], "n_features": _QUICK_TERMS} if quick else {}
        dataset = load_imdb(data_dir, recipe="authors" if key == "imdb-authors" else "paper", **sample)
        if key == "imdb-authors":
            dataset = dataclasses.replace(dataset, name=NAMES_BY_RECIPE[key])
    return Problem(key, _sample(dataset) if quick else dataset, quick)


def _sample(dataset: Dataset) -> Dataset:
    """Return a few rows, chosen at random: classes may alternate in the file."""
    parts: dict[str, Any] = {}
    for part, n_rows in _QUICK_ROWS.items():
        X, y = getattr(dataset, f"X_{part}"), getattr(dataset, f"y_{part}")
        rows = np.sort(np.random.RandomState(0).permutation(len(y))[:n_rows])
        parts |= {f"X_{part}": X[rows], f"y_{part}": y[rows]}
    return dataclasses.replace(dataset, **parts)
