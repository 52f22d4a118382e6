"""A model of fuzzy clauses compiled for prediction."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from wtm.kernels.fuzzy_votes import fuzzy_votes, new_fuzzy_buffers
from wtm.machine.examples import Examples
from wtm.machine.voting import VotingModel


@dataclass(frozen=True)
class FuzzyVotingModel(VotingModel):
    """Fuzzy clauses, each of which adds its vote as often as `reference.clause_votes` says.

    Attributes
    ----------
    literal_failures : int
        LF. With all of that many votes a clause counts once, so `unit` is for one of them.
    """

    literal_failures: int = 1

    def _kernel_call(
        self, examples: Examples, rows: np.ndarray, first: int, last: int, sums: np.ndarray
    ) -> partial[None]:
        clauses = self.clause_ends, self.literal_list, self.clause_votes
        return partial(
            fuzzy_votes,
            examples.literals.ravel(),
            examples.literals.shape[1],
            examples.n_features,
            rows,
            first,
            last,
            self.literal_failures,
            clauses,
            new_fuzzy_buffers(examples.n_features),
            sums,
        )
