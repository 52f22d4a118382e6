"""Early stopping: hold out rows from training, and keep the state with the best accuracy on them."""

import numpy as np
from sklearn.model_selection import train_test_split

from wtm.machine.examples import LabelledExamples
from wtm.machine.model_state import Model
from wtm.machine.training import EpochResult, Votes, measure
from wtm.machine.voting import VotingModel


def hold_out(data: LabelledExamples, fraction: float, seed: int) -> tuple[LabelledExamples, LabelledExamples]:
    """Split rows into those to train on and those to validate with, stratified by class.

    The split is a function of the labels and the seed. A class with a single row keeps it for training.

    Parameters
    ----------
    data : LabelledExamples
    fraction : float
        Fraction of the rows to validate with.
    seed : int
        The model's seed.

    Returns
    -------
    training, validation : LabelledExamples
        Rows in the order of `data`.

    Raises
    ------
    ValueError
        There are too few rows.
    """
    counts = np.bincount(data.labels)
    several = np.flatnonzero(counts[data.labels] > 1)
    n_split = np.count_nonzero(counts > 1)
    random_state = int(np.random.SeedSequence(seed, spawn_key=(2,)).generate_state(1)[0])
    try:
        _, held_out = train_test_split(
            several, test_size=fraction, random_state=random_state, stratify=data.labels[several]
        )
    except ValueError:
        reason = (
            f"both parts need a row of each of the {n_split} classes with two rows or more"
            if n_split
            else "every class has a single row"
        )
        raise ValueError(
            f"early_stopping can't hold out validation_fraction={fraction!r} of {len(data.labels)} rows with "
            f"{np.count_nonzero(counts)} classes: {reason}. Pass X_val and y_val, change "
            "validation_fraction, or train with more rows."
        ) from None
    kept = np.ones(len(data.labels), np.bool_)
    kept[held_out] = False
    return data.rows(np.flatnonzero(kept)), data.rows(np.flatnonzero(~kept))


class BestEpoch:
    """The state with the best validation accuracy so far, the earliest on a tie.

    Parameters
    ----------
    model : Model
        The state to begin with, which counts if it has been trained.
    validation : LabelledExamples
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

    def __init__(self, model: Model, validation: LabelledExamples, n_threads: int) -> None:
        self.model = model.copy()
        self._accuracy = -1.0
        if model.n_epochs:
            self.voting = model.voting_model()
            self.votes = measure(self.voting, validation, n_threads)
            self._accuracy = self.votes.accuracy

    def see(self, model: Model, result: EpochResult) -> int:
        """Take the state after an epoch into account; return how many epochs ago the best one was."""
        votes = result.validation
        if votes is not None and votes.accuracy > self._accuracy:
            del self.model  # before there is another copy: each is as large as the model
            self.model, self.voting, self.votes = model.copy(), result.voting, votes
            self._accuracy = votes.accuracy
        return model.n_epochs - self.model.n_epochs
