"""The benchmark of thresholds and averaged epochs."""

import numpy as np
import pandas as pd

from benchmarks.table_accuracy import measured, report


def test_all_methods_get_the_same_rows_and_both_strategies(monkeypatch):
    monkeypatch.setattr("benchmarks.table_accuracy._REPEATED", 400)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((300, 2)), columns=["a", "b"])
    runs = pd.DataFrame(measured(X, (X["a"] > 0.4).to_numpy(), 200, 1))
    assert len(runs) == 2 * 2 * 3  # draws, strategies and methods
    assert runs["accuracy"].between(50, 100).all()


def test_lines_have_the_difference_and_its_spread():
    runs = pd.DataFrame(
        {"method": "wtm", "seed": seed, "strategy": strategy, "accuracy": accuracy, "log-loss": 0.5}
        for seed, strategy, accuracy in ((0, "quantile", 80), (0, "splits", 81), (1, "quantile", 82), (1, "splits", 85))
    )
    assert report("Adult", 1000, runs) == [
        ["Adult", "1,000", "wtm", "81.00", "+2.00 (1.41)", "0.500", "+0.000 (0.000)"]
    ]
