"""Checkpoints of a training: everything that it needs to go on bit for bit, in one safetensors file.

A machine is its automata, exponents and random state; which literals it includes follows from the automata. A trained
machine's automata mostly rest at state 0, so they are kept compressed, and a checkpoint takes a small part of the
machine's memory.
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.kernels.feedback import include_words
from wtm.machine.machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model import Model
from wtm.paper.files import write_atomically

__all__ = [
    "REMEDY",
    "Checkpoint",
    "compress",
    "decompress",
    "load_checkpoint",
    "read_arrays",
    "save_checkpoint",
    "usable",
    "write_arrays",
]

REMEDY = "To train from the start, choose another folder with --out, or remove it and the results that go with it."
"""What helps where a checkpoint can't be used."""

_FORMAT = "wtm checkpoint 1"
_FAST = 1  # compression level: the automata are so much alike that higher ones gain little


@dataclass(frozen=True)
class Checkpoint:
    """A training between two epochs.

    Attributes
    ----------
    model : Model
    history : list of dict
        The entries of all epochs so far.
    about : dict
        What the training is: JSON values, compared by who loads the checkpoint.
    """

    model: Model
    history: list[dict[str, Any]]
    about: dict[str, Any]


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; the file that was there stays until the new one is complete and on disk."""
    model = checkpoint.model
    arrays: dict[str, np.ndarray] = {}
    for i, machine in enumerate(model.machines):
        arrays[f"{i}.automata"] = compress(machine.automata)
        arrays[f"{i}.exponents"] = machine.exponents
        arrays[f"{i}.random"] = machine.random
    header = {
        "n_machines": len(model.machines),
        "seed": model.seed,
        "n_seen": model.n_seen,
        "n_epochs": model.n_epochs,
        "history": checkpoint.history,
        "about": checkpoint.about,
    }
    write_arrays(path, _FORMAT, arrays, header)


def load_checkpoint(path: Path, parameters: MachineParameters) -> Checkpoint:
    """Read a checkpoint.

    Parameters
    ----------
    path : Path
    parameters : MachineParameters
        Of the machines that were saved.

    Raises
    ------
    ValueError
        The file is damaged, no checkpoint, or of machines of another size.
    """
    with usable(path):
        header, arrays = read_arrays(path, _FORMAT)
        machines = [
            _machine(parameters, *(arrays[f"{i}.{name}"] for name in ("automata", "exponents", "random")))
            for i in range(header["n_machines"])
        ]
        model = Model(machines, header["seed"], n_seen=header["n_seen"], n_epochs=header["n_epochs"])
        return Checkpoint(model, header["history"], header["about"])


@contextmanager
def usable(path: Path) -> Iterator[None]:
    """Turn whatever reading a checkpoint fails with into a ValueError that names the file and the remedy."""
    from safetensors import SafetensorError

    try:
        yield
    except (SafetensorError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise ValueError(f"{path} is no usable checkpoint ({error}). {REMEDY}") from error


def write_arrays(path: Path, kind: str, arrays: Mapping[str, np.ndarray], header: dict[str, Any]) -> None:
    """Write arrays and JSON values to a file; the one that was there stays until the new one is complete, on disk."""
    from safetensors.numpy import save

    write_atomically(path, save(dict(arrays), {"format": kind, "checkpoint": json.dumps(header, allow_nan=False)}))


def read_arrays(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what `write_arrays` wrote; within `usable`."""
    from safetensors import safe_open

    if not path.is_file():
        raise ValueError("it is no file")
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        if metadata.get("format") != kind:
            raise ValueError(f"its format is {metadata.get('format')!r}, not {kind!r}")
        return json.loads(metadata["checkpoint"]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def compress(array: np.ndarray) -> np.ndarray:
    """The bytes of a contiguous array, compressed, as bytes in an array."""
    return np.frombuffer(zlib.compress(array.data, _FAST), np.uint8)


def decompress(compressed: np.ndarray, dtype: type) -> np.ndarray:
    """What was given to `compress`, in one dimension."""
    return np.frombuffer(zlib.decompress(compressed.tobytes()), dtype)


def _machine(
    parameters: MachineParameters, compressed: np.ndarray, exponents: np.ndarray, random: np.ndarray
) -> Machine:
    fresh = Machine.new(parameters, 0, 0)
    given = {"automata": decompress(compressed, np.uint8), "exponents": exponents, "random": random}
    for name, array in given.items():
        expected = getattr(fresh, name)
        if (array.shape, array.dtype) != (expected.shape, expected.dtype):
            raise ValueError(f"{name} are {array.dtype}{array.shape}, expected {expected.dtype}{expected.shape}")
        expected[...] = array
    include_words(fresh.automata, fresh.include_bits)
    return fresh
