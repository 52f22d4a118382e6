"""What weights and clauses are worth: test accuracy over gamma from 0 upward, and over clauses."""

from wtm.paper.figures import draw_sweep
from wtm.paper.problem import load_problem
from wtm.paper.record import Groups, by_setting, common_epochs
from wtm.paper.run import carry_out
from wtm.paper.run_options import Options
from wtm.paper.settings import SWEEPS, Swept
from wtm.paper.summary import summarise
from wtm.paper.text_table import Table, say, show, span

_HEADER = ("", "clauses", "gamma", "p_s", "T", "mean ± sd (%)", "means of seeds", "s/epoch")


def sweep(options: Options, data: str, over: Swept) -> None:
    """Train the machines of a sweep; write records and the figure; print a table."""
    problem = load_problem(data, options.data_dir, quick=options.quick)
    groups = by_setting(carry_out(problem, SWEEPS[data][over], options))
    folder, title = options.folder(data), sweep_title(problem.dataset.name, over, groups)
    draw_sweep(folder / f"sweep-{over}.svg", title, over, groups)
    show(sweep_table(groups).rich(title))
    say(f"Results written to {folder}")


def sweep_title(name: str, over: Swept, groups: Groups) -> str:
    """Return the title of a sweep's table and figure."""
    if over == Swept.GAMMA:
        what = f"gamma swept, {groups[0][0].setting.n_clauses:,} clauses per class"
    else:
        what = "number of clauses swept, TM and WTM"
    return f"{name}, {what}, {common_epochs(groups):,} epochs"


def sweep_table(groups: Groups) -> Table:
    """Return a row per machine: setting, mean over the last of the common epochs, spread, and time."""
    rows = []
    for records in groups:
        s, summary = records[0].setting, summarise(records, common_epochs(groups))
        figures = f"{summary.mean:.2f} ± {summary.statistics.deviation:.2f}"
        rows.append([
            s.method, f"{s.n_clauses:,}", f"{s.gamma:g}", f"{s.p_s:g}", f"{s.T}", figures, span(summary.seed_range),
            f"{summary.seconds:.3g}",
        ])  # fmt: skip
    return Table(_HEADER, rows)
