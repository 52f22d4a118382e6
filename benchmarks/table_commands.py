"""`wtm train` and `wtm predict` with their defaults on whole tables, next to histogram gradient boosting.

    python -m benchmarks.table_commands --data-dir DIR [--seeds K]

DIR holds mushroom/agaricus-lepiota.data.gz, adult/adult.data.gz and adult/adult.test.gz, as they come from UCI.
Seconds are those of whole processes. Each seed is a division into rows to train on and rows held out, the same for all;
test rows are those of adult.test. "boosting" is scikit-learn's HistGradientBoostingClassifier with its defaults, on the
columns as they are (text as categories). "on features" is the same on the true/false features that wtm learns from,
which shows how much of a difference lies in these. "finer" features have up to 100 thresholds per column instead of 10,
some of which split off only a few rows.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from wtm import Booleanizer, WTMClassifier, __version__
from wtm.cli.holdout import divide


@dataclass(frozen=True)
class Problem:
    name: str
    train: str
    target: str
    test: str | None = None


PROBLEMS = (
    Problem("Mushroom", "mushroom/agaricus-lepiota.data.gz", "x0"),
    Problem("Adult", "adult/adult.data.gz", "x14", "adult/adult.test.gz"),
)


def read(path, skip=0):
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?"], keep_default_na=False, skiprows=skip)
    frame.columns = [f"x{i}" for i in frame.columns]
    return frame


def with_categories(train, *others):
    """The frames, with text as categories of the first; what it does not have is missing."""
    kinds = {
        name: pd.CategoricalDtype(sorted(column.dropna().unique()))
        for name, column in train.items()
        if not pd.api.types.is_numeric_dtype(column)
    }
    frames = [frame.copy() for frame in (train, *others)]
    for frame in frames:
        for name, kind in kinds.items():
            frame[name] = frame[name].where(frame[name].isin(kind.categories)).astype(kind)
    return frames


def finer_thresholds(frame):
    """A hundred quantiles of each column's different values, whatever the share of rows between them."""
    found = {}
    for name, column in frame.items():
        distinct = np.unique(column.dropna()) if pd.api.types.is_numeric_dtype(column) else []
        if len(distinct) > 2:
            middles = (distinct[1:] + distinct[:-1]) / 2
            found[name] = np.unique(np.quantile(middles, np.linspace(0, 1, 100), method="nearest"))
    return found


def run(*arguments):
    """Run the command; return what it prints, and seconds."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "wtm", *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout, time.perf_counter() - start


def measure(problem, data_dir, seed):
    """Yield what is measured, its name first."""
    frame, named = read(data_dir / problem.train), ("--target", problem.target)
    with tempfile.TemporaryDirectory() as folder:
        data, model, predicted = (Path(folder) / name for name in ("data.csv", "model", "predicted.csv"))
        frame.to_csv(data, index=False)
        printed, seconds = run("train", data, *named, "--out", model, "--seed", seed, "--quiet")
        yield "wtm train, seconds", seconds
        held_out = next(line for line in printed.splitlines() if "held-out" in line)
        yield "wtm, held out %", float(held_out.split("rows: ")[1].split(" %")[0])
        _, seconds = run("predict", model, data, "--out", predicted, "--quiet")
        yield "wtm predict, seconds", seconds
        tests = []
        if problem.test:
            test = read(data_dir / problem.test, skip=1)  # the first line is a comment
            test.to_csv(data, index=False)
            run("predict", model, data, "--out", predicted, "--quiet", "--overwrite")
            found = pd.read_csv(predicted)["prediction"]
            labels = test[problem.target].str.removesuffix(".")
            yield "wtm, test %", 100 * np.mean(found == labels)
            tests = [("test", test.drop(columns=problem.target), labels)]
    y, X = frame[problem.target], frame.drop(columns=problem.target)
    training, rest = divide(y.to_numpy(str), 0.2, seed)
    tests.insert(0, ("held out", X.iloc[rest], y.iloc[rest]))
    X, y = X.iloc[training], y.iloc[training]
    X, *others = with_categories(X, *(table for _, table, _ in tests))
    features = Booleanizer().fit(X)
    boosting = HistGradientBoostingClassifier(random_state=seed, categorical_features="from_dtype").fit(X, y)
    on_features = HistGradientBoostingClassifier(random_state=seed).fit(features.transform(X), y)
    finer = Booleanizer(thresholds=finer_thresholds(X)).fit(X)
    on_finer = HistGradientBoostingClassifier(random_state=seed).fit(finer.transform(X), y)
    wtm_on_finer = WTMClassifier(random_state=seed).fit(finer.transform(X), y)
    for (name, _, labels), table in zip(tests, others, strict=True):
        yield f"boosting, {name} %", 100 * boosting.score(table, labels)
        yield f"boosting on features, {name} %", 100 * on_features.score(features.transform(table), labels)
        yield f"boosting on finer ones, {name} %", 100 * on_finer.score(finer.transform(table), labels)
        yield f"wtm on finer ones, {name} %", 100 * wtm_on_finer.score(finer.transform(table), labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    print(f"wtm {__version__}, {options.seeds} seeds: mean (smallest to largest)")
    for problem in PROBLEMS:
        found = {}
        for seed in range(options.seeds):
            for name, value in measure(problem, options.data_dir, seed):
                found.setdefault(name, []).append(value)
        print(f"\n{problem.name}")
        for name, values in sorted(found.items()):
            print(f"  {name:36} {np.mean(values):7.2f} ({min(values):.2f} to {max(values):.2f})")


if __name__ == "__main__":
    main()
