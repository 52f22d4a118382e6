"""The page on regression, from the results of the comparison."""

from typing import Any

import numpy as np

from benchmarks.regression.california import FOLDS as FOLDS_OF_CALIFORNIA
from benchmarks.regression.methods import DEFAULT, FUZZY_DEFAULT, N_CLAUSES, N_EPOCHS, N_FUZZY, FuzzySetting, Setting
from benchmarks.regression.settings import FOLDS, ROWS
from wtm.paper.report import describe_environment
from wtm.paper.text_table import Table

__all__ = ["page"]

_SHOWN = 8
_NAMES = {"T": "T", "s": "s", "n_thresholds": "thresholds", "literal_failures": "LF", "max_literals": "L"}


def page(results: dict[str, Any]) -> str:
    """Return the page as Markdown."""
    compared, where = results["compared"], results["environment"]
    blocks = [
        "# Regression",
        "This page is made by `python -m benchmarks.regression` from `benchmarks/results/regression.json`. wtm has "
        f"{N_CLAUSES:,} clauses, {N_EPOCHS} epochs, T {DEFAULT.T}, s {DEFAULT.s} and {DEFAULT.n_thresholds} thresholds "
        "per column; everything else has its default.",
        "## Error on rows held out",
        f"Root of the mean squared error on 25 % of the rows: the mean of {len(results['seeds'])} seeds, which also "
        "divide the rows, ± their standard deviation. California housing is in 100,000 dollars. The other methods have "
        "scikit-learn's defaults, and ridge regression chooses its penalty by leave-one-out.",
        _errors(compared).markdown(),
        *_tmu(compared),
        *_california(results.get("california")),
        "## Seconds to fit",
        "Processor time of one thread, mean of the seeds.",
        _seconds(compared).markdown(),
        "## How the defaults were chosen",
        f"By cross-validation on the rows that the first seed does not hold out, at most {ROWS:,} of each table, with "
        f"{FOLDS} folds. The error is relative to the standard deviation of the target. These are the settings with "
        f"the smallest mean, and the default; first {N_CLAUSES:,} clauses of `WTMRegressor`, then {N_FUZZY} of "
        "`FuzzyWTMRegressor`.",
        _choice([t for t in results["choice"] if "n_thresholds" in t], list(compared), DEFAULT).markdown(),
        _choice([t for t in results["choice"] if "n_thresholds" not in t], list(compared), FUZZY_DEFAULT).markdown(),
        "## Where it was computed",
        describe_environment(where["versions"], where["machine"]),
    ]
    return "\n\n".join(blocks) + "\n"


def _methods(compared: dict[str, Any]) -> list[str]:
    return list(next(iter(compared.values())))


def _errors(compared: dict[str, Any]) -> Table:
    rows = []
    for method in _methods(compared):
        cells = []
        for of_table in compared.values():
            errors = of_table[method]["errors"] if method in of_table else []
            cells.append(f"{np.mean(errors):.3g} ± {np.std(errors, ddof=1):.2g}" if errors else "")
        rows.append([method, *cells])
    return Table(["", *compared], rows)


def _seconds(compared: dict[str, Any]) -> Table:
    rows = [
        [method, *(f"{np.mean(t[method]['seconds']):.2f}" if method in t else "" for t in compared.values())]
        for method in _methods(compared)
    ]
    return Table(["", *compared], rows)


def _tmu(compared: dict[str, Any]) -> list[str]:
    of_table = next(iter(compared.values()))
    if "tmu" not in of_table:
        return []
    tmu, ours = of_table["tmu"], of_table["wtm, last epoch"]
    ratio = np.median(np.divide(tmu["seconds"], ours["seconds"]))
    return [
        f"tmu 0.8.3 has a regression machine whose clauses only add. It got the same features, {N_CLAUSES:,} clauses "
        f"and {N_EPOCHS} epochs, integer weights, and T {tmu['T']:,} and s {tmu['s']}, the best of 16 settings after 5 "
        "epochs on rows held out of the training part. "
        f"Training took {ratio:.0f} times as long as `fit` of wtm (median of the seeds)."
    ]


def _california(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return []
    settings = {(trial["T"], trial["s"]): trial["error"] for trial in found["tried"]}
    thresholds, specificities = (sorted({setting[i] for setting in settings}) for i in (0, 1))
    rows = [[f"T {T:g}", *(f"{settings[T, s]:.4f}" for s in specificities)] for T in thresholds]
    chosen, errors = found["chosen"], found["errors"]
    where = found["environment"]
    return [
        "## A setting for California housing",
        "The defaults are for all tables. For this one, these settings were compared by cross-validation with "
        f"{FOLDS_OF_CALIFORNIA} folds of the rows that the first seed does not hold out; the rest is as above, and "
        "the votes of 10 epochs are averaged:",
        Table(["", *(f"s {s:g}" for s in specificities)], rows).markdown(),
        f"With the best, T {chosen['T']:g} and s {chosen['s']:g}, the error on the rows held out is "
        f"{np.mean(errors):.4f} ± {np.std(errors, ddof=1):.4f}. It was computed on "
        f"{describe_environment(where['versions'], where['machine']).removeprefix('- ')}.",
    ]


def _choice(choice: list[dict[str, Any]], tables: list[str], default: Setting | FuzzySetting) -> Table:
    errors: dict[Setting | FuzzySetting, dict[str, float]] = {}
    for trial in choice:
        setting = type(default)(**{name: trial[name] for name in vars(default)})
        errors.setdefault(setting, {})[trial["table"]] = trial["error"]
    means = {setting: float(np.mean(list(of_tables.values()))) for setting, of_tables in errors.items()}
    best = sorted(means, key=lambda setting: means[setting])[:_SHOWN]
    rows = [
        [
            ", ".join(f"{_NAMES[name]} {value:g}" for name, value in vars(setting).items())
            + " (default)" * (setting == default),
            *(f"{errors[setting][table]:.3f}" for table in tables),
            f"{means[setting]:.3f}",
        ]
        for setting in [*best, *([] if default in best else [default])]
    ]
    return Table(["", *tables, "mean"], rows)
