"""All formats on real data: class sums and labels of the classifier, on 1,000 rows or more."""

import gzip

import numpy as np
import pytest

from tests.export import test_c_source as c
from tests.export import test_onnx_graph as onnx
from tests.export import test_python_module as python
from tests.export import test_sql_query as sql
from tests.export import test_verilog_module as verilog
from tests.helpers.export_cases import Case
from wtm import WTMClassifier
from wtm.export import from_json, to_json, to_python

pytestmark = pytest.mark.slow

FILES = {"adult": ("adult/adult.data.gz", -1), "mushroom": ("mushroom/agaricus-lepiota.data.gz", 0)}
N_ROWS = 1500


@pytest.fixture(scope="module", params=FILES)
def case(request, real_data):
    path, target = FILES[request.param]
    with gzip.open(real_data(request.param) / path, "rt") as file:
        rows = [[_value(cell.strip()) for cell in line.split(",")] for line in file if line.strip()]
    y = [row.pop(target) for row in rows]
    clf = WTMClassifier(n_clauses=60, n_epochs=5, n_jobs=-1, random_state=0)
    clf.fit(np.array(rows[N_ROWS:], object), y[N_ROWS:])
    return Case(clf, np.array(rows[:N_ROWS], object), rows[:N_ROWS])


def _value(text):
    if text == "?":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def test_json(case):
    loaded = from_json(to_json(case.clf))
    assert loaded.class_sums(case.X).tolist() == case.sums


def test_python(case):
    scope = python.module(to_python(case.clf))
    assert [scope["class_sums"](row) for row in case.rows] == case.sums
    assert [scope["predict"](row) for row in case.rows] == case.labels


@pytest.mark.skipif(c.CC is None, reason="needs a C compiler")
def test_c(case, tmp_path):
    c.check(tmp_path, case)


@pytest.mark.parametrize("dialect", sql.DIALECTS)
def test_sql(case, dialect):
    sql.check(dialect, case)


def test_onnx(case):
    onnx.check(case)


@pytest.mark.skipif(verilog.IVERILOG is None, reason="needs Icarus Verilog (Debian package iverilog)")
def test_verilog(case, tmp_path):
    verilog.check(tmp_path, case)
