"""The command ``wtm reproduce``: its sub-commands and options.

Importing this module is cheap: whatever computes is imported by the sub-command that needs it.
"""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wtm.cli.errors import one_line_on_failure
from wtm.cli.threads import ALL_CORES, NJobs
from wtm.paper.settings import Over, Preset

if TYPE_CHECKING:
    from wtm.paper.run import Options

__all__ = ["reproduce"]

reproduce = typer.Typer(no_args_is_help=True, help="Run an experiment of the paper.")

_OUT = Path("out")


class Recipe(StrEnum):
    """Ways to make IMDb's features."""

    PAPER = "paper"
    AUTHORS = "authors"


def _check_data(data: str) -> str:
    if data not in _DATA:
        raise typer.BadParameter(f"{data!r} must be one of {', '.join(_DATA)}.")
    return data


def _check_methods(methods: str) -> str:
    chosen = {method.strip().lower() for method in methods.split(",")}
    if not chosen <= _METHODS:
        raise typer.BadParameter(f"{methods!r} must be wtm, tm, or wtm,tm.")
    return ",".join(sorted(chosen))


_METHODS = {"wtm", "tm"}
_DATA = ("connect-4", "mnist", "imdb")

_Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed; the same seed gives the same model.")]
_Seeds = Annotated[int, typer.Option(min=1, max=1000, help="So many trainings of each, with seeds from --seed upward.")]
_PresetOption = Annotated[
    Preset,
    typer.Option(
        help="The authors' settings: light is a small machine, with weights and without; classic the large one without "
        "weights; best the large one with weights (large ones take hours)."
    ),
]
_Methods = Annotated[
    str, typer.Option(callback=_check_methods, help="Only these machines: wtm (with weights), tm (without), or wtm,tm.")
]
_Epochs = Annotated[
    int | None, typer.Option(min=1, help="Epochs of every machine, instead of its own.", show_default=False)
]
_DataDir = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Folder with the data sets; else WTM_DATA. Connect-4 is in the package."),
]
_Out = Annotated[
    Path, typer.Option(file_okay=True, help="Folder for the results, by data set. Results that are there stay.")
]
_Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Leave out what is finished there, and go on with what was interrupted; without it, neither is touched, "
        "and the command ends with an error.",
    ),
]
_Quick = Annotated[
    bool, typer.Option("--quick", help="Small samples and machines, in a folder of their own: to see that all works.")
]
_DataSet = Annotated[str, typer.Argument(help="connect-4, mnist or imdb.", metavar="DATA", callback=_check_data)]


@reproduce.command("connect-4")
def _connect_4(
    preset: _PresetOption = Preset.LIGHT,
    methods: _Methods = "wtm,tm",
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """Connect-4: train, compare with the authors' figures, draw the learning curve, write down the rules."""
    with one_line_on_failure():
        from wtm.paper import accuracy

        options = _options(out, None, epochs, seed, seeds, n_jobs, resume, quick)
        accuracy.reproduce("connect-4", preset, _set(methods), options)


@reproduce.command("mnist")
def _mnist(
    preset: _PresetOption = Preset.LIGHT,
    methods: _Methods = "wtm,tm",
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """MNIST: the same."""
    with one_line_on_failure():
        from wtm.paper import accuracy

        options = _options(out, data_dir, epochs, seed, seeds, n_jobs, resume, quick)
        accuracy.reproduce("mnist", preset, _set(methods), options)


@reproduce.command("imdb")
def _imdb(
    preset: _PresetOption = Preset.LIGHT,
    methods: _Methods = "wtm,tm",
    recipe: Annotated[
        Recipe, typer.Option(help="The features: as the paper's text has them, or as the authors' program makes them.")
    ] = Recipe.PAPER,
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """IMDb: the same."""
    with one_line_on_failure():
        from wtm.paper import accuracy

        options = _options(out, data_dir, epochs, seed, seeds, n_jobs, resume, quick)
        data = "imdb" if recipe == Recipe.PAPER else "imdb-authors"
        accuracy.reproduce(data, preset, _set(methods), options)


@reproduce.command("economy")
def _economy(
    data: _DataSet,
    methods: _Methods = "wtm,tm",
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """Few weighted clauses against many without weights: 1/4 on MNIST, 1/3 on IMDb, 1/50 on Connect-4."""
    with one_line_on_failure():
        from wtm.paper import economy

        economy.reproduce(data, _set(methods), _options(out, data_dir, epochs, seed, seeds, n_jobs, resume, quick))


@reproduce.command("sweep")
def _sweep(
    data: _DataSet,
    over: Annotated[Over, typer.Option(help="What is varied: gamma from 0 upward, or the number of clauses.")],
    methods: _Methods = "wtm,tm",
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """Accuracy over gamma, or over the number of clauses of TM and WTM."""
    with one_line_on_failure():
        from wtm.paper import sweep

        sweep.reproduce(data, over, _set(methods), _options(out, data_dir, epochs, seed, seeds, n_jobs, resume, quick))


@reproduce.command("weights")
def _weights(
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """The weights that are learnt from MNIST, by class, and their histogram."""
    with one_line_on_failure():
        from wtm.paper import weights

        weights.reproduce(_options(out, data_dir, epochs, seed, seeds, n_jobs, resume, quick))


@reproduce.command("vanilla")
def _vanilla(
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """Well-known methods of scikit-learn on MNIST's bits."""
    with one_line_on_failure():
        from wtm.paper import vanilla

        vanilla.reproduce(_options(out, data_dir, None, seed, seeds, 1, resume, quick))


@reproduce.command("variants")
def _variants(
    only: Annotated[str, typer.Option(help="Only these, by name, such as lazy,direct; a wrong name lists them.")] = "",
    epochs: _Epochs = None,
    seed: _Seed = 0,
    seeds: _Seeds = 1,
    n_jobs: NJobs = ALL_CORES,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    resume: _Resume = False,
    quick: _Quick = False,
) -> None:
    """What might move the mean accuracy: the order of the examples, the start, the engine, the draws."""
    with one_line_on_failure():
        from wtm.paper import variants

        names = [name.strip() for name in only.split(",") if name.strip()]
        variants.reproduce(names, _options(out, data_dir, epochs, seed, seeds, n_jobs, resume, quick))


@reproduce.command("sampling")
def _sampling(
    rounds: Annotated[int, typer.Option(min=1, help="How often each sampler is timed at each size.")] = 61,
    seed: _Seed = 0,
    data_dir: _DataDir = None,
    out: _Out = _OUT,
    quick: _Quick = False,
) -> None:
    """Sampling: time the paper's Algorithm 1 and two other samplers, and check what they draw.

    Where there is MNIST, the first epoch is timed with each as well.
    """
    with one_line_on_failure():
        from wtm.paper import sampling

        sampling.reproduce(min(rounds, 3) if quick else rounds, _options(out, data_dir, None, seed, 1, 1, False, quick))


@reproduce.command("report")
def _report(
    results: Annotated[Path, typer.Option(file_okay=False, help="Folder with the results.")] = Path("results"),
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for paper.md and its figures: docs, for quick results theirs.", show_default=False),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Of the quick results in the folder.")] = False,
) -> None:
    """Make the report from whatever results there are."""
    with one_line_on_failure():
        from wtm.paper import report

        folder = results / "quick" if quick else results
        report.write_report(folder, out or (folder if quick else Path("docs")))


def _options(
    out: Path,
    data_dir: Path | None,
    epochs: int | None,
    seed: int,
    seeds: int,
    n_jobs: int,
    resume: bool,
    quick: bool,
) -> "Options":
    from wtm.paper.run import QUICK_FOLDER, Options

    if not quick and out.resolve().name.lower() == QUICK_FOLDER:
        raise ValueError(f"--out {out}: folders called {QUICK_FOLDER!r} are for the results of --quick. Take another.")
    if seed + seeds > 2**63:
        raise ValueError(f"--seed {seed} with --seeds {seeds} goes beyond the largest seed, {2**63 - 1}: begin lower.")
    return Options(
        out=out,
        data_dir=data_dir,
        n_epochs=epochs,
        seeds=range(seed, seed + seeds),
        n_jobs=n_jobs,
        resume=resume,
        quick=quick,
    )


def _set(methods: str) -> frozenset[str]:
    return frozenset(methods.split(","))
