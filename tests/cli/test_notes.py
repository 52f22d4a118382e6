import warnings

import pytest

from tests.helpers.shell import as_csv, done, people
from wtm.cli.notes import warnings_as_notes


def test_a_warning_is_noted_once_and_before_the_work_continues():
    noted = []
    with warnings_as_notes(noted.append):
        for _ in range(2):
            warnings.warn("no rule can use it", UserWarning, stacklevel=1)
            warnings.warn("a dependency calls an old function", DeprecationWarning, stacklevel=1)
            assert noted == ["no rule can use it"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("outside", UserWarning, stacklevel=1)
    assert len(caught) == 1


@pytest.mark.parametrize("command", ["predict", "evaluate", "rules", "explain", "report", "prune", "refit", "simplify"])
def test_every_command_notes_a_warning_of_the_model_once(command, trained, write, tmp_path):
    pytest.importorskip("pyarrow")
    table = people()
    data = write(as_csv(table | {"age": [""] * len(table["age"])}))
    given = ["--data", data] if command in ("rules", "report") else [data]
    if command not in ("evaluate", "rules", "explain"):
        given += ["--out", tmp_path / ("out.csv" if command == "predict" else "out")]
    given += ["--rules", 3] if command == "prune" else []
    arguments = (command, trained[0] / "model.safetensors", *given)
    result = done(*arguments)
    assert result.stderr.count("column 'age' is missing in all rows") == 1
    assert all(line.startswith("note: ") for line in result.stderr.splitlines())
    assert done(*arguments, *(["--overwrite"] if "--out" in given else []), "--quiet").stderr == ""
