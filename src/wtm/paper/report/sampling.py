"""The speed of drawing Type I feedback, from the file of `studies.sampling_speed`.

The paper ("Feedback Generation Speedup") reports that drawing a binomial count and then as many positions is 7 times as
fast as a Bernoulli draw per literal, and which share of the first epoch on MNIST is drawing.
"""

from pathlib import Path
from typing import Any

from wtm.paper.json_files import ENVIRONMENT, naming, read_json
from wtm.paper.text_table import Table

PAPER_SIZE = (1568, 0.1)
"""Literals and p_s of the paper's measurement, on MNIST."""
PAPER_FACTOR = 7
_PAPER_EPOCH = {"type_i": 12.6e6, "drawing_seconds": 61.2, "seconds": 61.2 + 23.5}  # TM of 2,000 clauses, p_s 0.1

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
        _ = [results[name] for name in ENVIRONMENT]
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
    """Return a row per size: nanoseconds of each sampler, and speed relative to Bernoulli draws."""
    rows = [
        [
            f"{point['n_literals']:,}",
            f"{point['p']:g}",
            *(f"{point['samplers'][name]['nanoseconds']:,.0f}" for name in (BASELINE, *FASTER)),
            *(_factors(point["samplers"][name]) for name in FASTER),
        ]
        for point in results["points"]
    ]
    return Table(["literals", "p", BASELINE, *FASTER, *(f"{name}, factor" for name in FASTER)], rows)


def _factors(timing: dict[str, Any]) -> str:
    factors = (timing[name] for name in ("factor", "factor_low", "factor_high"))
    middle, low, high = (f"{factor:.1f}" if factor < 10 else f"{factor:.0f}" for factor in factors)
    return f"{middle} ({low}–{high})"


def explain_sampling(results: Results) -> tuple[str, str]:
    """Return how to read a `sampling_table`, and the comparison with the paper."""
    timings = timings_at_paper(results)
    factors = ", ".join(f"{name} {_factors(timings[name])}" for name in FASTER)
    paper_nanoseconds = 1e9 * _PAPER_EPOCH["drawing_seconds"] / _PAPER_EPOCH["type_i"]
    return (
        f"Nanoseconds per mask of one Type I feedback, medians of {results['rounds']} rounds; in brackets the "
        "quartiles of the ratios within a round.",
        f"At {PAPER_SIZE[0]:,} literals and p = {PAPER_SIZE[1]}, speed relative to {BASELINE}: {factors}; in the "
        f"paper binomial {PAPER_FACTOR}, where {BASELINE} took {paper_nanoseconds:,.0f} ns per mask.\n"
        f"Mean counts against literals · p: at most {max(map(largest_error, results['points'])):.1f} standard errors "
        f"off, {ALLOWED_ERRORS} allowed.",
    )


def drawing_share(epoch: dict[str, Any]) -> str:
    """Return the share of drawing in a first epoch."""
    return f"{epoch['drawing_seconds'] / epoch['seconds']:.0%}"


def first_epoch_table(results: Results) -> Table:
    """Return a row per sampler, after the paper's."""
    epochs = {"bernoulli, the paper": _PAPER_EPOCH}
    epochs |= {f"{sampler}, here": epoch for sampler, epoch in results["first_epoch"].items()}
    rows = [
        [name, f"{e['type_i'] / 1e6:.1f}", f"{e['drawing_seconds']:.1f}", f"{e['seconds']:.1f}", drawing_share(e)]
        for name, e in epochs.items()
    ]
    rows[0][-1] = "“about 2/3”"
    return Table(["sampler", "Type I, millions", "s of drawing", "s of the epoch", "share"], rows)
