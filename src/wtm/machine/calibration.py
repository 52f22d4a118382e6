"""Sums of votes as probabilities.

The probabilities of a row are ``softmax(logit_scale * sums)``, with one number, `logit_scale`, for the whole model. It
is fitted once training has ended, by the log-loss on the rows that `early_stopping` held out, else on up to 5,000 of
the training rows. A prior holds it: the ratio of `logit_scale` to `PRIOR_SCALE` / T has a log-normal distribution that
weighs as much as `PRIOR_ROWS` rows, so that neither a handful of rows nor rows that are all predicted right lead to
certainty.

Sums are trained toward T and -T, so in theory a fixed multiple of 1/T would do. It does not where training ends with
sums far from there, as it often does with few rows or a large T; `benchmarks/probabilities.py` compares the two, and
others. Nor are training rows as good as others: the factor comes out too large where a model errs on them less often
than it will. `benchmarks/calibration.py` measures by how much on small tables.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

__all__ = ["PRIOR_ROWS", "PRIOR_SCALE", "fit_logit_scale", "probabilities"]

PRIOR_SCALE = 2.0
PRIOR_ROWS = 10.0
_OCTAVES = (-30.0, 30.0)
_STEPS_AN_OCTAVE = 32


def probabilities(sums: np.ndarray, logit_per_unit: float) -> np.ndarray:
    """Softmax of sums, with the largest value where the largest sum is.

    Parameters
    ----------
    sums : ndarray of shape (n_rows, n_classes), int64
        In fixed point, where two sums are equal or are not.
    logit_per_unit : float
        `logit_scale` times the value of one unit of the sums.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), float64
        The first of the largest values of a row is at the first of its largest sums, also where their difference is
        too small for a float64.
    """
    winners = sums.argmax(axis=1)[:, None]
    behind = np.take_along_axis(sums, winners, axis=1) - sums
    found = np.exp(behind * -logit_per_unit)
    found /= found.sum(axis=1, keepdims=True)
    highest = found.max(axis=1, keepdims=True)
    tied = found.argmax(axis=1)[:, None] != winners
    np.put_along_axis(found, winners, np.where(tied, np.nextafter(highest, 2), highest), axis=1)
    return found


def fit_logit_scale(sums: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, T: float) -> float:
    """Find the `logit_scale` with the least log-loss, under the prior.

    Parameters
    ----------
    sums : ndarray of shape (n_rows, n_classes), float64
    labels : ndarray of shape (n_rows,), int64
        Class indices.
    weights : ndarray of shape (n_rows,), float64, or None
        How much each row counts; None is 1 for each.
    T : float
        The threshold that sums were trained toward.

    Returns
    -------
    float
        `PRIOR_SCALE` / T times a power of 2**(1/32): steps so large that the last digits of exp and log, which are the
        platform's own, don't matter.
    """
    of_prior = (sums - sums[np.arange(len(sums)), labels][:, None]) * (PRIOR_SCALE / T)
    weights = np.ones(len(labels)) if weights is None else weights

    def loss(octaves: float) -> float:
        prior = PRIOR_ROWS * (octaves * np.log(2.0)) ** 2 / 2
        return float(weights @ logsumexp(of_prior * 2.0**octaves, axis=1)) + prior

    best = minimize_scalar(loss, bounds=_OCTAVES, method="bounded", options={"xatol": 1e-3}).x
    return PRIOR_SCALE / T * 2.0 ** (round(best * _STEPS_AN_OCTAVE) / _STEPS_AN_OCTAVE)
