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
    """Return what the ablations show, as far as they have been trained: a heading and a list for each question."""
    findings = {
        "Is this the authors' program?": _program_repeated,
        "Why is our mean on MNIST lower than the paper's?": _program_seeds,
        "What does the order of the examples change?": _order,
        "Do few clauses with weights reach many without?": _few_and_many,
        "Does the order explain the difference on IMDb?": _imdb,
    }
    found = {heading: list(finding(results)) for heading, finding in findings.items()}
    return "\n\n".join(
        f"## {heading}\n\n" + "\n".join(f"- {sentence}" for sentence in sentences)
        for heading, sentences in found.items()
        if sentences
    )


def _program_repeated(results: Results) -> Iterator[str]:
    for key in ("program-3", "connect-4-program"):
        if key in results:
            accuracy, reported = statistics.mean(seed_means(key, results[key])), ABLATIONS[key].reported
            yield (
                f"On {NAMES[ABLATIONS[key].data]} our repetition of it has a test accuracy of {accuracy:.2f}; its "
                f"readme gives {reported:.2f}."
            )


def _program_seeds(results: Results) -> Iterator[str]:
    """Say whether the program's mean on MNIST comes from its process, or from its default seed."""
    runs = results.get(_PROGRAM, [])
    means = dict(zip((run["seed"] for run in runs), seed_means(_PROGRAM, runs) if runs else [], strict=True))
    own = means.pop(PROGRAM_SEED, None)
    if own is None:
        return
    ablation, n_epochs, others = ABLATIONS[_PROGRAM], common_epochs(runs), list(means.values())
    yield (
        f"The paper's mean, with {ablation.setting.n_clauses:,} clauses, is {ablation.reported:.2f} over the last 50 "
        f"of 300 epochs. The authors' program with its default seed has {own:.2f} over the last "
        f"{averaged_epochs(_PROGRAM, n_epochs)} of {n_epochs:,}."
    )
    ours = seed_means(_OURS, results[_OURS]) if _OURS in results else []
    if others:
        yield f"With other seeds, the program has {_spread(others)}."
    if ours:
        yield f"wtm, with the examples in the same order, has {_spread(ours)}."
    if others and ours:
        other, here = statistics.mean(others), statistics.mean(ours)
        if abs(other - here) < abs(other - own):
            yield "So the program with other seeds agrees with wtm, and the paper's mean is that of one seed."
            yield from _luck(own, ours)
        else:
            yield "So other seeds of the program agree with its default seed, and the difference is in the draws."


def _luck(own: float, ours: Sequence[float]) -> Iterator[str]:
    """Say how far the mean of the program's default seed is from ours."""
    deviation = statistics.stdev(ours) if len(ours) > 1 else 0.0
    if deviation == 0:
        return
    distance = (own - statistics.mean(ours)) / deviation
    said = f"The mean of the default seed is {distance:+.1f} standard deviations from the mean of wtm"
    if distance < _RARE:
        yield f"{said}."
        return
    yield (
        f"{said}. That is more than chance explains. It would be explained if the settings had been chosen by the test "
        "accuracy with this seed, but nothing here shows whether they were."
    )


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
            f"On Connect-4, with the examples in the order of the file and after {n_epochs:,} epochs, the WTM of "
            f"{ABLATIONS[few].setting.n_clauses:,} clauses has {wtm:.2f} and the TM of "
            f"{ABLATIONS[many].setting.n_clauses:,} has {tm:.2f}: {signed(wtm - tm)}. So the few clauses "
            f"{'match' if wtm >= tm - _NEGLIGIBLE else 'do not match'} the many."
        )


def _order(results: Results) -> Iterator[str]:
    for machine, prefix in (("WTM", "connect-4"), ("TM", "connect-4-tm")):
        shuffled, given = f"{prefix}-shuffled", f"{prefix}-file-order"
        if shuffled in results and given in results:
            n_epochs, (new, same) = _over_the_same_epochs(results, shuffled, given)
            yield (
                f"On Connect-4, after {n_epochs:,} epochs, the {machine} of "
                f"{ABLATIONS[shuffled].setting.n_clauses:,} clauses has {new:.2f} with a new order in each epoch and "
                f"{same:.2f} with the order of the file: {signed(new - same)} points."
            )


def _imdb(results: Results) -> Iterator[str]:
    found = {key: seed_means(key, results[key]) for key in ("imdb-shuffled", "imdb-file-order") if key in results}
    if len(found) == 2:
        shuffled, same = found.values()
        low, high = min(shuffled + same), max(shuffled + same)
        yield (
            f"The paper has {ABLATIONS['imdb-shuffled'].reported:.2f}. With the authors' recipe for the features, the "
            f"large WTM has {_spread(shuffled)} with a new order in each epoch."
        )
        yield f"With one order in all epochs it has {_spread(same)}."
        yield (
            f"The seeds range from {low:.2f} to {high:.2f}, so a difference of {high - low:.2f} may be due to the "
            "seed alone."
        )


def _over_the_same_epochs(results: Results, *keys: str) -> tuple[int, list[float]]:
    n_epochs = common_epochs(*(results[key] for key in keys))
    return n_epochs, [statistics.mean(seed_means(key, results[key], n_epochs)) for key in keys]
