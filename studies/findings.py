"""What the ablations say about the differences between the authors' means and ours, in sentences."""

import statistics
from collections.abc import Iterator, Sequence

from studies.designs import ABLATIONS, PROGRAM_SEED, Runs, averaged_epochs, common_epochs, seed_means
from wtm.paper.settings import NAMES
from wtm.paper.text_table import signed

_NEGLIGIBLE = 0.2  # points by which seeds and epochs vary on Connect-4
_RARE = 3.0  # standard deviations
_OURS = "file-order"
_PROGRAM = "program"

Results = dict[str, Runs]
"""See `studies.designs.read_ablations`."""


def explain_differences(results: Results) -> str:
    """Return what the ablations show, as far as they have been trained."""
    findings = (_program_repeated, _program_seeds, _few_and_many, _order, _imdb)
    return " ".join(sentence for finding in findings for sentence in finding(results))


def _program_repeated(results: Results) -> Iterator[str]:
    found = {key: results[key] for key in ("program-3", "connect-4-program") if key in results}
    said = [
        f"{statistics.mean(seed_means(key, runs)):.2f} on {NAMES[ABLATIONS[key].data]} (readme: "
        f"{ABLATIONS[key].reported:.2f})"
        for key, runs in found.items()
    ]
    if said:
        yield f"The authors' program, repeated draw by draw, has {', '.join(said)}."


def _program_seeds(results: Results) -> Iterator[str]:
    """Say whether the program's mean on MNIST comes from its process, or from its default seed."""
    runs = results.get(_PROGRAM, [])
    means = dict(zip((run["seed"] for run in runs), seed_means(_PROGRAM, runs) if runs else [], strict=True))
    own = means.pop(PROGRAM_SEED, None)
    if own is None:
        return
    ablation, n_epochs, others = ABLATIONS[_PROGRAM], common_epochs(runs), list(means.values())
    yield (
        f"With {ablation.setting.n_clauses:,} clauses on MNIST it has a mean of {own:.2f} from its default seed, over "
        f"the last {averaged_epochs(_PROGRAM, n_epochs)} of {n_epochs:,} epochs; the paper has "
        f"{ablation.reported:.2f} over the last 50 of 300."
    )
    ours = seed_means(_OURS, results[_OURS]) if _OURS in results else []
    if others:
        yield f"From other seeds it has {_spread(others)}."
    if ours:
        yield f"Ours, with the examples in the same order, has {_spread(ours)}."
    if others and ours:
        other, here = statistics.mean(others), statistics.mean(ours)
        if abs(other - here) < abs(other - own):
            yield "So with other seeds the program agrees with ours, and the paper's mean is that of one seed."
            yield from _luck(own, ours)
        else:
            yield "So other seeds of the program agree with its default seed, and the difference is in the draws."


def _luck(own: float, ours: Sequence[float]) -> Iterator[str]:
    """Say how far the mean of the program's default seed is from ours."""
    deviation = statistics.stdev(ours) if len(ours) > 1 else 0.0
    if deviation == 0:
        return
    distance = (own - statistics.mean(ours)) / deviation
    chance = (
        ", more than chance explains. Settings chosen by test accuracy with this seed would explain it; nothing here "
        "shows whether they were."
    )
    ending = chance if distance >= _RARE else "."
    yield f"The mean from its default seed is {distance:+.1f} standard deviations from ours{ending}"


def _spread(means: Sequence[float]) -> str:
    if len(means) == 1:
        return f"{means[0]:.2f} (one seed)"
    return (
        f"{statistics.mean(means):.2f} ± {statistics.stdev(means):.2f} ({len(means)} seeds, {min(means):.2f} to "
        f"{max(means):.2f})"
    )


def _few_and_many(results: Results) -> Iterator[str]:
    few, many = "connect-4-file-order", "connect-4-tm-file-order"
    if few in results and many in results:
        n_epochs, (wtm, tm) = _over_the_same_epochs(results, few, many)
        yield (
            f"In the order of the file, as in the authors' program, the WTM of {ABLATIONS[few].setting.n_clauses:,} "
            f"clauses has {wtm:.2f} on Connect-4 and the TM of {ABLATIONS[many].setting.n_clauses:,} clauses {tm:.2f}, "
            f"each after {n_epochs:,} epochs: {signed(wtm - tm)}, so there the few clauses "
            f"{'match' if wtm >= tm - _NEGLIGIBLE else 'do not match'} the many."
        )


def _order(results: Results) -> Iterator[str]:
    for machine, prefix in (("WTM", "connect-4"), ("TM", "connect-4-tm")):
        shuffled, given = f"{prefix}-shuffled", f"{prefix}-file-order"
        if shuffled in results and given in results:
            n_epochs, (new, same) = _over_the_same_epochs(results, shuffled, given)
            yield (
                f"A new order of the examples in each epoch changes the mean by {signed(new - same)} points for the "
                f"{machine} of {ABLATIONS[shuffled].setting.n_clauses:,} clauses on Connect-4, after {n_epochs:,} "
                "epochs."
            )


def _imdb(results: Results) -> Iterator[str]:
    found = {key: seed_means(key, results[key]) for key in ("imdb-shuffled", "imdb-file-order") if key in results}
    if len(found) == 2:
        shuffled, same = found.values()
        low, high = min(shuffled + same), max(shuffled + same)
        yield (
            f"On IMDb, with the authors' recipe for the features, the large WTM has {_spread(shuffled)} with a new "
            f"order each epoch and {_spread(same)} with one order; the paper has "
            f"{ABLATIONS['imdb-shuffled'].reported:.2f}. The seeds range from {low:.2f} to {high:.2f}, so a "
            f"difference of {high - low:.2f} may be due to the seed."
        )


def _over_the_same_epochs(results: Results, *keys: str) -> tuple[int, list[float]]:
    n_epochs = common_epochs(*(results[key] for key in keys))
    return n_epochs, [statistics.mean(seed_means(key, results[key], n_epochs)) for key in keys]
