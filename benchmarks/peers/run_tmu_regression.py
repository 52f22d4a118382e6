"""tmu, TMRegressor: train and predict once; prints one line of JSON.

    DIR/tmu/bin/python benchmarks/peers/run_tmu_regression.py --data FILE.npz --T 1000 --s 5 --epochs 30 --seed 0

The file has X_train and X_test with 0 and 1, and y_train. Seconds are of processor time, of training alone.
"""

import argparse
import json
import time

import numpy as np
from tmu.models.regression.vanilla_regressor import TMRegressor

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data", required=True)
for name, kind in (("clauses", int), ("T", int), ("s", float), ("epochs", int), ("seed", int)):
    parser.add_argument(f"--{name}", type=kind, required=True)
options = parser.parse_args()
data = np.load(options.data)
X, X_test = data["X_train"].astype(np.uint32), data["X_test"].astype(np.uint32)
machine = TMRegressor(options.clauses, options.T, options.s, weighted_clauses=True, seed=options.seed + 1)
seconds = []
for _ in range(options.epochs):
    start = time.process_time()
    machine.fit(X, data["y_train"])
    seconds.append(time.process_time() - start)
print(json.dumps({"seconds": seconds, "predictions": machine.predict(X_test).tolist()}))
