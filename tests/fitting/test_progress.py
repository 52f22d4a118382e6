"""Progress in a notebook."""

import builtins
import re
import warnings

import pytest

from tests.helpers.problems import small, three_classes
from wtm.fitting.progress import bar

CELL = """
import warnings
warnings.simplefilter("error")
from wtm import WTMClassifier
X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5
clf = WTMClassifier(n_clauses=4, T=2, n_epochs=3, random_state=0, verbose=1).fit(X, [0, 1, 1, 0] * 5)
"""


class ZMQInteractiveShell:
    """What `get_ipython` returns in a notebook, by its name."""


@pytest.fixture
def in_a_notebook(monkeypatch):
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)


def shown(text):
    """The lines on the screen once each carriage return has moved the cursor back."""
    lines = []
    for line in text.split("\n"):
        seen = ""
        for part in line.split("\r"):
            seen = part + seen[len(part) :]
        lines.append(seen.rstrip())
    return lines


def assert_last_epoch(text):
    line, end = shown(text)
    assert end == ""
    assert re.fullmatch(r"wtm 3/3: train [\d.]+ %, [\d.]+ literals/clause, [\d.]+ s", line)
    assert [part.split(":")[0] for part in text.split("\r")] == ["wtm 0/3", "wtm 1/3", "wtm 2/3", "wtm 3/3"]


def test_a_notebook_shows_one_line_that_is_overwritten(in_a_notebook, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(verbose=1).fit(*three_classes())
    out, err = capsys.readouterr()
    assert out == ""
    assert_last_epoch(err)


def test_a_shorter_line_hides_a_longer_one(in_a_notebook, capsys):
    notes = ["a long note", "short", ""]
    assert list(bar(notes, 3, "fit", str)) == notes
    assert shown(capsys.readouterr().err) == ["fit 3/3:", ""]


def test_the_line_ends_where_the_training_does(in_a_notebook, capsys):
    small(verbose=1, callbacks=lambda epoch: epoch.number == 2).fit(*three_classes())
    line, end = shown(capsys.readouterr().err)
    assert line.startswith("wtm 2/3: ")
    assert end == ""


@pytest.mark.slow
def test_a_real_notebook_shows_the_line_and_no_warning():
    for module in ("ipykernel", "nbclient", "nbformat"):
        pytest.importorskip(module, reason=f"needs {module} to run a notebook")
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    outputs = notebook.cells[0].outputs
    assert {output.output_type for output in outputs} == {"stream"}
    assert {output.name for output in outputs} == {"stderr"}
    assert_last_epoch("".join(output.text for output in outputs))
