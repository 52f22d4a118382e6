"""A model of a convolution compiled for prediction."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from wtm.kernels.conv_votes import ConvVotePlan, conv_votes, new_conv_vote_buffers, plan_conv_votes
from wtm.machine.conv_machine import ConvParameters
from wtm.machine.examples import Examples
from wtm.machine.voting import VotingModel
from wtm.utils.memory_limits import check_memory


@dataclass(frozen=True)
class ConvVotingModel(VotingModel):
    """Clauses that vote if they are true for one of the patches of an image.

    Attributes
    ----------
    parameters : ConvParameters
        The sizes of images and patches.
    """

    parameters: ConvParameters

    @cached_property
    def conv_plan(self) -> ConvVotePlan:
        """The clauses as `wtm.kernels.conv_votes.conv_votes` takes them."""
        p = self.parameters
        check_memory(
            len(self.clause_votes) * p.mask_bytes + p.position_bytes,
            f"Sets of {p.n_patches:,} patches for {len(self.clause_votes):,} clauses",
            "Use smaller images, larger patches or fewer clauses.",
        )
        votes = self.clause_votes.reshape(self.n_machines, -1)
        return plan_conv_votes(
            self.clause_ends, self.literal_list, votes, p.n_features, p.grid, p.all_patches, p.position_columns
        )

    def _n_ands(self, n_rows: int, n_features: int) -> int:
        return n_rows * self.parameters.grid.n_vectors * (len(self.literal_list) + n_features)

    def _kernel_call(
        self, examples: Examples, rows: np.ndarray, first: int, last: int, sums: np.ndarray
    ) -> partial[None]:
        buffers = new_conv_vote_buffers(self.parameters.grid)
        return partial(conv_votes, examples.literals.ravel(), rows, first, last, self.conv_plan, buffers, sums)
