"""Why an image gets its class: the patterns that are in it, where they are, and what they add up to."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from wtm.machine.conv_machine import ConvParameters
from wtm.machine.voting import VotingModel
from wtm.reference import patch_features
from wtm.rules.patterns import pixels_of
from wtm.tables.condition_grammar import spell_label
from wtm.utils.printable import counted, shorten

_SHOWN = 10  # patterns per class
_NAME_SHOWN = 100  # characters of a label
_CELLS_AT_A_TIME = 1 << 22  # of clauses and patches, so that working space doesn't grow with the number of clauses


@dataclass(frozen=True, eq=False)
class FoundPattern:
    """A pattern that votes on an image, and where it is.

    Attributes
    ----------
    label : object
        The label of the class.
    vote : float
        What it adds to the class sum, negative if it votes against the label.
    pixels : ndarray of shape (patch_height, patch_width, n_channels), int8
        What each pixel of a patch should be: 1, 0, or -1 where either will do.
    places : ndarray of shape (n_rows, n_columns), bool
        Whether the patch whose top left corner is there has the pattern; of a fuzzy pattern, the patches that fit best.
    n_literals, n_false : int
        Number of conditions, and of those that don't hold there; none in a pattern that is not fuzzy.
    """

    label: Any
    vote: float
    pixels: np.ndarray
    places: np.ndarray
    n_literals: int
    n_false: int

    def __str__(self) -> str:
        row, column = np.argwhere(self.places)[0]
        text = f"{self.vote:+9.4g}  at row {row}, column {column}"
        if (n_more := int(self.places.sum()) - 1) > 0:
            text += f", and {counted(n_more, 'other place')}"
        if self.n_false:
            text += f"; {self.n_literals - self.n_false} of {self.n_literals} conditions hold"
        return text


@dataclass(frozen=True, repr=False, eq=False)
class ImageExplanation:
    """The patterns that are found in an image. ``print`` shows the heaviest of each class.

    Attributes
    ----------
    label : object
        The predicted class.
    class_sums : dict of label to float
        The sum of each class.
    patterns : list of FoundPattern
        The patterns that vote, heaviest first. Their votes on a class add up to its sum.
    image : ndarray of shape (height, width, n_channels), bool
    """

    label: Any
    class_sums: dict[Any, float]
    patterns: list[FoundPattern]
    image: np.ndarray

    def __repr__(self) -> str:
        return f"<ImageExplanation of {_short(self.label)} by {counted(len(self.patterns), 'pattern')}>"

    def __str__(self) -> str:
        lines = [f"predicted: {_short(self.label)}"]
        for label, total in sorted(self.class_sums.items(), key=lambda item: -item[1]):
            found = [pattern for pattern in self.patterns if pattern.label == label]
            lines.append(f"{_short(label)}: sum {total:.4g} of {counted(len(found), 'pattern')}")
            lines += [f"  {pattern}" for pattern in found[:_SHOWN]]
            if lighter := found[_SHOWN:]:
                votes = sum(pattern.vote for pattern in lighter)
                lines.append(f"  {votes:+9.4g}  from {counted(len(lighter), 'lighter pattern')}")
        return "\n".join(lines)


def explain_image(
    voting: VotingModel, parameters: ConvParameters, labels: list[Any], image: np.ndarray
) -> ImageExplanation:
    """Find the patterns of all clauses in an image, bool of shape (height, width, n_channels)."""
    p, n_literals = parameters, np.diff(voting.clause_ends)
    most = np.minimum(getattr(p, "literal_failures", 1), n_literals)  # votes; a strict clause is one that may not fail
    n_down = p.image_height - p.patch_height + 1
    false = _false_literals(image, p)
    totals, found = np.zeros(voting.n_machines, np.int64), []
    step = max(1, _CELLS_AT_A_TIME // p.n_patches)
    for start in range(0, len(n_literals), step):
        clauses = np.arange(start, min(start + step, len(n_literals)))
        n_false = _count_false(voting, clauses, false)
        fewest = n_false.min(axis=1)
        votes = np.maximum(0, most[clauses] - fewest) * voting.clause_votes[clauses]
        for k in np.flatnonzero(votes):
            clause = clauses[k]
            machine = clause // voting.n_clauses
            totals[machine] += votes[k]
            literals = voting.literal_list[voting.clause_ends[clause] : voting.clause_ends[clause + 1]]
            places = (n_false[k] == fewest[k]).reshape(n_down, -1)
            pixels, vote = pixels_of(literals, p), float(votes[k] * voting.unit)
            found.append(FoundPattern(labels[machine], vote, pixels, places, len(literals), int(fewest[k])))
    found.sort(key=lambda pattern: -abs(pattern.vote))
    sums = dict(zip(labels, (totals * voting.unit).tolist(), strict=True))
    return ImageExplanation(labels[int(totals.argmax())], sums, found, image)


def _false_literals(image: np.ndarray, p: ConvParameters) -> np.ndarray:
    """Return 1 for the literals that are false on a patch; int32 of shape (n_literals, n_patches)."""
    features = patch_features(image, p.patch_shape, positions=p.positions).T
    return np.concatenate([~features, features]).astype(np.int32)


def _count_false(voting: VotingModel, clauses: np.ndarray, false: np.ndarray) -> np.ndarray:
    """Count the false literals of consecutive clauses on each patch; int32 of shape (n_clauses, n_patches)."""
    ends = voting.clause_ends[clauses[0] : clauses[-1] + 2]
    literals = voting.literal_list[ends[0] : ends[-1]]
    included = sp.csr_array((np.ones(len(literals), np.int32), literals, ends - ends[0]), (len(clauses), len(false)))
    counts: np.ndarray = included @ false
    return counts


def _short(label: Any) -> str:
    return shorten(spell_label(label), _NAME_SHOWN)
