"""What the variants say of the differences between the authors' means and ours, a sentence each."""

import statistics
from collections.abc import Iterator
from typing import Any

from wtm.paper.settings import NAMES
from wtm.paper.variants import PROGRAM_SEED, VARIANTS, common_epochs, means_of_seeds, n_averaged

__all__ = ["explain_differences", "program_means"]

_LITTLE = 0.2  # points that are no difference: what seeds and epochs vary by on Connect-4
_RARE = 3.0  # standard deviations
_OURS = "file-order"
_PROGRAM = "program"


def explain_differences(results: dict[str, list[dict[str, Any]]]) -> str:
    """What the differences between the variants say, as far as they have been trained.

    Parameters
    ----------
    results : dict of str to list of dict
        See `wtm.paper.variants.read_variants`.
    """
    means = {key: statistics.mean(means_of_seeds(key, runs)) for key, runs in results.items()}
    return " ".join(
        [
            *_program_repeated(means),
            *_program_seeds(results),
            *_few_and_many(results),
            *_order(results),
            *_imdb(results),
        ]
    )


def _program_repeated(means: dict[str, float]) -> Iterator[str]:
    told = [
        f"{means[key]:.2f} on {NAMES[VARIANTS[key].data]} where its readme has {VARIANTS[key].reported:.2f}"
        for key in ("program-3", "connect-4-program")
        if key in means
    ]
    if told:
        yield f"The authors' program, followed draw by draw, has {', '.join(told)}."


def program_means(results: dict[str, list[dict[str, Any]]]) -> tuple[float | None, list[float]]:
    """The mean of the authors' program on MNIST from the seed it has unless told another, and those from others."""
    runs = results.get(_PROGRAM)
    if not runs:
        return None, []
    of_seed = dict(zip((run["seed"] for run in runs), means_of_seeds(_PROGRAM, runs), strict=True))
    return of_seed.pop(PROGRAM_SEED, None), list(of_seed.values())


def _program_seeds(results: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """Whether the program's mean on MNIST is its process, or its first seed."""
    first, others = program_means(results)
    if first is None:
        return
    variant, n_epochs = VARIANTS[_PROGRAM], common_epochs(results[_PROGRAM])
    yield (
        f"With {variant.setting.n_clauses:,} clauses on MNIST it has a mean of {first:.2f} from the seed that it "
        f"starts with unless told another, over the last {n_averaged(_PROGRAM, n_epochs)} of {n_epochs:,} "
        f"epochs; the paper has {variant.reported:.2f} over the last 50 of 300."
    )
    ours = means_of_seeds(_OURS, results[_OURS]) if _OURS in results else []
    if others:
        yield f"From other seeds it has {_spread(others)}."
    if ours:
        yield f"Ours, with the examples in the same order, has {_spread(ours)}."
    if others and ours:
        other, here = statistics.mean(others), statistics.mean(ours)
        if abs(other - here) < abs(other - first):
            yield "So the program with another seed is where ours is, and the paper's mean is that of one seed."
            yield from _luck(first, ours)
        else:
            yield "So the program with another seed is where it is with its first, and the difference is in the draws."


def _luck(first: float, ours: list[float]) -> Iterator[str]:
    """How far from ours the mean of the program's own seed is."""
    deviation = statistics.stdev(ours) if len(ours) > 1 else 0.0
    if deviation == 0:
        return
    distance = (first - statistics.mean(ours)) / deviation
    yield f"The mean from its own seed is {distance:+.1f} standard deviations from ours" + (
        "."
        if distance < _RARE
        else ", more than chance brings. That settings were chosen by the test accuracy from this seed would explain "
        "it; nothing here shows whether they were."
    )


def _spread(means: list[float]) -> str:
    if len(means) == 1:
        return f"{means[0]:.2f} (one seed)"
    return (
        f"{statistics.mean(means):.2f} ± {statistics.stdev(means):.2f} ({len(means)} seeds, {min(means):.2f} to "
        f"{max(means):.2f})"
    )


def _few_and_many(results: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    few, many = "connect-4-file-order", "connect-4-tm-file-order"
    if few in results and many in results:
        n_epochs, (wtm, tm) = _over_the_same_epochs(results, few, many)
        yield (
            f"In the order of the file, the authors', the WTM of {VARIANTS[few].setting.n_clauses:,} clauses has "
            f"{wtm:.2f} on Connect-4 and the TM of {VARIANTS[many].setting.n_clauses:,} clauses {tm:.2f}, each after "
            f"{n_epochs:,} epochs: {wtm - tm:+.2f}, so there the few clauses "
            f"{'do' if wtm >= tm - _LITTLE else 'do not'} reach the many."
        )


def _order(results: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    for machine, prefix in (("WTM", "connect-4"), ("TM", "connect-4-tm")):
        shuffled, given = f"{prefix}-shuffled", f"{prefix}-file-order"
        if shuffled in results and given in results:
            n_epochs, (new, same) = _over_the_same_epochs(results, shuffled, given)
            yield (
                f"A new order of the examples in each epoch is worth {new - same:+.2f} points to the {machine} of "
                f"{VARIANTS[shuffled].setting.n_clauses:,} clauses on Connect-4, after {n_epochs:,} epochs."
            )


def _imdb(results: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    found = {key: means_of_seeds(key, results[key]) for key in ("imdb-shuffled", "imdb-file-order") if key in results}
    if len(found) == 2:
        shuffled, same = found.values()
        low, high = min(shuffled + same), max(shuffled + same)
        yield (
            f"On IMDb, by the authors' recipe for the features, the large WTM has {_spread(shuffled)} in a new order "
            f"each epoch and {_spread(same)} in one order; the paper has {VARIANTS['imdb-shuffled'].reported:.2f}. The "
            f"seeds lie between {low:.2f} and {high:.2f}, so a difference of {high - low:.2f} may be the seed's."
        )


def _over_the_same_epochs(results: dict[str, list[dict[str, Any]]], *keys: str) -> tuple[int, list[float]]:
    n_epochs = common_epochs(*(results[key] for key in keys))
    return n_epochs, [statistics.mean(means_of_seeds(key, results[key], n_epochs)) for key in keys]
