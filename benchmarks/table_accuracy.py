"""What thresholds by splits and averaged epochs change on tables, and from how many rows on splits are better.

    python -m benchmarks.table_accuracy --data-dir DIR [--rows N,N,...] [--repeats K]

DIR holds adult/adult.data.gz, as it comes from UCI, and california-housing/cal_housing.csv.gz; the task of the latter
is whether a house costs more than the median. Rows are drawn from these tables, N to train on and up to 8,000 others to
measure on, K times for each N, and more often for few. All methods get the same rows. "averaged" is `average_last=10`;
"regression" is scikit-learn's LogisticRegression on the same true/false features. Figures are means for quantiles, and
the mean difference of splits with its standard deviation in brackets. Test parts are not read.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit

import wtm.booleanizer
from benchmarks.table_commands import read, with_categories
from wtm import Booleanizer, WTMClassifier
from wtm.paper.text_table import Table, say

TABLES = ("Adult", "California")
ROWS = (500, 1_000, 2_000, 4_000, 16_000)
_MOST_VALID, _REPEATED = 8_000, 2_000  # with fewer rows than the latter, they are drawn more often


def load(name: str, data_dir: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Load a table and its labels."""
    if name == "Adult":
        X = read(data_dir / "adult/adult.data.gz")
        y = X.pop("x14").to_numpy(str)
        return with_categories(X, X)[0], y
    X = pd.read_csv(data_dir / "california-housing/cal_housing.csv.gz")
    prices = X.pop("median_house_value").to_numpy()
    return X, prices > np.median(prices)


def measured(X: pd.DataFrame, y: np.ndarray, n_rows: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Yield what each method reaches with each kind of thresholds, for each drawing of rows."""
    n_valid = min(_MOST_VALID, len(y) - n_rows)
    times = repeats * max(1, _REPEATED // n_rows)
    drawn = StratifiedShuffleSplit(times, train_size=n_rows, test_size=n_valid, random_state=0).split(X, y)
    for seed, (train, valid) in enumerate(drawn):
        for strategy in wtm.booleanizer.STRATEGIES:
            bits = Booleanizer(strategy=strategy).fit(X.iloc[train], y[train])
            features, others = bits.transform(X.iloc[train]), bits.transform(X.iloc[valid])
            for method, model in _models(seed):
                model.fit(features, y[train])
                loss = log_loss(y[valid], model.predict_proba(others))
                found = {"accuracy": 100 * model.score(others, y[valid]), "log-loss": loss}
                yield {"method": method, "strategy": strategy, "seed": seed} | found


def _models(seed: int) -> Iterator[tuple[str, Any]]:
    yield "wtm", WTMClassifier(random_state=seed)
    yield "wtm, averaged", WTMClassifier(average_last=10, random_state=seed)
    yield "regression", LogisticRegression(max_iter=1000)


def report(name: str, n_rows: int, runs: pd.DataFrame) -> list[list[str]]:
    """Return lines of the table that is printed."""
    lines = []
    for method, of_method in runs.groupby("method", sort=False):
        cells = [name, f"{n_rows:,}", str(method)]
        for figure, digits in (("accuracy", 2), ("log-loss", 3)):
            by_strategy = of_method.pivot_table(index="seed", columns="strategy", values=figure)
            difference = by_strategy["splits"] - by_strategy["quantile"]
            spread = f" ({difference.std():.{digits}f})" if len(difference) > 1 else ""
            cells += [f"{by_strategy['quantile'].mean():.{digits}f}", f"{difference.mean():+.{digits}f}{spread}"]
        lines.append(cells)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare thresholds by quantiles and by splits, and averaged epochs.")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rows", type=lambda text: [int(word) for word in text.split(",")], default=ROWS)
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    wtm.booleanizer.MIN_ROWS = 0  # it is what is measured
    headings = ["table", "rows", "method", "accuracy", "with splits", "log-loss", "with splits"]
    lines = []
    for name in TABLES:
        X, y = load(name, arguments.data_dir)
        for n_rows in arguments.rows:
            for line in report(name, n_rows, pd.DataFrame(measured(X, y, n_rows, arguments.repeats))):
                lines.append(line)
                say(" | ".join(line))
    print(Table(headings, lines).markdown())


if __name__ == "__main__":
    main()
