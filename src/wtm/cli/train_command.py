"""The command ``wtm train``.

Importing this module is fast: the command imports what it computes with.
"""

from typing import Annotated, Any

import typer

from wtm.cli.shared_options import (
    Dask,
    DropMissingTarget,
    NewModelFile,
    Tables,
    in_range,
    number_or_auto,
    path_argument,
    with_options,
)
from wtm.cli.table_options import TableOptions, table_options


def _check_holdout(holdout: float) -> float:
    if not 0 <= holdout < 1:
        raise typer.BadParameter(f"must be at least 0 and below 1, got {holdout:g}.")
    return holdout


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
            help="Rows, at most 512, between two exchanges of votes among shards. Default: 512.",
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
    drop_missing_target: DropMissingTarget = False,
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
