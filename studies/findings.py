"""What the authors' program, repeated draw by draw, says about the paper's mean on MNIST."""

import math
import statistics
from collections.abc import Iterator, Sequence

from scipy.stats import f, t

from studies.designs import ABLATIONS, PROGRAM_SEED, Runs, common_epochs, seed_means
from wtm.paper.intervals import MIN_SEEDS, mean_text
from wtm.paper.settings import NAMES
from wtm.paper.text_table import NOTHING, Table, signed

Results = dict[str, Runs]
"""See `studies.designs.read_ablations`."""

_PROGRAM, _SKIPPING, _OURS = "program", "program-skipping", "file-order"
_READMES = ("program-3", "connect-4-program")
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


def explain_program(results: Results) -> Iterator[str]:
    """Yield what the repetition shows, in sentences."""
    for key in _READMES:
        if key in results:
            ablation, (accuracy,) = ABLATIONS[key], seed_means(key, results[key])
            yield (
                f"On {NAMES[ablation.data]}, after {ablation.n_epochs:,} epochs of the machine of "
                f"{ablation.setting.n_clauses:,} clauses, the repetition has {accuracy:.2f}; the program's readme has "
                f"{ablation.reported:.2f}."
            )
    found = _means(results)
    own, ours = found.get("program, its own seed", []), found.get("wtm, order of the file", [])
    others = found.get("program, other seeds", [])
    if own and len(ours) >= MIN_SEEDS and statistics.stdev(ours) > 0:
        yield from _distance(own[0], ours)
    if len(own + others) >= MIN_SEEDS and len(ours) >= MIN_SEEDS and statistics.stdev(ours) > 0:
        yield from _variances(own + others, ours)
    for run in results.get(_PROGRAM, []):
        n_epochs = len(run["test_accuracy"])
        if run["seed"] == PROGRAM_SEED and n_epochs > _common(results):
            (mean,) = seed_means(_PROGRAM, [run])
            yield f"With its own seed the program has {mean:.2f} after {n_epochs:,} epochs."


def _distance(own: float, ours: Sequence[float]) -> Iterator[str]:
    deviation = statistics.stdev(ours) * math.sqrt(1 + 1 / len(ours))
    difference = own - statistics.mean(ours)
    p = 2 * float(t.sf(abs(difference) / deviation, len(ours) - 1))
    yield (
        f"The own seed differs from the mean of wtm by {signed(difference)}. "
        f"If the program's seeds varied as wtm's do, one in {1 / p:,.0f} would be as far off."
    )


def _variances(program: Sequence[float], ours: Sequence[float]) -> Iterator[str]:
    deviations = [statistics.stdev(means) for means in (program, ours)]
    p = float(f.sf((deviations[0] / deviations[1]) ** 2, len(program) - 1, len(ours) - 1))
    yield (
        f"The standard deviation of the program's {len(program)} seeds is {deviations[0]:.3f}, "
        f"that of wtm's {deviations[1]:.3f} (F test, p = {p:.2g}). So few seeds do not tell whether the settings were "
        "chosen with the own seed, or the program varies more."
    )


def _common(results: Results) -> int:
    return common_epochs(*(results[key] for key in (_PROGRAM, _SKIPPING, _OURS) if key in results))


def _means(results: Results) -> dict[str, list[float]]:
    if _PROGRAM not in results:
        return {}
    n_epochs = _common(results)
    by_seed = {
        run["seed"]: mean
        for run, mean in zip(results[_PROGRAM], seed_means(_PROGRAM, results[_PROGRAM], n_epochs), strict=True)
    }
    found = {
        "program, its own seed": [mean for seed, mean in by_seed.items() if seed == PROGRAM_SEED],
        "program, other seeds": [mean for seed, mean in by_seed.items() if seed != PROGRAM_SEED],
        "program, its own seed, draws skipped": seed_means(_SKIPPING, results.get(_SKIPPING, []), n_epochs),
        "wtm, order of the file": seed_means(_OURS, results.get(_OURS, []), n_epochs),
    }
    return {name: means for name, means in found.items() if means}
