"""Run the epochs of a fit, with callbacks, early stopping and a progress display."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from wtm.fitting.callbacks import Epoch, call_all, check_callbacks
from wtm.fitting.early_stopping import BestEpoch
from wtm.fitting.progress import show_epochs
from wtm.machine.calibration import fit_logit_scale
from wtm.machine.model_state import Model
from wtm.machine.training import EpochResult, measure
from wtm.machine.training_rows import LabelledExamples, TrainingRows
from wtm.machine.voting import VotingModel
from wtm.validation.row_weights import check_total

TrainFunction: TypeAlias = Callable[..., Generator[EpochResult, None, None]]
"""What takes the arguments of `wtm.machine.training.train` and does the same."""


@dataclass(frozen=True)
class Trained:
    """The result of a training.

    Attributes
    ----------
    model : Model
        The last state, or with early stopping the best one.
    voting : VotingModel
        The same, compiled.
    history : list of dict
        An entry per epoch, including those after the best one.
    """

    model: Model
    voting: VotingModel
    history: list[dict[str, Any]]


def train_epochs(
    model: Model,
    training: TrainingRows,
    validation: TrainingRows | None,
    params: dict[str, Any],
    *,
    class_weights: np.ndarray | None,
    history: list[dict[str, Any]],
    n_threads: int,
    train: TrainFunction,
    as_estimator: Callable[[Trained], Any],
) -> Trained:
    """Train a model in place and choose the state to keep.

    Parameters
    ----------
    model : Model
    training : TrainingRows
    validation : TrainingRows or None
        Rows for the validation score, which early stopping needs.
    params : dict
        The checked parameters of the estimator.
    class_weights : ndarray of shape (n_classes,), float64, or None
        None without classes.
    history : list of dict
        The entries of earlier epochs. Those of this training are appended.
    n_threads : int
    train : callable
        `wtm.machine.training.train`, or another function that trains epochs.
    as_estimator : callable
        Makes the estimator that callbacks get from the result of training so far.
    """
    n_epochs = int(params["n_epochs"])
    weighted = training.weighted(class_weights) if isinstance(training, LabelledExamples) else training
    check_total(weighted.weights)
    best = BestEpoch(model, validation, n_threads) if params["early_stopping"] and validation is not None else None
    calibration_rows = weighted if best is None or validation is None else validation

    def copy_now() -> Any:
        twin = model.copy()
        voting = twin.voting_model()
        votes = measure(voting, calibration_rows.sample(), twin.parameters.T, n_threads)
        _calibrate(twin, voting, votes.sums, calibration_rows)
        return as_estimator(Trained(twin, voting, [dict(entry) for entry in history]))

    callbacks = check_callbacks(params["callbacks"])
    last_epoch = model.n_epochs + n_epochs
    verbose = int(params["verbose"])
    epochs = train(
        model, training, validation,
        weights=weighted.weights, n_epochs=n_epochs, shuffle=bool(params["shuffle"]), n_threads=n_threads,
        is_watched=bool(callbacks) or best is not None or verbose > 0,
    )  # fmt: skip
    with closing(epochs), closing(show_epochs(epochs, n_epochs, verbose)) as shown:
        for result in shown:
            entry = dict(result.entry)
            history.append(entry)
            ends = call_all(callbacks, Epoch(model.n_epochs, last_epoch, entry, history, copy_now))
            entry.update(result.entry)  # a callback may have changed or removed figures that are needed below
            if best is not None:
                ends |= best.see(model, result) >= params["n_iter_no_change"]
            if ends:
                break
    if best is None:
        kept, voting, votes = model, result.voting, result.training
    else:
        kept, voting, votes = best.model, best.voting, best.votes
    _calibrate(kept, voting, votes.sums, calibration_rows)
    return Trained(kept, voting, history)


def _calibrate(model: Model, voting: VotingModel, sums: np.ndarray, data: TrainingRows) -> None:
    """Fit the scale of the probabilities to the sums of the sampled rows of `data`, if they have labels."""
    if not isinstance(data, LabelledExamples):
        return
    rows = data.sampled_rows()
    weights = None if data.weights is None else data.weights[rows]
    model.logit_scale = fit_logit_scale(sums * voting.unit, data.labels[rows], weights, model.parameters.T)
