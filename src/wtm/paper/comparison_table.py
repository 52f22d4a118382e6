"""The table of a comparison: the authors' figures beside ours."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from wtm.paper.settings import PaperFigure, Setting
from wtm.paper.summary import Summary

__all__ = ["comparison_table"]

_NOTHING = "–"
_LAST, _MEAN, _RANGE, _PEAK = (
    "after the last epoch",
    "mean of last epochs",
    "range of last epochs",
    "peak of all epochs",
)
_SECONDS = "seconds an epoch"
_MEASURES = {"last": _LAST, "mean": _MEAN, "peak": _PEAK}


def comparison_table(
    title: str, settings: Sequence[Setting], summaries: Sequence[Summary], majority: dict[str, Any]
) -> Table:
    """A column for each machine, and one before it for what the authors report of the same setting.

    Parameters
    ----------
    title : str
    settings : sequence of Setting
    summaries : sequence of Summary
        One for each of `settings`.
    majority : dict
        ``label`` and ``test_share`` of the most frequent class.
    """
    baseline = f"always “{majority['label']}”"
    sections = {
        "setting": ["clauses a class", "p_s = 1/s", "gamma", "T", "epochs"],
        "test accuracy, %": [_LAST, _MEAN, _RANGE, _PEAK, baseline],
        "model and time": ["literals a clause", "weights, min to max", _SECONDS],
    }
    table = Table(title=title, title_justify="left", caption=_caption(settings, summaries), caption_justify="left")
    table.add_column()
    columns: list[dict[str, str]] = []
    for setting, summary in zip(settings, summaries, strict=True):
        if setting.paper:
            table.add_column(f"{setting.machine}\nauthors", justify="right")
            columns.append(_authors(setting))
        table.add_column(f"{setting.machine}\nhere", justify="right", style="bold")
        columns.append({**_here(setting, summary), baseline: _percent(majority["test_share"])})
    for heading, rows in sections.items():
        table.add_row(heading, style="dim")
        for row in rows:
            table.add_row(f"  {row}", *(column.get(row, _NOTHING) for column in columns))
        table.add_section()
    return table


def _setting(setting: Setting, epochs: int) -> dict[str, str]:
    return {
        "clauses a class": f"{setting.n_clauses:,}",
        "p_s = 1/s": f"{setting.p_s:g}",
        "gamma": f"{setting.gamma:g}",
        "T": f"{setting.T}",
        "epochs": f"{epochs:,}",
    }


def _authors(setting: Setting) -> dict[str, str]:
    column = _setting(setting, setting.epochs)
    for figure in setting.paper:
        column[_MEASURES[figure.measure]] = _percent(figure.accuracy) + _other_epochs(figure, setting)
    if setting.paper_seconds is not None:
        column[_SECONDS] = f"{setting.paper_seconds:g}"
    return column


def _other_epochs(figure: PaperFigure, setting: Setting) -> str:
    return "" if figure.epochs in (None, setting.epochs) else f" in {figure.epochs}"


def _here(setting: Setting, summary: Summary) -> dict[str, str]:
    weights = summary.weights
    return {
        **_setting(setting, summary.epochs),
        _LAST: _percent(summary.last),
        _MEAN: f"{_percent(summary.mean)} ± {_percent(summary.deviation)}",
        _RANGE: f"{_percent(summary.low)}–{_percent(summary.high)}",
        _PEAK: f"{_percent(summary.peak)} ({summary.peak_epoch:,})",
        "literals a clause": f"{summary.literals_per_clause:.1f}",
        "weights, min to max": _NOTHING if weights is None else f"{weights.min:.3g}–{weights.max:.3g}",
        _SECONDS: f"{summary.seconds_per_epoch:.2f} ({summary.seconds_low:.2f}–{summary.seconds_high:.2f})",
    }


def _caption(settings: Sequence[Setting], summaries: Sequence[Summary]) -> str:
    lines = [
        f"Authors' {setting.machine}: {figure.measure}"
        + (f" of the last {figure.averaged} epochs" if figure.averaged else "")
        + f" from {figure.source}."
        for setting in settings
        for figure in setting.paper
    ]
    lines += [
        f"The authors report no {setting.machine} of this size; its p_s is that of their large one, its T the WTM's."
        for setting in settings
        if not setting.paper
    ]
    return "\n".join(
        [
            *lines,
            f"Here: last epochs are the last {summaries[0].averaged}, ± is their standard deviation; in brackets the "
            "peak's epoch; seconds are of training alone, median and quartiles.",
        ]
    )


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}"
