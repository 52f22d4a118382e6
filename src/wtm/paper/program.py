"""The authors' program on the data of an experiment: `wtm.kernels.program`, with their files' order of everything."""

from functools import partial

import numpy as np

from wtm.kernels.program import FIRST_STATE, N_PLANES, program_accuracy, program_epoch, program_sample
from wtm.machine.examples import LabelledExamples, pack_examples
from wtm.paper.problem import Problem
from wtm.paper.settings import Setting
from wtm.utils.interruptible import interruptible

__all__ = ["Program"]

_CLASSES = {"connect-4": ["loss", "draw", "win"]}  # as their file numbers them; elsewhere in sorted order


class Program:
    """The program at work.

    Parameters
    ----------
    problem : Problem
    setting : Setting
    seed : int
        0 is the state in which the program starts if it is not told another.

    Attributes
    ----------
    arrays : dict of str to ndarray
        All that an epoch changes: ``planes``, ``weights`` and ``state``, as in `wtm.kernels.program.program_epoch`.
    """

    def __init__(self, problem: Problem, setting: Setting, seed: int) -> None:
        training, testing = (_as_in_their_file(problem, part) for part in ("train", "test"))
        n_literals = 2 * training.examples.n_features
        n_words = -(-n_literals // 64)
        planes = np.zeros((len(problem.classes), N_PLANES, setting.n_clauses, n_words), np.uint64)
        planes[:, :-1] = ~np.uint64(0)  # the last state that excludes
        weights = np.ones((len(problem.classes), setting.n_clauses))
        weights[:, 1::2] = -1
        state = np.array([(FIRST_STATE + 2 * seed) % 2**64], np.uint64)
        program_sample(state, len(training.labels), len(testing.labels) // 4)
        self.arrays = {"planes": planes, "weights": weights, "state": state}
        work = (np.empty(setting.n_clauses, np.bool_), np.empty(n_words, np.uint64), np.empty(n_words, np.uint64))
        feedback = (setting.p_s, setting.gamma, float(setting.T), n_literals)
        self._epoch = partial(
            program_epoch, planes, weights, training.examples.literals, training.labels, *feedback, state, *work
        )
        self._accuracy = partial(program_accuracy, planes, weights, testing.examples.literals, testing.labels)

    def epoch(self) -> float:
        """Train for an epoch; returns the test accuracy after it, a fraction of 1."""
        interruptible(self._epoch)
        return float(interruptible(self._accuracy))


def _as_in_their_file(problem: Problem, part: str) -> LabelledExamples:
    X, y = getattr(problem.dataset, f"X_{part}"), getattr(problem.dataset, f"y_{part}")
    if problem.key == "connect-4":  # the two features of a square side by side, where we have all of x before all of o
        X = X[:, np.arange(X.shape[1]).reshape(2, -1).T.ravel()]
    classes = _CLASSES.get(problem.key, list(problem.classes))
    return LabelledExamples(pack_examples(X), np.array([classes.index(label) for label in y], np.int64))
