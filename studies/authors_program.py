"""The authors' program on the data of an experiment, with the order of everything in its files.

`python -m studies.authors_program --help` lists what it trains.
"""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from studies.command_line import run_command
from studies.designs import ABLATIONS, PROGRAM_SEED, load, parse_arguments, unfinished_tasks
from studies.program_kernels import BLOCK, FIRST_STATE, N_PLANES, program_accuracy, program_epoch, program_sample
from wtm.fitting.progress import bar
from wtm.machine.examples import pack_examples
from wtm.machine.training_rows import LabelledExamples
from wtm.paper.json_files import naming
from wtm.paper.problem import Problem
from wtm.paper.record import SAMPLED
from wtm.paper.run import CHECKPOINT_SECONDS
from wtm.paper.run_options import Options
from wtm.paper.settings import Setting
from wtm.utils.atomic_write import atomic_write
from wtm.utils.interruption import StopAfterEpoch, interruptible

_CLASSES = {"connect-4": ["loss", "draw", "win"]}  # as their file numbers them; elsewhere sorted
_PROGRAMS = [key for key, ablation in ABLATIONS.items() if ablation.by_program]


class Program:
    """The program, started.

    Parameters
    ----------
    problem : Problem
    setting : Setting
    seed : int
        0 is the program's default initial state.
    n_skipped : int, default=0
        Draws to skip before training: a change that should not matter.

    Attributes
    ----------
    columns : dict of lists
        What is known of each epoch: ``test_accuracy``, ``sampled_accuracy`` (on the training rows that the program
        samples), both fractions of 1, and ``type_i``, the number of Type I feedbacks.
    seconds : list of float
        The processor's time of each epoch trained here, of training alone.
    """

    def __init__(self, problem: Problem, setting: Setting, seed: int, n_skipped: int = 0) -> None:
        training, testing = (_as_in_their_file(problem, part) for part in ("train", "test"))
        n_literals = 2 * training.examples.n_features
        n_words = -(-n_literals // 64)
        shape = len(problem.classes), setting.n_clauses
        planes = np.full((*shape, N_PLANES, n_words), ~np.uint64(0))  # the last excluding state
        includes, weights = np.zeros((*shape, n_words), np.uint64), np.ones(shape)
        weights[:, 1::2] = -1
        state = np.array([(FIRST_STATE + 2 * seed) % 2**64], np.uint64)
        rows, n_sampled = np.arange(len(training.labels)), len(testing.labels) // 4
        program_sample(state, rows, n_sampled)
        program_sample(state, rows.copy(), n_skipped)
        sampled = training.rows(rows[:n_sampled])
        self.columns: dict[str, list[float]] = {"test_accuracy": [], SAMPLED: [], "type_i": []}
        self.seconds: list[float] = []
        self._arrays = {"planes": planes, "includes": includes, "weights": weights, "state": state}
        outputs, words = np.empty((shape[0], 8, shape[1]), np.uint64), np.empty(8, np.uint64)
        self._epoch = partial(
            program_epoch,
            planes,
            includes,
            weights,
            training.examples.literals,
            _columns(training),
            training.labels,
            (setting.p_s, setting.gamma, float(setting.T), n_literals),
            state,
            outputs,
            words,
            np.empty(n_words, np.uint64),
            np.empty(n_words, np.uint64),
        )
        totals = np.empty((shape[0], BLOCK))
        self._accuracies = {
            column: partial(program_accuracy, includes, weights, _columns(part), n_literals, part.labels, words, totals)
            for column, part in (("test_accuracy", testing), (SAMPLED, sampled))
        }

    @property
    def n_epochs(self) -> int:
        """Number of epochs so far."""
        return len(self.columns["type_i"])

    def epoch(self) -> float:
        """Train for an epoch; return the test accuracy after it, a fraction of 1."""
        start = time.process_time()
        self.columns["type_i"].append(int(interruptible(self._epoch)))
        self.seconds.append(time.process_time() - start)
        for column, accuracy in self._accuracies.items():
            self.columns[column].append(float(interruptible(accuracy)))
        return self.columns["test_accuracy"][-1]

    def save(self, path: Path) -> None:
        """Write what `load` needs."""
        with atomic_write(path) as file:
            np.savez_compressed(file, **self.columns, **self._arrays)

    def load(self, path: Path) -> None:
        """Resume from what `save` wrote.

        Raises
        ------
        ValueError
            It is damaged, or of another machine or version.
        """
        with naming(path), np.load(path) as file:
            saved = dict(file)
        for name, array in self._arrays.items():
            if name not in saved or (saved[name].shape, saved[name].dtype) != (array.shape, array.dtype):
                raise ValueError(f"{path} is of another machine: remove it, or choose another folder with --out.")
        if missing := sorted(self.columns.keys() - saved):
            raise ValueError(
                f"{path} lacks {', '.join(missing)}, so another version wrote it: remove it, or choose another folder "
                "with --out."
            )
        for name, array in self._arrays.items():
            array[...] = saved[name]
        self.columns = {name: saved[name].tolist() for name in self.columns}


def _as_in_their_file(problem: Problem, part: str) -> LabelledExamples:
    X, y = getattr(problem.dataset, f"X_{part}"), getattr(problem.dataset, f"y_{part}")
    if problem.key == "connect-4":  # the two features of a square side by side, where we have all of x before all of o
        X = X[:, np.arange(X.shape[1]).reshape(2, -1).T.ravel()]
    classes = _CLASSES.get(problem.key, list(problem.classes))
    return LabelledExamples(pack_examples(X), np.array([classes.index(label) for label in y], np.int64))


def _columns(part: LabelledExamples) -> np.ndarray:
    """Return the literals by column in blocks of examples, as `program_epoch` takes them."""
    rows, n_literals = part.examples.literals, 2 * part.examples.n_features
    bits = np.unpackbits(rows.view(np.uint8), axis=1, count=n_literals, bitorder="little")
    padded = np.pad(bits, ((0, -len(bits) % BLOCK), (0, 0)))
    by_literal = np.ascontiguousarray(padded.reshape(-1, BLOCK, n_literals).transpose(0, 2, 1))
    return np.packbits(by_literal, axis=2, bitorder="little").view(np.uint64).ravel()


def train_programs(keys: Sequence[str], options: Options) -> None:
    """Train the program with every seed; write a file each.

    Raises
    ------
    OSError, ValueError
        As `studies.designs.unfinished_tasks`; the data are missing.
    KeyboardInterrupt
        The user stopped it; all finished epochs are kept.
    """
    for task, resumes in unfinished_tasks(keys, options, ".npz"):
        problem = load(task.ablation.data, options.data_dir)
        seed, n_skipped = (PROGRAM_SEED, task.seed + 1) if task.ablation.skips else (task.seed, 0)
        program = Program(problem, task.ablation.setting, seed, n_skipped)
        if resumes:
            task.check_data(problem)
            program.load(task.checkpoint)
        left, saved = task.n_epochs - program.n_epochs, time.monotonic()
        epochs = (program.epoch() for _ in range(left))
        with StopAfterEpoch() as stop:
            for _ in bar(epochs, left, task.path.stem, lambda accuracy: f"test {100 * accuracy:.2f} %"):
                is_last = stop.requested or program.n_epochs == task.n_epochs
                if is_last or time.monotonic() - saved >= CHECKPOINT_SECONDS:
                    task.write(problem, **program.columns)
                    program.save(task.checkpoint)
                    saved = time.monotonic()
                if stop.requested:
                    raise stop.error(
                        f"{task.path.stem} has {program.n_epochs:,} of {task.n_epochs:,} epochs. Run the same "
                        "command with --resume to continue."
                    )


if __name__ == "__main__":
    run_command(lambda: train_programs(*parse_arguments("Repeat the authors' program draw by draw.", _PROGRAMS)))
