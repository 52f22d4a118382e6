"""The commands for tables and their options.

Importing this module is cheap: whatever computes is imported by the command that needs it.
"""

from typing import Annotated

import typer

from wtm.cli import MISSING
from wtm.cli.errors import one_line_on_failure
from wtm.cli.threads import ALL_CORES, NJobs
from wtm.utils.paths import as_path

__all__ = ["predict", "rules", "train"]


def _check_separator(separator: str | None) -> str | None:
    if separator is None:
        return None
    separator = {"tab": "\t", "\\t": "\t"}.get(separator, separator)
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise typer.BadParameter(f"{separator!r} must be one ASCII character such as ';', or tab.")
    return separator


def _check_decimal(decimal: str) -> str:
    if decimal not in (".", ","):
        raise typer.BadParameter(f"{decimal!r} must be '.' or ','.")
    return decimal


def _check_holdout(holdout: float) -> float:
    if not 0 <= holdout < 1:
        raise typer.BadParameter(f"{holdout:g} must be a share of the rows: at least 0, and below 1.")
    return holdout


# Paths are strings here: in a Path nobody sees that a name is empty, and Typer would answer in several lines.
_Data = Annotated[str, typer.Argument(help="CSV (also .gz) or Parquet file.", metavar="DATA")]
_Model = Annotated[str, typer.Argument(help="Model file.", metavar="MODEL")]
_Separator = Annotated[
    str | None,
    typer.Option(
        callback=_check_separator, help="Separator of CSV, or tab; else a comma, in .tsv a tab.", show_default=False
    ),
]
_NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The CSV has no names in its first row: columns are x0, x1 and so on.")
]
_Encoding = Annotated[str, typer.Option(help="Encoding of CSV, such as latin-1 or utf-16.")]
_Decimal = Annotated[
    str, typer.Option(callback=_check_decimal, help="Decimal point of CSV: . or ,", metavar="CHARACTER")
]
_Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")]
_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace --out if it is there.")]


def train(
    data: _Data,
    target: Annotated[str, typer.Option(help="Column with the labels.", metavar="COLUMN")],
    out: Annotated[str, typer.Option(help="Model file to write.", metavar="MODEL")],
    clauses: Annotated[int, typer.Option(help="Clauses of each class, an even number.")] = 200,
    threshold: Annotated[float, typer.Option("--T", help="Threshold that sums are trained toward.")] = 25,
    s: Annotated[float, typer.Option("--s", help="Specificity: with a larger s rules get longer.")] = 3,
    gamma: Annotated[float, typer.Option(help="Learning rate of the weights; 0 is the classic machine.")] = 0.01,
    epochs: Annotated[int, typer.Option(help="Passes over the training rows.")] = 30,
    early_stopping: Annotated[
        bool, typer.Option("--early-stopping", help="Keep the best epoch on a tenth of the training rows.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="The same seed gives the same model.")] = 0,
    holdout: Annotated[
        float, typer.Option(callback=_check_holdout, help="Share of the rows held out to measure the accuracy.")
    ] = 0.2,
    refit: Annotated[
        bool, typer.Option("--refit", help="Write a model trained on all rows; else the one that was measured.")
    ] = False,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out, with commas or again.", metavar="COLUMNS")
    ] = None,
    missing: Annotated[
        str, typer.Option(help="What means a missing value in CSV, as nothing always does.", metavar="VALUES")
    ] = MISSING,
    drop_missing_target: Annotated[
        bool, typer.Option("--drop-missing-target", help="Leave out rows without a label, which else are an error.")
    ] = False,
    separator: _Separator = None,
    no_header: _NoHeader = False,
    encoding: _Encoding = "utf-8",
    decimal: _Decimal = ".",
    n_jobs: NJobs = ALL_CORES,
    overwrite: _Overwrite = False,
    quiet: _Quiet = False,
) -> None:
    """Train on a table and write a model file.

    Each column but the target is learnt from, as numbers, truth values or text. A part of the rows, the same share of
    each class, is held out; the accuracy on it is printed, and the model that is written has not seen it (--refit).
    """
    with one_line_on_failure():
        from wtm.cli import train as command
        from wtm.cli.files import Format

        parameters = {
            "n_clauses": clauses,
            "T": threshold,
            "s": s,
            "gamma": gamma,
            "n_epochs": epochs,
            "early_stopping": early_stopping,
            "n_jobs": n_jobs,
            "random_state": seed,
        }
        command.train(
            command.Training(
                data=as_path(data, "DATA"),
                target=target,
                out=as_path(out, "--out"),
                parameters=parameters,
                format=Format(separator, not no_header, encoding, decimal),
                missing=_values(missing),
                drop=tuple(drop or ()),
                drop_missing_target=drop_missing_target,
                holdout=holdout,
                refit=refit,
                overwrite=overwrite,
                quiet=quiet,
            )
        )


def predict(
    model: _Model,
    data: _Data,
    out: Annotated[
        str,
        typer.Option(
            help="Predictions to write: .csv, .csv.gz or .parquet; - is CSV on standard output.", metavar="PATH"
        ),
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of each class too.")] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Columns of DATA to write too, with commas or again.", metavar="COLUMNS")
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(help="What means a missing value in CSV; else what did in training.", metavar="VALUES"),
    ] = None,
    separator: _Separator = None,
    no_header: _NoHeader = False,
    encoding: _Encoding = "utf-8",
    decimal: _Decimal = ".",
    n_jobs: NJobs = ALL_CORES,
    overwrite: _Overwrite = False,
    quiet: _Quiet = False,
) -> None:
    """Predict the rows of a table, in their order.

    Columns go by their names, in any order; the target and others may be there too.
    """
    with one_line_on_failure():
        from wtm.cli import predict as command
        from wtm.cli.files import Format

        command.predict(
            command.Prediction(
                model=as_path(model, "MODEL"),
                data=as_path(data, "DATA"),
                out=as_path(out, "--out"),
                format=Format(separator, not no_header, encoding, decimal),
                missing=None if missing is None else _values(missing),
                proba=proba,
                keep=tuple(keep or ()),
                n_jobs=n_jobs,
                overwrite=overwrite,
                quiet=quiet,
            )
        )


def rules(
    model: _Model,
    per_class: Annotated[int, typer.Option(min=1, help="Rules of each class.")] = 10,
) -> None:
    """Print the heaviest rules of a model, class by class."""
    with one_line_on_failure():
        from wtm import load_model
        from wtm.rules import heaviest_rules

        for rule in heaviest_rules(load_model(as_path(model, "MODEL")), per_class):
            typer.echo(str(rule))


def _values(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in text.split(","))
