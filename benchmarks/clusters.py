"""Time the same fit in threads, in processes of loky, and on a cluster of Dask on this computer; all have two workers.

    python -m benchmarks.clusters --data-dir DATA [--rows 60000] [--clauses 500] [--epochs 2] [--rounds 3]

Prints seconds per way, their ratios to threads in the same round (median and quartiles), whether all models are equal,
and for `wtm.dask` the bytes that workers sent each other and their peaks of memory.
"""

import argparse
import hashlib
import json
import os
import resource
import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import joblib
import numpy as np
from distributed import Client, LocalCluster

import wtm.dask
from wtm import WTMClassifier
from wtm.datasets import load_mnist
from wtm.machine.examples import words_per_row
from wtm.paper.environment import environment

N_WORKERS, N_CHUNKS = 2, 12


def digest(model: Any) -> str:
    """Return a hash of the machines of a model."""
    parts = [array for m in model.machines_ for array in (m.automata, m.exponents, m.random)]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]


def sent_and_peak(dask_worker: Any) -> tuple[int, int]:
    """Return the bytes that a worker has sent, and its peak of memory."""
    return dask_worker.transfer_outgoing_bytes_total, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def ways(model: WTMClassifier, X: np.ndarray, y: np.ndarray, client: Client) -> dict[str, Callable[[], Any]]:
    """Return a function per way to fit."""
    step = -(-len(X) // N_CHUNKS)
    far_X, far_y = client.persist([da.from_array(X, chunks=(step, -1)), da.from_array(y, chunks=step)])

    def through(backend: str, **more: Any) -> Callable[[], Any]:
        def fit() -> Any:
            with joblib.parallel_config(backend, n_jobs=N_WORKERS, **more):
                return model.fit(X, y)

        return fit

    return {
        "threads": through("threading"),
        "loky": through("loky"),
        "joblib's backend of Dask": through("dask", client=client),
        "wtm.dask": lambda: wtm.dask.fit(model, far_X, far_y, client=client),
    }


def main() -> None:
    """Time the fits and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", default=os.environ.get("WTM_DATA"))
    for name, default in (("rows", 60_000), ("clauses", 500), ("epochs", 2), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    data = load_mnist(options.data_dir)
    X, y = data.X_train[: options.rows].astype(np.uint8), data.y_train[: options.rows]
    model = WTMClassifier(options.clauses, T=25, s=11.76, gamma=0.0025, n_epochs=options.epochs, random_state=1)
    with (
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        fits = ways(model, X, y, client)
        digests = {name: digest(fit()) for name, fit in fits.items()}  # kernels are loaded, workers are there
        before = client.run(sent_and_peak)
        fits["wtm.dask"]()
        after = client.run(sent_and_peak)
        seconds: dict[str, list[float]] = {name: [] for name in fits}
        for _ in range(options.rounds):
            for name, fit in fits.items():
                start = time.perf_counter()
                fit()
                seconds[name].append(time.perf_counter() - start)
    print(json.dumps(environment()), vars(options), f"equal models: {len(set(digests.values())) == 1}", sep="\n")
    for name, found in seconds.items():
        ratios = np.quantile(np.array(found) / seconds["threads"], [0.25, 0.5, 0.75]).round(2).tolist()
        print(f"{name}: {np.median(found):.1f} s, {ratios[1]} times threads ({ratios[0]} to {ratios[2]})")
    sent = sum(after[worker][0] - before[worker][0] for worker in after)
    row = 8 * words_per_row(X.shape[1])
    # Each row trains two classes, and is on the right worker already in one case of N_WORKERS.
    expected = options.epochs * 2 * len(X) * row * (N_WORKERS - 1) // N_WORKERS
    print(f"wtm.dask: workers sent each other {sent / 1e6:.1f} MB; rows alone are about {expected / 1e6:.1f} MB")
    print("peaks of memory of the workers, MB:", [round(peak / 1e6) for _, peak in after.values()])


if __name__ == "__main__":
    main()
