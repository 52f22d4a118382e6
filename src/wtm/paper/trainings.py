"""The experiments that train machines: presets, compression, sweeps, and the weights learnt from MNIST."""

import textwrap
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
from wtm.paper.run import carry_out, checkpoint_path, load_checkpoint
from wtm.paper.run_options import Options
from wtm.paper.settings import COMPRESSION, PRESETS, SWEEPS, WEIGHTS, Plans, Preset, Swept
from wtm.paper.text_table import show
from wtm.rules import heaviest_rules


def compare_preset(options: Options, data: str, preset: Preset) -> None:
    """Train the machines of a preset (tables 3, 6 and 7); write learning curves, and the rules of the first machine."""
    problem, folder = _load(options, data)
    title = f"{problem.dataset.name}, preset {preset}"
    record, *_ = _compare(options, problem, PRESETS[data][preset], title, folder / f"learning-curve-{preset}.svg")
    record_path = folder / f"{record.name}.json"
    if checkpoint_path(record_path).exists():
        clf = load_checkpoint(record_path, record.setting, record.seed)
        rules = heaviest_rules(clf, feature_names=problem.dataset.feature_names)
        lines = [f"{title}: the heaviest rules of each class. {record.setting}, after epoch {record.n_epochs:,}"]
        lines += [textwrap.fill(str(rule), 100, break_on_hyphens=False) for rule in rules]
        (folder / f"rules-{preset}.txt").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def compare_compression(options: Options, data: str) -> None:
    """Train a small WTM and a large TM; write learning curves."""
    problem, folder = _load(options, data)
    compression = COMPRESSION[data]
    title = f"{problem.dataset.name}, {compression.share} of the clauses"
    plans = (compression.weighted, compression.classic)
    _compare(options, problem, plans, title, folder / "learning-curve-compression.svg")


def sweep(options: Options, data: str, over: Swept) -> None:
    """Train the machines of a sweep; write a figure."""
    problem, folder = _load(options, data)
    groups = by_setting(carry_out(problem, SWEEPS[data][over], options))
    title = sweep_title(problem.dataset.name, over, groups)
    draw_sweep(folder / f"sweep-{over}.svg", title, over, groups)
    show(sweep_table(over, groups).rich(title, transposed=True), majority_line(problem.description))


def learn_weights(options: Options) -> None:
    """Train the machine of table 4; write the paper's figure."""
    problem, folder = _load(options, "mnist")
    records = carry_out(problem, [WEIGHTS], options)
    title = f"MNIST, positive weights of class {FIGURE_CLASS}"
    draw_weights(folder / "weights.svg", title, positive_weights(records))
    show(*(weights_table(record).rich(f"Weights by class, seed {record.seed}") for record in records))


def _load(options: Options, data: str) -> tuple[Problem, Path]:
    return load_problem(data, options.data_dir, quick=options.quick), options.folder(data)


def _compare(options: Options, problem: Problem, plans: Plans, title: str, figure: Path) -> list[Record]:
    records = carry_out(problem, plans, options)
    groups = by_setting(records)
    draw_learning_curves(figure, title, groups)
    show(accuracy_table(groups).rich(title, transposed=True), majority_line(problem.description), ACCURACY_EXPLANATION)
    return records
