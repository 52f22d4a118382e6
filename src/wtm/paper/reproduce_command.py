"""The command ``wtm reproduce``: its sub-commands and options.

Importing this module is cheap: a sub-command imports its experiment when it runs.
"""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wtm.cli.errors import OptionError
from wtm.cli.shared_options import ALL_CORES, NJobs, in_range, with_options
from wtm.paper.run_options import QUICK_FOLDER, Options
from wtm.paper.settings import NAMES, Preset, Swept

reproduce = typer.Typer(
    no_args_is_help=True, help="Run an experiment of the paper.\n\nExample: wtm reproduce connect-4 --quick"
)

_METHODS = {"wtm", "tm"}


class Recipe(StrEnum):
    """Ways to make IMDb's features."""

    PAPER = "paper"
    AUTHORS = "authors"


def _check_data(data: str) -> str:
    if data not in NAMES:
        raise typer.BadParameter(f"{data!r} must be one of {', '.join(NAMES)}.")
    return data


def _check_methods(methods: str) -> str:
    if not {method.strip().lower() for method in methods.split(",")} <= _METHODS:
        raise typer.BadParameter(f"{methods!r} must be wtm, tm, or wtm,tm.")
    return methods


_DataSet = Annotated[str, typer.Argument(help="connect-4, mnist or imdb.", metavar="DATA", callback=_check_data)]


def _options(
    *,
    methods: Annotated[
        str, typer.Option(callback=_check_methods, help="Train only wtm (with weights), only tm (without), or wtm,tm.")
    ] = "wtm,tm",
    epochs: Annotated[
        int | None, typer.Option(callback=in_range(1), help="Epochs of every machine.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(callback=in_range(0, 2**63 - 1), help="Seed of the first training.")] = 0,
    seeds: Annotated[
        int, typer.Option(callback=in_range(1, 1000), help="Trainings per machine, with successive seeds.")
    ] = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Folder with the data sets, instead of WTM_DATA.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results. Existing results are kept.")] = Path("out"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Skip finished trainings and continue unfinished ones.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use small samples and machines, to check that everything works.")
    ] = False,
) -> Options:
    """Check the options that sub-commands share."""
    if not quick and out.resolve().name.lower() == QUICK_FOLDER:
        raise OptionError(f"--out {out}: folders named {QUICK_FOLDER!r} are for --quick. Choose another folder.")
    if seed + seeds > 2**63:
        raise OptionError(f"--seed {seed} with --seeds {seeds} exceeds the largest seed, {2**63 - 1}.")
    chosen = frozenset(method.strip().lower() for method in methods.split(","))
    return Options(out, data_dir, chosen, epochs, range(seed, seed + seeds), n_jobs, resume, quick)


def _experiment(name: str, *without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a sub-command with options of its own and the shared ones, which it gets as its first argument."""

    def register(work: Callable[..., None]) -> Callable[..., None]:
        return reproduce.command(name)(with_options(_options, *without)(work))

    return register


_PresetOption = Annotated[
    Preset,
    typer.Option(
        help="The authors' settings: light is a small machine, with and without weights; classic is the large one "
        "without weights, best the large one with weights (both take hours)."
    ),
]


@_experiment("connect-4", "data_dir")
def _connect_4(options: Options, preset: _PresetOption = Preset.LIGHT) -> None:
    """Train on Connect-4 and compare with the authors' figures.

    Example: wtm reproduce connect-4 --quick
    """
    from wtm.paper.trainings import compare_preset

    compare_preset(options, "connect-4", preset)


@_experiment("mnist")
def _mnist(options: Options, preset: _PresetOption = Preset.LIGHT) -> None:
    """Train on MNIST and compare with the authors' figures.

    Example: wtm reproduce mnist --data-dir data
    """
    from wtm.paper.trainings import compare_preset

    compare_preset(options, "mnist", preset)


@_experiment("imdb")
def _imdb(
    options: Options,
    preset: _PresetOption = Preset.LIGHT,
    recipe: Annotated[Recipe, typer.Option(help="Make features as in the paper or as in the authors' program.")] = (
        Recipe.PAPER
    ),
) -> None:
    """Train on IMDb and compare with the authors' figures.

    Example: wtm reproduce imdb --data-dir data --recipe authors
    """
    from wtm.paper.trainings import compare_preset

    compare_preset(options, "imdb" if recipe == Recipe.PAPER else "imdb-authors", preset)


@_experiment("compression")
def _compression(options: Options, data: _DataSet) -> None:
    """Compare few clauses with weights and many without: 1/4 on MNIST, 1/3 on IMDb, 1/50 on Connect-4.

    Example: wtm reproduce compression connect-4 --seeds 3
    """
    from wtm.paper.trainings import compare_compression

    compare_compression(options, data)


@_experiment("sweep")
def _sweep(
    options: Options,
    data: _DataSet,
    over: Annotated[Swept, typer.Option(help="Vary gamma from 0 upward, the number of clauses, or a TM's T.")],
) -> None:
    """Measure the accuracy over gamma, over the number of clauses, or over the T of a TM.

    Example: wtm reproduce sweep connect-4 --over gamma
    """
    from wtm.paper.trainings import sweep

    sweep(options, data, over)


@_experiment("weights", "methods")
def _weights(options: Options) -> None:
    """Show the weights learnt from MNIST, by class, and their histogram.

    Example: wtm reproduce weights --data-dir data
    """
    from wtm.paper.trainings import learn_weights

    learn_weights(options)


@reproduce.command("report")
def _report(
    results: Annotated[Path, typer.Option(file_okay=False, help="Folder with the results.")] = Path("results"),
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for paper.md and its figures.", show_default="docs; with --quick, that of the results"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Report on quick results.")] = False,
) -> None:
    """Write the report on all results in a folder.

    Example: wtm reproduce report --results results
    """
    from wtm.paper.report import write_report

    folder = results / QUICK_FOLDER if quick else results
    write_report(folder, out or (folder if quick else Path("docs")))


@reproduce.command("verify")
def _verify(
    results: Annotated[Path, typer.Option(file_okay=False, help="Folder with the results.")] = Path("results"),
    epochs: Annotated[int, typer.Option(callback=in_range(1), help="Epochs to train again of each record.")] = 2,
    data_dir: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Folder with the data sets, instead of WTM_DATA.", show_default=False),
    ] = None,
    n_jobs: NJobs = ALL_CORES,
) -> None:
    """Train the first epochs of all results again, and say whether they are the same, bit for bit.

    Example: wtm reproduce verify --results results --data-dir data
    """
    from wtm.paper.verify import verify_results

    verify_results(results, data_dir, epochs, n_jobs)
