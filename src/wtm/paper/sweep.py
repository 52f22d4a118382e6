"""What more weight learning and more clauses do: test accuracy over gamma from 0 upward, and over clauses."""

from collections.abc import Sequence

from wtm.paper.console import NOTHING, Table, counted, say, show
from wtm.paper.curves import draw_sweep
from wtm.paper.problem import load_problem
from wtm.paper.record import Record, by_setting
from wtm.paper.run import Options, carry_out, folder_of
from wtm.paper.settings import SWEEPS, Over
from wtm.paper.summary import summarise

__all__ = ["common_epochs", "reproduce", "sweep_table", "sweep_title"]


def reproduce(data: str, over: Over, methods: frozenset[str], options: Options) -> None:
    """Train the machines of a sweep; write records and the figure; print a table.

    Parameters
    ----------
    data : str
        A key of `wtm.paper.settings.SWEEPS`.
    over : Over
    methods : frozenset of {"wtm", "tm"}
        Only these of the machines; a gamma of 0 is the "tm".
    options : Options

    Raises
    ------
    OSError, ValueError, KeyboardInterrupt
        As `wtm.paper.run.carry_out`; the data are not there.
    """
    plans = [plan for plan in SWEEPS[data][over] if plan.setting.method.lower() in methods]
    problem = load_problem(data, options.data_dir, quick=options.quick)
    groups = by_setting(carry_out(problem, plans, options))
    folder, title = folder_of(options, data), sweep_title(problem.dataset.name, over, groups)
    drawn = draw_sweep(folder / f"sweep-{over}.svg", title, over, groups, common_epochs(groups))
    show(sweep_table(groups).rich(title))
    say(f"Written to {folder}: {counted(sum(map(len, groups)), 'record')}" + f", sweep-{over}.svg" * drawn)


def common_epochs(groups: Sequence[Sequence[Record]]) -> int:
    """How many epochs all trainings have: a longer one is looked at as if it had ended there."""
    return min(record.n_epochs for records in groups for record in records)


def sweep_title(name: str, over: Over, groups: Sequence[Sequence[Record]]) -> str:
    """What a sweep's table and figure are called."""
    setting = groups[0][0].setting
    fixed = f"{setting.n_clauses:,} clauses a class" if over == Over.GAMMA else "TM and WTM"
    what = "gamma" if over == Over.GAMMA else "number of clauses"
    return f"{name}, {what} swept, {fixed}, {common_epochs(groups):,} epochs"


def sweep_table(groups: Sequence[Sequence[Record]]) -> Table:
    """A row a machine: setting, mean over the last epochs, spread, and time."""
    n_epochs = common_epochs(groups)
    rows = []
    for records in groups:
        s, summary = records[0].setting, summarise(records, n_epochs)
        seeds = f"{min(summary.seed_means):.2f}–{max(summary.seed_means):.2f}" if summary.n_seeds > 1 else NOTHING
        figures = f"{summary.statistics.mean:.2f} ± {summary.statistics.deviation:.2f}"
        rows.append([
            s.method, f"{s.n_clauses:,}", f"{s.gamma:g}", f"{s.p_s:g}", f"{s.T}", figures, seeds,
            f"{summary.seconds:.3g}",
        ])  # fmt: skip
    return Table(["", "clauses", "gamma", "p_s", "T", "mean ± sd (%)", "means of seeds", "s an epoch"], rows)
