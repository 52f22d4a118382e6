"""Time one version of wtm: `benchmarks.versions` runs this file with each of them.

    python version_times.py train DATA FOLDER SETTING     train up to the epochs to time, and keep these states
    python version_times.py time DATA FOLDER SETTING      time each of these epochs, and prediction; prints JSON

It uses only what all versions have: public methods of `WTMClassifier`, and attributes of its machines.
"""

import hashlib
import json
import pickle
import sys
import time
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

N_PREDICTIONS = 5


def read(path, n_classes):
    """Return rows and class indices for training, and rows for prediction; of the first classes, or of all for None."""
    with np.load(path) as data:
        X, y, X_test, y_test = (data[name] for name in ("X_train", "y_train", "X_test", "y_test"))
    if n_classes is None:
        return X, y, X_test
    return X[y < n_classes], y[y < n_classes], X_test[y_test < n_classes]


def state_file(folder, epoch):
    return folder / f"before-{epoch}.pickle"


def digest(classifier, sums):
    """Hexadecimal digits that differ if automata, weights or class sums do."""
    found = hashlib.sha256(np.ascontiguousarray(sums).tobytes())
    for machine in classifier.machines_:
        found.update(np.ascontiguousarray(machine.states).tobytes())
        found.update(machine.exponents.tobytes())
    return found.hexdigest()[:16]


def train(data, folder, setting):
    from wtm import WTMClassifier

    X, y, X_test = data
    options = {name: setting[name] for name in ("n_clauses", "T", "s", "gamma")}
    classifier = WTMClassifier(**options, warm_start=True, random_state=setting["seed"])
    n_epochs = 0
    for epoch in setting["epochs"]:
        if epoch - 1 > n_epochs:
            classifier.set_params(n_epochs=epoch - 1 - n_epochs).fit(X, y)
            n_epochs = epoch - 1
        with state_file(folder, epoch).open("wb") as file:
            pickle.dump(classifier, file)
    classifier.partial_fit(X, y, np.unique(y)).class_sums(X_test)  # for the kernels that are still to be compiled


def measure(data, folder, setting):
    X, y, X_test = data
    times = {"seconds": {}, "digests": {}}
    for epoch in setting["epochs"]:
        with state_file(folder, epoch).open("rb") as file:
            classifier = pickle.load(file)
        # The times in `history_` are of training alone. They are those of the clock: here it counts processor time.
        with mock.patch("time.perf_counter", time.process_time):
            classifier.partial_fit(X, y, np.unique(y))
        times["seconds"][f"epoch {epoch}"] = classifier.history_[-1]["seconds"]
        times["digests"][f"epoch {epoch}"] = digest(classifier, classifier.class_sums(X_test))
    predictions = []
    for _ in range(N_PREDICTIONS):
        start = time.process_time()
        classifier.class_sums(X_test)
        predictions.append(time.process_time() - start)
    times["seconds"]["prediction"] = min(predictions)
    return times


def peak_mib():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return None


def main():
    command, path, folder, setting = sys.argv[1:]
    warnings.simplefilter("ignore")  # of models that have learned little so far
    setting = json.loads(setting)
    data = read(path, setting["n_classes"])
    if command == "train":
        train(data, Path(folder), setting)
    else:
        times = measure(data, Path(folder), setting)
        print(json.dumps(times | {"peak_mib": peak_mib() if sys.platform == "linux" else None}))


if __name__ == "__main__":
    main()
