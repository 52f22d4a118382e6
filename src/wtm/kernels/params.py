"""What does not change while a machine is trained, as kernels take it."""

from typing import NamedTuple

import numpy as np

__all__ = ["Rules"]


class Rules(NamedTuple):
    """Sizes, hyper-parameters and weights of a machine.

    Attributes
    ----------
    n_features, n_literals : int
        o and u = 2o.
    n_words : int
        Words of 64 automata that a clause takes.
    row_words : int
        Words that an example takes, a multiple of 8.
    lowest, highest : int
        The bytes of states 0 and 2N - 1, see `wtm.kernels.feedback`.
    boost : bool
    p_threshold : int
        p_s in fractions of 2**32.
    T : float
    fixed : ndarray of int64
        The weights, see `wtm.machine.clause_weights.WeightTable`; `unit` is the value of 1.
    unit : float
    """

    n_features: int
    n_literals: int
    n_words: int
    row_words: int
    lowest: int
    highest: int
    boost: bool
    p_threshold: int
    T: float
    fixed: np.ndarray
    unit: float
