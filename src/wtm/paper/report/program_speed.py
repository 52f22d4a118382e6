"""The speed of the authors' program next to ours on the same machine, from the file of `studies.program_speed`."""

from pathlib import Path
from statistics import mean
from typing import Any

from wtm.paper.json_files import check_environment, naming, read_json
from wtm.paper.text_table import Table

RESULTS = "program-speed.json"

Results = dict[str, Any]
"""The content of the file: for each machine the seconds per epoch of each program."""

_HEADER = ("MNIST, s/epoch of the processor", "authors' program", "repetition", "wtm", "authors' / wtm")


def read_program_speed(path: Path) -> Results | None:
    """Read the file, if it is there; ValueError if it is damaged."""
    if not path.exists():
        return None
    results = read_json(path)
    with naming(path):
        check_environment(results)
        _ = speed_table(results), explain_program_speed(results)
    return results


def speed_table(results: Results) -> Table:
    """Return a row for the first and the last timed epoch of each machine."""
    rows = []
    for machine in results["machines"]:
        seconds = {name: machine[name]["seconds"] for name in ("program", "repetition", "wtm")}
        for epoch in sorted({1, len(seconds["program"])}):
            theirs, again, ours = (of_program[epoch - 1] for of_program in seconds.values())
            name = f"{machine['n_clauses']:,} clauses, epoch {epoch}"
            rows.append([name, f"{theirs:.3g}", f"{again:.3g}", f"{ours:.2g}", f"{theirs / ours:.2g}"])
    return Table(_HEADER, rows)


def explain_program_speed(results: Results) -> str:
    """Return how to read a `speed_table`."""
    epochs = sum(len(machine["program"]["seconds"]) for machine in results["machines"])
    load, cores = mean(machine["load"] for machine in results["machines"]), results["machine"]["cores"]
    same = "the same test accuracy" if repeats_exactly(results) else "**another test accuracy**"
    return (
        "The authors' program, compiled by its makefile, its repetition draw by draw, and `wtm`, one after another on "
        "one thread of the same machine, each once, in the processor's time; meanwhile "
        f"{load:.1f} processes shared its {cores} cores on average. "
        f"Program and repetition have {same} after each of the {epochs} epochs."
    )


def repeats_exactly(results: Results) -> bool:
    """Return whether the repetition has the program's test accuracy after every epoch, to its four digits."""
    return all(m["program"]["test_accuracy"] == m["repetition"]["test_accuracy"] for m in results["machines"])
