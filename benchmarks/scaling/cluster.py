"""Measure what workers of Dask on this computer send and hold, and what a task costs besides its work."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.array as da
import joblib
import numpy as np
from dask.delayed import delayed
from distributed import Client, LocalCluster
from distributed.comm.tcp import TCP

import wtm.dask
from benchmarks.scaling.cost import Sizes
from benchmarks.scaling.measure import SEED, make_rows
from wtm import WTMClassifier
from wtm.paper.text_table import say

N_WORKERS, N_CHUNKS, N_EPOCHS = 2, 16, 3
SIZES = (
    Sizes(40_000, 800, 10, 100),
    Sizes(160_000, 800, 10, 100),
    Sizes(320_000, 800, 10, 100),
    Sizes(40_000, 800, 10, 1_600),
)
TINY = Sizes(rows=200, features=20, classes=20, clauses=10)
WORKERS = (1, 2, 4)
_TURNS = 3
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")

_sent = 0


def count_sent() -> None:
    """Count from now on what this process sends through connections of Dask, its scheduler's included."""
    write = TCP.write

    async def counted(self: Any, *arguments: Any, **options: Any) -> int:
        global _sent
        n_bytes = await write(self, *arguments, **options)
        _sent += n_bytes
        return n_bytes

    TCP.write = counted


def sent() -> int:
    """Bytes that this process has sent."""
    return _sent


def start_peak() -> int:
    """Forget the peak of this process's memory; return the bytes that it has now. Linux only."""
    _CLEAR.write_text("5")
    return _from_status("VmRSS")


def peak() -> int:
    """Peak of this process's memory since `start_peak`, in bytes."""
    return _from_status("VmHWM")


def _from_status(name: str) -> int:
    (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


@contextmanager
def cluster_of(n_workers: int) -> Iterator[Client]:
    """Start processes that have loaded the kernels."""
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.run(_load_kernels)
        yield client


def _load_kernels() -> None:
    X, y = make_rows(TINY, SEED)
    _model(TINY, 1).fit(X, y)


def _model(sizes: Sizes, n_epochs: int, **more: Any) -> WTMClassifier:
    return WTMClassifier(sizes.clauses, T=10, s=10.0, gamma=0.01, n_epochs=n_epochs, random_state=SEED, **more)


def measure_clusters() -> dict[str, Any]:
    """Measure bytes, then seconds per task."""
    count_sent()
    with cluster_of(N_WORKERS) as client:
        client.run(count_sent)
        of_bytes = [
            {
                "sizes": sizes,
                "joblib": _bytes_of_joblib(sizes, client),
                "wtm.dask": _bytes_of_dask(sizes, client),
            }
            for sizes in SIZES
        ]
    tasks = list(_seconds_per_task())
    return {"n_workers": N_WORKERS, "n_epochs": N_EPOCHS, "bytes": of_bytes, "tasks": tasks}


def _all_sent(client: Client) -> int:
    return sent() + sum(client.run(sent).values())


def _bytes_of_joblib(sizes: Sizes, client: Client) -> dict[str, int]:
    """Bytes sent in a round of epochs, and the largest growth of a worker."""
    step = sizes._replace(rows=sizes.rows // N_CHUNKS)
    X, y = (np.concatenate(parts) for parts in zip(*(make_rows(step, seed) for seed in range(N_CHUNKS)), strict=True))
    before, held = _all_sent(client), client.run(start_peak)
    with joblib.parallel_config("dask", client=client):
        _model(sizes, N_EPOCHS).fit(X, y)
    peaks = client.run(peak)
    return {"sent": _all_sent(client) - before, "memory": max(peaks[worker] - held[worker] for worker in held)}


def _bytes_of_dask(sizes: Sizes, client: Client) -> dict[str, int]:
    """Bytes sent in an epoch, and the largest growth of a worker since before the rows were read."""
    step = sizes.rows // N_CHUNKS
    chunks = [delayed(make_rows)(sizes._replace(rows=step), seed) for seed in range(N_CHUNKS)]
    X = da.concatenate([da.from_delayed(chunk[0], (step, sizes.features), np.uint8) for chunk in chunks])
    y = da.concatenate([da.from_delayed(chunk[1], (step,), np.int64) for chunk in chunks])
    held, totals = client.run(start_peak), []

    def after_epoch(estimator: Any) -> None:
        totals.append(_all_sent(client))
        if len(totals) == 1:  # the rows have been packed: now comes the peak of training alone
            client.run(start_peak)

    wtm.dask.fit(_model(sizes, N_EPOCHS, callbacks=[after_epoch]), X, y, client=client)
    peaks = client.run(peak)
    per_epoch = (totals[-1] - totals[0]) // (N_EPOCHS - 1)
    say(f"{sizes}: {per_epoch / 1e6:.0f} MB per epoch")
    return {"sent": per_epoch, "memory": max(peaks[worker] - held[worker] for worker in held)}


def _seconds_per_task() -> Iterator[dict[str, Any]]:
    """Time epochs of tasks that have next to nothing to do, by the clock."""
    X, y = make_rows(TINY, SEED)
    for n_workers in WORKERS:
        with cluster_of(n_workers) as client:
            for way, fit in _ways(X, y, client, n_workers).items():
                seconds = []
                for _ in range(_TURNS):
                    ends: list[float] = []
                    fit([lambda estimator, ends=ends: ends.append(time.perf_counter())])
                    seconds += [(end - start) / TINY.classes for start, end in itertools.pairwise(ends)]
                say(f"{way}, {n_workers} workers: {1e3 * np.median(seconds):.1f} ms per task")
                yield {"way": way, "workers": n_workers, "seconds": seconds}


def _ways(X: np.ndarray, y: np.ndarray, client: Client, n_workers: int) -> dict[str, Callable[[list[Any]], Any]]:
    far_X, far_y = client.persist([da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)])

    def through(backend: str, **more: Any) -> Callable[[list[Any]], Any]:
        def fit(callbacks: list[Any]) -> None:
            with joblib.parallel_config(backend, n_jobs=n_workers, **more):
                _model(TINY, 6, callbacks=callbacks).fit(X, y)

        return fit

    return {
        "threads": through("threading"),
        "processes of loky": through("loky"),
        "joblib's backend of Dask": through("dask", client=client),
        "wtm.dask": lambda callbacks: wtm.dask.fit(_model(TINY, 6, callbacks=callbacks), far_X, far_y, client=client),
    }
