"""The commands of ``wtm``, put together.

Importing this module is fast: each command imports what it computes with.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from wtm import __version__
from wtm.cli.commands import compile_kernels, evaluate, explain, export, predict, report, rules
from wtm.cli.errors import OptionError, one_line_on_failure
from wtm.cli.reducing_commands import prune, refit, simplify
from wtm.cli.train_command import train
from wtm.paper.reproduce_command import reproduce

_UsageError: Any = typer.BadParameter.__base__  # which typer raises for wrong arguments, without a public name


class _CommandGroup(TyperGroup):
    """Commands, whose errors are one line."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        with one_line_on_failure(), _usage_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        with one_line_on_failure(), _usage_errors():
            return super().invoke(ctx)


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Turn typer's errors, which are of several lines, into errors of options."""
    try:
        yield
    except _UsageError as error:
        if error.ctx is None:
            raise OptionError(f"{error.format_message()} See 'wtm --help'.") from None
        if error.message == error.ctx.get_help():  # of a group without a command
            raise
        message = error.format_message().rstrip(".")
        raise OptionError(f"{message}. See '{error.ctx.command_path} --help'.") from None


app = typer.Typer(
    cls=_CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("train")(train)
app.command("predict")(predict)
app.command("evaluate")(evaluate)
app.command("rules")(rules)
app.command("explain")(explain)
app.command("prune")(prune)
app.command("refit")(refit)
app.command("simplify")(simplify)
app.command("report")(report)
app.command("export")(export)
app.command("compile")(compile_kernels)
app.add_typer(reproduce, name="reproduce")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wtm {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The Weighted Tsetlin Machine: weighted AND-rules over true/false features."""
