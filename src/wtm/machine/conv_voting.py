"""A model of a convolution compiled for prediction."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from wtm.kernels.conv_fuzzy_outputs import list_false_columns
from wtm.kernels.conv_fuzzy_votes import conv_fuzzy_votes, new_conv_fuzzy_vote_buffers
from wtm.kernels.conv_votes import ConvVotePlan, conv_votes, new_conv_vote_buffers, plan_conv_votes
from wtm.machine.conv_fuzzy_machine import ConvFuzzyParameters
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


@dataclass(frozen=True)
class ConvFuzzyVotingModel(ConvVotingModel):
    """Fuzzy clauses that vote as on their best patch; `unit` is for one of LF votes.

    Attributes
    ----------
    parameters : ConvFuzzyParameters
    """

    parameters: ConvFuzzyParameters

    @cached_property
    def columns_of(self) -> np.ndarray:
        """The columns of the literals, int32, see `wtm.kernels.conv_fuzzy_outputs`."""
        p = self.parameters
        check_memory(
            2 * p.position_bytes,
            f"The positions of {p.n_patches:,} patches",
            "Use smaller images, larger patches or positions=False.",
        )
        columns_of = np.empty(len(self.literal_list), np.int32)
        list_false_columns(self.literal_list, p.n_features, p.grid, columns_of)
        return columns_of

    def _kernel_call(
        self, examples: Examples, rows: np.ndarray, first: int, last: int, sums: np.ndarray
    ) -> partial[None]:
        p = self.parameters
        return partial(
            conv_fuzzy_votes,
            examples.literals.ravel(),
            rows,
            first,
            last,
            p.grid,
            p.all_patches,
            p.position_columns,
            p.n_features,
            p.literal_failures,
            (self.clause_ends, self.columns_of, self.clause_votes),
            new_conv_fuzzy_vote_buffers(p.grid, p.n_features),
            sums,
        )
