"""What studies that measure many trainings share: the rows that they take, and their command line."""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from wtm.datasets import DATA_DIR_VARIABLE

ROWS = 4_000
"""Rows of a training part, and of a test part, at most."""
N_EPOCHS = 10


def some_rows(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return at most `ROWS` rows, with the shares of the classes."""
    if len(y) <= ROWS:
        return X, y
    rows = np.sort(train_test_split(np.arange(len(y)), train_size=ROWS, random_state=0, stratify=y)[0])
    return (X.iloc if hasattr(X, "iloc") else X)[rows], y[rows]


def parse_paths(description: str, results: Path) -> tuple[Path, Path]:
    """Read the command line; return the folder with the data sets, and the file for the results."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--data-dir", type=Path, default=os.environ.get(DATA_DIR_VARIABLE), help=f"default: ${DATA_DIR_VARIABLE}"
    )
    parser.add_argument("--out", type=Path, default=results, help=f"file for the results; default: {results}")
    given = parser.parse_args()
    if given.data_dir is None:
        parser.error(f"pass --data-dir or set {DATA_DIR_VARIABLE}")
    return Path(given.data_dir), given.out
