"""What the results say about slips of the paper."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wtm.paper.report.result_folder import Results
from wtm.paper.report.sampling import PAPER_EPOCH
from wtm.paper.reported import papers_row
from wtm.paper.settings import averaged_epochs, large_machines

_PROGRAMS_EPOCHS = 200
"""Epochs of the large machine in the readme of the authors' program."""
_WINDOWS = tuple((n, averaged_epochs("mnist", n)) for n in (_PROGRAMS_EPOCHS, 300))
_RANGES = ((2.5, 97.5), (5.0, 95.0))


def windows_of_table_3(results: Results) -> Iterator[str]:
    """Yield what the authors' program with its own seed has over windows that may be those of table 3."""
    row = papers_row("mnist", large_machines("mnist")[0])[1]
    theirs = [f"{value:.2f}" for value in (row.maximum, row.minimum, row.mean, row.deviation, row.low, row.high)]
    for run in results.ablations.get("program", []):
        if run["seed"] == 0:
            found = {window: _statistics(run, *window) for window in _WINDOWS if len(run["test_accuracy"]) >= window[0]}
            fitting = {
                window: range_
                for window, (figures, ranges) in found.items()
                for range_, ends in ranges.items()
                if [*figures, *ends] == theirs
            }
            if fitting:
                said = [f"over {_name(*w)}, if the range is from {a:g} to {b:g} %" for w, (a, b) in fitting.items()]
                yield (
                    "All six figures of the WTM are those of the authors' program with its own seed "
                    f"{' and '.join(said)}."
                )
                others = ", ".join(_default_range(run, *window, range_) for window, range_ in fitting.items())
                yield f"The range is of median-unbiased quantiles; numpy's default ones give {others}."
                for window, of_window in found.items():
                    if window not in fitting:
                        yield f"It has {_sentence(*of_window)} over {_name(*window)}."
            else:
                said = [f"{_sentence(*of_window)} over {_name(*window)}" for window, of_window in found.items()]
                yield (
                    f"The authors' program with its own seed has {'; '.join(said) or 'no such epochs'}. No such window "
                    "has all six figures of the table."
                )
            yield from (f"{_name(*window).capitalize()} are not trained." for window in _WINDOWS if window not in found)


def _statistics(
    run: dict[str, Any], n_epochs: int, n_last: int
) -> tuple[list[str], dict[tuple[float, float], list[str]]]:
    """Return maximum, minimum, mean and deviation, and the ends of each range, in two digits."""
    last = 100 * np.array(run["test_accuracy"][n_epochs - n_last : n_epochs])
    ends = {(a, b): np.percentile(last, [a, b], method="median_unbiased") for a, b in _RANGES}
    figures = [f"{value:.2f}" for value in (last.max(), last.min(), last.mean(), last.std())]
    return figures, {range_: [f"{value:.2f}" for value in found] for range_, found in ends.items()}


def _default_range(run: dict[str, Any], n_epochs: int, n_last: int, range_: tuple[float, float]) -> str:
    ends = np.percentile(100 * np.array(run["test_accuracy"][n_epochs - n_last : n_epochs]), range_)
    return "–".join(f"{end:.2f}" for end in ends)


def ours_over_that_window(results: Results) -> Iterator[str]:
    """Yield the means of our large machines over the epochs of the readme."""
    n_epochs, n_last = _WINDOWS[0]
    machines = large_machines("mnist")
    if all(results.of("mnist", setting) for setting in machines):
        summaries = [results.summary("mnist", setting, n_epochs) for setting in machines]
        if all(summary.epochs == n_epochs for summary in summaries):
            wtm, tm = map(str, summaries)
            yield f"Over {_name(n_epochs, n_last)} our WTM has {wtm}, our TM {tm}."


def _sentence(figures: list[str], ranges: dict[tuple[float, float], list[str]]) -> str:
    said = " or ".join(f"{'–'.join(ends)} ({a:g} to {b:g} %)" for (a, b), ends in ranges.items())
    return f"maximum, minimum, mean and s.d. {', '.join(figures)} and range {said}"


def _name(n_epochs: int, n_last: int) -> str:
    return f"epochs {n_epochs - n_last + 1} to {n_epochs}"


def share_of_drawing() -> str:
    """Return the share of drawing feedback in the paper's first epoch, which it calls about 2/3."""
    drawing, total = PAPER_EPOCH["drawing_seconds"], PAPER_EPOCH["seconds"]
    return f"{drawing:g} of {total:g} s are {drawing / total:.0%}"


def largest_deviation(share: float) -> str:
    """Return the largest standard deviation of table 7's TM if this share of the epochs is in its range."""
    row = papers_row("connect-4", large_machines("connect-4")[1])[1]
    inside, outside = (max(row.mean - a, b - row.mean) for a, b in ((row.low, row.high), (row.minimum, row.maximum)))
    return f"{np.sqrt(share * inside**2 + (1 - share) * outside**2):.2f}"
