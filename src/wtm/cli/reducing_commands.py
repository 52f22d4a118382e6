"""The commands that make a model of fewer or shorter rules.

Importing this module is fast: each command imports what it computes with.
"""

import math
from typing import Annotated

import typer

from wtm.cli.errors import OptionError
from wtm.cli.shared_options import ModelFile, NewModelFile, Target, in_range, path_argument, with_options
from wtm.cli.table_options import TableOptions, table_options


def _check_share(share: float | None) -> float | None:
    if share is not None and not 0 <= share <= 1:
        raise typer.BadParameter(f"must be from 0 to 1, got {share:g}.")
    return share


def _check_weight(weight: float | None) -> float | None:
    if weight is not None and not 0 <= weight < math.inf:
        raise typer.BadParameter(f"must be at least 0, got {weight:g}.")
    return weight


def _check_strength(strength: float | None) -> float | None:
    if strength is not None and not 0 < strength < math.inf:
        raise typer.BadParameter(f"must be greater than 0, got {strength:g}.")
    return strength


def _check_penalty(penalty: str) -> str:
    if penalty not in ("l1", "l2"):
        raise typer.BadParameter(f"must be l1 or l2, got {penalty!r}.")
    return penalty


@with_options(table_options)
def prune(
    options: TableOptions,
    model: ModelFile,
    out: NewModelFile,
    rules: Annotated[
        int | None, typer.Option(callback=in_range(1), help="How many rules to keep.", show_default=False)
    ] = None,
    max_accuracy_loss: Annotated[
        float | None,
        typer.Option(
            callback=_check_share,
            help="Keep the fewest rules that lose at most this accuracy, such as 0.01.",
            metavar="SHARE",
            show_default=False,
        ),
    ] = None,
    max_r2_loss: Annotated[
        float | None,
        typer.Option(
            "--max-r2-loss",
            callback=_check_share,
            help="Of a regressor: keep the fewest rules that lose at most this of R squared.",
            metavar="SHARE",
            show_default=False,
        ),
    ] = None,
    min_weight: Annotated[
        float | None,
        typer.Option(
            callback=_check_weight,
            help="Keep the rules with at least this weight.",
            metavar="WEIGHT",
            show_default=False,
        ),
    ] = None,
    target: Target = None,
) -> None:
    """Remove rules that a model can do without, and write the model of the others.

    Give one of --rules, --max-accuracy-loss or, of a regressor, --max-r2-loss, and --min-weight. Of the rules, the one
    is removed again and again without which most rows of DATA are right, or the squared error is smallest. The
    rules of a regressor are many and light, so use 'wtm refit' on it first, which gives them new weights. The new
    model predicts, but can't be trained further. The table is read as in 'wtm predict'; rows without a target are left
    out.

    Example: wtm prune people.safetensors people.csv --rules 30 --out small.safetensors
    """
    from wtm.cli.reduction import prune_model, reduce_with_labels

    wanted = {
        "n_rules": rules,
        "max_accuracy_loss": max_accuracy_loss,
        "max_r2_loss": max_r2_loss,
        "min_weight": min_weight,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    if len(given) != 1:
        raise OptionError("give exactly one of --rules, --max-accuracy-loss, --max-r2-loss and --min-weight.")
    paths = path_argument(model, "MODEL"), path_argument(out, "--out")
    reduce_with_labels(
        options,
        *paths,
        target,
        lambda model, X, y: prune_model(model, X, y, given),
    )


@with_options(table_options)
def refit(
    options: TableOptions,
    model: ModelFile,
    out: NewModelFile,
    penalty: Annotated[
        str, typer.Option(callback=_check_penalty, help="l1 removes many rules; l2 keeps nearly all.", metavar="l1|l2")
    ] = "l1",
    strength: Annotated[
        float | None,
        typer.Option(
            "--C",
            callback=_check_strength,
            help="Inverse strength of the penalty. Default: chosen by cross-validation.",
            metavar="NUMBER",
            show_default=False,
        ),
    ] = None,
    target: Target = None,
) -> None:
    """Give the rules of a model new weights by logistic or linear regression, and write the model.

    Rules that get no weight are removed. With three or more classes, a rule can vote on several and then counts once
    for each, so there can be more rules than before. The votes of a classifier then add up to log-odds. If there are
    enough rows, DATA should have some that the model was not trained on. The new model predicts, but can't be trained
    further. The table is read as in 'wtm predict'; rows without a target are left out.

    Example: wtm refit people.safetensors people.csv --out refitted.safetensors
    """
    from wtm.cli.reduction import reduce_with_labels

    paths = path_argument(model, "MODEL"), path_argument(out, "--out")
    reduce_with_labels(options, *paths, target, lambda model, X, y: model.refit(X, y, penalty, C=strength))


@with_options(table_options)
def simplify(
    options: TableOptions,
    model: ModelFile,
    out: NewModelFile,
    tolerance: Annotated[
        float,
        typer.Option(
            callback=_check_share, help="Share of the votes that may change; 0 keeps all of them.", metavar="SHARE"
        ),
    ] = 0.0,
) -> None:
    """Drop the conditions of rules that change nothing on the rows of DATA, and write the model.

    On other rows the rules may hold more often. Fuzzy rules can't be simplified, since each of their conditions counts.
    The new model predicts, but can't be trained further. The table is read as in 'wtm predict', and needs no labels.

    Example: wtm simplify people.safetensors people.csv --out short.safetensors
    """
    from wtm.cli.reduction import reduce_without_labels

    paths = path_argument(model, "MODEL"), path_argument(out, "--out")
    reduce_without_labels(options, *paths, lambda model, X: model.simplify(X, tolerance))
