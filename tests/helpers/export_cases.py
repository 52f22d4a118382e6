"""Trained models of every kind, with rows on which exports must give what they give."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from tests.helpers.problems import small
from wtm import Booleanizer, WTMClassifier
from wtm.datasets import load_connect_4
from wtm.export import from_json, to_json

N_ROWS = 1000


@dataclass(frozen=True)
class Case:
    clf: WTMClassifier
    X: Any
    rows: list[list[Any]]  # the same as Python's values, None where missing

    @property
    def labels(self):
        return self.clf.predict(self.X).tolist()

    @property
    def sums(self):
        return self.clf.class_sums(self.X).tolist()

    def first(self, n_rows):
        return Case(self.clf, self.X[:n_rows], self.rows[:n_rows])


@cache
def connect_4():
    """Bits, three classes with string labels, and columns with names only in the data set."""
    data = load_connect_4()
    clf = WTMClassifier(n_clauses=40, n_epochs=1, random_state=0).fit(data.X_train[:4000], data.y_train[:4000])
    X = data.X_test[:N_ROWS]
    return Case(clf, X, X.tolist())


@cache
def table():
    """Numbers, categories and booleans with missing values; new categories and newly missing values at prediction."""
    rng = np.random.default_rng(0)
    rows = _table_rows(rng, 600, ["red", "blue", "light, green", 'say "grey"', ""])
    y = [("no", "yes")[(r[0] or 0) > 40 or r[2] == "red"] for r in rows]
    X = np.array(rows, object)
    clf = small(n_clauses=40, T=12, n_epochs=8, booleanizer=Booleanizer(4)).fit(X, y)
    rows = _table_rows(rng, N_ROWS, ["red", "blue", "light, green", 'say "grey"', "", "new"])
    for i, row in enumerate(rows):
        if i % 10 == 0:
            row[4] = None  # had no missing values
    return Case(clf, np.array(rows, object), rows)


def _table_rows(rng, n_rows, colours):
    ages = rng.normal(40, 15, n_rows).round(2)
    incomes = rng.choice([1e-300, 0.1 + 0.2, 1 / 3, 2e8, -5e-5], n_rows)
    return [
        [
            None if i % 7 == 0 else float(ages[i]),
            float(incomes[i]) if i % 5 else None,
            None if i % 11 == 0 else colours[rng.integers(len(colours))],
            bool(rng.random() < 0.3),
            int(rng.integers(0, 9)),
        ]
        for i in range(n_rows)
    ]


@cache
def odd_table():
    """Categories that are numbers, or numbers next to strings, and integer labels."""
    rng = np.random.default_rng(1)
    values = [1, 2.5, True, "1", "2.5", "True", None, 7]
    rows = [[values[rng.integers(len(values))], float(rng.integers(0, 3))] for _ in range(600)]
    y = [int(r[0] == 1 or r[0] == "2.5") + 2 * (r[1] > 1) for r in rows]
    clf = small(n_clauses=20, n_epochs=8).fit(np.array(rows, object), y)
    rows = [[[*values, "8", 8][rng.integers(10)], float(rng.integers(-1, 4))] for _ in range(N_ROWS)]
    return Case(clf, np.array(rows, object), rows)


@cache
def wide(n_columns=1 << 12):
    """Sparse rows of many columns, as hashing makes them, and boolean labels."""
    rng = np.random.default_rng(2)
    n_rows = 300
    used = np.sort(rng.choice(n_columns, 30, replace=False))
    bits = rng.random((n_rows, len(used))) < 0.3
    rows, places = np.nonzero(bits)
    X = sp.csr_array((np.ones(len(rows)), (rows, used[places])), (n_rows, n_columns))
    y = bits[:, 0] | bits[:, 1]
    return Case(small(T=4, s=5, n_epochs=10).fit(X, y), X, X)


@cache
def without_rules():
    """A model that always predicts its first class."""
    rows = [[i % 2, 0, 1] for i in range(20)]
    state = json.loads(to_json(bits(3).clf)) | {"features": [], "rules": []}
    return Case(from_json(json.dumps(state)), np.array(rows), rows)


@cache
def averaged():
    """Votes averaged over three epochs, so that the unit of sums is not a power of 2."""
    X = np.random.default_rng(3).integers(0, 9, (N_ROWS, 4))
    y = (X[:, 0] > 4).astype(int) + (X[:, 1] > 6)
    return Case(small(n_clauses=20, T=4, s=8, n_epochs=8, average_last=3).fit(X, y), X, X.tolist())


CASES = {
    "connect-4": connect_4, "table": table, "odd table": odd_table, "averaged": averaged, "without rules": without_rules
}  # fmt: skip

HOSTILE_NAMES = [
    "a AND b", "NOT (x)", "x > 1", 'say "no"', "it's", "*/ int main(void) { /*", "//\\", "??/", "-- drop",
    "; DROP TABLE t;", "line\nbreak", "tab\tand\rreturn", "%s%n{0}{x!r}", "</script><b>&amp;", "`tick` $(rm)", "\\",
    "\\n", "e\u0301\u202e\u2028", "\U0001f600", "int", "class", "select", "module", "None", "", " ", "a b", "a_b",
    "a-b", "A-B", "a" * 10_000, "1st", '"""', "'''", "{}", "[0]", "é", "a\0b", "\ud800",
]  # fmt: skip


@cache
def bits(n_columns):
    """A model of this many columns of bits, of which rules use nearly all, and 200 rows."""
    rng = np.random.default_rng(n_columns)
    X = rng.integers(0, 2, (200, n_columns))
    clf = small(n_clauses=20, T=5, s=5).fit(X, X.sum(axis=1) > n_columns / 2)
    return Case(clf, X, X.tolist())


names = st.lists(st.sampled_from(HOSTILE_NAMES) | st.text(max_size=12), min_size=2, max_size=6, unique=True)
