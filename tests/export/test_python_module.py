import ast
import subprocess
import sys

import pytest
from hypothesis import given, settings

from tests.helpers.export_cases import CASES, HOSTILE_NAMES, bits, names, table, wide
from wtm.export import to_python


def module(source):
    scope: dict = {}
    exec(compile(source, "model.py", "exec"), scope)
    return scope


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rows_get_the_same_sums_and_labels(case):
    case = case()
    scope = module(to_python(case.clf))
    assert [scope["class_sums"](row) for row in case.rows] == case.sums
    assert [scope["predict"](row) for row in case.rows] == case.labels


def test_rows_may_be_mappings_with_missing_values_of_any_kind():
    case = table().first(100)
    columns = ["age", "income", "colour", "member", "n"]
    scope = module(to_python(case.clf, feature_names=columns))
    rows = [dict(zip(columns, row, strict=True)) for row in case.rows]
    assert [scope["class_sums"](row) for row in rows] == case.sums
    nans = [{name: float("nan") if x is None else x for name, x in row.items()} for row in rows]
    assert [scope["class_sums"](row) for row in nans] == case.sums
    with pytest.raises(KeyError):
        scope["predict"]({})
    with pytest.raises(ValueError, match="5 values, got 4"):
        scope["predict"](case.rows[0][:4])


def test_wide_rows_work():
    case = wide()
    scope = module(to_python(case.clf))
    dense = case.X[:5].toarray().tolist()
    assert [scope["class_sums"](row) for row in dense] == case.sums[:5]


def test_it_runs_without_any_package(tmp_path):
    case = table()
    (tmp_path / "model.py").write_text(to_python(case.clf), "ascii")
    code = f"import model; print([model.predict(row) for row in {case.rows[:20]!r}])"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ast.literal_eval(ran.stdout) == case.labels[:20]


def check_names(columns):
    case = bits(len(columns))
    source = to_python(case.clf, feature_names=columns)
    assert source.isascii()
    scope = module(source)
    assert {type(node).__name__ for node in ast.parse(source, feature_version=(3, 6)).body} == {
        "Expr",
        "Assign",
        "FunctionDef",
    }
    rows = [dict(zip(columns, row, strict=True)) for row in case.rows]
    assert [scope["class_sums"](row) for row in rows] == case.sums


@settings(max_examples=25)
@given(names)
def test_names_are_data(columns):
    check_names(columns)


def test_hostile_names_are_data():
    check_names(HOSTILE_NAMES)
