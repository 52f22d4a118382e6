"""Why a row gets its prediction from fuzzy clauses: how far each score card is filled."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.rules.score_cards import ScoreCard, ScoreCards
from wtm.utils.printable import counted

_CARDS_SHOWN = 5


@dataclass(frozen=True, repr=False, eq=False)
class CardExplanation:
    """The score cards that vote on a row: `explain` of the fuzzy estimators makes it. ``print`` shows the heaviest.

    Attributes
    ----------
    prediction : object
        The predicted class, or the predicted numbers.
    heading : str
        What is predicted, in words.
    cards : list of ScoreCard
        Those that vote on the row, the heaviest votes first.
    n_true : ndarray of shape (n_cards,), int64
        How many of the literals of each hold, `n_always` of the card among them.
    votes : ndarray of shape (n_cards,), float64
        What each adds, negative for votes against a class. Those on a class add up to its class sum; those on a number
        add up to the prediction, with the middle of `y_range_`, before it is clipped.
    """

    prediction: Any
    heading: str
    n_true: np.ndarray
    votes: np.ndarray
    _table: ScoreCards
    _places: np.ndarray

    @property
    def cards(self) -> list[ScoreCard]:
        """The cards that vote, the heaviest votes first."""
        return [self._table[int(place)] for place in self._places]

    def __str__(self) -> str:
        shown = [self._lines(i) for i in range(min(_CARDS_SHOWN, len(self._places)))]
        lines = [self.heading, *(line for of_card in shown for line in of_card)]
        left = self.votes[len(shown) :]
        if len(left):
            lines.append(f"  {left.sum():+9.4g}  from {counted(len(left), 'lighter rule')}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation by {counted(len(self._places), 'rule')}: {self.heading}>"

    def _lines(self, i: int) -> list[str]:
        card = self._table[int(self._places[i])]
        n_true = self.n_true[i] - card.n_always
        title = f"  {self.votes[i]:+9.4g}  {card.action}: {n_true} of {card.n_conditions} hold"
        return [title, *(f"             {line}" for line in card.lines)]
