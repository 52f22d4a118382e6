"""The command ``wtm``.

Importing this module is fast: each command imports what it computes with.
"""

import io
import sys
from typing import Annotated

import typer

from wtm import __version__
from wtm.cli.commands import compile_kernels, evaluate, explain, export, predict, report, rules, train
from wtm.cli.errors import one_line_on_failure
from wtm.paper.reproduce_command import reproduce
from wtm.utils.interruption import terminable

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
app.command("train")(train)
app.command("predict")(predict)
app.command("evaluate")(evaluate)
app.command("rules")(rules)
app.command("explain")(explain)
app.command("report")(report)
app.command("export")(export)
app.command("compile")(compile_kernels)
app.add_typer(reproduce, name="reproduce")


def main() -> None:
    """Run the command: the entry point of the distribution."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # On an ASCII terminal, question marks rather than an error after all the work.
            stream.reconfigure(errors="replace")
    with terminable():
        try:
            with one_line_on_failure():  # also while typer builds the commands, reads arguments or prints help
                app(prog_name="wtm")
        except typer.Exit as end:
            sys.exit(end.exit_code)


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
