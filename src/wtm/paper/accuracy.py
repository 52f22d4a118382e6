"""Test accuracies and times of TM and WTM with the settings of a preset (the paper's tables 3, 6 and 7)."""

from wtm.paper.accuracy_table import EXPLANATION, accuracy_table
from wtm.paper.console import counted, say, show
from wtm.paper.curves import draw_learning_curves
from wtm.paper.problem import load_problem
from wtm.paper.record import Record, by_setting
from wtm.paper.rules_file import write_rules
from wtm.paper.run import Options, Run, carry_out, folder_of, trained_classifier
from wtm.paper.settings import Preset, plans_of

__all__ = ["reproduce"]


def reproduce(data: str, preset: Preset, methods: frozenset[str], options: Options) -> None:
    """Train the machines of a preset; write records, learning curve and rules; print a table.

    Parameters
    ----------
    data : str
        A key of `wtm.paper.problem.Problem`.
    preset : Preset
    methods : frozenset of {"wtm", "tm"}
        Only these of the preset's machines.
    options : Options

    Raises
    ------
    OSError, ValueError, KeyboardInterrupt
        As `wtm.paper.run.carry_out`; the data are not there.
    """
    plans = plans_of(data, preset, methods)
    problem = load_problem(data, options.data_dir, quick=options.quick)
    records = carry_out(problem, plans, options)
    folder = folder_of(options, data)
    title = f"{problem.dataset.name}, preset {preset}"
    groups = by_setting(records)
    written = [counted(len(records), "record")]
    if draw_learning_curves(folder / f"learning-curve-{preset}.svg", title, groups):
        written.append(f"learning-curve-{preset}.svg")
    show(accuracy_table(groups).rich(title, transposed=True), EXPLANATION)
    first: Record = records[0]
    run = Run(first.setting, first.seed, folder)
    if run.checkpoint_path.exists():
        clf = trained_classifier(run, problem, first)
        write_rules(folder / f"rules-{preset}.txt", title, first.setting, clf, problem.dataset.feature_names)
        written.append(f"rules-{preset}.txt")
    say(f"Written to {folder}: {', '.join(written)}")
