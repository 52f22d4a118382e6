"""Questions that the tables leave open: what is found on them, and what is not trained yet."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studies.designs import ABLATIONS, PROGRAM_SEED, Runs, seed_means
from wtm.paper.intervals import mean_text
from wtm.paper.record import read_records
from wtm.paper.settings import COMPRESSION, SWEEPS, Swept
from wtm.paper.summary import summarise
from wtm.paper.text_table import NOTHING, Table

Results = dict[str, Runs]
"""See `studies.designs.read_ablations`."""

_HEADER = ("question", "found (%)", "not trained yet", "command")
_PROGRAM = "program"
_OTHER_SEEDS = 4
_SKIPPED = 2
_MACHINES = {"connect-4-large-file-order": "WTM", "connect-4-large-tm-file-order": "TM"}


@dataclass(frozen=True)
class Question:
    """A question, what answers it so far, what is not trained, and the command that trains it."""

    text: str
    command: str
    found: Callable[[Results, Path], str]
    missing: Callable[[Results, Path], str]


def questions_table(results: Results, folder: Path) -> Table:
    """Return a row per question, given the ablations and the folder of all results."""
    rows = [
        [q.text, q.found(results, folder) or NOTHING, q.missing(results, folder) or NOTHING, f"`{q.command}`"]
        for q in QUESTIONS
    ]
    return Table(_HEADER, rows, words=True)


def _program(results: Results, *, own: bool) -> Runs:
    return [run for run in results.get(_PROGRAM, []) if (run["seed"] == PROGRAM_SEED) == own]


def _found_own(results: Results, folder: Path) -> str:
    return "; ".join(
        f"{seed_means(_PROGRAM, [run])[0]:.2f} after {len(run['test_accuracy']):,} epochs"
        for run in _program(results, own=True)
    )


def _missing_own(results: Results, folder: Path) -> str:
    done = max((len(run["test_accuracy"]) for run in _program(results, own=True)), default=0)
    planned = ABLATIONS[_PROGRAM].n_epochs
    return f"epochs {done + 1} to {planned}" if done < planned else ""


def _found(key: str, runs: Runs) -> str:
    if not runs:
        return ""
    n_epochs = min(len(run["test_accuracy"]) for run in runs)
    return f"{mean_text(seed_means(key, runs, n_epochs))}, {n_epochs:,} epochs"


def _fewer(n: int, wanted: int, what: str) -> str:
    return f"{wanted - n} of {wanted} {what}" if n < wanted else ""


def _found_in_file_order(results: Results, folder: Path) -> str:
    return "; ".join(f"{name} {_found(key, results[key])}" for key, name in _MACHINES.items() if key in results)


def _missing_in_file_order(results: Results, folder: Path) -> str:
    return " and ".join(name for key, name in _MACHINES.items() if key not in results)


def _points(data: str, folder: Path) -> dict[int, str]:
    """Return the mean for each T of the sweep that is trained, over the last epochs of the sweep."""
    records = read_records(folder / data)
    found = {}
    for plan in SWEEPS[data][Swept.T]:
        if of_setting := [record for record in records if record.setting == plan.setting]:
            summary = summarise(of_setting, plan.n_epochs)
            n = summary.n_seeds
            found[plan.setting.T] = f"T {plan.setting.T}: {summary.mean:.2f} ({n} seed{'s' * (n != 1)})"
    return found


def _sweep(data: str, name: str) -> Question:
    return Question(
        f"{name}: is the TM of {COMPRESSION[data].classic.setting.n_clauses:,} clauses better with another T, after "
        f"{SWEEPS[data][Swept.T][0].n_epochs} epochs?",
        f"wtm reproduce sweep {data} --over T",
        lambda results, folder: ", ".join(_points(data, folder).values()),
        lambda results, folder: _fewer(len(_points(data, folder)), len(SWEEPS[data][Swept.T]), "points"),
    )


QUESTIONS = (
    Question(
        "Does the program's own seed keep its mean until epoch 300?",
        "python -m studies.authors_program program",
        _found_own,
        _missing_own,
    ),
    Question(
        "Does the program reach it with other seeds?",
        f"python -m studies.authors_program program --seeds {_OTHER_SEEDS + 1}",
        lambda results, folder: _found(_PROGRAM, _program(results, own=False)),
        lambda results, folder: _fewer(len(_program(results, own=False)), _OTHER_SEEDS, "seeds"),
    ),
    Question(
        "Does the own seed after an irrelevant change, some draws skipped?",
        f"python -m studies.authors_program program-skipping --seeds {_SKIPPED}",
        lambda results, folder: _found("program-skipping", results.get("program-skipping", [])),
        lambda results, folder: _fewer(len(results.get("program-skipping", [])), _SKIPPED, "trainings"),
    ),
    Question(
        "Connect-4: what do 25,000 clauses reach in the order of the file?",
        f"python -m studies.ablations {' '.join(_MACHINES)}",
        _found_in_file_order,
        _missing_in_file_order,
    ),
    _sweep("imdb", "IMDb"),
    _sweep("connect-4", "Connect-4"),
)
