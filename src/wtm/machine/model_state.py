"""The model of all classes, for training or for prediction only."""

from dataclasses import dataclass, replace
from typing import ClassVar, NoReturn

import numpy as np

from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.voting import VotingModel


@dataclass
class Model:
    """The state of training: all that training changes or depends on, besides the data.

    Attributes
    ----------
    machines : list of Machine
        One per class.
    seed : int
        Seed of the schedules, 63 bits.
    n_seen : int
        Number of examples trained on so far; with weights, of running numbers used (see `wtm.machine.schedule`).
    n_epochs : int
        Number of epochs trained so far.
    logit_scale : float
        Factor of the sums in the softmax that gives probabilities (see `wtm.machine.calibration`).
    """

    machines: list[Machine]
    seed: int
    n_seen: int = 0
    n_epochs: int = 0
    logit_scale: float = 1.0

    @classmethod
    def new(cls, parameters: MachineParameters, n_classes: int, seed: int) -> "Model":
        """Return an untrained model.

        Raises
        ------
        MemoryError
            The machines don't fit in memory.
        """
        parameters.check_memory(n_classes)
        return cls([Machine.new(parameters, seed, i) for i in range(n_classes)], seed)

    @property
    def parameters(self) -> MachineParameters:
        """Parameters that all machines share."""
        return self.machines[0].parameters

    def voting_model(self) -> VotingModel:
        """Compile the machines for prediction."""
        return VotingModel.of(self.machines)

    def for_prediction(self) -> "PredictionModel":
        """Return what prediction needs."""
        voting = self.voting_model()
        exponents = np.stack([machine.exponents for machine in self.machines])
        return PredictionModel(self.parameters, exponents, voting.clause_ends, voting.literal_list, self.logit_scale)

    def copy(self) -> "Model":
        """Return an independent copy."""
        return self.resumed(self.parameters)

    def resumed(self, parameters: MachineParameters) -> "Model":
        """Return a copy to resume training with these parameters.

        Raises
        ------
        ValueError
            A parameter changed that is fixed once a model is trained.
        """
        for name in ("n_clauses", "n_states", "gamma"):
            now, before = getattr(parameters, name), getattr(self.parameters, name)
            if now != before:
                raise ValueError(
                    f"{name} can't change when training is resumed: it was {before!r} and is now {now!r}. Set it back, "
                    "or fit again with warm_start=False."
                )
        return replace(self, machines=[machine.copy(parameters) for machine in self.machines])


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

    def for_prediction(self) -> "PredictionModel":
        """Return this model."""
        return self

    @property
    def machines(self) -> list[Machine]:
        """Not available."""
        raise AttributeError(self.NO_AUTOMATA)

    def resumed(self, parameters: MachineParameters) -> NoReturn:
        """Not possible."""
        raise ValueError(self.NO_AUTOMATA)

    def voting_model(self) -> VotingModel:
        """Compile for prediction."""
        table = self.parameters.weight_table
        votes = table.to_fixed(self.exponents)
        votes[:, self.exponents.shape[1] // 2 :] *= -1
        return VotingModel.with_votes(votes, self.clause_ends, self.literal_list, table.unit)
