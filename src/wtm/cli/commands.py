"""The commands for tables and models.

Importing this module is fast: each command imports what it computes with.
"""

from typing import Annotated, Any

import typer

from wtm.cli.shared_options import (
    Dask,
    ModelFile,
    NewModelFile,
    Quiet,
    Tables,
    Target,
    in_range,
    number_or_auto,
    path_argument,
    with_options,
)
from wtm.cli.table_options import TableOptions, data_options, table_options


def _check_holdout(holdout: float) -> float:
    if not 0 <= holdout < 1:
        raise typer.BadParameter(f"must be at least 0 and below 1, got {holdout:g}.")
    return holdout


_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]
_DropMissingTarget = Annotated[
    bool, typer.Option("--drop-missing-target", help="Leave out rows without a target; otherwise they are an error.")
]
_DataTarget = Annotated[
    str | None,
    typer.Option(
        help="Column of --data with the labels. Default: that of the training.", metavar="COLUMN", show_default=False
    ),
]


def _defaults(default: str, **others: str) -> str:
    """Name the defaults of the estimators, which take long to import."""
    options = {"regression": "--regression", "fuzzy": "--fuzzy", "both": "both"}
    named = [f"{other} with {options[kind]}" for kind, other in others.items()]
    return f"Default: {'; '.join([default, *named])}."


@with_options(table_options)
def train(
    options: TableOptions,
    data: Tables,
    target: Annotated[str, typer.Option(help="Column to predict.", metavar="COLUMN")],
    out: NewModelFile,
    regression: Annotated[bool, typer.Option("--regression", help="Predict numbers instead of classes.")] = False,
    fuzzy: Annotated[
        bool, typer.Option("--fuzzy", help="Rules that vote where most of their conditions hold.")
    ] = False,
    clauses: Annotated[
        int | None,
        typer.Option(
            help="Clauses per class, an even number. " + _defaults("200", regression="1,000", fuzzy="100"),
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--T",
            help="Threshold that sums of votes are trained toward. "
            + _defaults("25", regression="100", fuzzy="8", both="20"),
            show_default=False,
        ),
    ] = None,
    s: Annotated[
        Any,
        typer.Option(
            "--s",
            help="Specificity; a larger s makes each rule true for fewer rows. auto: by the number of rows; not with "
            "--regression or --fuzzy. " + _defaults("3", regression="10", fuzzy="50"),
            parser=number_or_auto,
            metavar="NUMBER",
            show_default=False,
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Learning rate of the weights; 0 keeps all at 1. " + _defaults("0.01", fuzzy="0"),
            show_default=False,
        ),
    ] = None,
    literal_failures: Annotated[
        int | None,
        typer.Option(
            help="Conditions that must fail before a rule of --fuzzy is silent. Default: 8.",
            show_default=False,
        ),
    ] = None,
    max_literals: Annotated[
        int | None,
        typer.Option(
            help="Conditions that a rule may have; a few have more. " + _defaults("no limit", fuzzy="16"),
            show_default=False,
        ),
    ] = None,
    readable: Annotated[
        bool, typer.Option("--readable", help="Short rules: other values where --s and --max-literals are not given.")
    ] = False,
    thresholds: Annotated[
        str,
        typer.Option(
            help="Where columns of numbers are divided: quantile, at even shares of the rows, or splits, where the "
            "target changes.",
            metavar="STRATEGY",
        ),
    ] = "quantile",
    epochs: Annotated[
        int | None, typer.Option(help="Passes over the training rows. Default: 30.", show_default=False)
    ] = None,
    average_last: Annotated[
        int | None,
        typer.Option(
            help="Epochs at the end whose sums of votes are averaged. " + _defaults("1", regression="10"),
            show_default=False,
        ),
    ] = None,
    n_shards: Annotated[
        int | None,
        typer.Option(
            help="Shards that the clauses of a class are cut into, for more threads than classes. Default: 1.",
            show_default=False,
        ),
    ] = None,
    vote_block: Annotated[
        int | None,
        typer.Option(
            help="Rows, at most 512, between two exchanges of votes among shards; 512 is usual. Default: 1.",
            show_default=False,
        ),
    ] = None,
    early_stopping: Annotated[
        bool, typer.Option("--early-stopping", help="Keep the best epoch on a tenth of the training rows.")
    ] = False,
    seed: Annotated[int, typer.Option(callback=in_range(0, 2**63 - 1), help="The same seed gives the same model.")] = 0,
    holdout: Annotated[
        float, typer.Option(callback=_check_holdout, help="Share of the rows held out to measure the model.")
    ] = 0.2,
    refit: Annotated[bool, typer.Option("--refit", help="Then train on all rows, and write that model.")] = False,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out, with commas between.", metavar="COLUMNS")
    ] = None,
    drop_missing_target: _DropMissingTarget = False,
    dask: Dask = None,
) -> None:
    """Train on a table and write a model file.

    All columns but the target are features: numbers, booleans or text, as pandas.read_csv reads them. A share of the
    rows is held out; the accuracy on it is printed, and the model has not seen it (but see --refit). With --regression
    the target is a column of numbers, and the error is printed.

    Example: wtm train people.csv --target buys --out people.safetensors

    For numbers: wtm train flats.csv --target rent --regression --out flats.safetensors

    On a cluster, whose workers read the files: wtm train 'people/*.parquet' --target buys --dask tcp://host:8786 --out
    people.safetensors
    """
    from wtm.cli.train import train

    parameters = {
        "n_clauses": clauses,
        "T": threshold,
        "s": s,
        "gamma": gamma,
        "literal_failures": literal_failures,
        "max_literals": max_literals,
        "n_epochs": epochs,
        "average_last": average_last,
        "n_shards": n_shards,
        "vote_block": vote_block,
        "early_stopping": early_stopping,
        "random_state": seed,
    }
    train(
        options,
        target,
        path_argument(out, "--out"),
        {name: value for name, value in parameters.items() if value is not None},
        regression=regression,
        fuzzy=fuzzy,
        readable=readable,
        thresholds=thresholds,
        drop=drop or [],
        drop_missing_target=drop_missing_target,
        holdout=holdout,
        refit=refit,
        dask=dask,
    )


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
    drop_missing_target: _DropMissingTarget = False,
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
