"""What a million clauses and a billion rows would take by the cost model."""

from collections.abc import Sequence

import numpy as np

from benchmarks.scaling import cost
from benchmarks.scaling.cost import Sizes
from wtm.paper.text_table import NOTHING, Table

EXTRAPOLATED = Sizes(rows=1_000_000_000, features=784, classes=10, clauses=100_000)
N_SHARDS, VOTE_BLOCK = 8, 512
N_EPOCHS = 10  # of a round

_TEXT = """\
## A million clauses and a billion rows

Calculated and not measured, an extrapolation far beyond the sizes above: {rows:,} rows of {features} features, and
{classes} classes of {clauses:,} clauses. It assumes that

- {shares} of all visits give feedback, as in the last epochs of the largest cases above. Machines
  with more clauses for their T have less, and the first epochs of a model several times as much;
- changing a clause takes no longer when its machine, of {machine}, does not fit into a cache;
- workers are alike, read and send rows while others train, and wait for nothing.

{table}

Hours, bytes sent and exchanges are per epoch; rows at one place are sent once per round of {n_epochs} epochs. Exchanges
of votes are those of each class: a millisecond for each adds {minutes:.0f} minutes. Shards are threads of one node; on
different nodes they would send {votes} of votes. Of what `wtm.dask` sends, {parts} say which rows a class sees.
They grow with the workers, and one worker holds {plan} of them.
"""


def extrapolation(constants: np.ndarray, draw: float, shares: Sequence[tuple[float, float]]) -> str:
    """Return the section, for shares of feedback to true and to false clauses; `draw` are the seconds of drawing."""
    tasks = [
        float(cost.task_terms(EXTRAPOLATED, cost.expected_feedback(EXTRAPOLATED, *of_data)) @ constants)
        for of_data in shares
    ]
    n_tasks, exchanges = EXTRAPOLATED.classes, cost.exchanges(EXTRAPOLATED, VOTE_BLOCK)
    in_threads, in_shards = cost.fit_bytes(EXTRAPOLATED, n_tasks), cost.fit_bytes(EXTRAPOLATED, n_tasks, N_SHARDS)
    at_one_place = cost.joblib_sent(EXTRAPOLATED, n_tasks, N_EPOCHS) / N_EPOCHS
    schemes = [
        ("threads of one node", 1, n_tasks, in_threads, 0.0, 0),
        (f"the same, {N_SHARDS} shards per class", 1, n_tasks * N_SHARDS, in_shards, 0.0, exchanges),
        ("rows at one place, joblib", n_tasks, 1, cost.joblib_worker_bytes(EXTRAPOLATED), at_one_place, 0),
        (
            "rows partitioned, `wtm.dask`",
            n_tasks,
            1,
            cost.dask_worker_bytes(EXTRAPOLATED, n_tasks),
            cost.dask_sent(EXTRAPOLATED, n_tasks),
            0,
        ),
    ]
    rows = [
        [
            name,
            f"{n_nodes} × {n_threads}",
            _range([(draw + EXTRAPOLATED.classes * task) / 3600 for task in tasks]),
            _range([(draw + EXTRAPOLATED.classes * task / (n_nodes * n_threads)) / 3600 for task in tasks]),
            size_text(memory),
            size_text(sent) if sent else NOTHING,
            f"{n:,}" if n else NOTHING,
        ]
        for name, n_nodes, n_threads, memory, sent, n in schemes
    ]
    header = ["", "nodes × cores", "core-hours", "hours", "memory per node", "sent", "exchanges"]
    sums = [100 * (true + false) for true, false in shares]
    return _TEXT.format(
        **EXTRAPOLATED._asdict(),
        shares=f"{_range(sums)}%",
        machine=size_text(cost.machine_bytes(EXTRAPOLATED)),
        table=Table(header, rows).markdown(),
        n_epochs=N_EPOCHS,
        minutes=exchanges / 60e3,
        votes=size_text(cost.votes_sent(EXTRAPOLATED, N_SHARDS)),
        parts=size_text(cost.dask_plan_sent(EXTRAPOLATED, n_tasks)),
        plan=size_text(2 * EXTRAPOLATED.rows * (cost.PLACE_BYTES + cost.ORDER_BYTES)),
    )


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.3g}–{max(values):.3g}"


def size_text(n_bytes: float) -> str:
    """Return a number of bytes with its unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 999.5:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.3g} TB"
