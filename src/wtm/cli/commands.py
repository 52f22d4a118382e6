"""The commands for tables and their options.

Importing this module is fast: each command imports what it computes with.
"""

from typing import Annotated

import typer

from wtm.cli.csv_format import CsvFormat
from wtm.cli.errors import one_line_on_failure
from wtm.utils.paths import as_path

ALL_CORES = -1


def _check_n_jobs(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("must be a positive number, or -1 for all cores, got 0.")
    return n_jobs


NJobs = Annotated[
    int, typer.Option(callback=_check_n_jobs, help="Threads; -1 uses all cores. Results do not depend on it.")
]
"""The option ``--n-jobs`` of every command that computes."""


def _check_separator(separator: str | None) -> str | None:
    if separator is None:
        return None
    separator = {"tab": "\t", "\\t": "\t"}.get(separator, separator)
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise typer.BadParameter(f"must be one ASCII character such as ';', or tab, got {separator!r}.")
    return separator


def _check_decimal(decimal: str | None) -> str | None:
    if decimal not in (None, ".", ","):
        raise typer.BadParameter(f"must be '.' or ',', got {decimal!r}.")
    return decimal


def _check_holdout(holdout: float) -> float:
    if not 0 <= holdout < 1:
        raise typer.BadParameter(f"must be at least 0 and below 1, got {holdout:g}.")
    return holdout


# Paths are strings, since a Path hides an empty name, and Typer would print an error of several lines.
_Data = Annotated[str, typer.Argument(help="CSV (also gzipped) or Parquet file; - is standard input.", metavar="DATA")]
_Model = Annotated[str, typer.Argument(help="Model file.", metavar="MODEL")]
_Separator = Annotated[
    str | None,
    typer.Option(
        callback=_check_separator, help="Separator of CSV: a character, or tab. Default: comma, in .tsv tab.",
        show_default=False,
    ),
]  # fmt: skip
_Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of CSV holds the names; otherwise columns are x0, x1, ... Default: it does.",
        show_default=False,
    ),
]
_Encoding = Annotated[
    str | None, typer.Option(help="Encoding of CSV, such as latin-1. Default: utf-8.", show_default=False)
]
_Decimal = Annotated[
    str | None,
    typer.Option(callback=_check_decimal, help="Decimal point of CSV: . or ,", metavar="CHARACTER", show_default=False),
]
_Missing = Annotated[
    str | None,
    typer.Option(
        help="Cells of CSV read as missing, with commas between, besides empty cells, NA, NaN, null and the like.",
        metavar="VALUES",
        show_default=False,
    ),
]
_Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")]
_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace --out if it exists.")]


def train(
    data: _Data,
    target: Annotated[str, typer.Option(help="Column with the labels.", metavar="COLUMN")],
    out: Annotated[str, typer.Option(help="Model file to write.", metavar="MODEL")],
    clauses: Annotated[int, typer.Option(help="Clauses per class, an even number.")] = 200,
    threshold: Annotated[float, typer.Option("--T", help="Threshold that class sums are trained toward.")] = 25,
    s: Annotated[float, typer.Option("--s", help="Specificity; a larger s makes each rule true for fewer rows.")] = 3,
    gamma: Annotated[float, typer.Option(help="Learning rate of the weights; 0 is the classic machine.")] = 0.01,
    epochs: Annotated[int, typer.Option(help="Passes over the training rows.")] = 30,
    early_stopping: Annotated[
        bool, typer.Option("--early-stopping", help="Keep the best epoch on a tenth of the training rows.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="The same seed gives the same model.")] = 0,
    holdout: Annotated[
        float, typer.Option(callback=_check_holdout, help="Share of the rows held out to measure the accuracy.")
    ] = 0.2,
    refit: Annotated[bool, typer.Option("--refit", help="Then train on all rows, and write that model.")] = False,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out, with commas between.", metavar="COLUMNS")
    ] = None,
    drop_missing_target: Annotated[
        bool, typer.Option("--drop-missing-target", help="Leave out rows without a label; otherwise they are an error.")
    ] = False,
    missing: _Missing = None,
    separator: _Separator = None,
    header: _Header = None,
    encoding: _Encoding = None,
    decimal: _Decimal = None,
    n_jobs: NJobs = ALL_CORES,
    overwrite: _Overwrite = False,
    quiet: _Quiet = False,
) -> None:
    """Train on a table and write a model file.

    All columns but the target are features: numbers, booleans or text, as pandas.read_csv reads them. A share of the
    rows is held out; the accuracy on it is printed, and the model has not seen it (but see --refit).
    """
    with one_line_on_failure():
        from wtm.cli import train as command

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
                format=CsvFormat(separator, decimal, _values(missing), encoding, header),
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
        str, typer.Option(help="File to write: .csv, .csv.gz or .parquet; - is standard output.", metavar="PATH")
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of each class too.")] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Columns of DATA to write too, with commas between.", metavar="COLUMNS")
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option("--escape-formulas", help="Put ' before text in CSV that spreadsheets take for a formula."),
    ] = False,
    missing: _Missing = None,
    separator: _Separator = None,
    header: _Header = None,
    encoding: _Encoding = None,
    decimal: _Decimal = None,
    n_jobs: NJobs = ALL_CORES,
    overwrite: _Overwrite = False,
    quiet: _Quiet = False,
) -> None:
    """Predict the rows of a table, in their order.

    Columns are found by name, in any order; the target and others may be there too. CSV is read with the options of
    the training, unless others are given.
    """
    with one_line_on_failure():
        from wtm.cli import predict as command

        command.predict(
            command.Prediction(
                model=as_path(model, "MODEL"),
                data=as_path(data, "DATA"),
                out=as_path(out, "--out"),
                format=CsvFormat(separator, decimal, _values(missing), encoding, header),
                proba=proba,
                keep=tuple(keep or ()),
                n_jobs=n_jobs,
                escape_formulas=escape_formulas,
                overwrite=overwrite,
                quiet=quiet,
            )
        )


def rules(
    model: _Model,
    per_class: Annotated[int, typer.Option(min=1, help="Rules per class.")] = 10,
) -> None:
    """Print the heaviest rules of a model, class by class."""
    with one_line_on_failure():
        from wtm import load_model
        from wtm.rules import heaviest_rules

        for rule in heaviest_rules(load_model(as_path(model, "MODEL")), per_class):
            typer.echo(str(rule))


def _values(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(text.split(","))
