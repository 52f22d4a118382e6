"""The model of all classes: as training needs it, and as prediction alone does."""

from dataclasses import dataclass, replace
from typing import ClassVar, NoReturn

import numpy as np

from wtm.machine.machine import Machine
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.voting import VotingModel


@dataclass
class Model:
    """All that training changes, and all that it depends on besides the data.

    Attributes
    ----------
    machines : list of Machine
        One a class.
    seed : int
        Of the schedules; 63 bits.
    n_seen : int
        Number of examples trained on so far; with weights, of running numbers used up (see `wtm.machine.schedule`).
    n_epochs : int
        Number of epochs trained so far.
    logit_scale : float
        What sums are multiplied with before they become probabilities (see `wtm.machine.calibration`).
    """

    machines: list[Machine]
    seed: int
    n_seen: int = 0
    n_epochs: int = 0
    logit_scale: float = 1.0

    @classmethod
    def new(cls, parameters: MachineParameters, n_classes: int, seed: int) -> "Model":
        """Return a model before training.

        Raises
        ------
        MemoryError
            Its machines would not fit into the memory.
        """
        parameters.check_memory(n_classes)
        return cls([Machine.new(parameters, seed, i) for i in range(n_classes)], seed)

    @property
    def parameters(self) -> MachineParameters:
        """What all machines have in common."""
        return self.machines[0].parameters

    def voting_model(self) -> VotingModel:
        """Compile the machines for prediction."""
        return VotingModel.of(self.machines)

    def copy(self) -> "Model":
        """Return a model in the same state, which may be trained without this one."""
        return self.resumed(self.parameters)

    def resumed(self, parameters: MachineParameters) -> "Model":
        """Return a copy with other parameters, which hold from now on.

        Raises
        ------
        ValueError
            A trained model does not allow the change.
        """
        for name in ("n_clauses", "n_states", "gamma"):
            now, before = getattr(parameters, name), getattr(self.parameters, name)
            if now != before:
                raise ValueError(
                    f"{name} can't change while training goes on: it was {before!r} and is {now!r}. Set it back, or "
                    "fit anew with warm_start=False."
                )
        return replace(self, machines=[machine.copy(parameters) for machine in self.machines])


@dataclass(frozen=True)
class PredictionModel:
    """What is left of a model that was saved for prediction only: it takes the place of `wtm.machine.model.Model`.

    Attributes
    ----------
    parameters : MachineParameters
    exponents : ndarray of shape (n_machines, n_clauses), int32
        Clause j of machine i has the weight (1 + gamma)**exponents[i, j].
    clause_ends, literal_list : ndarray
        As in `VotingModel`.
    logit_scale : float
        As in `wtm.machine.model.Model`.
    """

    NO_AUTOMATA: ClassVar[str] = (
        "This model has no automata: it comes from a file that was saved with prediction_only=True. It predicts, but "
        "can't go on training or show its machines_; for that, save the trained model without prediction_only."
    )

    parameters: MachineParameters
    exponents: np.ndarray
    clause_ends: np.ndarray
    literal_list: np.ndarray
    logit_scale: float

    @classmethod
    def of(cls, machines: list[Machine], logit_scale: float) -> "PredictionModel":
        """Return what prediction needs of `machines`."""
        voting = VotingModel.of(machines)
        exponents = np.stack([machine.exponents for machine in machines])
        return cls(machines[0].parameters, exponents, voting.clause_ends, voting.literal_list, logit_scale)

    @property
    def machines(self) -> list[Machine]:
        """Not there."""
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
