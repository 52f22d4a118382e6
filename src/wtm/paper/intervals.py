"""Differences of means with 95 % intervals over seeds, and the one rule that turns them into verdicts."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scipy.stats import chi2, t

from wtm.paper.text_table import signed

MIN_SEEDS = 3
"""Fewer have no interval."""

UNDECIDED = "undecided"


class Claimed(StrEnum):
    """What is claimed of a difference."""

    BETTER = "better"
    REACHES = "reaches"  # is better, or worse by less than the margin
    EQUALS = "equals"  # differs by less than the margin


RULE = """\
Verdicts follow one rule. [a, b] is the 95 % interval of the difference (ours minus the paper's, or WTM minus TM), and m
the difference that does not matter: twice the standard deviation that the paper gives for its WTM, {margins}.

- “Better” holds (*yes*) if a > 0, and does not (*no*) if b < 0.
- “Reaches” holds if a > -m, and does not if b < -m.
- A figure holds if [a, b] is within -m and m, and does not if it is outside.
- Runs are similar if the 95 % interval of their standard deviation is below m, and are not if it is above.
- A fact on single trainings, methods, steps or data sets holds if it is true of all, and does not if true of none.
- “Depends on T”: a TM trained here with another T reverses the verdict.
- All else is *undecided*, including a difference that is not 0 but may not matter. Times, sizes and what is calculated
  have no verdict (–).

Intervals are t intervals over seeds: Welch's between two machines, and against the paper's single run the prediction
interval of one more run, as if its runs varied as ours. Differences of fewer than {seeds} seeds have no interval and no
verdict."""


@dataclass(frozen=True)
class Difference:
    """A difference of means, and the half-width of its 95 % interval; None if there are too few seeds."""

    value: float
    half: float | None

    def __str__(self) -> str:
        return signed(self.value) if self.half is None else f"{signed(self.value)} ± {self.half:.2f}"

    def verdict(self, claimed: Claimed, margin: float) -> str:
        """Apply the rule."""
        if self.half is None:
            return UNDECIDED
        low, high = self.value - self.half, self.value + self.half
        yes, no = {
            Claimed.BETTER: (low > 0, high < 0),
            Claimed.REACHES: (low > -margin, high < -margin),
            Claimed.EQUALS: (-margin < low and high < margin, high < -margin or margin < low),
        }[claimed]
        return "yes" if yes else "no" if no else UNDECIDED


def half_width(values: Sequence[float], *, of_one_more: bool = False) -> float | None:
    """Return the half-width of the t interval of a mean, or of one more value; None with too few values."""
    n = len(values)
    if n < MIN_SEEDS:
        return None
    return _quantile(n - 1) * statistics.stdev(values) * math.sqrt(1 / n + of_one_more)


def mean_text(values: Sequence[float]) -> str:
    """Return a mean over seeds with its interval and their number."""
    half, n = half_width(values), len(values)
    mean = f"{statistics.mean(values):.2f}" + ("" if half is None else f" ± {half:.2f}")
    return f"{mean} ({n} seed{'s' * (n != 1)})"


def between(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Compare two machines, given a value per seed: a minus b, with Welch's interval."""
    value = statistics.mean(a) - statistics.mean(b)
    if min(len(a), len(b)) < MIN_SEEDS:
        return Difference(value, None)
    parts = [statistics.variance(x) / len(x) for x in (a, b)]
    total = sum(parts)
    if total == 0:
        return Difference(value, 0.0)
    freedom = total**2 / sum(part**2 / (len(x) - 1) for part, x in zip(parts, (a, b), strict=True))
    return Difference(value, _quantile(freedom) * math.sqrt(total))


def against_one_run(ours: Sequence[float], theirs: float) -> Difference:
    """Compare values of seeds with that of a single run."""
    return Difference(statistics.mean(ours) - theirs, half_width(ours, of_one_more=True))


def deviation_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of a standard deviation over seeds; None with too few values."""
    if len(values) < MIN_SEEDS:
        return None
    freedom, deviation = len(values) - 1, statistics.stdev(values)
    low, high = (deviation * math.sqrt(freedom / float(chi2.ppf(q, freedom))) for q in (0.975, 0.025))
    return low, high


def _quantile(freedom: float) -> float:
    return float(t.ppf(0.975, freedom))
