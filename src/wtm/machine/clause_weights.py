"""Clause weights as integer exponents, and votes as integers in fixed point.

A weight starts at 1 and each update multiplies or divides it by 1 + gamma. It is stored as the integer k of
(1 + gamma)**k, so it is exact and doesn't drift. Votes add weights as 64-bit integers, ``round(w * 2**fraction_bits)``.
Integer addition is associative, so any order, vector width or split over threads gives the same bits.
"""

import decimal
import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

WEIGHT_BITS = 16
"""Weights lie between 2**-16 and 2**16."""

_MAX_EXPONENT = 1 << 20
_MOST_FRACTION_BITS = 35  # so that float64, in which the table is computed, has two digits to spare


@dataclass(frozen=True)
class WeightTable:
    """The weights that a machine can have.

    Weights saturate at 2**-16 and 2**16. For a gamma below about 1e-5 they saturate earlier, at exponents of plus and
    minus 2**20, which no clause reaches in practice.

    Parameters
    ----------
    gamma : float
        Learning rate of the weights.
    n_clauses : int
        Number of clauses. The sum of `n_clauses` of the largest weights is below 2**63.

    Attributes
    ----------
    max_exponent : int
        Exponents run from ``-max_exponent`` to ``max_exponent``. 0 for gamma = 0.
    fraction_bits : int
        Binary digits after the point: 46 minus the bits of `n_clauses`, at most 35.
    fixed : ndarray of shape (2 * max_exponent + 1,), int64
        ``fixed[k + max_exponent]`` is (1 + gamma)**k in fixed point, to within one unit of its last digit.
    """

    gamma: float
    n_clauses: int
    max_exponent: int = field(init=False)
    fraction_bits: int = field(init=False)
    fixed: np.ndarray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        max_exponent = 0
        if self.gamma > 0:
            max_exponent = _largest_exponent(self.gamma)
        fraction_bits = min(_MOST_FRACTION_BITS, 62 - WEIGHT_BITS - int(self.n_clauses).bit_length())
        set_field = object.__setattr__
        set_field(self, "max_exponent", max_exponent)
        set_field(self, "fraction_bits", fraction_bits)
        set_field(self, "fixed", _fixed_powers(self.gamma, max_exponent, fraction_bits))

    @property
    def unit(self) -> float:
        """Value of 1 in fixed point."""
        return 2.0**-self.fraction_bits

    def weight(self, exponents: np.ndarray) -> np.ndarray:
        """Weights of clauses after rounding, float64 of the shape of `exponents`."""
        return self.to_fixed(exponents) * self.unit

    def to_fixed(self, exponents: np.ndarray) -> np.ndarray:
        """Weights of clauses in fixed point, int64 of the shape of `exponents`."""
        fixed: np.ndarray = self.fixed[exponents + self.max_exponent]
        return fixed


def _largest_exponent(gamma: float) -> int:
    if gamma < 2.0**-20:
        return _MAX_EXPONENT
    with decimal.localcontext(prec=40):  # its logarithms are the same on every platform
        reach = WEIGHT_BITS * decimal.Decimal(2).ln() / (1 + decimal.Decimal(gamma)).ln()
    return max(1, min(int(reach), _MAX_EXPONENT))


@lru_cache(maxsize=8)
def _fixed_powers(gamma: float, max_exponent: int, fraction_bits: int) -> np.ndarray:
    # Powers are computed by decimal arithmetic and one IEEE product each, not by the C library's pow, whose last digit
    # depends on the platform.
    step = math.isqrt(max_exponent) + 1
    with decimal.localcontext(prec=60):
        base = 1 + decimal.Decimal(gamma)
        fine = _powers(base, step)
        coarse = _powers(base**step, max_exponent // step + 1)
        fine_down = _powers(1 / base, step)
        coarse_down = _powers((1 / base) ** step, max_exponent // step + 1)
    up = np.outer(coarse, fine).ravel()[: max_exponent + 1]
    down = np.outer(coarse_down, fine_down).ravel()[: max_exponent + 1]
    fixed: np.ndarray = np.rint(np.ldexp(np.concatenate([down[:0:-1], up]), fraction_bits)).astype(np.int64)
    fixed.flags.writeable = False
    return fixed


def _powers(base: decimal.Decimal, count: int) -> np.ndarray:
    powers = [decimal.Decimal(1)]
    for _ in range(count - 1):
        powers.append(powers[-1] * base)
    return np.array([float(power) for power in powers])
