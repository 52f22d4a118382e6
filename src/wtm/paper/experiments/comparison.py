"""TM and WTM compared: with the settings of a preset (the paper's tables 3, 6 and 7), and with few clauses and many."""

from wtm.paper.accuracy_table import EXPLANATION, accuracy_table
from wtm.paper.figures import draw_learning_curves
from wtm.paper.problem import Problem, load_problem
from wtm.paper.record import Record, by_setting
from wtm.paper.rules_file import write_rules
from wtm.paper.run import Run, carry_out, load_checkpoint
from wtm.paper.run_options import Options
from wtm.paper.settings import COMPRESSION, PRESETS, Plans, Preset, without_recipe
from wtm.paper.text_table import say, show


def compare_preset(options: Options, data: str, preset: Preset) -> None:
    """Train the machines of a preset; write records, learning curves and rules; print a table."""
    problem = load_problem(data, options.data_dir, quick=options.quick)
    title = f"{problem.dataset.name}, preset {preset}"
    first = _compare(options, problem, PRESETS[without_recipe(data)][preset], title, f"learning-curve-{preset}.svg")[0]
    folder = options.folder(data)
    run = Run(first.setting, first.seed, folder)
    if run.checkpoint_path.exists():
        path = folder / f"rules-{preset}.txt"
        write_rules(path, title, first.setting, load_checkpoint(run), problem.dataset.feature_names)
    say(f"Results written to {folder}")


def compare_compression(options: Options, data: str) -> None:
    """Train a small WTM and a large TM; write records and learning curves; print a table."""
    problem, compression = load_problem(data, options.data_dir, quick=options.quick), COMPRESSION[data]
    title = f"{problem.dataset.name}, {compression.share} of the clauses"
    plans = (compression.weighted, compression.classic)
    _compare(options, problem, plans, title, "learning-curve-compression.svg")
    say(f"Results written to {options.folder(data)}")


def _compare(options: Options, problem: Problem, plans: Plans, title: str, figure: str) -> list[Record]:
    records = carry_out(problem, plans, options)
    groups = by_setting(records)
    draw_learning_curves(options.folder(problem.key) / figure, title, groups)
    show(accuracy_table(groups).rich(title, transposed=True), EXPLANATION)
    return records
