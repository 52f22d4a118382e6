"""What the trained weights show (the paper's table 4 and figure), and what they cost."""

import numpy as np
from scipy.signal import find_peaks

from wtm.paper.record import BINS_PER_DOUBLING
from wtm.paper.report.result_folder import Results
from wtm.paper.result_tables import positive_weights
from wtm.paper.settings import COMPRESSION, WEIGHTS

_PROMINENCE = 0.1  # of the largest count
_BYTES_PER_AUTOMATON = 1  # of 256 states
_BYTES_PER_WEIGHT = 8
_MNIST_LITERALS = 1_568


def weight_ends(results: Results) -> tuple[list[float], list[float]]:
    """Return the smallest and the largest weight of each class and seed."""
    spans = [entry["all"] for record in results.required("mnist", WEIGHTS.setting) for entry in record.weights]
    return [span["minimum"] for span in spans], [span["maximum"] for span in spans]


def histogram_peaks(results: Results) -> list[float]:
    """Return where the histogram of the paper's figure has its peaks, smoothed over a doubling of the weight."""
    bins = positive_weights(results.required("mnist", WEIGHTS.setting))
    places = np.arange(min(bins) - BINS_PER_DOUBLING, max(bins) + BINS_PER_DOUBLING + 1)
    counts = np.array([bins.get(int(k), 0) for k in places])
    smooth = np.convolve(counts, np.ones(BINS_PER_DOUBLING), "same")
    peaks, _ = find_peaks(smooth, prominence=_PROMINENCE * smooth.max())
    # An even number of bins: "same" puts bins k - 4 to k + 3 at k, whose middle is the start of bin k.
    return [float(2.0 ** (place / BINS_PER_DOUBLING)) for place in places[peaks]]


def memory_share() -> float:
    """Return the bytes of the small WTM as a share of those of the large TM, on MNIST."""
    compression = COMPRESSION["mnist"]
    few, many = compression.weighted.setting.n_clauses, compression.classic.setting.n_clauses
    per_clause = _MNIST_LITERALS * _BYTES_PER_AUTOMATON
    return few * (per_clause + _BYTES_PER_WEIGHT) / (many * per_clause)
