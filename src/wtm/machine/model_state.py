"""The model of all machines, for training or for prediction only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn

import numpy as np

from wtm.machine.class_machine import Machine
from wtm.machine.conv_fuzzy_machine import ConvFuzzyMachine, ConvFuzzyParameters
from wtm.machine.conv_machine import ConvMachine, ConvParameters
from wtm.machine.conv_voting import ConvFuzzyVotingModel, ConvVotingModel
from wtm.machine.fuzzy_machine import FuzzyMachine, FuzzyParameters
from wtm.machine.fuzzy_voting import FuzzyVotingModel
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.voting import VotingModel


def machine_class(parameters: MachineParameters) -> type[Machine]:
    """Return the class of machines with these parameters."""
    if isinstance(parameters, ConvParameters) and parameters.n_patches > 1:
        return ConvFuzzyMachine if isinstance(parameters, ConvFuzzyParameters) else ConvMachine
    return FuzzyMachine if isinstance(parameters, FuzzyParameters) else Machine


def _voting_class(parameters: MachineParameters) -> tuple[type[VotingModel], dict[str, Any]]:
    if isinstance(parameters, ConvParameters) and parameters.n_patches > 1:
        is_fuzzy = isinstance(parameters, ConvFuzzyParameters)
        return ConvFuzzyVotingModel if is_fuzzy else ConvVotingModel, {"parameters": parameters}
    if isinstance(parameters, FuzzyParameters):
        return FuzzyVotingModel, {"literal_failures": parameters.literal_failures}
    return VotingModel, {}


def _compiled(machines: list[Machine]) -> VotingModel:
    kind, more = _voting_class(machines[0].parameters)
    return kind.of(machines, **more)


@dataclass
class Model:
    """The state of training: all that training changes or depends on, besides the data.

    Attributes
    ----------
    machines : list of Machine
        One per class, or per number that is predicted.
    seed : int
        Seed of the schedules, 63 bits.
    n_seen : int
        Number of examples trained on so far; with weights, of running numbers used (see `wtm.machine.schedule`).
    n_epochs : int
        Number of epochs trained so far.
    logit_scale : float
        Factor of the sums in the softmax that gives probabilities (see `wtm.machine.calibration`).
    n_averaged : int
        The model's votes are those of its last `n_averaged` epochs, averaged.
    last_epochs : tuple of PredictionModel
        The states after these epochs, the last of them that of the machines; empty if `n_averaged` is 1.
    """

    machines: list[Machine]
    seed: int
    n_seen: int = 0
    n_epochs: int = 0
    logit_scale: float = 1.0
    n_averaged: int = 1
    last_epochs: tuple["PredictionModel", ...] = ()

    @classmethod
    def new(cls, parameters: MachineParameters, n_machines: int, seed: int, n_averaged: int = 1) -> "Model":
        """Return an untrained model.

        Raises
        ------
        MemoryError
            The machines don't fit in memory.
        """
        parameters.check_memory(n_machines)
        kind = machine_class(parameters)
        return cls([kind.new(parameters, seed, i) for i in range(n_machines)], seed, n_averaged=n_averaged)

    @property
    def parameters(self) -> MachineParameters:
        """Parameters that all machines share."""
        return self.machines[0].parameters

    def end_epoch(self, n_seen: int) -> None:
        """Count an epoch and the running numbers that it used, and keep its state if it is to be averaged."""
        self.n_seen += n_seen
        self.n_epochs += 1
        if self.n_averaged > 1:
            self.last_epochs = (*self.last_epochs, self._after_last_epoch())[-self.n_averaged :]

    def voting_model(self) -> VotingModel:
        """Compile the machines for prediction."""
        return self.for_prediction().voting_model() if self.last_epochs else _compiled(self.machines)

    def for_prediction(self) -> "PredictionModel":
        """Return what prediction needs."""
        if self.last_epochs:
            return replace(averaged(self.last_epochs), logit_scale=self.logit_scale)
        return self._after_last_epoch()

    def _after_last_epoch(self) -> "PredictionModel":
        voting = _compiled(self.machines)
        exponents = np.stack([machine.exponents for machine in self.machines])
        return PredictionModel(self.parameters, exponents, voting.clause_ends, voting.literal_list, self.logit_scale)

    def parts(self) -> list["Model"]:
        """Return a model of each machine alone, which shares its arrays; `take_parts` joins them."""
        return [
            replace(self, machines=[machine], last_epochs=tuple(state.of_machine(i) for state in self.last_epochs))
            for i, machine in enumerate(self.machines)
        ]

    def take_parts(self, parts: Sequence["Model"]) -> None:
        """Take over the state of models of one machine each, trained for the same epochs."""
        self.machines = [part.machines[0] for part in parts]
        self.n_seen, self.n_epochs = parts[0].n_seen, parts[0].n_epochs
        self.last_epochs = tuple(
            PredictionModel.of_parts(states) for states in zip(*(part.last_epochs for part in parts), strict=True)
        )

    def copy(self) -> "Model":
        """Return an independent copy."""
        return self.resumed(self.parameters, self.n_averaged)

    def resumed(self, parameters: MachineParameters, n_averaged: int = 1) -> "Model":
        """Return a copy to resume training with these parameters.

        Raises
        ------
        ValueError
            A parameter changed that is fixed once a model is trained.
        """
        for name in ("n_clauses", "n_states", "gamma", "literal_failures", "patch_shape", "positions"):
            now, before = (getattr(p, name, None) for p in (parameters, self.parameters))
            if now != before:
                raise ValueError(
                    f"{name} can't change when training is resumed: it was {before!r} and is now {now!r}. Set it back, "
                    "or fit again with warm_start=False."
                )
        machines = [machine.copy(parameters) for machine in self.machines]
        last_epochs = self.last_epochs[-n_averaged:] if n_averaged > 1 else ()
        if n_averaged > 1 and self.n_epochs and not last_epochs:
            last_epochs = (self._after_last_epoch(),)
        return replace(self, machines=machines, n_averaged=n_averaged, last_epochs=last_epochs)


@dataclass(frozen=True)
class PredictionModel:
    """A model that was simplified, pruned, refitted or saved for prediction only, in place of `Model`.

    Attributes
    ----------
    parameters : MachineParameters
    exponents : ndarray of shape (n_machines, n_clauses), int32
        Clause j of machine i has the weight (1 + gamma)**exponents[i, j].
    clause_ends, literal_list : ndarray
        As in `VotingModel`.
    logit_scale : float
        As in `Model`.
    n_averaged : int
        The number that votes are divided by: the clauses are those of this many states.
    """

    NO_AUTOMATA: ClassVar[str] = (
        "This model has no automata, since it was simplified, pruned or refitted, or its file was saved with "
        "prediction_only=True: it can predict, but has no machines_ and can't be trained further. For that, keep the "
        "trained model, and save it without prediction_only."
    )

    parameters: MachineParameters
    exponents: np.ndarray
    clause_ends: np.ndarray
    literal_list: np.ndarray
    logit_scale: float
    n_averaged: int = 1

    @classmethod
    def of_parts(cls, parts: Sequence["PredictionModel"]) -> "PredictionModel":
        """Join models of one machine each."""
        lengths = np.concatenate([np.diff(part.clause_ends) for part in parts])
        return replace(
            parts[0],
            exponents=np.concatenate([part.exponents for part in parts]),
            clause_ends=np.concatenate([[0], np.cumsum(lengths)]),
            literal_list=np.concatenate([part.literal_list for part in parts]),
        )

    def of_machine(self, i: int) -> "PredictionModel":
        """Return the model of one machine alone."""
        n_clauses = self.exponents.shape[1]
        ends = self.clause_ends[i * n_clauses : (i + 1) * n_clauses + 1]
        return replace(
            self,
            exponents=self.exponents[i : i + 1],
            clause_ends=ends - ends[0],
            literal_list=self.literal_list[ends[0] : ends[-1]],
        )

    def for_prediction(self) -> "PredictionModel":
        """Return this model."""
        return self

    @property
    def machines(self) -> list[Machine]:
        """Not available."""
        raise AttributeError(self.NO_AUTOMATA)

    def resumed(self, parameters: MachineParameters, n_averaged: int = 1) -> NoReturn:
        """Not possible."""
        raise ValueError(self.NO_AUTOMATA)

    def voting_model(self) -> VotingModel:
        """Compile for prediction."""
        table = self.parameters.weight_table
        votes = table.to_fixed(self.exponents)
        votes[:, self.exponents.shape[1] // 2 :] *= -1
        kind, more = _voting_class(self.parameters)
        unit = self.parameters.vote_unit / self.n_averaged
        return kind.with_votes(votes, self.clause_ends, self.literal_list, unit, **more)


def averaged(models: Sequence[PredictionModel]) -> PredictionModel:
    """Return a model whose sums of votes are the averages of those of `models`, which have the same parameters."""
    k, (n_machines, n_clauses) = len(models), models[0].exponents.shape
    # Of each machine first the clauses of positive polarity of all models, then those of negative.
    numbers = np.arange(k * n_machines * n_clauses).reshape(k, n_machines, 2, -1)
    order = numbers.transpose(1, 2, 0, 3).ravel()
    lengths = np.concatenate([np.diff(model.clause_ends) for model in models])
    starts = np.cumsum(lengths) - lengths
    ends = np.concatenate([[0], np.cumsum(lengths[order])])
    places = np.arange(ends[-1]) + np.repeat(starts[order] - ends[:-1], lengths[order])
    return PredictionModel(
        parameters=replace(models[0].parameters, n_clauses=k * n_clauses),
        exponents=np.concatenate([model.exponents.ravel() for model in models])[order].reshape(n_machines, -1),
        clause_ends=ends,
        literal_list=np.concatenate([model.literal_list for model in models])[places],
        logit_scale=models[-1].logit_scale,
        n_averaged=k,
    )
