"""Few weighted clauses against many without weights: the paper's 1/4 (MNIST), 1/3 (IMDb) and 1/50 (Connect-4)."""

from wtm.paper.accuracy_table import EXPLANATION, accuracy_table
from wtm.paper.console import counted, say, show
from wtm.paper.curves import draw_learning_curves
from wtm.paper.problem import load_problem
from wtm.paper.record import by_setting
from wtm.paper.run import Options, carry_out, folder_of
from wtm.paper.settings import ECONOMY

__all__ = ["reproduce"]


def reproduce(data: str, methods: frozenset[str], options: Options) -> None:
    """Train the two machines; write records and learning curve; print a table.

    Parameters
    ----------
    data : str
        A key of `wtm.paper.settings.ECONOMY`.
    methods : frozenset of {"wtm", "tm"}
        Only these of the two.
    options : Options

    Raises
    ------
    OSError, ValueError, KeyboardInterrupt
        As `wtm.paper.run.carry_out`; the data are not there.
    """
    economy = ECONOMY[data]
    plans = [plan for plan in (economy.weighted, economy.classic) if plan.setting.method.lower() in methods]
    problem = load_problem(data, options.data_dir, quick=options.quick)
    groups = by_setting(carry_out(problem, plans, options))
    folder = folder_of(options, data)
    title = f"{problem.dataset.name}, {economy.share} of the clauses"
    drawn = draw_learning_curves(folder / "learning-curve-economy.svg", title, groups)
    show(accuracy_table(groups).rich(title, transposed=True), EXPLANATION)
    say(f"Written to {folder}: {counted(sum(map(len, groups)), 'record')}" + ", learning-curve-economy.svg" * drawn)
