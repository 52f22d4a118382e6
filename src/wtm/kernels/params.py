"""The parameters of a machine that stay the same during training, as kernels take them."""

from typing import NamedTuple

import numpy as np


class Params(NamedTuple):
    """Sizes, hyperparameters and weights of a machine.

    Attributes
    ----------
    n_features, n_literals : int
        o and u = 2o.
    n_words : int
        Words of include bits per clause.
    row_words : int
        Words per example, a multiple of 8.
    state_min, state_max : int
        The bytes of states 0 and 2N - 1, see `wtm.kernels.layout`.
    boost_true_positive : bool
        Whether Type I feedback to a true clause always raises true literals.
    max_literals : int
        The literal budget of a clause; `n_literals` if there is none.
    p_threshold : int
        p_s in fractions of 2**32.
    T : float
    fixed_weights : ndarray of int64
        Weights by exponent, see `wtm.machine.clause_weights.WeightTable`.
    unit : float
        Value of 1 in fixed point.
    """

    n_features: int
    n_literals: int
    n_words: int
    row_words: int
    state_min: int
    state_max: int
    boost_true_positive: bool
    max_literals: int
    p_threshold: int
    T: float
    fixed_weights: np.ndarray
    unit: float
