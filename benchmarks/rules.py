"""Time of reading a model, next to that of predicting with it.

    python -m benchmarks.rules --data-dir DIR [--rounds K]

On MNIST, with 10 x 500 clauses and all 10,000 test rows: the median of the ratios to `predict`, which is timed before
each call. On 10 x 4,000 clauses: seconds for a table of all rules, and for its text. On Adult, which is read from
DIR/adult/adult.data.gz as UCI provides it, with the default number of clauses: seconds to simplify on all rows.
"""

import argparse
import statistics
import time
from pathlib import Path

import pandas as pd

from wtm import WTMClassifier
from wtm.datasets import load_mnist


def seconds(call, *arguments):
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def ratios(clf, X, y, n_rounds):
    """Median ratio of each call to `predict`; a round before them compiles."""
    calls = {
        "transform(X)": lambda: clf.transform(X),
        "explain(X)": lambda: clf.explain(X),
        "rules(X, y)": lambda: clf.rules(X, y),
    }
    found = {name: [] for name in calls}
    for _ in range(1 + n_rounds):
        for name, call in calls.items():
            of_predict = seconds(clf.predict, X)
            found[name].append(seconds(call) / of_predict)
    return {name: statistics.median(values[1:]) for name, values in found.items()}


def mnist(data, n_clauses, T, n_rows):
    clf = WTMClassifier(n_clauses, T, 5, n_epochs=1, n_jobs=-1, random_state=0)
    return clf.fit(data.X_train[:n_rows], data.y_train[:n_rows])


def adult(path):
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?"])
    frame.columns = [f"x{i}" for i in frame.columns]
    y = frame.pop("x14").to_numpy(str)
    return frame, y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    data = load_mnist(options.data_dir)
    clf = mnist(data, 500, 50, 10_000)
    for name, ratio in ratios(clf, data.X_test, data.y_test, options.rounds).items():
        print(
            f"MNIST, 10 x 500 clauses, {len(data.X_test):,} rows: {name} takes {ratio:.1f} times as long as predict(X)"
        )
    clf = mnist(data, 4000, 200, 2000)
    table = clf.rules()
    print(f"MNIST, 10 x 4,000 clauses: rules() takes {seconds(clf.rules):.2f} s for {len(table):,} rules")
    print(f"their text takes {seconds(lambda: table.columns):.2f} s more")
    X, y = adult(options.data_dir / "adult" / "adult.data.gz")
    clf = WTMClassifier(n_epochs=3, n_jobs=-1, random_state=0).fit(X, y)
    clf.simplify(X[:100])
    print(f"Adult, {len(X):,} rows: simplify(X) takes {seconds(clf.simplify, X):.2f} s")


if __name__ == "__main__":
    main()
