"""wtm train and wtm predict on a cluster: what they do with one file that holds the same rows."""

import socket
import subprocess
import sys

import numpy as np
import pytest

from tests.helpers.fits import assert_same_fit
from tests.helpers.shell import QUICK, column, done, refused, typed_people
from wtm import load_model

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with people.parquet, and its rows in the files of people/."""
    folder = tmp_path_factory.mktemp("people")
    table = typed_people().append_column("weight", pa.array(np.arange(120) / 7)).append_column(
        "city", pa.array(["Bonn", None, "Oslo"] * 40).dictionary_encode()
    )  # fmt: skip
    parquet.write_table(table, folder / "people.parquet")
    (folder / "people").mkdir()
    for number, start in enumerate(range(0, 120, 50)):
        parquet.write_table(table[start : start + 50], folder / "people" / f"{number}.parquet", row_group_size=17)
    return folder


@pytest.fixture
def address(in_process):
    return in_process.scheduler.address


@pytest.fixture
def on_cluster(folder, tmp_path):
    """Commands for a cluster, without its address."""
    model = tmp_path / "model.safetensors"
    trained(folder / "people.parquet", *QUICK, "--target", "buys", "--out", model)
    return {
        "train": ("train", folder / "people", "--target", "buys", "--out", tmp_path / "m"),
        "predict": ("predict", model, folder / "people", "--out", tmp_path / "found"),
    }


def replaced(command, name, files):
    """A command with other files instead of the one called `name`."""
    i = command.index(name)
    return *command[:i], *files, *command[i + 1 :]


def trained(*arguments):
    result = done("train", *arguments)
    return load_model(arguments[arguments.index("--out") + 1]), result


@pytest.mark.parametrize(
    "options",
    [
        ("--target", "buys"),
        ("--target", "buys", "--fuzzy", "--refit", "--drop", "colour,city", "--quiet"),
        ("--target", "weight", "--regression", "--holdout", 0),
        ("--target", "city", "--drop-missing-target", "--s", "auto", "--average-last", 2),
    ],
)
def test_a_cluster_trains_the_same_model(folder, address, tmp_path, options):
    near, far = tmp_path / "near.safetensors", tmp_path / "far.safetensors"
    expected, printed = trained(folder / "people.parquet", *QUICK, *options, "--out", near)
    found, printed_far = trained(folder / "people", *QUICK, *options, "--out", far, "--dask", address)
    assert printed_far.stdout == printed.stdout.replace("near", "far")
    assert_same_fit(found, expected)
    assert found.booleanizer_.to_json() == expected.booleanizer_.to_json()
    assert found.target_name_ == expected.target_name_
    assert found.get_params().keys() == expected.get_params().keys()
    assert (found.n_jobs, found.verbose) == (None, 0)


def test_files_are_named_by_a_pattern_or_one_by_one(folder, two_processes, tmp_path):
    names = [folder / "people" / "*.parquet"], sorted((folder / "people").iterdir())
    options = (*QUICK, "--target", "buys", "--dask", two_processes.scheduler.address, "--out", tmp_path / "model")
    first, second = (trained(*files, *options, "--overwrite")[0] for files in names)
    assert_same_fit(first, second)


def test_a_cluster_predicts_the_same(folder, address, tmp_path):
    model, found = tmp_path / "model.safetensors", tmp_path / "found"
    trained(folder / "people.parquet", *QUICK, "--target", "buys", "--out", model)
    options = ("--proba", "--keep", "age,buys")
    done("predict", model, folder / "people.parquet", "--out", tmp_path / "expected.parquet", *options)
    result = done("predict", model, folder / "people", "--out", found, *options, "--dask", address)
    assert "predictions for 120 rows in 1 file" in result.stderr
    assert parquet.read_table(found).equals(parquet.read_table(tmp_path / "expected.parquet"))
    assert "not an empty folder" in refused("predict", model, folder / "people", "--out", found, "--dask", address)


def test_predictions_are_written_chunk_by_chunk(folder, address, tmp_path, monkeypatch):
    from wtm.table_files import parquet_files

    monkeypatch.setattr(parquet_files, "_CELLS_PER_CHUNK", 20 * 7)
    model = tmp_path / "model.safetensors"
    done("train", folder / "people", *QUICK, "--target", "buys", "--out", model, "--dask", address)
    done("predict", model, folder / "people", "--out", tmp_path / "found", "--dask", address)
    parts = sorted((tmp_path / "found").iterdir())
    assert len(parts) > 3
    rows = pa.concat_tables(map(parquet.read_table, parts))["prediction"].to_pylist()
    done("predict", model, folder / "people.parquet", "--out", tmp_path / "expected.csv")
    assert rows == column(tmp_path / "expected.csv")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--n-jobs", 2), 2, "--n-jobs does not go with --dask"),
        (("--early-stopping",), 2, "--early-stopping does not go with --dask"),
        (("--thresholds", "splits"), 2, "--thresholds splits does not go with --dask"),
        (("--target", "bought"), 1, "has no column"),
    ],
)
def test_what_a_cluster_can_not_do_is_refused(folder, address, tmp_path, options, code, message):
    command = ("train", folder / "people", "--target", "buys", "--out", tmp_path / "m", "--dask", address)
    assert message in refused(*command, *options, code=code)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("command", ["train", "predict"])
def test_files_that_can_not_be_read_are_refused(on_cluster, folder, address, tmp_path, command):
    def message(*files, code=1):
        return refused(*replaced(on_cluster[command], folder / "people", files), "--dask", address, code=code)

    csv, other, empty = (tmp_path / name for name in ("data.csv", "other.parquet", "empty"))
    people = folder / "people.parquet"
    csv.write_text("a,b\n1,2\n")
    parquet.write_table(pa.table({"buys": ["yes"], "age": ["old"]}), other)
    empty.mkdir()
    for files in [csv], [people, csv], [tmp_path / "*.csv"]:
        assert f"{csv} is not a Parquet file" in message(*files)
    for name in "none.parquet", "none*.parquet":
        assert f"DATA has '{tmp_path / name}', but there is no such file" in message(tmp_path / name)
    assert f"DATA has '{empty}', a folder without files that end in .parquet" in message(empty)
    assert "standard input" in message("-", code=2)
    assert "standard input" in message(people, "-", code=2)
    assert "DATA must name a file or folder" in message("", code=2)
    assert "the first file has" in message(people, other)
    several = replaced(on_cluster[command], folder / "people", (people, people))
    assert "DATA must be one file, got 2: pass --dask" in refused(*several, code=2)


def test_types_that_can_not_be_joined_are_refused(folder, address, tmp_path):
    table = typed_people()
    other = table.set_column(table.schema.get_field_index("age"), "age", pa.array(["old"] * 120))
    files = tmp_path / "0.parquet", tmp_path / "1.parquet"
    for rows, path in zip((table, other), files, strict=True):
        parquet.write_table(rows, path)
    message = refused("train", *files, "--target", "buys", "--out", tmp_path / "m", "--dask", address)
    assert "DATA must be files whose columns have types that can be joined" in message


@pytest.mark.parametrize("command", ["train", "predict"])
@pytest.mark.parametrize("address", ["nonsense", "", "nonsense://host", "tcp://", "tcp://host:port", "inproc://x"])
def test_what_is_not_an_address_is_refused(on_cluster, command, address):
    message = refused(*on_cluster[command], "--dask", address, code=2)
    assert "--dask must be the address that a scheduler prints when it starts, such as tcp://host:8786; got" in message
    assert repr(address) in message


@pytest.mark.parametrize("command", ["train", "predict"])
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "tls://127.0.0.1:9"])
def test_a_scheduler_that_does_not_answer_is_an_error(on_cluster, monkeypatch, command, address):
    monkeypatch.setattr("wtm.cli.cluster._SECONDS_TO_CONNECT", 1)
    assert f"--dask {address}: no scheduler answers" in refused(*on_cluster[command], "--dask", address)


def test_another_server_is_an_error(on_cluster, monkeypatch):
    monkeypatch.setattr("wtm.cli.cluster._SECONDS_TO_CONNECT", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        assert f"--dask {address}: no scheduler answers (what" in refused(*on_cluster["train"], "--dask", address)


def test_a_wrong_address_leaves_no_client(folder, tmp_path):
    command = (sys.executable, "-m", "wtm", "train", folder / "people", "--target", "buys", "--out", tmp_path / "m")
    done = subprocess.run([*map(str, command), "--dask", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_a_missing_package_is_named(folder, tmp_path):
    program = "import sys; sys.modules['distributed'] = None; from wtm.cli.main import main; main()"
    command = ("train", folder / "people", "--target", "buys", "--out", tmp_path / "m", "--dask", "tcp://127.0.0.1:9")
    done = subprocess.run([sys.executable, "-c", program, *map(str, command)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'weighted-tsetlin-machine[dask]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
