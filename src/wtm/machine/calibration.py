"""Convert class sums to probabilities.

The probabilities of a row are ``softmax(logit_scale * sums)``, with a single number `logit_scale` per model. It is
fitted at the end of training: it minimizes the log-loss on the rows that `early_stopping` held out, else on up to 5,000
training rows. A prior regularizes it: the ratio of `logit_scale` to `PRIOR_SCALE` / T has a log-normal distribution
that weighs as much as `PRIOR_ROWS` rows. So neither a handful of rows nor rows that are all predicted correctly lead to
probabilities of 0 and 1.

Sums are trained toward T and -T, so in theory a fixed multiple of 1/T would do. In practice training often ends with
sums far from there, with few rows or a large T; `benchmarks/probabilities.py` compares the two and other methods.
Training rows are worse than held-out ones for this: the scale is too large if the model errs less often on them than on
new rows. `benchmarks/predict_proba_quality.py` measures by how much on small tables.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

PRIOR_SCALE = 2.0
PRIOR_ROWS = 10.0
_OCTAVES = (-30.0, 30.0)
_STEPS_PER_OCTAVE = 32


def probabilities(sums: np.ndarray, logit_per_unit: float) -> np.ndarray:
    """Softmax of sums, which keeps the order of the largest.

    Parameters
    ----------
    sums : ndarray of shape (n_samples, n_classes), int64
        In fixed point, so that ties are exact.
    logit_per_unit : float
        `logit_scale` times the value of 1 in fixed point.

    Returns
    -------
    ndarray of shape (n_samples, n_classes), float64
        The first maximum of each row is at the first maximum of its sums, even if the sums differ by less than a
        float64 can express.
    """
    winners = sums.argmax(axis=1)[:, None]
    behind = np.take_along_axis(sums, winners, axis=1) - sums
    found: np.ndarray = np.exp(behind * -logit_per_unit)
    found /= found.sum(axis=1, keepdims=True)
    _put_first_maximum(found, winners)
    return found


def log_probabilities(sums: np.ndarray, logit_per_unit: float) -> np.ndarray:
    """Logarithms of the probabilities, finite even where these are too small for a float64.

    Parameters, shape and first maximum are those of `probabilities`.
    """
    winners = sums.argmax(axis=1)[:, None]
    logits = (np.take_along_axis(sums, winners, axis=1) - sums) * -logit_per_unit
    found: np.ndarray = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    _put_first_maximum(found, winners)
    return found


def _put_first_maximum(found: np.ndarray, winners: np.ndarray) -> None:
    """Make the value of each row at `winners`, of shape (n_samples, 1), its first maximum."""
    highest = found.max(axis=1, keepdims=True)
    tied = found.argmax(axis=1)[:, None] != winners
    np.put_along_axis(found, winners, np.where(tied, np.nextafter(highest, 2), highest), axis=1)


def fit_logit_scale(sums: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, T: float) -> float:
    """Find the `logit_scale` that minimizes the log-loss under the prior.

    Parameters
    ----------
    sums : ndarray of shape (n_samples, n_classes), float64
    labels : ndarray of shape (n_samples,), int64
        Class indices.
    weights : ndarray of shape (n_samples,), float64, or None
        Weights of the rows; None is 1 for each.
    T : float
        The target that sums were trained toward.

    Returns
    -------
    float
        `PRIOR_SCALE` / T times a power of 2**(1/32). Steps of this size hide the last digits of exp and log, which
        differ between platforms.
    """
    of_prior = (sums - sums[np.arange(len(sums)), labels][:, None]) * (PRIOR_SCALE / T)
    weights = np.ones(len(labels)) if weights is None else weights

    def loss(octaves: float) -> float:
        prior = PRIOR_ROWS * (octaves * np.log(2.0)) ** 2 / 2
        return float(weights @ logsumexp(of_prior * 2.0**octaves, axis=1)) + prior

    best: float = minimize_scalar(loss, bounds=_OCTAVES, method="bounded", options={"xatol": 1e-3}).x
    return PRIOR_SCALE / T * 2.0 ** (round(best * _STEPS_PER_OCTAVE) / _STEPS_PER_OCTAVE)
