"""The option ``--n-jobs`` of every command that computes: one name, one default, one meaning."""

from typing import Annotated

import typer

__all__ = ["ALL_CORES", "NJobs"]

ALL_CORES = -1


def _check_n_jobs(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("0 threads can't work: give a positive number, or -1 for all cores.")
    return n_jobs


NJobs = Annotated[
    int, typer.Option(callback=_check_n_jobs, help="Threads; -1 is all cores. Results do not depend on it.")
]
