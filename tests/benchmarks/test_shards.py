"""The page of `benchmarks.shards`: its figures follow from the stored results."""

import json

from benchmarks import shards
from benchmarks.shards_page import page

DATA = {"dataset": "mnist", "n_clauses": 8, "T": 4, "s": 3.0, "gamma": 0.1, "n_epochs": 4}
WHERE = {"environment": {"machine": {"processor": "P", "cores": 2}}}


def accuracy(n_shards, seed, *values, drift=0.0):
    found = {"shards": [n_shards, 1 if n_shards == 1 else 512], "seed": seed, "accuracy": values}
    return {"part": "accuracy", **DATA, **found, "vote_drift": [2 * drift] * 3 + [drift], **WHERE}


def test_accuracies_are_compared_by_seed():
    lines = [accuracy(1, 1, 0, 0.9, 0.9, 0.9), accuracy(1, 2, 0, 0.8, 0.8, 0.8)]
    lines += [accuracy(4, 1, 0, 0.7, 0.8, 0.9, drift=0.25), accuracy(4, 2, 0, 0.81, 0.81, 0.81, drift=0.25)]
    text = page([accuracy(1, 1, 0, 0, 0, 0), *lines])  # the first one is replaced
    assert "| MNIST, 8 clauses, T 4, 4 epochs | 1, the paper's machine | 2 | 85.00 |  | 0.000 | 0.000 |" in text
    assert "| 4, `vote_block=512` | 2 | 80.50 | -10.00 to +1.00 | 0.500 | 0.250 |" in text


def test_gains_are_medians_of_ratios():
    seconds = {"exact": [[1, 1], [2, 2], [4, 4]], "two machines": [[1, 2], [2, 4], [8, 8]]}
    seconds["2 shards, blocks of 512, 2"] = [[0.5, 1.5], [1, 3], [4, 6]]
    text = page([{"part": "speed", **DATA, "epoch": 3, "seconds": seconds, **WHERE}])
    assert "| two machines without shards, 2 threads | 2.00 (1.50 to 2.00) | 1.00 |" in text
    assert "| 2 shards, blocks of 512, 2 threads | 2.00 (1.50 to 2.00) | 1.50 |" in text


def test_amdahls_limit():
    text = page([{"part": "parts", **DATA, "epoch": 5, "seconds": 2.0, "columns": 0.2, "outputs": 0.8, **WHERE}])
    assert "| MNIST, 8 clauses, T 4 | 5 | 2.000 | 10% | 40% | 1.33 | 1.60 | 1.88 |" in text


def test_the_page_is_that_of_the_stored_results():
    lines = [json.loads(line) for line in shards.RESULTS.read_text("utf-8").splitlines()]
    assert page(lines) == shards.PAGE.read_text("utf-8")
