"""Train machines for images on data sets with a test part."""

import gzip
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.trials import append, read_lines
from wtm import ConvolutionalWTMClassifier, FuzzyConvolutionalWTMClassifier, ImageBooleanizer
from wtm.datasets import load_mnist
from wtm.datasets.images import read_idx
from wtm.machine.image_examples import pack_for_patches
from wtm.machine.model_state import Model
from wtm.machine.training_rows import LabelledExamples
from wtm.paper.environment import environment
from wtm.validation.parameters import machine_parameters

__all__ = ["MACHINES", "SEEDS", "Trained", "load", "read_machines", "run_machines"]

SEEDS = (0, 1, 2)

Images = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Trained:
    """What a machine is trained on, for how long and how.

    Attributes
    ----------
    data : str
    measured : tuple of int
        The epochs after which the test accuracy is measured, up to the last one.
    clf : classifier
    shown : tuple of int
        Earlier epochs that the page shows besides the last one.
    booleanizer : ImageBooleanizer, optional
        What makes bits of grey values.
    """

    data: str
    measured: tuple[int, ...]
    clf: ConvolutionalWTMClassifier | FuzzyConvolutionalWTMClassifier
    shown: tuple[int, ...] = ()
    booleanizer: ImageBooleanizer | None = None


MACHINES = {
    "MNIST, 500 clauses": Trained("MNIST", (1, 2, 3, 4), ConvolutionalWTMClassifier(500, T=50)),
    "MNIST, 2,000 clauses": Trained("MNIST", (8, 30), ConvolutionalWTMClassifier(2_000, T=100), (8,)),
    "MNIST, 20 fuzzy clauses": Trained(
        "MNIST",
        tuple(range(1, 11)),
        FuzzyConvolutionalWTMClassifier(20, T=20 / 16, literal_failures=16, max_literals=32),
    ),
    "MNIST, 100 fuzzy clauses": Trained("MNIST", tuple(range(1, 13)), FuzzyConvolutionalWTMClassifier(100, T=5)),
    "Fashion-MNIST, 200 fuzzy clauses": Trained(
        "Fashion-MNIST",
        (5, 10, 15),
        FuzzyConvolutionalWTMClassifier(200, T=10, literal_failures=16, max_literals=32, average_last=5),
        booleanizer=ImageBooleanizer(thresholds=3, gradients=(5, 20, 50)),
    ),
    "2D noisy XOR, 40 clauses": Trained(
        "2D noisy XOR",
        tuple(range(10, 1501, 10)),
        ConvolutionalWTMClassifier(
            40, T=200, s=3.9, gamma=0, patch_shape=(2, 2), boost_true_positive=False, average_last=10
        ),
        (600,),
    ),
}
"""Settings for MNIST and 2D noisy XOR had been compared on the test parts before. Features and limits of literals for
Fashion-MNIST were compared on the last 10,000 training images, after 6 epochs on the first 20,000."""


def read_machines(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Read what is kept, by machine and seed."""
    return {(line["machine"], line["seed"]): line for line in read_lines(path) if "seed" in line}


def run_machines(data_dir: Path, path: Path, only: str | None) -> None:
    """Train all machines, except those that the file already has; one thread."""
    for name, trained in MACHINES.items():
        kept = read_machines(path)
        left = [seed for seed in SEEDS if (name, seed) not in kept]
        if not left or only not in (None, name):
            continue
        append(path, {"of": name, **environment()})
        train, test = load(trained, data_dir)
        for seed in left:
            append(path, {"machine": name, "seed": seed, **_run(name, trained, train, test, seed)})


def _run(name: str, trained: Trained, train: Images, test: Images, seed: int) -> dict[str, Any]:
    """Train a machine; return its test accuracies in per cent, and seconds of processor time."""
    params = trained.clf.get_params() | {"image_shape": train[0].shape[1:]}
    rows, new = (_packed(images, params) for images in (train, test))
    parameters, n_classes = machine_parameters(params, rows.examples.n_features), len(np.unique(train[1]))
    model = Model.new(parameters, n_classes, seed, params["average_last"])
    _call_kernels(model, rows)
    rows, epochs, accuracies = rows.by_content(), [], []
    seconds, seconds_to_predict = [], []
    for epoch in range(1, trained.measured[-1] + 1):
        schedule, n_seen = rows.schedule(
            len(model.machines), seed=model.seed, n_seen=model.n_seen, shuffle=True, weights=None
        )
        start = time.process_time()
        for machine, part in zip(model.machines, schedule, strict=True):
            machine.train(rows.examples.literals, part, model.n_epochs)
        seconds.append(round(time.process_time() - start, 3))
        model.end_epoch(max(n_seen, len(rows)))
        if epoch not in trained.measured:
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


def load(trained: Trained, data_dir: Path) -> tuple[Images, Images]:
    """Return training and test images, of shape (n, height, width, n_channels), with their labels."""
    if trained.data == "MNIST":
        mnist = load_mnist(data_dir)
        shape = (-1, 28, 28, 1)
        return (mnist.X_train.reshape(shape), mnist.y_train), (mnist.X_test.reshape(shape), mnist.y_test)
    if trained.data == "2D noisy XOR":
        train, test = (_read_xor(data_dir / f"noisy-xor/2DNoisyXOR{part}Data.txt.gz") for part in ("Training", "Test"))
        return train, test
    (grey, y), (grey_test, y_test) = (_read_grey(data_dir / "fashion-mnist", part) for part in ("train", "t10k"))
    booleanizer = trained.booleanizer.fit(grey)
    return (booleanizer.transform(grey), y), (booleanizer.transform(grey_test), y_test)


def _read_grey(folder: Path, part: str) -> Images:
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz", 2051)
    return images, read_idx(folder / f"{part}-labels-idx1-ubyte.gz", 2049).astype(np.int64)


def _read_xor(path: Path) -> Images:
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, dtype=np.int64)
    return table[:, :-1].reshape(-1, 4, 4, 1), table[:, -1]
