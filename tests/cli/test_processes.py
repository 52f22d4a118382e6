"""The commands as processes."""

import functools
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.helpers.shell import N_ROWS, QUICK, WTM, as_csv, people, same_model
from wtm import load_model

pytest.importorskip("pyarrow")


def process(*arguments, **options):
    return subprocess.run([WTM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def test_processes(trained, tmp_path):
    data, model = trained[0] / "people.csv", tmp_path / "m"
    result = process("train", data, "--target", "buys", "--out", model, *QUICK)
    assert (result.returncode, result.stderr) == (0, "")
    assert same_model(load_model(model), load_model(trained[0] / "model.safetensors"))
    result = process("predict", model, data)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (trained[0] / "predictions.csv").read_text("utf-8")


def test_help_is_quick_since_nothing_is_imported():
    code = (
        "import sys, wtm.cli.app; print({'numpy', 'pyarrow', 'sklearn', 'numba', 'rich.progress'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout == "set()\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_interrupted_training_leaves_nothing(tmp_path):
    data = tmp_path / "people.csv"
    data.write_text(as_csv(people() | {"id": [f"person {i}" for i in range(N_ROWS)]}), "utf-8")
    command = ["train", data, "--target", "buys", "--out", tmp_path / "m", "--epochs", "10000000"]
    # A test run in the background of a script ignores the signal, and its children would inherit that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([WTM, *map(str, command)], preexec_fn=listen, **pipes) as process:
        try:
            assert "column 'id'" in process.stderr.readline()
            time.sleep(0.5)  # all is read, and training comes next
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, output, errors) == (130, "", "wtm: interrupted.\n")
    assert list(tmp_path.iterdir()) == [data]


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_a_reader_that_goes_away_is_no_failure_with_a_traceback(trained, tmp_path):
    table = {name: values * 400 for name, values in people().items()}
    data = tmp_path / "many.csv"
    data.write_text(as_csv(table), "utf-8")
    command = [WTM, "predict", str(trained[0] / "model.safetensors"), str(data), "--keep", "colour"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "colour,prediction\n"
        process.stdout.close()
        errors = process.stderr.read()
    assert "Traceback" not in errors


IN_THE_MIDDLE_OF_WRITING = """
import sys, time
import wtm.cli.predictions, wtm.utils.atomic_write
from wtm.cli.main import main

def wait(*_):
    print("writing", flush=True)
    time.sleep(60)

wtm.cli.predictions.Predictions._predict = wtm.utils.atomic_write.os.fsync = wait
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
@pytest.mark.parametrize("command", ["train", pytest.param("predict", marks=pytest.mark.slow)])
def test_sigterm_in_the_middle_of_writing_leaves_nothing(trained, tmp_path, command):
    data, out = trained[0] / "people.csv", tmp_path / "out.csv"
    rest = [data, "--target", "buys", *QUICK] if command == "train" else [trained[0] / "model.safetensors", data]
    out.write_text("precious", "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", IN_THE_MIDDLE_OF_WRITING, command, *map(str, rest), "--out", str(out), "--overwrite"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while (line := process.stdout.readline()) != "writing\n":
            assert line
        assert len(list(tmp_path.iterdir())) == 2
        for _ in range(2):  # as `timeout` does
            process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, errors) == (143, "wtm: terminated.\n")
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["precious"]


IN_THE_MIDDLE_OF_AN_IMPORT = """
import os, signal, sys
from wtm.cli.main import main

class Interrupted:
    def find_spec(self, name, path, target=None):
        if name == "wtm.cli.train":
            try:
                os.kill(os.getpid(), signal.{signal})
            except BaseException:
                raise {error}("half imported") from None

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupted())
sys.argv = ["wtm", "train", "data.csv", "--target", "y", "--out", "m"]
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
@pytest.mark.parametrize(
    "error",
    [
        "ImportError",
        pytest.param("RuntimeError", marks=pytest.mark.slow),
        pytest.param("ValueError", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    ("name", "end"), [("SIGINT", (130, "wtm: interrupted.\n")), ("SIGTERM", (143, "wtm: terminated.\n"))]
)
def test_a_signal_that_an_import_turns_into_an_error_is_still_one(tmp_path, name, end, error):
    code = IN_THE_MIDDLE_OF_AN_IMPORT.format(signal=name, error=error)
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (result.returncode, result.stderr) == end


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_sigterm_that_is_ignored_stays_so():
    code = (
        "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nimport wtm.cli.app, wtm.cli.main\n"
        "wtm.cli.app.app = lambda **_: os.kill(os.getpid(), signal.SIGTERM)\nwtm.cli.main.main()\nprint('alive')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (0, "alive\n")
