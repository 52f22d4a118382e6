"""tmu's convolution beside that of wtm: the same images in one run, epoch by epoch in turn."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from benchmarks.choosing.trials import append
from wtm.datasets import load_mnist
from wtm.paper.environment import environment

__all__ = ["PROGRAMS", "run_peer"]

PROGRAMS = ("tmu", "wtm")
ROUNDS = 3
SETTINGS = {500: (6_000, 50), 2_000: (3_000, 100)}
"""Of each number of clauses: the number of images, which are not all since tmu takes long, and T."""
N_TEST = 200

_SCRIPTS = Path(__file__).parents[1] / "peers"


def run_peer(data_dir: Path, path: Path, interpreters: dict[str, str]) -> None:
    """Train both programs on the same images of MNIST, after a first epoch in turn; one thread each."""
    append(path, {"of": "tmu", **environment()})
    mnist = load_mnist(data_dir)
    for n_clauses, (n_images, T) in SETTINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "images.npz"
            X, X_test = (of.reshape(-1, 28, 28) for of in (mnist.X_train[:n_images], mnist.X_test[:N_TEST]))
            np.savez(data, X_train=X, y_train=mnist.y_train[:n_images], X_test=X_test, y_test=mnist.y_test[:N_TEST])
            options = [f"--data={data}", f"--clauses={n_clauses}", f"--T={T}", "--s=5", "--gamma=0.01"]
            commands = {name: [interpreters[name], _SCRIPTS / f"run_{name}_conv.py", *options] for name in PROGRAMS}
            measured = {"peer_clauses": n_clauses, "n_images": n_images, "n_test": N_TEST, "T": T}
            append(path, {**measured, **_measure(commands)})


def _measure(commands: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the processor seconds of each program: epochs after the first one, and the predictions after them."""
    found: dict[str, Any] = {name: {"epochs": [], "predictions": []} for name in commands}
    with _started(commands["tmu"]) as tmu, _started(commands["wtm"]) as wtm:
        processes = {"tmu": tmu, "wtm": wtm}
        for name, process in processes.items():
            found[name]["version"] = json.loads(_output(process).readline())["version"]
            _ask(process, "train")
        for _ in range(ROUNDS):
            for name, process in processes.items():
                found[name]["epochs"].append(_ask(process, "train")["cpu_seconds"])
                answer = _ask(process, "test")
                found[name]["predictions"].append(answer["cpu_seconds"])
                found[name]["accuracy"] = answer["accuracy"]
            print({name: (of["epochs"][-1], of["predictions"][-1]) for name, of in found.items()}, flush=True)
    return found


@contextmanager
def _started(command: list[Any]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _ask(process: subprocess.Popen[str], command: str) -> dict[str, Any]:
    assert process.stdin is not None
    process.stdin.write(command + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(_output(process).readline())
    return answer


def _output(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout
