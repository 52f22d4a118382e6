"""The experiments that train machines: presets, compression, sweeps, and the weights learnt from MNIST."""

from pathlib import Path

from wtm.paper.figures import draw_learning_curves, draw_sweep, draw_weights
from wtm.paper.problem import Problem, load_problem, majority_line
from wtm.paper.record import Record, by_setting
from wtm.paper.result_tables import (
    ACCURACY_EXPLANATION,
    FIGURE_CLASS,
    accuracy_table,
    positive_weights,
    sweep_table,
    sweep_title,
    weights_table,
)
from wtm.paper.rules_file import write_rules
from wtm.paper.run import Run, carry_out, load_checkpoint
from wtm.paper.run_options import Options
from wtm.paper.settings import COMPRESSION, PRESETS, SWEEPS, WEIGHTS, Plans, Preset, Swept, without_recipe
from wtm.paper.text_table import say, show


def compare_preset(options: Options, data: str, preset: Preset) -> None:
    """Train the machines of a preset (tables 3, 6 and 7); write learning curves and rules."""
    problem = load_problem(data, options.data_dir, quick=options.quick)
    title = f"{problem.dataset.name}, preset {preset}"
    plans = PRESETS[without_recipe(data)][preset]
    folder, records = _compare(options, problem, plans, title, f"learning-curve-{preset}.svg")
    run = Run(records[0].setting, records[0].seed, folder)
    if run.checkpoint_path.exists():
        path = folder / f"rules-{preset}.txt"
        write_rules(path, title, run.setting, load_checkpoint(run), problem.dataset.feature_names)
    say(f"Results written to {folder}")


def compare_compression(options: Options, data: str) -> None:
    """Train a small WTM and a large TM; write learning curves."""
    problem, compression = load_problem(data, options.data_dir, quick=options.quick), COMPRESSION[data]
    title = f"{problem.dataset.name}, {compression.share} of the clauses"
    plans = (compression.weighted, compression.classic)
    folder, _ = _compare(options, problem, plans, title, "learning-curve-compression.svg")
    say(f"Results written to {folder}")


def _compare(options: Options, problem: Problem, plans: Plans, title: str, figure: str) -> tuple[Path, list[Record]]:
    records, folder = carry_out(problem, plans, options), options.folder(problem.key)
    groups = by_setting(records)
    draw_learning_curves(folder / figure, title, groups)
    show(accuracy_table(groups).rich(title, transposed=True), majority_line(problem.description), ACCURACY_EXPLANATION)
    return folder, records


def sweep(options: Options, data: str, over: Swept) -> None:
    """Train the machines of a sweep; write a figure."""
    problem, folder = load_problem(data, options.data_dir, quick=options.quick), options.folder(data)
    groups = by_setting(carry_out(problem, SWEEPS[data][over], options))
    title = sweep_title(problem.dataset.name, over, groups)
    draw_sweep(folder / f"sweep-{over}.svg", title, over, groups)
    show(sweep_table(groups).rich(title), majority_line(problem.description))
    say(f"Results written to {folder}")


def learn_weights(options: Options) -> None:
    """Train the machine of table 4; write the paper's figure."""
    problem, folder = load_problem("mnist", options.data_dir, quick=options.quick), options.folder("mnist")
    records = carry_out(problem, [WEIGHTS], options)
    title = f"MNIST, positive weights of class {FIGURE_CLASS}"
    draw_weights(folder / "weights.svg", title, positive_weights(records[0]))
    show(*(weights_table(record).rich(f"Weights by class, seed {record.seed}") for record in records))
    say(f"Results written to {folder}")
