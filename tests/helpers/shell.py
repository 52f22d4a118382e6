"""The commands as a shell calls them, and tables for them."""

import csv
import io
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from wtm.cli.app import app
from wtm.rules import rules_of

WTM = str(Path(sysconfig.get_path("scripts")) / "wtm")
QUICK = ("--clauses", 10, "--T", 5, "--s", 4, "--epochs", 2)
N_ROWS = 120


def invoke(*arguments, input=None):
    return CliRunner().invoke(app, list(map(str, arguments)), prog_name="wtm", input=input)


def done(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result


def refused(*arguments, code=1):
    """The one line of a command that fails."""
    result = invoke(*arguments)
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    notes = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert len(notes) == 1, result.stderr
    assert notes[0].startswith("wtm: ")
    return notes[0]


def people(n_rows=N_ROWS):
    """Columns of all kinds; who is older than 40 or a member buys."""
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 80, n_rows)
    member = rng.random(n_rows) < 0.3
    return {
        "age": [str(age) for age in ages],
        "colour": [("red", "blue", "light, green", 'say "grey"')[i] for i in rng.integers(0, 4, n_rows)],
        "income": ["" if i % 7 == 0 else f"{i / 4}" for i in rng.integers(100, 300, n_rows)],
        "member": ["True" if is_member else "False" for is_member in member],
        "postcode": [("A420", "B101", "C999")[i] for i in rng.integers(0, 3, n_rows)],
        "buys": ["yes" if age > 40 or is_member else "no" for age, is_member in zip(ages, member, strict=True)],
    }


def write_people():
    """Write people.csv, which the pages of the documentation use, to the working folder."""
    Path("people.csv").write_text(as_csv(people()), encoding="utf-8")


def typed_people():
    pa = pytest.importorskip("pyarrow")
    table = people()
    return pa.table(
        table
        | {
            "age": [int(age) for age in table["age"]],
            "income": [float(income) if income else None for income in table["income"]],
            "member": [member == "True" for member in table["member"]],
        }
    )


def as_csv(columns, *, separator=",", newline="\n", header=True):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=newline)
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def read_csv(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def column(path, name="prediction"):
    return [row[name] for row in read_csv(path)]


def same_model(one, other):
    return one.booleanizer_.to_json() == other.booleanizer_.to_json() and rules_of(one) == rules_of(other)
