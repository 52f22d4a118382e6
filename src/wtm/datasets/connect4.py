"""Connect-4, which is part of the package."""

import gzip
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from wtm.datasets.dataset import Dataset

SQUARES = tuple(f"{column}{row}" for column in "abcdefg" for row in range(1, 7))

_SPLITS = {
    "paper": "the test rows of the program published with the paper",
    "random": "a random tenth for testing",
}


def load_connect_4(
    split: Literal["paper", "random"] = "paper", *, random_state: int | np.random.RandomState | None = 0
) -> Dataset:
    """Load Connect-4: positions after 8 moves, and who wins under best play (section 4.3 of the paper).

    The 84 bits are those of the paper: for each of the 42 squares a1, a2, .., g6 whether the first player (x) has a
    piece there, then the same for the second player (o).

    Parameters
    ----------
    split : {"paper", "random"}
        "paper": the 6,755 test rows of the authors' program, in its order; the other 60,802 rows, in the order of the
        file, are for training. "random": 6,755 test rows drawn with `random_state`.
    random_state : int, RandomState or None
        The seed of the "random" split.

    Returns
    -------
    Dataset
        `X_train` uint8 (60802, 84), `X_test` uint8 (6755, 84); labels "win", "draw" and "loss" of the first player.

    Raises
    ------
    ValueError
        `split` has another value.
    """
    if split not in _SPLITS:
        raise ValueError(f"split must be 'paper' or 'random', got {split!r}.")
    X, y = _positions()
    paper_test = np.array(_packaged("paper-code-test-rows.txt.gz").split(), dtype=np.intp)
    if split == "paper":
        train, test = np.delete(np.arange(len(X)), paper_test), paper_test
    else:
        train, test = train_test_split(np.arange(len(X)), test_size=len(paper_test), random_state=random_state)
    return Dataset(
        name="Connect-4",
        X_train=X[train],
        y_train=y[train],
        X_test=X[test],
        y_test=y[test],
        feature_names=tuple(f"{player} on {square}" for player in "xo" for square in SQUARES),
        target_names=("draw", "loss", "win"),
        description=f"Two bits per square, first all of x, then all of o; split: {_SPLITS[split]}.",
    )


def _positions() -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    """Return all positions as bits (67557, 84), and their labels (67557,), in the order of the file."""
    rows = _packaged("connect-4.data.gz").splitlines()
    # A row has 42 one-letter cells, each followed by a comma, and then the label.
    n_cells = 2 * len(SQUARES)
    cells = np.array([row[:n_cells] for row in rows]).view("S1").reshape(len(rows), n_cells)[:, ::2]
    labels = np.array([row[n_cells:].decode("ascii") for row in rows])
    return np.hstack([cells == b"x", cells == b"o"]).astype(np.uint8), labels


def _packaged(name: str) -> bytes:
    return gzip.decompress(files("wtm.datasets").joinpath("data", name).read_bytes())
