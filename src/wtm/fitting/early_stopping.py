"""Early stopping: hold out rows from training, and keep the state with the best score on them."""

from typing import TypeVar

import numpy as np
from sklearn.model_selection import train_test_split

from wtm.machine.model_state import Model
from wtm.machine.training import EpochResult, Votes, measure
from wtm.machine.training_rows import LabelledExamples, TrainingRows
from wtm.machine.voting import VotingModel
from wtm.utils.printable import counted

Rows = TypeVar("Rows", bound=TrainingRows)


def hold_out(data: Rows, fraction: float, seed: int) -> tuple[Rows, Rows]:
    """Split rows into those to train on and those to validate with, stratified by class if they have labels.

    The split is a function of the number of rows, their labels and the seed. A class with a single row keeps it for
    training.

    Parameters
    ----------
    data : TrainingRows
    fraction : float
        Fraction of the rows to validate with.
    seed : int
        The model's seed.

    Returns
    -------
    training, validation : TrainingRows
        Rows in the order of `data`.

    Raises
    ------
    ValueError
        There are too few rows.
    """
    labels = data.labels if isinstance(data, LabelledExamples) else np.zeros(len(data), np.int64)
    counts = np.bincount(labels)
    several = np.flatnonzero(counts[labels] > 1)
    n_split = np.count_nonzero(counts > 1)
    random_state = int(np.random.SeedSequence(seed, spawn_key=(2,)).generate_state(1)[0])
    try:
        _, held_out = train_test_split(several, test_size=fraction, random_state=random_state, stratify=labels[several])
    except ValueError:
        reason = (
            f"both parts need a row of each of the {n_split} classes with two rows or more"
            if n_split
            else "every class has a single row"
        )
        of_classes = f" with {np.count_nonzero(counts)} classes: {reason}" if isinstance(data, LabelledExamples) else ""
        raise ValueError(
            f"early_stopping can't hold out validation_fraction={fraction!r} of {counted(len(data), 'row')}"
            f"{of_classes}. Pass X_val and y_val, change validation_fraction, or train with more rows."
        ) from None
    kept = np.ones(len(data), np.bool_)
    kept[held_out] = False
    return data.rows(np.flatnonzero(kept)), data.rows(np.flatnonzero(~kept))


class BestEpoch:
    """The state with the best validation score so far, the earliest on a tie.

    Parameters
    ----------
    model : Model
        The state to begin with, which counts if it has been trained.
    validation : TrainingRows
    n_threads : int

    Attributes
    ----------
    model : Model
        A copy of the best state.
    voting : VotingModel
        The best state, compiled.
    votes : Votes
        The votes of the best state on the validation rows.
    """

    voting: VotingModel
    votes: Votes

    def __init__(self, model: Model, validation: TrainingRows, n_threads: int) -> None:
        self.model = model.copy()
        self._score = -np.inf
        if model.n_epochs:
            self.voting = model.voting_model()
            self.votes = measure(self.voting, validation, model.parameters.T, n_threads)
            self._score = self.votes.score

    def see(self, model: Model, result: EpochResult) -> int:
        """Take the state after an epoch into account; return how many epochs ago the best one was."""
        votes = result.validation
        if votes is not None and votes.score > self._score:
            del self.model  # before there is another copy: each is as large as the model
            self.model, self.voting, self.votes = model.copy(), result.voting, votes
            self._score = votes.score
        return model.n_epochs - self.model.n_epochs
