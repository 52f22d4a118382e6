"""``wtm explain``: print why rows of a file get their prediction."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import typer

from wtm.classifier import WTMClassifier
from wtm.cli.model_kinds import AnyModel
from wtm.cli.predictions import predictions_for
from wtm.cli.table_options import TableOptions
from wtm.loading import load_table_model
from wtm.utils.printable import counted


def explain(options: TableOptions, model: Path, rows: Sequence[int], *, nearest_change: bool) -> None:
    """Print the explanations of rows, numbered from 1, in the order of the file."""
    loaded: AnyModel = load_table_model(model)
    if nearest_change and not isinstance(loaded, WTMClassifier):
        raise ValueError(
            f"--nearest-change is for a WTMClassifier, and {model} holds a {type(loaded).__name__}: leave it out."
        )
    missing = set(rows)
    with predictions_for(loaded, options) as predictions, closing(predictions.tables()) as batches:
        start = 1
        for batch, table in batches:
            chosen = [row for row in sorted(missing) if start <= row < start + len(batch)]
            taken = table.take([row - start for row in chosen]) if chosen else table[:0]
            explanations: list[Any] = loaded.explain(taken)
            for row, explanation in zip(chosen, explanations, strict=True):
                typer.echo(f"row {row}, {explanation}")
                if nearest_change:
                    typer.echo(explanation.nearest_change())
            missing -= set(chosen)
            start += len(batch)
            if not missing:
                return
    n_rows = counted(start - 1, "row")
    raise ValueError(f"{predictions.source.name} has {n_rows}, so there is no row {min(missing):,}, which --row names.")
