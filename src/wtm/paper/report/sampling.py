"""The speed of drawing Type I feedback, from the file of `studies.sampling_speed`.

The paper ("Feedback Generation Speedup") reports that drawing a binomial count and then as many positions is 7 times as
fast as a Bernoulli draw per literal, and which share of the first epoch on MNIST is drawing.
"""

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

from wtm.paper.json_files import check_environment, naming, read_json
from wtm.paper.text_table import Table

PAPER_SIZE = (1568, 0.1)
"""Literals and p_s of the paper's measurement, on MNIST."""
PAPER_FACTOR = 7
PAPER_EPOCH = {"type_i": 12.6e6, "drawing_seconds": 61.2, "seconds": 61.2 + 23.5}  # TM of 2,000 clauses, p_s 0.1

BASELINE = "bernoulli"
FASTER = ("binomial", "bits")
ALLOWED_ERRORS = 5
"""Standard errors by which a mean count may be off."""

Results = dict[str, Any]
"""The content of ``sampling.json``: a point per size, with a timing per sampler, and a first epoch per sampler."""


def read_sampling(path: Path) -> Results | None:
    """Read ``sampling.json``, if it is there; ValueError if it is damaged."""
    if not path.exists():
        return None
    results = read_json(path)
    with naming(path):  # all that it is used for
        check_environment(results)
        _ = sampling_table(results), explain_sampling(results), first_epoch_table(results)
    return results


def timings_at_paper(results: Results) -> dict[str, dict[str, Any]]:
    """Return the timings by sampler at the paper's size."""
    (timings,) = (point["samplers"] for point in results["points"] if (point["n_literals"], point["p"]) == PAPER_SIZE)
    return dict(timings)


def largest_error(point: dict[str, Any]) -> float:
    """Return by how many standard errors a mean count is off, at most."""
    return max(abs(timing["standard_errors"]) for timing in point["samplers"].values())


def sampling_table(results: Results) -> Table:
    """Return, by number of literals and probability, the speed of Algorithm 1 relative to Bernoulli draws."""
    points = {(point["n_literals"], point["p"]): point["samplers"] for point in results["points"]}
    sizes, probabilities = (sorted({key[i] for key in points}) for i in (0, 1))
    rows = [[f"{n:,}", *(_factors(points[n, p]["binomial"]) for p in probabilities)] for n in sizes]
    return Table(["literals", *(f"p_s {p:g}" for p in probabilities)], rows)


def _factors(timing: dict[str, Any]) -> str:
    factors = (timing[name] for name in ("factor", "factor_low", "factor_high"))
    middle, low, high = (f"{factor:.1f}" if factor < 10 else f"{factor:.0f}" for factor in factors)
    return f"{middle} ({low}–{high})"


def explain_sampling(results: Results) -> str:
    """Return how to read a `sampling_table`."""
    baseline = timings_at_paper(results)[BASELINE]["nanoseconds"]
    theirs = 1e9 * PAPER_EPOCH["drawing_seconds"] / PAPER_EPOCH["type_i"]
    bits = _factors(timings_at_paper(results)["bits"])
    error = max(map(largest_error, results["points"]))
    size = f"At {PAPER_SIZE[0]:,} literals and p_s {PAPER_SIZE[1]}"
    return (
        f"How many times as fast as Bernoulli draws: medians of {results['rounds']} rounds, with quartiles of the "
        f"ratios\nwithin a round. {size} Bernoulli draws take {baseline:,.0f} ns per feedback here, {theirs:,.0f} in\n"
        f"the paper; “bits”, the sampler of `wtm`, is {bits} times as fast. Mean counts of drawn literals are at most\n"
        f"{error:.1f} standard errors off; {ALLOWED_ERRORS} are allowed."
    )


def mean_draws(n_literals: int, p: float) -> float:
    """Return how many random numbers Algorithm 1 draws on average: a count, and places until enough are distinct."""
    counts = np.arange(n_literals + 1)
    places = np.concatenate([[0.0], np.cumsum(n_literals / (n_literals - counts[:-1]))])
    return 1 + float(binom.pmf(counts, n_literals, p) @ places)


def drawing_share(epoch: dict[str, Any]) -> str:
    """Return the share of drawing in a first epoch."""
    return f"{epoch['drawing_seconds'] / epoch['seconds']:.0%}"


def first_epoch_table(results: Results) -> Table:
    """Return a row per sampler, after the paper's."""
    epochs = {"bernoulli, the paper": PAPER_EPOCH}
    epochs |= {f"{sampler}, here": epoch for sampler, epoch in results["first_epoch"].items()}
    rows = [
        [name, f"{e['type_i'] / 1e6:.1f}", f"{e['drawing_seconds']:.1f}", f"{e['seconds']:.1f}", drawing_share(e)]
        for name, e in epochs.items()
    ]
    rows[0][-1] = "“about 2/3”"
    return Table(["sampler", "Type I, millions", "s of drawing", "s of the epoch", "share"], rows)
