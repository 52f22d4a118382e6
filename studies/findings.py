"""What the authors' program, repeated draw by draw, says about the paper's mean on MNIST."""

import math
import statistics
from collections.abc import Iterator, Sequence

from scipy.stats import f, t

from studies.designs import ABLATIONS, PROGRAM_SEED, Runs, averaged_epochs, common_epochs, seed_means
from wtm.paper.intervals import MIN_SEEDS, against_one_run, mean_text
from wtm.paper.settings import NAMES
from wtm.paper.settings import averaged_epochs as of_main_trainings
from wtm.paper.text_table import NOTHING, Table, signed

Results = dict[str, Runs]
"""See `studies.designs.read_ablations`."""

_PROGRAM, _SKIPPING, _OURS = "program", "program-skipping", "file-order"
_OWN, _OTHERS, _SKIPPED, _WTM = (
    "program, its own seed",
    "program, other seeds",
    "program, its own seed, draws skipped",
    "wtm, order of the file",
)
_READMES = ("program-3", "connect-4-program")
_EXAMPLE = "example"
_HEADER = ("MNIST, 4,000 clauses", "seeds", "mean (%)", "s.d. of seeds")


def program_table(results: Results) -> Table | None:
    """Return the means of the program and of ours in the same order, over the same epochs; None without the program."""
    found = _means(results)
    if not found:
        return None
    rows = []
    for name, means in found.items():
        deviation = f"{statistics.stdev(means):.3f}" if len(means) > 1 else NOTHING
        rows.append([name, f"{len(means)}", mean_text(means).partition(" (")[0], deviation])
    return Table([f"{_HEADER[0]}, {_common(results):,} epochs", *_HEADER[1:]], rows)


def explain_program(results: Results, shuffled: Runs = ()) -> Iterator[str]:
    """Yield what the repetition shows, in sentences; `shuffled` are trainings of the same machine in new orders."""
    for key in _READMES:
        if key in results:
            ablation, (accuracy,) = ABLATIONS[key], seed_means(key, results[key])
            yield (
                f"On {NAMES[ablation.data]}, after {ablation.n_epochs:,} epochs of the machine of "
                f"{ablation.setting.n_clauses:,} clauses, the repetition has {accuracy:.2f}; the program's readme has "
                f"{ablation.reported:.2f}.{_mean_of_last(key, results[key])}"
            )
    if _EXAMPLE in results:
        ablation = ABLATIONS[_EXAMPLE]
        yield (
            f"For another machine, {ablation.setting}, the readme has {ablation.reported:.2f} on average over the last "
            f"{ablation.averaged} of {ablation.n_epochs:,} epochs; wtm, with rows shuffled each epoch, has "
            f"{mean_text(seed_means(_EXAMPLE, results[_EXAMPLE]))}."
        )
    found = _means(results)
    own, ours, others = (found.get(name, []) for name in (_OWN, _WTM, _OTHERS))
    skipped = found.get(_SKIPPED, [])
    if own and len(others + skipped) >= MIN_SEEDS:  # first, since it assumes nothing on how much wtm varies
        yield from _among_its_own(own[0], others, skipped)
    if len(ours) >= MIN_SEEDS and statistics.stdev(ours) > 0:
        if own:
            yield f"The program's own seed differs from the mean of wtm by {_distance(own[0], ours)}."
            yield from _distance_at_the_end(results, shuffled)
        if len(own + others) >= MIN_SEEDS:
            yield from _variances(own, others, ours)


def _mean_of_last(key: str, runs: Runs) -> str:
    """Return the mean over as many last epochs as of main trainings, where the readme gives the last one alone."""
    n_epochs = common_epochs(runs)
    n_last = of_main_trainings(ABLATIONS[key].data, n_epochs)
    if n_last == averaged_epochs(key, n_epochs):
        return ""
    (run,) = runs
    return f" Its mean over the last {n_last} is {100 * statistics.mean(run['test_accuracy'][-n_last:]):.2f}."


def _distance(own: float, ours: Sequence[float]) -> str:
    deviation = statistics.stdev(ours) * math.sqrt(1 + 1 / len(ours))
    difference = own - statistics.mean(ours)
    p = 2 * float(t.sf(abs(difference) / deviation, len(ours) - 1))
    return (
        f"{signed(difference)}; if the program's seeds varied as wtm's do, about one in "
        f"{float(f'{1 / p:.2g}'):,.0f} would be as far off"
    )


def _distance_at_the_end(results: Results, shuffled: Runs) -> Iterator[str]:
    """Compare the own seed with ours in new orders over later epochs than all seeds of the program have."""
    (own,) = (run for run in results[_PROGRAM] if run["seed"] == PROGRAM_SEED)
    n_epochs = common_epochs([own], shuffled)
    if n_epochs > _common(results) and len(shuffled) >= MIN_SEEDS:
        (mean,), ours = (seed_means(_PROGRAM, runs, n_epochs) for runs in ([own], shuffled))
        yield (
            f"After {n_epochs:,} epochs the program's own seed has {mean:.2f}, and wtm, with rows shuffled each epoch, "
            f"{mean_text(ours)}. They "
            f"differ by {_distance(mean, ours)}."
        )


def _variances(own: Sequence[float], others: Sequence[float], ours: Sequence[float]) -> Iterator[str]:
    program = [*own, *others]
    deviations = [statistics.stdev(means) for means in (program, ours)]
    p = float(f.sf((deviations[0] / deviations[1]) ** 2, len(program) - 1, len(ours) - 1))
    without = f", without its own {statistics.stdev(others):.3f}" if len(others) > 1 else ""
    yield (
        f"The standard deviation of the program's {len(program)} seeds is {deviations[0]:.3f}{without}, "
        f"that of wtm's {deviations[1]:.3f} (F test of all seeds, one-sided: p = {p:.2g})."
    )


def _among_its_own(own: float, others: Sequence[float], skipped: Sequence[float]) -> Iterator[str]:
    """Compare the own seed with all other runs: to skip draws is to take others, as another seed does."""
    difference = against_one_run([*others, *skipped], own)
    half = difference.half or 0.0
    relation = "outside" if abs(difference.value) > half else "inside"
    compared = f"{len(others)} other seed{'s' * (len(others) != 1)}"
    compared += f" and {len(skipped)} runs with draws skipped" * bool(skipped)
    yield (
        f"The program's own seed differs from the mean of the {compared} by "
        f"{signed(-difference.value)}, {relation} the 95 % interval of one more run, ± {half:.2f}."
    )


def _common(results: Results) -> int:
    return common_epochs(*(results[key] for key in (_PROGRAM, _OURS) if key in results))


def _means(results: Results) -> dict[str, list[float]]:
    if _PROGRAM not in results:
        return {}
    n_epochs = _common(results)
    by_seed = {
        run["seed"]: mean
        for run, mean in zip(results[_PROGRAM], seed_means(_PROGRAM, results[_PROGRAM], n_epochs), strict=True)
    }
    skipping = [run for run in results.get(_SKIPPING, []) if len(run["test_accuracy"]) >= n_epochs]
    found = {
        _OWN: [mean for seed, mean in by_seed.items() if seed == PROGRAM_SEED],
        _OTHERS: [mean for seed, mean in by_seed.items() if seed != PROGRAM_SEED],
        _SKIPPED: seed_means(_SKIPPING, skipping, n_epochs),
        _WTM: seed_means(_OURS, results.get(_OURS, []), n_epochs),
    }
    return {name: means for name, means in found.items() if means}
