"""Connect-4, which comes with the package."""

from __future__ import annotations

import gzip
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from wtm.datasets.base import Dataset

SQUARES = tuple(f"{column}{row}" for column in "abcdefg" for row in range(1, 7))

_SPLITS = {
    "paper": "the test rows of the program published with the paper",
    "random": "a random tenth for testing",
}


def load_connect_4(
    split: Literal["paper", "random"] = "paper", *, random_state: int | np.random.RandomState | None = 0
) -> Dataset:
    """Load the Connect-4 positions after 8 moves and who wins under best play (the paper, section 4.3).

    The 84 bits are the paper's: for the 42 squares a1, a2, .., g6 whether the first player (x) has a piece
    there, then the same for the second player (o). Each player has four pieces in every position.

    Parameters
    ----------
    split : {"paper", "random"}
        "paper": the 6,755 test rows of the authors' program, in its order; the other 60,802 rows, in file
        order, are for training. "random": as many test rows, drawn with `random_state`.
    random_state : int, RandomState or None
        Seed of the "random" split; unused by "paper".

    Returns
    -------
    Dataset
        `X_train` uint8 (60802, 84), `X_test` uint8 (6755, 84); labels "win", "draw" and "loss", for the first
        player.

    Raises
    ------
    ValueError
        If `split` is neither "paper" nor "random".
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
        description=f"Two bits a square, first all of x, then all of o; split: {_SPLITS[split]}.",
    )


def _positions() -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    """Return all positions as bits (67557, 84) and their labels (67557,), in file order."""
    rows = _packaged("connect-4.data.gz").splitlines()
    # A row is 42 one-letter cells, each followed by a comma, and then the label.
    n_squares = len(SQUARES)
    cells = np.array([list(row[: 2 * n_squares : 2]) for row in rows])
    labels = np.array([row[2 * n_squares :] for row in rows])
    return np.hstack([cells == "x", cells == "o"]).astype(np.uint8), labels


def _packaged(name: str) -> str:
    return gzip.decompress(files("wtm.datasets").joinpath("data", name).read_bytes()).decode("ascii")
