"""Files of other kinds, as their programs write them, are recognized by every command, compressed or not."""

import bz2
import gzip
import io
import json
import pickle
import sqlite3
import zipfile

import numpy as np
import pytest

from tests.helpers.shell import as_csv, people, refused, same_model
from wtm import load_model

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")


def in_memory(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def sqlite_file():
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table people (age int)")
        return connection.serialize()


def zip_file():
    return in_memory(lambda file: zipfile.ZipFile(file, "w").writestr("people.csv", as_csv(people())))


KINDS = {
    "a zip archive or an Excel workbook": zip_file,
    "a Feather file": lambda: in_memory(lambda file: feather.write_feather(pa.table(people()), file)),
    "a pickle": lambda: pickle.dumps(people()),
    "an SQLite database": sqlite_file,
    "JSON": lambda: json.dumps(people()).encode(),
    "a NumPy array": lambda: in_memory(lambda file: np.save(file, np.arange(9))),
    "a page of HTML or XML": lambda: b"\n<!DOCTYPE html><html>not found</html>",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_files_of_other_kinds_are_named_with_a_remedy(trained, write, tmp_path, kind, pack):
    data, model = write(pack(KINDS[kind]())), trained[0] / "model.safetensors"
    for command in (("train", data, "--target", "buys", "--out", tmp_path / "m"), ("predict", model, data)):
        for options in ((), ("--encoding", "latin-1"), ("--separator", ";")):
            line = refused(*command, *options)
            assert f"{data} is {kind}, not CSV or Parquet. " in line
            assert "--" not in line


def test_a_model_in_place_of_the_table_is_recognized(trained):
    model = trained[0] / "model.safetensors"
    assert "is a model file, not CSV or Parquet" in refused("predict", model, model)


@pytest.mark.parametrize("pack", [bz2.compress, lambda content: pa.compress(content, "zstd", asbytes=True)])
def test_compressed_files_are_read_whatever_their_name_is(trained, train, write, pack):
    clf, _ = train(write(pack(as_csv(people()).encode()), "packed"))
    assert same_model(clf, load_model(trained[0] / "model.safetensors"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(range(1, 256)) * 3, "does not seem to be text"),
        (b"\x00\x01\x02\xff" * 100, "does not seem to be text"),
        (b"# made by a program\na,buys\n1,yes\n2,no\n", "Is the first line a title or a comment? Then remove it."),
        (b'"a","buys\n1,yes\n', "has no rows. Is there a quotation mark that is not closed?"),
        (b"a, Buys\n1,yes\n2,no\n", "Did you mean ' Buys'?"),
    ],
)
def test_the_likely_reason_is_named(write, tmp_path, content, words):
    line = refused("train", write(content), "--target", "buys", "--out", tmp_path / "m")
    assert words in line
    assert "--encoding" not in line
