"""Checkpoints of a training: everything that it needs to go on bit for bit, in one safetensors file.

A machine is its automata, exponents and random state; which literals it includes follows from the automata. A trained
machine's automata mostly rest at state 0, so they are kept compressed, and a checkpoint takes a small part of the
machine's memory.
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.kernels.feedback import include_words
from wtm.machine import Machine, MachineParameters
from wtm.paper.files import write_atomically
from wtm.training import Model

__all__ = ["Checkpoint", "load_checkpoint", "save_checkpoint"]

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
    from safetensors.numpy import save

    model = checkpoint.model
    arrays: dict[str, np.ndarray] = {}
    for i, machine in enumerate(model.machines):
        compressed = zlib.compress(machine.automata.data, _FAST)
        arrays[f"{i}.automata"] = np.frombuffer(compressed, np.uint8)
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
    write_atomically(path, save(arrays, {"format": _FORMAT, "checkpoint": json.dumps(header, allow_nan=False)}))


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
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != _FORMAT:
                raise ValueError(f"its format is {metadata.get('format')!r}, not {_FORMAT!r}")
            header = json.loads(metadata["checkpoint"])
            machines = [
                _machine(parameters, *(file.get_tensor(f"{i}.{name}") for name in ("automata", "exponents", "random")))
                for i in range(header["n_machines"])
            ]
        model = Model(machines, header["seed"], n_seen=header["n_seen"], n_epochs=header["n_epochs"])
        return Checkpoint(model, header["history"], header["about"])
    except (SafetensorError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise ValueError(f"{path} is no usable checkpoint ({error}): remove it to train from the start.") from error


def _machine(
    parameters: MachineParameters, compressed: np.ndarray, exponents: np.ndarray, random: np.ndarray
) -> Machine:
    fresh = Machine.new(parameters, 0, 0)
    automata = np.frombuffer(zlib.decompress(compressed.tobytes()), np.uint8)
    given = {"automata": automata, "exponents": exponents, "random": random}
    for name, array in given.items():
        expected = getattr(fresh, name)
        if (array.shape, array.dtype) != (expected.shape, expected.dtype):
            raise ValueError(f"{name} are {array.dtype}{array.shape}, expected {expected.dtype}{expected.shape}")
        expected[...] = array
    include_words(fresh.automata, fresh.include_bits)
    return fresh
