"""The commands for tables and models.

Importing this module is fast: each command imports what it computes with.
"""

from typing import Annotated

import typer

from wtm.cli.shared_options import (
    Dask,
    DropMissingTarget,
    ModelFile,
    Quiet,
    Tables,
    Target,
    in_range,
    path_argument,
    with_options,
)
from wtm.cli.table_options import TableOptions, data_options, table_options

_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]
_DataTarget = Annotated[
    str | None,
    typer.Option(
        help="Column of --data with the labels. Default: that of the training.", metavar="COLUMN", show_default=False
    ),
]


@with_options(table_options)
def predict(
    options: TableOptions,
    model: ModelFile,
    data: Tables,
    out: Annotated[
        str,
        typer.Option(
            help="File to write: .csv, .csv.gz or .parquet; - is standard output. With --dask a folder.", metavar="PATH"
        ),
    ] = "-",
    proba: Annotated[
        bool, typer.Option("--proba", help="Write the probability of each class too; not for numbers.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Columns of DATA to write too, with commas between.", metavar="COLUMNS")
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option("--escape-formulas", help="Put ' before text in CSV that spreadsheets take for a formula."),
    ] = False,
    dask: Dask = None,
) -> None:
    """Predict the rows of a table, in their order.

    Columns are found by name, in any order; the target and others may be there too. CSV is read with the options of
    the training, unless others are given.

    Example: wtm predict people.safetensors people.csv --out predictions.csv --proba

    On a cluster, whose workers write Parquet files to a folder: wtm predict people.safetensors 'rows/*.parquet' --dask
    tcp://host:8786 --out predictions
    """
    from wtm.cli.predict import predict

    predict(
        options,
        path_argument(model, "MODEL"),
        path_argument(out, "--out"),
        proba=proba,
        keep=keep or [],
        escape_formulas=escape_formulas,
        dask=dask,
    )


@with_options(table_options)
def evaluate(
    options: TableOptions,
    model: ModelFile,
    target: Target = None,
    out: Annotated[
        str | None, typer.Option(help="JSON file to write; - is standard output.", metavar="PATH", show_default=False)
    ] = None,
    drop_missing_target: DropMissingTarget = False,
) -> None:
    """Compare the predictions for a table with its target.

    Of labels, the accuracy, the log loss and the confusion matrix are printed; of numbers, the root of the mean squared
    error (RMSE), the mean absolute error and R squared. The table is read as in 'wtm predict'.

    Example: wtm evaluate people.safetensors people.csv
    """
    from wtm.cli.evaluate import evaluate

    out_path = None if out is None else path_argument(out, "--out")
    evaluate(options, path_argument(model, "MODEL"), target, out_path, drop_missing_target=drop_missing_target)


@with_options(data_options, "overwrite")
def rules(
    options: TableOptions | None,
    model: ModelFile,
    per_class: Annotated[
        int, typer.Option(callback=in_range(1), help="Rules per class, or per number that is predicted.")
    ] = 10,
    target: _DataTarget = None,
    quiet: Quiet = False,
) -> None:
    """Print the rules of a model without redundant conditions, class by class.

    The heaviest rules come first; with --data, those that separate the classes most in the file, with what was counted
    on it. The rules of two classes are shown as votes for and against the second. Each rule is one line, and one of a
    fuzzy model has further lines for its conditions; on a terminal, long lines are wrapped. CSV is read as in 'wtm
    predict'.

    Example: wtm rules people.safetensors --per-class 5 --data people.csv
    """
    from wtm.cli.rules import rules

    rules(path_argument(model, "MODEL"), per_class, options, target, quiet=quiet)


@with_options(table_options, "overwrite")
def explain(
    options: TableOptions,
    model: ModelFile,
    row: Annotated[
        list[int] | None,
        typer.Option(
            callback=in_range(1),
            help="Rows to explain, from 1. Default: the first.",
            metavar="NUMBER",
            show_default=False,
        ),
    ] = None,
    nearest_change: Annotated[
        bool,
        typer.Option("--nearest-change", help="Search for the fewest columns to change for another class."),
    ] = False,
) -> None:
    """Print the rules that hold for a row, which add up to its prediction.

    The table is read as in 'wtm predict'.

    Example: wtm explain people.safetensors people.csv --row 3 --nearest-change
    """
    from wtm.cli.explain import explain

    explain(options, path_argument(model, "MODEL"), row or [1], nearest_change=nearest_change)


@with_options(data_options, "overwrite")
def report(
    options: TableOptions | None,
    model: ModelFile,
    out: Annotated[str, typer.Option(help="HTML file to write.", metavar="PATH")],
    target: _DataTarget = None,
    rows: Annotated[int, typer.Option(callback=in_range(0), help="Rows to explain, spread over the file.")] = 30,
    image_shape: Annotated[
        str | None,
        typer.Option(
            help="HEIGHTxWIDTH, if the columns are the pixels of images.", metavar="SHAPE", show_default=False
        ),
    ] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Write a page that shows the rules of a model, explains rows, and shows what changing a value would do.

    With --data, the rules are counted on a file, and rows of it are explained. CSV is read as in 'wtm predict'. The
    page is one HTML file, which any browser opens without a network. It contains the explained rows.

    Example: wtm report people.safetensors --data people.csv --out people.html
    """
    from wtm.cli.report import report

    model_path, out_path = path_argument(model, "MODEL"), path_argument(out, "--out")
    report(model_path, out_path, options, target, image_shape, rows, overwrite=overwrite)


@with_options(data_options, "overwrite", "missing")
def export(
    options: TableOptions | None,
    model: ModelFile,
    format: Annotated[str, typer.Option(help="json, python, c, sql, onnx or verilog.", metavar="FORMAT")],
    out: Annotated[str, typer.Option(help="Folder to write to.", metavar="DIR")] = ".",
    name: Annotated[str, typer.Option(help="Name of the files, and what names in C and Verilog start with.")] = "model",
    bits: Annotated[
        int | None,
        typer.Option(
            callback=in_range(2, 63), help="Round votes to this many bits. Default: exact votes.", show_default=False
        ),
    ] = None,
    dialect: Annotated[
        str | None, typer.Option(help="Of SQL: duckdb or sqlite. Default: duckdb.", show_default=False)
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Table that SQL predicts. Default: data.", metavar="NAME", show_default=False)
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Columns of the table that SQL gives too, with commas between.", metavar="COLUMNS"),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="Text that stands for a missing value in ONNX. Default: the empty one.",
            metavar="TEXT",
            show_default=False,
        ),
    ] = None,
    number_type: Annotated[
        str | None,
        typer.Option(help="Of rows in C: double, float or int32_t.", metavar="TYPE", show_default=False),
    ] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Write a model for another program, which then needs no wtm, and print its size.

    With --data, predictions for a file are compared with those of exact votes. CSV is read as in 'wtm predict'.

    Example: wtm export people.safetensors --format c --out firmware --bits 8 --data people.csv
    """
    from wtm.cli.export import export

    export(
        path_argument(model, "MODEL"),
        format,
        path_argument(out, "--out"),
        name,
        {
            "bits": bits,
            "dialect": dialect,
            "table": table,
            "keep": keep or None,
            "missing": missing,
            "number_type": number_type,
        },
        options,
        overwrite=overwrite,
    )


def compile_kernels() -> None:
    """Compile all kernels for this processor ahead of their first use, and keep them.

    They are kept in NUMBA_CACHE_DIR if that is set, else in the user's cache folder: run this when an image is built.

    Example: NUMBA_CACHE_DIR=/opt/kernels wtm compile
    """
    from wtm.cli.compile import compile_kernels

    compile_kernels()
