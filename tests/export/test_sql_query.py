import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.export_cases import (
    HOSTILE_NAMES,
    Case,
    bits,
    connect_4,
    names,
    odd_table,
    table,
    wide,
    without_rules,
)
from tests.helpers.problems import small, xor
from wtm import Booleanizer
from wtm.export import to_sql
from wtm.export.model_tables import ModelTables
from wtm.export.sql_query import DIALECTS, _Writer


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def sqlite(query, columns, rows, table="data"):
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE {quoted(table)} ({', '.join(map(quoted, columns))})")
    connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({', '.join('?' * len(columns))})", rows)
    tables_before = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    found = connection.execute(query)
    result = [d[0] for d in found.description], found.fetchall()
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == tables_before
    return result


def duckdb(query, columns, rows, table="data"):
    db, pa = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    connection = db.connect()
    data = pa.table(dict(zip(columns, map(pa.array, zip(*rows, strict=True)), strict=True)))
    connection.register("given", data)
    connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT * FROM given")
    found = connection.execute(query)
    return [d[0] for d in found.description], found.fetchall()


RUN = {"duckdb": duckdb, "sqlite": sqlite}


def check(dialect, case, columns=None, name="data", **options):
    """Compare sums and labels with the classifier's, by a row number that is kept."""
    used = [f"x{j}" for j in range(len(case.rows[0]))] if columns is None else list(columns)
    query = to_sql(case.clf, dialect=dialect, feature_names=columns, table=name, keep=["row number"], **options)
    numbered = [[*row, i] for i, row in enumerate(case.rows)]
    header, found = RUN[dialect](query, [*used, "row number"], numbered, name)
    labels = case.clf.classes_.tolist()
    assert header == ["row number", *(f"sum_{label}" for label in labels), "prediction"]
    found.sort()
    assert [row[0] for row in found] == list(range(len(case.rows)))
    assert [list(row[1:-1]) for row in found] == case.sums
    assert [row[-1] for row in found] == case.labels


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", [connect_4, table, without_rules], ids=["connect-4", "table", "without rules"])
def test_rows_get_the_same_sums_and_labels(case, dialect):
    check(dialect, case())


def test_sqlite_tells_text_from_numbers_in_one_column():
    check("sqlite", odd_table())


def test_duckdb_has_no_columns_of_text_and_numbers():
    with pytest.raises(ValueError, match="Column 'x0' held both text and numbers"):
        to_sql(odd_table().clf)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_sparse_table(dialect):
    case = wide(200)
    used = [column.position for column in ModelTables.of(case.clf).columns]
    query = to_sql(case.clf, dialect=dialect)
    _, found = RUN[dialect](query, [f"x{j}" for j in used], case.X[:, used].toarray().tolist())
    assert sorted(row[:-1] for row in found) == sorted(map(tuple, case.sums))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_categories_that_are_numbers(dialect):
    pd = pytest.importorskip("pandas")
    codes = [1.5, 2.0, 7.0, None]
    rows = [[codes[i % 4], i % 3 == 0] for i in range(60)]
    frame = pd.DataFrame(rows, columns=["code", "flag"]).astype({"code": "category"})
    y = [str(row[0] == 2.0) for row in rows]
    clf = small(n_clauses=20, T=5).fit(frame, y)
    check(dialect, Case(clf, frame, rows), ["code", "flag"])


def test_types_and_collations_of_columns_change_nothing():
    case = table().first(200)
    columns = ["age", "income", "colour", "member", "n"]
    upper = np.array([[*row[:2], row[2] and row[2].upper(), *row[3:]] for row in case.rows], object)
    sums = case.clf.class_sums(upper).tolist()
    assert sums != case.sums
    rows = [["nan" if x is None and j < 2 else x for j, x in enumerate(row)] for row in upper.tolist()]
    query = to_sql(case.clf, feature_names=columns)
    db = pytest.importorskip("duckdb")
    connection = db.connect()
    connection.execute(
        "CREATE TABLE data (age DOUBLE, income DOUBLE, colour VARCHAR COLLATE NOCASE, member BOOLEAN, n TINYINT)"
    )
    connection.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?)", rows)
    assert [list(row[:-1]) for row in connection.execute(query).fetchall()] == sums
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE data (age, income, colour TEXT COLLATE NOCASE, member BOOLEAN, n INTEGER)")
    connection.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?)", upper.tolist())
    query = to_sql(case.clf, dialect="sqlite", feature_names=columns)
    assert [list(row[:-1]) for row in connection.execute(query).fetchall()] == sums


def test_float32_columns_are_compared_as_float64():
    """0.3 as float32 is above the threshold 0.3 as float64."""
    db = pytest.importorskip("duckdb")
    X = np.linspace(0, 1, 50)[:, None]
    clf = small(booleanizer=Booleanizer(thresholds=[0.3])).fit(X, X[:, 0] > 0.3)
    connection = db.connect()
    connection.execute("CREATE TABLE data AS SELECT 0.3::FLOAT AS x0")
    assert connection.execute(to_sql(clf)).fetchone()[-1] == clf.predict(np.array([[0.3]], np.float32))[0]
    assert connection.execute(to_sql(clf)).fetchone()[-1] != clf.predict([[0.3]])[0]


def test_a_missing_column_is_an_error():
    query = to_sql(table().clf, dialect="sqlite")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        sqlite(query, ["x0", "x1", "x2", "x3", "y"], table().rows[:1])


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=10)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_numbers_are_exact(dialect, numbers):
    writer = _Writer(dialect, ModelTables.of(connect_4().clf))
    assert RUN[dialect](f"SELECT {', '.join(map(writer.number, numbers))}", ["x"], [[0]])[1] == [tuple(numbers)]


def can_be_written(columns, dialect):
    text = "".join(columns)
    return (
        len({name.lower() for name in columns}) == len(columns)
        and "\0" not in text
        and not any("\ud800" <= c <= "\udfff" for c in text)
        and (dialect == "sqlite" or "" not in columns)
        and not {"row number", "prediction"}.intersection(name.lower() for name in columns)
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=25)
@given(names)
def test_names_are_quoted_or_refused(dialect, columns):
    case = bits(len(columns))
    if can_be_written(columns, dialect):
        check(dialect, case, columns, name=columns[0])
        return
    with pytest.raises(ValueError, match=r"SQL can't|DuckDB has no"):
        to_sql(case.clf, dialect=dialect, feature_names=columns)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_hostile_names_labels_and_categories_are_quoted(dialect):
    usable = [name for name in HOSTILE_NAMES if can_be_written([name], dialect) and name != "A-B"]
    case = bits(len(usable))
    check(dialect, case, usable)
    rows = [[name, bool(i % 2)] for i, name in enumerate(usable * 4)]
    labels = [("'; DROP TABLE data; --", 'x"y', "a" * 9_999)[(i // 3) % 3] for i in range(len(rows))]
    clf = small(n_clauses=30, T=9, n_epochs=10).fit(np.array(rows, object), labels)
    check(dialect, Case(clf, np.array(rows, object), rows), name="'; DROP TABLE x; --")


@pytest.mark.parametrize(("dialect", "n_classes", "n_clauses"), [("sqlite", 30, 60), ("duckdb", 2, 200)])
def test_many_rules_and_classes(dialect, n_classes, n_clauses):
    """Chains of operators stay short, as parsers limit the depth of expressions."""
    X = np.random.default_rng(0).integers(0, 2, (120, 60))
    clf = small(n_clauses=n_clauses, n_epochs=1, s=30).fit(X, np.arange(120) % n_classes)
    check(dialect, Case(clf, X, X.tolist()))


def test_more_features_than_sqlite_has_columns():
    X = np.random.default_rng(0).normal(size=(400, 150))
    clf = small(n_clauses=40, s=30, n_epochs=1).fit(X, X[:, 0] > 0)
    assert len(ModelTables.of(clf).features) > 1000
    check("sqlite", Case(clf, X, X.tolist()))


def test_arguments_are_checked():
    clf = table().clf
    with pytest.raises(ValueError, match="dialect must be one of duckdb, sqlite; got 'oracle'"):
        to_sql(clf, dialect="oracle")
    with pytest.raises(TypeError, match=r"keep must be a list of names, got the string 'id'. Pass \['id'\]"):
        to_sql(clf, keep="id")
    with pytest.raises(
        ValueError, match=r"results 'prediction' and 'Prediction'|results 'Prediction' and 'prediction'"
    ):
        to_sql(clf, keep=["Prediction"])


def test_labels_that_differ_only_in_case_get_a_remedy_for_labels():
    X, y = xor()
    clf = small().fit(X, np.where(y, "Yes", "yes"))
    with pytest.raises(ValueError, match=r"results 'sum_Yes' and 'sum_yes' apart\. Train with labels that differ"):
        to_sql(clf)
