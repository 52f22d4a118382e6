"""Tables with every kind of column, and models of them."""

import numpy as np
import pandas as pd

from wtm import WTMClassifier


def mixed_frame(n_rows=400, seed=0):
    """Numbers, categories, booleans and missing values, and labels of three classes that depend on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "age": rng.integers(17, 90, n_rows),
        "income, in € > 0": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(30, 9, n_rows)),
        "home AND away": rng.choice(np.array(["red", "dark blue", "<b>", None], object), n_rows),
        "member": rng.integers(0, 2, n_rows),
    })  # fmt: skip
    y = np.array(["no", "yes", "maybe"])[(frame["age"] > 50).astype(int) + (frame["home AND away"] == "red")]
    return frame, y


def mixed_targets():
    """The table, and what to predict of it: labels, a number, or two numbers."""
    X, labels = mixed_frame()
    number = X["age"].fillna(40).to_numpy() + np.where(labels == "yes", 20.0, 0.0)
    return X, {"labels": labels, "number": number, "numbers": np.stack([number, 3 - 2 * number], axis=1)}


def mixed_model(n_classes=3, **changes):
    """A classifier of `mixed_frame`; with two classes, the labels are False and True."""
    frame, y = mixed_frame()
    parameters = {"n_clauses": 20, "T": 8, "s": 4, "n_epochs": 8, "random_state": 0}
    return WTMClassifier(**parameters | changes).fit(frame, y if n_classes == 3 else y == "yes")
