"""The command ``wtm``.

Importing this module is cheap: whatever computes is imported by the command that needs it.
"""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from wtm import __version__
from wtm.paper.settings import Preset

__all__ = ["app", "main"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
reproduce = typer.Typer(no_args_is_help=True, help="Run an experiment of the paper.")
app.add_typer(reproduce, name="reproduce")


def main() -> None:
    """Run the command; the entry point of the distribution."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that knows no more than ASCII gets question marks, not an error after all the work.
            stream.reconfigure(errors="replace")
    app(prog_name="wtm")


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


def _check_n_jobs(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("0 threads can't work: give a positive number, or -1 for all cores.")
    return n_jobs


_Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed; the same seed gives the same model.")]
_NJobs = Annotated[
    int, typer.Option(callback=_check_n_jobs, help="Threads; -1 is all cores. Results do not depend on it.")
]
_PresetOption = Annotated[
    Preset,
    typer.Option(
        help="The authors' settings: light is a small machine, with weights and without; classic the large one without "
        "weights; best the large one with weights (large ones take hours)."
    ),
]
_Epochs = Annotated[
    int | None, typer.Option(min=1, help="Epochs of every machine, instead of the preset's own.", show_default=False)
]
_Out = Annotated[Path, typer.Option(file_okay=True, help="Folder for the results.")]


@reproduce.command("connect-4")
def _connect_4(
    preset: _PresetOption = Preset.LIGHT,
    epochs: _Epochs = None,
    seed: _Seed = 0,
    n_jobs: _NJobs = -1,
    out: _Out = Path("out/connect-4"),
) -> None:
    """Connect-4: train, compare with the authors' figures, draw the learning curve, write down the rules."""
    with _one_line_on_failure():
        from wtm.paper import connect_4
        from wtm.paper.comparison import Options

        connect_4.reproduce(Options(preset=preset, n_epochs=epochs, seed=seed, n_jobs=n_jobs, out=out))


@reproduce.command("sampling")
def _sampling(
    rounds: Annotated[int, typer.Option(min=1, help="How often each sampler is timed at each size.")] = 61,
    seed: _Seed = 0,
    out: _Out = Path("out/sampling"),
) -> None:
    """Sampling: time the paper's Algorithm 1 and two other samplers, and check what they draw."""
    with _one_line_on_failure():
        from wtm.paper import sampling

        sampling.reproduce(rounds=rounds, seed=seed, out=out)


@contextmanager
def _one_line_on_failure() -> Iterator[None]:
    """What a user can put right ends the command with one line on standard error and no traceback."""
    try:
        yield
    except KeyboardInterrupt:
        _stop("interrupted.", _INTERRUPTED)
    except BrokenPipeError:
        raise  # whoever read the output has gone: Typer ends quietly
    except (OSError, ValueError, MemoryError) as error:
        _stop(" ".join(str(error).split()) or type(error).__name__, 1)


def _stop(reason: str, code: int) -> None:
    typer.echo(f"wtm: {reason}", err=True)
    raise typer.Exit(code) from None
