"""Measure the memory of a worker of Dask that predicts more and more rows, which no computer has to hold.

    python -m benchmarks.cluster_memory [--rows 100000 400000 1600000] [--columns 100] [--chunk 20000]

Each number of rows gets a new worker of one thread, which makes the rows chunk by chunk, predicts them and adds up the
labels. Prints the peak of its memory, and how much of it is above that before the first row.
"""

import argparse
import json
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import wtm.dask
from benchmarks.clusters import sent_and_peak
from wtm import WTMClassifier
from wtm.paper.environment import environment

MEGABYTE = 1e6


def peak(dask_worker: Any) -> int:
    """Return the peak of a worker's memory in bytes."""
    return sent_and_peak(dask_worker)[1]


def measure(model: WTMClassifier, n_rows: int, n_columns: int, chunk: int) -> tuple[int, int]:
    """Return a worker's peaks of memory before the first row and after the last one."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        for rows in (chunk, n_rows):  # the first loads kernels
            X = da.random.default_rng(0).random((rows, n_columns), chunks=(chunk, n_columns))
            before = client.run(peak)
            client.compute(wtm.dask.predict(model, X).sum()).result()
        [first], [last] = before.values(), client.run(peak).values()
        return first, last


def main() -> None:
    """Measure each number of rows and print the peaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 400_000, 1_600_000])
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--chunk", type=int, default=20_000)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.random((5_000, options.columns))
    model = WTMClassifier(200, T=25, n_epochs=2, random_state=0).fit(X, X[:, 0] > X[:, 1])
    print(json.dumps(environment()), vars(options), sep="\n")
    for n_rows in options.rows:
        first, last = measure(model, n_rows, options.columns, options.chunk)
        size = 8 * n_rows * options.columns / MEGABYTE
        print(
            f"{n_rows:,} rows ({size:,.0f} MB): peak {last / MEGABYTE:,.0f} MB, "
            f"{(last - first) / MEGABYTE:,.0f} MB more than after {options.chunk:,} rows"
        )


if __name__ == "__main__":
    main()
