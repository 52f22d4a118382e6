"""What the results say about slips of the paper."""

from collections.abc import Iterator

import numpy as np

from wtm.paper.report.result_folder import Results
from wtm.paper.reported import papers_row
from wtm.paper.settings import AVERAGED, large_machines

_WINDOWS = (200, 40), (300, AVERAGED["mnist"])
_RANGES = ((2.5, 97.5), (5.0, 95.0))


def windows_of_table_3(results: Results) -> Iterator[str]:
    """Yield what the authors' program with its own seed has over windows that may be those of table 3."""
    theirs = papers_row("mnist", large_machines("mnist")[0])[1]
    for run in results.ablations.get("program", []):
        if run["seed"] != 0:
            continue
        said = []
        for n_epochs, n_last in _WINDOWS:
            if len(run["test_accuracy"]) < n_epochs:
                continue
            last = 100 * np.array(run["test_accuracy"][n_epochs - n_last : n_epochs])
            ranges = " and ".join(
                f"{low:.2f}–{high:.2f} from {a:g} to {b:g} %"
                for a, b in _RANGES
                for low, high in [np.quantile(last, [a / 100, b / 100], method="hazen")]
            )
            said.append(
                f"over epochs {n_epochs - n_last + 1} to {n_epochs} maximum {last.max():.2f}, minimum "
                f"{last.min():.2f}, mean {last.mean():.2f}, s.d. {last.std():.2f}, range {ranges}"
            )
        yield (
            f"The authors' program with its own seed has {'; '.join(said)}. The table has {theirs.maximum:.2f}, "
            f"{theirs.minimum:.2f}, {theirs.mean:.2f}, {theirs.deviation:.2f} and {theirs.low:.2f}–{theirs.high:.2f}."
        )


def impossible_deviation() -> str:
    """Return the largest standard deviation that the range and the quantiles of table 7's TM allow."""
    row = papers_row("connect-4", large_machines("connect-4")[1])[1]
    inside, outside = (max(row.mean - a, b - row.mean) for a, b in ((row.low, row.high), (row.minimum, row.maximum)))
    return f"{np.sqrt(0.95 * inside**2 + 0.05 * outside**2):.2f}"
