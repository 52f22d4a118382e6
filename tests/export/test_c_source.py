import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings

from tests.helpers.export_cases import CASES, HOSTILE_NAMES, Case, bits, connect_4, names, table, wide
from tests.helpers.problems import small
from wtm.export import to_c
from wtm.export.model_tables import ModelTables
from wtm.tables.conditions import Categories

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wno-float-conversion", "-O1"]

MAIN = """\
#include "NAME.h"
#include <stdio.h>
static NAME_number row[UPPER_N_COLUMNS];
int main(void)
{
    while (fread(row, sizeof row, 1, stdin) == 1) {
        uint8_t features[UPPER_N_BYTES];
        NAME_sum sums[UPPER_N_CLASSES];
        int i;
        NAME_encode(row, features);
        NAME_class_sums(features, sums);
        printf("%d", NAME_predict(row));
        for (i = 0; i < UPPER_N_CLASSES; i++) printf(" %lld", (long long)sums[i]);
        printf("\\n");
    }
    return 0;
}
"""


def write(folder, source, name="model"):
    (folder / f"{name}.h").write_text(source.header, "ascii")
    (folder / f"{name}.c").write_text(source.source, "ascii")


def build(folder, main, *sources):
    (folder / "main.c").write_text(main)
    command = [CC, *FLAGS, "main.c", *sources, "-o", "main"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[:3000]
    return folder / "main"


def numbers(case, dtype=np.float64, missing=np.nan):
    """Rows as the program takes them: categories as codes."""
    booleanizer = case.clf.booleanizer_
    conditions = [None] * case.clf.n_features_in_ if booleanizer is None else booleanizer.conditions_

    def number(x, of_column):
        if x is None:
            return missing
        if isinstance(of_column, Categories):
            return of_column.values.index(x) if x in of_column.values else -1
        return x

    return np.array([[number(x, c) for x, c in zip(row, conditions, strict=True)] for row in case.rows], dtype)


def check(folder, case, dtype=np.float64, missing=np.nan, **options):
    """Compile the model alone, and compare its labels and sums with the classifier's."""
    source = to_c(case.clf, **options)
    write(folder, source)
    program = build(folder, MAIN.replace("NAME", "model").replace("UPPER", "MODEL"), "model.c")
    ran = subprocess.run([program], input=numbers(case, dtype, missing).tobytes(), capture_output=True, check=True)
    found = np.array([line.split() for line in ran.stdout.decode().splitlines()], np.int64)
    unit = float(re.search("MODEL_UNIT (.*?) /", source.header)[1])
    assert (case.clf.classes_[found[:, 0]] == case.labels).all()
    if "bits" not in options:
        assert (found[:, 1:] * unit == case.sums).all()
    return source


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rows_get_the_same_sums_and_labels(case, tmp_path):
    check(tmp_path, case())


def test_wide_rows_work(tmp_path):
    case = wide()
    check(tmp_path, Case(case.clf, case.X[:20], case.X[:20].toarray().tolist()))


def test_float_rows_are_exact(tmp_path):
    """Thresholds such as 0.2 lie between two floats; they are rounded so that no float changes sides."""
    case = table()
    thresholds = [t for c in case.clf.booleanizer_.conditions_[:2] for t in c.thresholds]
    near = [np.nextafter(np.float32(t), np.float32(way)) for t in thresholds for way in (-np.inf, np.inf)]
    rows = [list(row) for row in case.rows]
    for i, row in enumerate(rows):
        row[:2] = [None if x is None else float(np.float32(x)) for x in row[:2]]
        if i < 2 * len(near):
            row[i % 2] = float(near[i // 2])
    check(tmp_path, Case(case.clf, np.array(rows, object), rows), np.float32, number_type="float")


def test_integer_rows_are_exact(tmp_path):
    case = table()
    rows = [[x if x is None or isinstance(x, str) else round(x) for x in row] for row in case.rows]
    source = check(tmp_path, Case(case.clf, np.array(rows, object), rows), np.int32, -(2**31), number_type="int32_t")
    assert "double" not in source.header + source.source
    assert "float" not in (source.header + source.source).replace("-ffast-math", "")


def test_the_size_is_that_of_the_tables(tmp_path):
    source = to_c(connect_4().clf, bits=8)
    write(tmp_path, source)
    tables = re.findall(r"^static const \w+ (\w+)\[", source.source, re.MULTILINE)
    sizes = " + ".join(f"sizeof {name}" for name in tables)
    main = (
        f'#include "model.c"\n#include <stdio.h>\nint main(void) {{ printf("%d %d", (int)({sizes}), '
        "MODEL_TABLE_BYTES); return 0; }"
    )
    program = build(tmp_path, main)
    assert subprocess.check_output([program], text=True) == f"{source.n_bytes} {source.n_bytes}"
    assert source.n_bytes < to_c(connect_4().clf).n_bytes
    assert f"{source.n_bytes:,} bytes of constant tables" in source.header


def test_two_models_in_one_program(tmp_path):
    for name, case in (("first", connect_4()), ("second", table())):
        write(tmp_path, to_c(case.clf, name), name)
    main = """
        #include "first.h"
        #include "second.h"
        int main(void)
        {
            static first_number one[FIRST_N_COLUMNS];
            static second_number other[SECOND_N_COLUMNS];
            return first_predict(one) + second_predict(other) > FIRST_N_CLASSES + SECOND_N_CLASSES;
        }
    """
    for sources in (["first.c", "second.c"], []):
        included = "" if sources else '#include "first.c"\n#include "second.c"\n'
        assert subprocess.run([build(tmp_path, included + main, *sources)]).returncode == 0


def test_a_cpp_program_can_use_it(tmp_path):
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    write(tmp_path, to_c(table().clf))
    main = '#include "model.h"\nint main() { model_number row[MODEL_N_COLUMNS] = {}; return model_predict(row) > 1; }'
    (tmp_path / "main.cpp").write_text(main)
    subprocess.run([CC, *FLAGS, "-c", "model.c"], cwd=tmp_path, check=True)
    subprocess.run([compiler, "-Wall", "-Werror", "main.cpp", "model.o", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


def check_names(folder, columns):
    case = bits(len(columns))
    source = check(folder, case, feature_names=columns)
    for text in source[:2]:
        without = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert "/*" not in without
        assert "*/" not in without
    defined = re.findall(r"#define (\w+)", source.header)
    assert len(defined) == len(set(defined))
    assert len(re.findall("#define MODEL_COLUMN_", source.header)) == len(ModelTables.of(case.clf).columns)


def test_hostile_names_stay_in_comments(tmp_path):
    check_names(tmp_path, HOSTILE_NAMES)


@settings(max_examples=4)
@given(names)
def test_names_stay_in_comments(tmp_path_factory, columns):
    check_names(tmp_path_factory.mktemp("c"), columns)


def test_labels_and_categories_are_named(tmp_path):
    rows = [[name, i % 2] for i, name in enumerate(HOSTILE_NAMES * 4)]
    labels = [("*/ x", "*/_x", "a" * 9_999)[(i // 3) % 3] for i in range(len(rows))]
    clf = small(n_clauses=30, T=9, n_epochs=10).fit(np.array(rows, object), labels)
    source = check(tmp_path, Case(clf, np.array(rows, object), rows), feature_names=["int", "return"])
    for name in ("MODEL_CLASS_X 0", "MODEL_CLASS_X_2 1", "MODEL_COLUMN_INT 0", "MODEL_INT_A_B "):
        assert f"#define {name}" in source.header


@pytest.mark.parametrize("name", ["", "Model", "1st", "a b", "a;", "_x", "a" * 40, None])
def test_a_name_must_be_an_identifier(name):
    with pytest.raises(ValueError, match="name must be"):
        to_c(table().clf, name)


def test_other_types_are_refused():
    with pytest.raises(ValueError, match="number_type must be one of double, float, int32_t; got 'half'"):
        to_c(table().clf, number_type="half")
