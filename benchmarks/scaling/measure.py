"""Measure epochs, draws and predictions over rows, features, classes and clauses.

All work is that of one thread, and seconds are the process's processor time, which other work on the machine changes
far less than the clock's.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks.scaling.cost import Feedback, Sizes
from wtm import WTMClassifier
from wtm.datasets import load_connect_4, load_mnist
from wtm.machine.class_machine import Machine
from wtm.machine.examples import Examples, pack_examples
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import Schedule, draw_schedule
from wtm.machine.voting import VotingModel
from wtm.paper.text_table import say

EPOCHS = (2, 20, 60)
REPEATS = 3
SEED = 1
TRAINED = 5  # epochs before a prediction
N_PREDICTED = 8192
DRAWN = (40_000, 160_000, 640_000, 2_560_000)


Machines: TypeAlias = list[tuple[Machine, Schedule]]


class Case(NamedTuple):
    """A problem to measure. It fits the constants, or checks them; `axes` are the figures that show it."""

    data: str
    sizes: Sizes
    axes: tuple[str, ...]
    fits: bool

    @property
    def parameters(self) -> MachineParameters:
        """T is the square root of the clauses."""
        s, gamma = {"connect-4": (27.0, 0.001), "mnist": (11.76, 0.0025)}.get(self.data, (10.0, 0.01))
        _, features, _, clauses = self.sizes
        return MachineParameters(features, clauses, round(math.sqrt(clauses)), s, gamma)


NOISE = {"made up": 0.2, "noise-free": 0.0}
BASE = Sizes(rows=8_000, features=200, classes=10, clauses=400)
BOARD = Sizes(rows=15_000, features=84, classes=3, clauses=200)
EASY = Sizes(rows=32_000, features=200, classes=10, clauses=1_600)
MNIST = Sizes(rows=20_000, features=784, classes=10, clauses=500)
AXES: dict[str, tuple[int, ...]] = {
    "rows": (4_000, 8_000, 16_000, 32_000),
    "features": (50, 200, 800, 2_000),
    "classes": (2, 5, 10, 20),
    "clauses": (100, 400, 1_600, 6_400),
}
BOARD_AXES = {"rows": (7_500, 15_000, 30_000, 60_000), "clauses": (50, 200, 800, 1_600)}


def cases(with_mnist: bool) -> list[Case]:
    """Return all cases: every second one of an axis fits the constants, the others and all of MNIST check them."""
    found: dict[tuple[str, Sizes], Case] = {}
    for data, base, axes in (("made up", BASE, AXES), ("connect-4", BOARD, BOARD_AXES)):
        for axis, values in axes.items():
            for i, value in enumerate(values):
                sizes = base._replace(**{axis: value})
                before = found.get((data, sizes), Case(data, sizes, (), i % 2 == 0 and sizes != base))
                found[data, sizes] = before._replace(axes=(*before.axes, axis))
    # Without noise there is hardly any feedback, and evaluating clauses takes most of an epoch.
    for sizes, fits in ((EASY, True), (EASY._replace(rows=16_000, clauses=400), False)):
        found["noise-free", sizes] = Case("noise-free", sizes, (), fits)
    if with_mnist:
        found["mnist", MNIST] = Case("mnist", MNIST, (), False)
    return list(found.values())


def make_rows(sizes: Sizes, seed: int, noise: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Make rows: four patterns per class, each with three features of ten.

    A share `noise` of the features is wrong, and a quarter as large a share of the labels.
    """
    n_rows, n_features, n_classes, _ = sizes
    rng = np.random.default_rng(seed)
    patterns = rng.random((n_classes, 4, n_features)) < 0.3
    y = rng.integers(0, n_classes, n_rows)
    X = patterns[y, rng.integers(0, 4, n_rows)] ^ (rng.random((n_rows, n_features)) < noise)
    return X.astype(np.uint8), np.where(rng.random(n_rows) < noise / 4, rng.integers(0, n_classes, n_rows), y)


def load(case: Case, data_dir: str | None) -> tuple[Examples, np.ndarray]:
    """Return the packed rows and class indices of a case."""
    if case.data in NOISE:
        X, y = make_rows(case.sizes, SEED, NOISE[case.data])
        return pack_examples(X), y
    data = load_connect_4() if case.data == "connect-4" else load_mnist(data_dir)
    chosen = np.random.default_rng(SEED).permutation(len(data.y_train))[: case.sizes.rows]
    return pack_examples(data.X_train[chosen]), np.unique(data.y_train, return_inverse=True)[1][chosen]


def _train(case: Case, examples: Examples, labels: np.ndarray, n_epochs: int) -> Iterator[tuple[int, Machines]]:
    """Yield before each epoch its number, and the machines with their schedules; the last time after all epochs."""
    machines = [Machine.new(case.parameters, SEED, i) for i in range(case.sizes.classes)]
    for epoch in range(1, n_epochs + 2):
        n_seen = (epoch - 1) * len(labels)
        schedule = draw_schedule(labels, len(machines), seed=SEED, n_seen=n_seen, shuffle=True)
        yield epoch, list(zip(machines, schedule, strict=True))
        for machine, part in zip(machines, schedule, strict=True):
            machine.train(examples.literals, part)


def measure_case(case: Case, data_dir: str | None) -> dict[str, Any]:
    """Train, and measure the epochs `EPOCHS`."""
    examples, labels = load(case, data_dir)
    training = _train(case, examples, labels, max(EPOCHS) - 1)
    epochs = [{"epoch": epoch, **_measure_epoch(examples, before)} for epoch, before in training if epoch in EPOCHS]
    say(f"{case.data}, {case.sizes}: {[round(sum(epoch['seconds'][0]), 3) for epoch in epochs]} s")
    return {"data": case.data, "sizes": case.sizes, "axes": case.axes, "fits": case.fits, "epochs": epochs}


def measure_prediction(case: Case, data_dir: str | None) -> dict[str, Any]:
    """Train for some epochs, and measure the class sums of `N_PREDICTED` rows."""
    examples, labels = load(case, data_dir)
    *_, (_, after) = _train(case, examples, labels, TRAINED)
    voting = VotingModel.of([machine for machine, _ in after])
    rows = np.arange(N_PREDICTED) % len(labels)
    return {
        "sizes": case.sizes._replace(rows=N_PREDICTED),
        "fits": case.fits,
        "n_weights": sum(len(np.unique(votes)) for votes in voting.clause_votes.reshape(voting.n_machines, -1)),
        "seconds": repeat(lambda: voting.sums(examples, rows)),
    }


def _measure_epoch(examples: Examples, before: Machines) -> dict[str, Any]:
    """Train copies of machines several times; return the seconds of each class in each turn, and the feedback."""
    seconds = []
    for _ in range(REPEATS):
        turn, feedback = [], []
        for machine, part in before:
            trained = machine.copy(machine.parameters)
            start = time.process_time()
            counts = trained.train(examples.literals, part)
            turn.append(time.process_time() - start)
            # Each Type I feedback to a true clause moves its exponent up, each Type II one down.
            raised = counts.type_ii + int(trained.exponents.sum(dtype=np.int64) - machine.exponents.sum(dtype=np.int64))
            feedback.append(Feedback(len(part.rows), raised + counts.type_ii, counts.type_i - raised))
        seconds.append(turn)
    return {"seconds": seconds, "feedback": feedback}


def repeat(work: Callable[[], Any]) -> list[float]:
    """Return the processor's seconds of several calls, after one that is not timed."""
    work()
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return seconds


def measure_draws() -> Iterator[dict[str, Any]]:
    """Time the drawing of an epoch at several numbers of rows."""
    for n_rows in DRAWN:
        labels = np.random.default_rng(SEED).integers(0, 10, n_rows)

        def draw(labels: np.ndarray = labels) -> None:
            draw_schedule(labels, 10, seed=SEED, n_seen=0, shuffle=True)

        yield {"rows": n_rows, "seconds": repeat(draw)}


def measure_threads() -> dict[str, Any]:
    """Time epochs of one and of two threads by the clock, in turn."""
    sizes = BASE._replace(rows=32_000, clauses=1_600)
    X, y = make_rows(sizes, SEED)
    models = {n: WTMClassifier(sizes.clauses, T=40, s=10.0, gamma=0.01, n_epochs=1, random_state=SEED, n_jobs=n,
                               warm_start=True) for n in (1, 2)}  # fmt: skip
    seconds: dict[str, list[float]] = {str(n): [] for n in models}
    for _ in range(8):
        for n, model in models.items():
            model.fit(X, y)
            seconds[str(n)].append(model.history_[-1]["seconds"])
    return {"sizes": sizes, "seconds": {n: found[2:] for n, found in seconds.items()}}
