"""Train machines for images on data sets with a test part."""

import gzip
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.trials import append, read_lines
from wtm import ConvolutionalWTMClassifier, FuzzyConvolutionalWTMClassifier
from wtm.datasets import load_mnist
from wtm.machine.image_examples import pack_for_patches
from wtm.machine.model_state import Model
from wtm.machine.training_rows import LabelledExamples
from wtm.paper.environment import environment
from wtm.validation.parameters import machine_parameters

__all__ = ["MACHINES", "SEEDS", "Trained", "read_machines", "run_machines"]

SEEDS = (0, 1, 2)

Images = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Trained:
    """What a machine is trained on, for how long and how.

    Attributes
    ----------
    data : str
    n_epochs : int
    every : int
        Epochs after which the test accuracy is measured.
    clf : classifier
    """

    data: str
    n_epochs: int
    every: int
    clf: ConvolutionalWTMClassifier | FuzzyConvolutionalWTMClassifier


MACHINES = {
    "MNIST, 500 clauses": Trained("MNIST", 4, 1, ConvolutionalWTMClassifier(500, T=50)),
    "MNIST, 2,000 clauses": Trained("MNIST", 8, 1, ConvolutionalWTMClassifier(2_000, T=100)),
    "2D noisy XOR, 40 clauses": Trained(
        "2D noisy XOR",
        1_500,
        10,
        ConvolutionalWTMClassifier(40, T=60, s=3.9, gamma=1e-4, patch_shape=(2, 2), boost_true_positive=False),
    ),
    "MNIST, 20 fuzzy clauses": Trained(
        "MNIST", 10, 1, FuzzyConvolutionalWTMClassifier(20, T=20 / 16, literal_failures=16, max_literals=32)
    ),
    "MNIST, 100 fuzzy clauses": Trained("MNIST", 12, 1, FuzzyConvolutionalWTMClassifier(100, T=5)),
}
"""Settings had been compared on the test parts before."""


def read_machines(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Read what is kept, by machine and seed."""
    return {(line["machine"], line["seed"]): line for line in read_lines(path) if "seed" in line}


def run_machines(data_dir: Path, path: Path, only: str | None) -> None:
    """Train all machines, except those that the file already has; one thread."""
    for name, trained in MACHINES.items():
        left = [seed for seed in SEEDS if (name, seed) not in read_machines(path)]
        if not left or only not in (None, name):
            continue
        append(path, {"of": name, **environment()})
        train, test = load(trained.data, data_dir)
        for seed in left:
            append(path, {"machine": name, "seed": seed, **_run(name, trained, train, test, seed)})


def _run(name: str, trained: Trained, train: Images, test: Images, seed: int) -> dict[str, Any]:
    """Train a machine; return its test accuracies in per cent, and seconds of processor time."""
    params = trained.clf.get_params() | {"image_shape": train[0].shape[1:]}
    rows, new = (_packed(images, params) for images in (train, test))
    model = Model.new(machine_parameters(params, rows.examples.n_features), len(np.unique(train[1])), seed)
    _call_kernels(model, rows)
    rows, epochs, accuracies = rows.by_content(), [], []
    seconds, seconds_to_predict = [], []
    for epoch in range(1, trained.n_epochs + 1):
        schedule, n_seen = rows.schedule(
            len(model.machines), seed=model.seed, n_seen=model.n_seen, shuffle=True, weights=None
        )
        start = time.process_time()
        for machine, part in zip(model.machines, schedule, strict=True):
            machine.train(rows.examples.literals, part, model.n_epochs)
        seconds.append(round(time.process_time() - start, 3))
        model.end_epoch(max(n_seen, len(rows)))
        if epoch % trained.every:
            continue
        voting = model.voting_model()
        start = time.process_time()
        accuracy = 100 * new.score(voting.sums(new.examples), voting.unit / model.parameters.T)
        seconds_to_predict.append(round(time.process_time() - start, 3))
        epochs.append(epoch)
        accuracies.append(round(accuracy, 2))
        print(
            f"{name}, seed {seed}, epoch {epoch}: {accuracies[-1]} %, {seconds[-1]} s to train, "
            f"{seconds_to_predict[-1]} s to predict {len(new):,}",
            flush=True,
        )
    literals = len(voting.literal_list) / len(voting.clause_votes)
    return {
        "epochs": epochs,
        "accuracies": accuracies,
        "seconds": seconds if len(seconds) < 100 else [round(float(np.mean(seconds)), 4)],
        "seconds_to_predict": float(np.median(seconds_to_predict)),
        "n_test": len(new),
        "literals": round(literals, 1),
    }


def _packed(images: Images, params: dict[str, Any]) -> LabelledExamples:
    examples = pack_for_patches(images[0], params["patch_shape"], params["positions"])
    return LabelledExamples(examples, images[1])


def _call_kernels(model: Model, rows: LabelledExamples) -> None:
    """Load or compile the kernels, on a copy of the model that learns an image."""
    twin, one = model.copy(), rows.rows(np.zeros(1, np.int64))
    schedule, _ = one.schedule(len(twin.machines), seed=0, n_seen=0, shuffle=True, weights=None)
    for machine, part in zip(twin.machines, schedule, strict=True):
        machine.train(one.examples.literals, part)
    twin.voting_model().sums(one.examples)


def load(name: str, data_dir: Path) -> tuple[Images, Images]:
    """Return training and test images, of shape (n, height, width, 1), with their labels."""
    if name == "MNIST":
        mnist = load_mnist(data_dir)
        shape = (-1, 28, 28, 1)
        return (mnist.X_train.reshape(shape), mnist.y_train), (mnist.X_test.reshape(shape), mnist.y_test)
    train, test = (_read_xor(data_dir / f"noisy-xor/2DNoisyXOR{part}Data.txt.gz") for part in ("Training", "Test"))
    return train, test


def _read_xor(path: Path) -> Images:
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, dtype=np.int64)
    return table[:, :-1].reshape(-1, 4, 4, 1), table[:, -1]
