"""Trainings of variants, by our machines or by the authors' program, that are kept and can be gone on with."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from wtm.fitting.progress import bar
from wtm.machine.examples import LabelledExamples, pack_examples
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model import Model
from wtm.machine.training import train
from wtm.paper.checkpoint import (
    REMEDY,
    Checkpoint,
    compress,
    decompress,
    load_checkpoint,
    read_arrays,
    save_checkpoint,
    usable,
    write_arrays,
)
from wtm.paper.console import say
from wtm.paper.interruption import Interruption
from wtm.paper.problem import Problem
from wtm.paper.program import Program
from wtm.paper.run import CHECKPOINT_SECONDS
from wtm.utils.threads import resolve_n_threads

__all__ = ["MachineTraining", "ProgramTraining", "Training", "carry_on", "checkpoint_path"]

_PROGRAM_FORMAT = "wtm program checkpoint 1"


class Training(Protocol):
    """Something that is trained epoch by epoch."""

    def epochs(self, n_epochs: int) -> Iterator[float]:
        """Train; test accuracy after each epoch, a fraction of 1."""

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write all that it needs to go on, and what it is."""

    def load(self, path: Path) -> dict[str, Any]:
        """Take up what `save` wrote; returns what it is. Raises ValueError for a file that can't be used."""


class MachineTraining:
    """Our machines.

    Parameters
    ----------
    parameters : MachineParameters
    problem : Problem
    seed : int
    file_order : bool
        Whether examples come as in the file, in every epoch.
    n_jobs : int
    """

    def __init__(
        self, parameters: MachineParameters, problem: Problem, seed: int, *, file_order: bool, n_jobs: int
    ) -> None:
        self._parameters, self._testing, self._n_threads = parameters, problem.testing, resolve_n_threads(n_jobs)
        self._training = _in_file_order(problem) if file_order else problem.training
        self._shuffle = not file_order
        self._model = Model.new(parameters, len(problem.classes), seed)

    def epochs(self, n_epochs: int) -> Iterator[float]:
        """See `Training`."""
        epochs = train(
            self._model,
            self._training,
            self._testing,
            n_epochs=n_epochs,
            shuffle=self._shuffle,
            n_threads=self._n_threads,
        )
        return (result.entry["valid_accuracy"] for result in epochs)

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """See `Training`."""
        save_checkpoint(path, Checkpoint(self._model, [], about))

    def load(self, path: Path) -> dict[str, Any]:
        """See `Training`."""
        checkpoint = load_checkpoint(path, self._parameters)
        self._model = checkpoint.model
        return checkpoint.about


def _in_file_order(problem: Problem) -> LabelledExamples:
    labels = np.searchsorted(problem.classes, problem.dataset.y_train).astype(np.int64)
    return LabelledExamples(pack_examples(problem.dataset.X_train), labels)


class ProgramTraining:
    """The authors' program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def epochs(self, n_epochs: int) -> Iterator[float]:
        """See `Training`."""
        return (self._program.epoch() for _ in range(n_epochs))

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """See `Training`."""
        arrays = {name: compress(array) for name, array in self._program.arrays.items()}
        write_arrays(path, _PROGRAM_FORMAT, arrays, about)

    def load(self, path: Path) -> dict[str, Any]:
        """See `Training`."""
        with usable(path):
            about, arrays = read_arrays(path, _PROGRAM_FORMAT)
            for name, array in self._program.arrays.items():
                array[...] = decompress(arrays[name], array.dtype.type).reshape(array.shape)
        return about


def checkpoint_path(result: Path) -> Path:
    """Where the training that leads to a file of results is kept."""
    return result.parent / "checkpoints" / f"{result.stem}.safetensors"


def carry_on(training: Training, result: Path, n_epochs: int, about: dict[str, Any]) -> list[float]:
    """Train to the end, from the checkpoint of the result if there is one.

    Parameters
    ----------
    training : Training
        Not begun.
    result : Path
        The file of results, which the caller writes.
    n_epochs : int
    about : dict
        What the training is: JSON values. A checkpoint of anything else is refused.

    Returns
    -------
    list of float
        Test accuracy after each epoch, a fraction of 1.

    Raises
    ------
    OSError, ValueError
        The checkpoint can't be written, or is not of this training.
    KeyboardInterrupt
        The user stopped it; all finished epochs are kept.
    """
    path = checkpoint_path(result)
    accuracies = _taken_up(training, path, about)
    kept = time.monotonic()
    left = max(0, n_epochs - len(accuracies))
    with Interruption() as interruption:
        for accuracy in bar(training.epochs(left), left, result.stem, lambda found: f"test {100 * found:.2f} %"):
            accuracies.append(accuracy)
            is_due = time.monotonic() - kept >= CHECKPOINT_SECONDS
            if is_due or interruption.requested or len(accuracies) == n_epochs:
                training.save(path, about | {"test_accuracy": accuracies})
                kept = time.monotonic()
            if interruption.requested:
                raise interruption.error(
                    f"{result.stem} has {len(accuracies):,} of {n_epochs:,} epochs. The same command with --resume "
                    "goes on."
                )
    return accuracies[:n_epochs]


def _taken_up(training: Training, path: Path, about: dict[str, Any]) -> list[float]:
    """Test accuracies of the epochs that are kept."""
    if not path.exists():
        return []
    found = training.load(path)
    with usable(path):
        accuracies = [float(accuracy) for accuracy in found.pop("test_accuracy")]
    if found != about:
        raise ValueError(f"{path} is of another training or of other data than this one. {REMEDY}")
    say(f"{path.stem}: goes on after epoch {len(accuracies):,}")
    return accuracies
