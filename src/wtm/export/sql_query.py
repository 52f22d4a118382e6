"""Models as a SQL query for DuckDB and SQLite."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from wtm.export.model_tables import Column, Feature, ModelTables, Range, Rule
from wtm.export.names import Identifiers
from wtm.utils.printable import short_repr

DIALECTS = ("duckdb", "sqlite")

_MOST_TERMS = 50  # in one chain of operators: parsers limit how deep expressions are nested, and functions' arguments

_MOST_NAMED_FEATURES = 1_000  # SQLite allows 2,000 columns
_COMMA = ",\n    "


def to_sql(
    model: Any,
    *,
    dialect: str = "duckdb",
    table: str = "data",
    keep: Sequence[str] = (),
    feature_names: Sequence[str] | None = None,
    bits: int | None = None,
) -> str:
    """Write a model as a query that predicts the rows of a table.

    The query gives the columns `keep`, of a classifier a column ``sum_LABEL`` for each class, and a column
    ``prediction``, of several outputs ``prediction_0`` and so on. It finds columns by name. NULL is missing.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    dialect : {"duckdb", "sqlite"}, default="duckdb"
    table : str, default="data"
        Name of the table or view.
    keep : sequence of str, optional
        Columns of the table to give too, such as its key.
    feature_names : sequence of str of length `n_features_in_`, optional
        Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    str
        The query, without a semicolon.

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, another argument is not as described, or SQL can't express a name or a
        value: names that differ only in case, the null character, text next to numbers in one column (in DuckDB).
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}; got {dialect!r}.")
    if isinstance(keep, str):
        raise TypeError(f"keep must be a list of names, got the string {keep!r}. Pass [{keep!r}].")
    tables = ModelTables.of(model, feature_names, bits)
    write = _Writer(dialect, tables)
    used, totals = [column.name for column in tables.columns], [f"s{i}" for i in range(len(tables.labels))]
    predictions = ["prediction"]
    if tables.range is not None and not tables.range.is_single:
        predictions = [f"prediction_{i}" for i in tables.labels]
    sums = [] if tables.range is not None else [f"sum_{label}" for label in tables.labels]
    results = [*keep, *sums, *predictions]
    rename = "Rename one, with feature_names if it is a column of the model."
    _check_different(list(dict.fromkeys([*keep, *used])), "columns", rename)
    rename = "Train with labels that differ in more than case, or leave the column out of keep."
    _check_different(results, "results", rename)
    kept = {f"k{i}": f"t.{write.name(name)}" for i, name in enumerate(keep)}
    steps = {  # each selects from the one before, and is materialized, as nothing is to be computed twice
        "rows": kept | {f"c{i}": write.column(column) for i, column in enumerate(tables.columns)},
        "features": {k: k for k in kept} | write.features,
        "votes": {k: k for k in kept}
        | {total: write.sum(r for r in tables.rules if r.label == i) for i, total in enumerate(totals)},
    }
    names = Identifiers(table)
    source, parts = f"{write.name(table)} AS t", []
    for step, columns in steps.items():
        name = names.new("wtm", step)
        parts.append(f"{name} AS MATERIALIZED (\n{_select(columns.items(), source)}\n)")
        source = name
    if tables.range is not None:
        values = [*kept, *write.numbers(totals, tables.range)]
    else:
        values = [*kept, *map(write.class_sum, totals), write.decision(totals, tables.labels)]
    return f"WITH {', '.join(parts)}\n{_select(zip(map(write.name, results), values, strict=True), source)}\n"


def _select(columns: Iterable[tuple[str, str]], source: str) -> str:
    items = [expression if expression == name else f"{expression} AS {name}" for name, expression in columns]
    return f"  SELECT {_COMMA.join(items or ['0'])}\n  FROM {source}"


def _check_different(names: Sequence[str], what: str, remedy: str) -> None:
    """Raise a ValueError if names are equal or differ only in case, which SQL ignores."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            raise ValueError(f"SQL can't tell the {what} {short_repr(other)} and {short_repr(name)} apart. {remedy}")


class _Writer:
    """Writes parts of the query in a dialect."""

    def __init__(self, dialect: str, tables: ModelTables) -> None:
        self._is_sqlite = dialect == "sqlite"
        self.double, self._text = ("REAL", "TEXT") if self._is_sqlite else ("DOUBLE", "VARCHAR")
        self._max = "max" if self._is_sqlite else "greatest"
        self._unit = tables.unit
        self._is_fuzzy = tables.literal_failures is not None
        conditions = list(map(self._condition, tables.features))
        named = {f"f{i}": condition for i, condition in enumerate(conditions)}
        columns = {f"c{i}": f"c{i}" for i in range(len(tables.columns))}
        fits = len(named) <= _MOST_NAMED_FEATURES  # else rules hold the conditions themselves
        self.features, self._features = (named, list(named)) if fits else (columns, conditions)

    def name(self, name: str) -> str:
        """Quote a name."""
        if not name and not self._is_sqlite:
            raise ValueError("DuckDB has no columns or tables without a name. Pass feature_names with another name.")
        return '"' + self._checked(name).replace('"', '""') + '"'

    def column(self, column: Column) -> str:
        """Return a column as float64, with NULL for NaN, or as text that is compared byte by byte."""
        found = f"t.{self.name(column.name)}"
        if column.kind == "mixed":
            if self._is_sqlite:
                return f"+{found}"  # without the affinity of the column, so that text never equals a number
            raise ValueError(
                f"Column {short_repr(column.name)} held both text and numbers in fit, which no column of DuckDB can "
                "hold. Train on a column of one type."
            )
        if column.kind == "text":
            return f'CAST({found} AS {self._text}) COLLATE "binary"'
        found = f"CAST({found} AS {self.double})"
        return found if self._is_sqlite else f"nullif({found}, CAST('nan' AS DOUBLE))"

    def class_sum(self, total: str) -> str:
        """Return votes in fixed point as a float64."""
        return f"CAST({total} AS {self.double}) * {self.number(self._unit)}"

    def sum(self, rules: Iterable[Rule]) -> str:
        """Return the sum of the votes of rules."""
        votes = map(self._fuzzy_vote if self._is_fuzzy else self._strict_vote, rules)
        return _joined([self._integer(0), *votes], " +\n      ")

    def _strict_vote(self, rule: Rule) -> str:
        return f"CASE WHEN {self._premise(rule)} THEN {self._integer(rule.vote)} ELSE 0 END"

    def _fuzzy_vote(self, rule: Rule) -> str:
        """Return what a rule adds, of conditions that are 1 or 0."""
        true, false = (
            _joined([self._features[f] for f in of_rule] or ["0"], " + ") for of_rule in (rule.true, rule.false)
        )
        return f"{self._integer(rule.vote)} * {self._max}(0, {rule.most - len(rule.true)} + {true} - ({false}))"

    def numbers(self, totals: list[str], range: Range) -> list[str]:
        """Return the numbers that totals stand for."""
        least, share = "min" if self._is_sqlite else "least", self.number(range.share)
        shares = (f"CAST({total} AS {self.double}) * {share}" for total in totals)
        clipped = (f"{self._max}({self.number(-1.0)}, {least}({self.number(1.0)}, {of_T}))" for of_T in shares)
        ends = zip(clipped, range.middle, range.half, strict=True)
        return [f"{self.number(middle)} + {of_T} * {self.number(half)}" for of_T, middle, half in ends]

    def decision(self, totals: list[str], labels: Sequence[Any]) -> str:
        """Return the label of the first of the largest totals."""
        whens = (f"WHEN {total} THEN {self._literal(label)}" for total, label in zip(totals, labels, strict=True))
        return f"CASE {self._largest(totals)} {' '.join(whens)} END"

    def number(self, number: float) -> str:
        """Return a number as a constant of type float64 with exactly this value."""
        if not self._is_sqlite:
            return f"{number!r}e0" if "e" not in repr(number) else repr(number)
        numerator, denominator = number.as_integer_ratio()
        if abs(numerator) < 1 << 40 and denominator <= 1 << 10:
            return repr(number)
        # SQLite rounds some decimal numbers wrongly, but not integers and powers of two.
        mantissa, exponent = _mantissa_and_exponent(number)
        operator = " / " if exponent < 0 else " * "
        steps = [min(62, abs(exponent) - done) for done in range(0, abs(exponent), 62)]
        product = operator.join([f"CAST({mantissa} AS REAL)", *(str(1 << step) for step in steps)])
        return f"({product} /* {number!r} */)"

    def _condition(self, feature: Feature) -> str:
        name = f"c{feature.column}"
        compared = (
            f"{name} {feature.test} {self._literal(feature.value, as_number=True)}" if feature.test != "missing" else ""
        )
        if self._is_fuzzy:
            return f"(CASE WHEN {compared or f'{name} IS NULL'} THEN 1 ELSE 0 END)"
        return f"coalesce({compared}, FALSE)" if compared else f"({name} IS NULL)"

    def _premise(self, rule: Rule) -> str:
        features = self._features
        return _joined([*(features[f] for f in rule.true), *(f"NOT {features[f]}" for f in rule.false)], " AND ")

    def _largest(self, totals: list[str]) -> str:
        if len(totals) == 1:
            return totals[0]
        groups = [totals[i : i + _MOST_TERMS] for i in range(0, len(totals), _MOST_TERMS)]
        if len(groups) > 1:
            return self._largest(list(map(self._largest, groups)))
        return f"{self._max}({', '.join(totals)})"

    def _integer(self, value: int) -> str:
        return str(value) if self._is_sqlite else f"{value}::BIGINT"

    def _literal(self, value: Any, *, as_number: bool = False) -> str:
        if isinstance(value, str):
            return "'" + self._checked(value).replace("'", "''") + "'"
        if as_number or isinstance(value, float):
            return self.number(float(value))
        return str(value).upper()  # TRUE or FALSE

    def _checked(self, text: str) -> str:
        if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
            raise ValueError(f"SQL can't express {short_repr(text)}, which holds a null character or half a character.")
        return text


def _joined(terms: list[str], operator: str) -> str:
    """Join terms, in parentheses where there are many, so that the expression is not deep."""
    while len(terms) > _MOST_TERMS:
        groups = [terms[i : i + _MOST_TERMS] for i in range(0, len(terms), _MOST_TERMS)]
        terms = [f"({operator.join(group)})" for group in groups]
    return operator.join(terms)


def _mantissa_and_exponent(number: float) -> tuple[int, int]:
    """Return integers m, at most 2**53, and e with number = m * 2**e."""
    fraction, exponent = math.frexp(number)
    return int(math.ldexp(fraction, 53)), exponent - 53
