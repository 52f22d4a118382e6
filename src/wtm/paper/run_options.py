"""The options that experiments have in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wtm.cli.errors import OptionError
from wtm.paper.settings import Plan, Setting

QUICK_FOLDER = "quick"
"""Results of --quick are in a folder of this name, and no others are: files of both have the same names."""

_QUICK_CLAUSES = 100
_QUICK_T = 15
_QUICK_P_S = 0.25  # the paper's smaller ones make rules too specific for a few thousand rows
_QUICK_EPOCHS = 5


@dataclass(frozen=True)
class Options:
    """What the caller of an experiment chooses."""

    out: Path  # folder for results; created if it is missing
    data_dir: Path | None = None
    methods: frozenset[str] = frozenset({"wtm", "tm"})
    n_epochs: int | None = None  # of every machine; None uses those of its `Plan`
    seeds: Sequence[int] = (0,)  # each machine is trained with each of them
    n_jobs: int = -1
    resume: bool = False  # skip finished trainings and continue unfinished ones
    quick: bool = False  # small samples, few clauses and few epochs

    def folder(self, name: str) -> Path:
        """Return a folder of results."""
        return self.out.joinpath(*[QUICK_FOLDER] * self.quick, name)

    def apply(self, plan: Plan) -> Plan:
        """Return a plan with the clauses and epochs that these options want."""
        if self.quick:
            plan = Plan(quick_setting(plan.setting), min(plan.n_epochs, _QUICK_EPOCHS))
        return plan if self.n_epochs is None else replace(plan, n_epochs=self.n_epochs)

    def choose(self, plans: Iterable[Plan]) -> list[Plan]:
        """Return the plans for the chosen methods; OptionError if there are none."""
        plans = list(plans)
        chosen = [self.apply(plan) for plan in plans if plan.setting.method.lower() in self.methods]
        if not chosen:
            there = ",".join(sorted({plan.setting.method.lower() for plan in plans}))
            raise OptionError(f"--methods {','.join(self.methods)} selects no machine of this experiment; use {there}.")
        return list(dict.fromkeys(chosen))  # quick machines may be equal


def quick_setting(setting: Setting) -> Setting:
    """Return the machine that stands for `setting` with --quick: small, and with a T and p_s to learn from few rows."""
    return replace(
        setting,
        n_clauses=min(setting.n_clauses, _QUICK_CLAUSES),
        T=min(setting.T, _QUICK_T),
        p_s=max(setting.p_s, _QUICK_P_S),
    )
