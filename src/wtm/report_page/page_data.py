"""What a report shows, as plain data for its page."""

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing, check_consistent_length, check_scalar

from wtm.export.model_tables import Column, ModelTables, Range
from wtm.number_prediction import NumberPredictor
from wtm.rules import Explanation, RuleTable, ScoreCards
from wtm.rules.readable import Readable
from wtm.tables.columns import Column as TableColumn
from wtm.tables.columns import NumberColumn, Value
from wtm.tables.condition_grammar import Condition, Interval, Values, spell_label, spell_value
from wtm.tables.conditions import Numbers
from wtm.tables.table import SparseTable, Table
from wtm.utils.printable import short_repr
from wtm.validation.image_shape import check_image_shape
from wtm.validation.labels import check_labels, class_indices
from wtm.validation.targets import check_numbers

_COUNTED = ("support", "precision", "separation", "decides")
_MAX_POINTS = 500  # of the picture of true and predicted numbers
_MAX_TRIES, _MAX_FEATURES = 2_000, 2_000
"""For the nearest change of a row: a page has some tens of rows, and making it should take seconds."""


def page_data(
    model: Any,
    X: Any,
    y: Any,
    *,
    feature_names: Sequence[str] | None,
    row_names: Sequence[Any] | np.ndarray | None,
    image_shape: tuple[int, int] | None,
    n_rows: int,
) -> dict[str, Any]:
    """Return what the page shows, in types of JSON. Parameters and errors are those of `wtm.report_page.to_html`.

    Rules name the conditions by their position in ``conditions``, and conditions their column in ``columns``. Votes are
    integers, and text, since JavaScript's numbers can't hold all of them: the page adds up what `predict` adds up. Of
    two classes of strict rules, all votes are on the second, as in `WTMClassifier.rules`.
    """
    tables = ModelTables.of(model, feature_names)
    check_scalar(n_rows, "n_rows", numbers.Integral, min_val=0)
    shape = None if image_shape is None else check_image_shape(image_shape, tables.n_columns)
    if X is None and row_names is not None:
        raise ValueError("row_names was passed without X: pass the rows that have these names as X.")
    if X is None and y is not None:
        raise ValueError("y was passed without X: pass the rows that have these labels or numbers as X.")
    counted_on = (
        (X, y) if isinstance(model, Readable) else (X,)
    )  # only strict rules for classes are compared with labels
    rules = model.rules(*counted_on, feature_names=feature_names)
    conditions = _ConditionList({column.name: place for place, column in enumerate(tables.columns)})
    answers = None if y is None else _answers(model, y)
    importances = model.feature_importances_.tolist()
    rows: list[dict[str, Any]] = []
    if X is not None:
        chosen, rows = _rows(model._table(X), answers, row_names, tables.columns, int(n_rows))
        if rows and isinstance(model, Readable) and model._model.parameters.n_features <= _MAX_FEATURES:
            explanations = model.explain(_taken(X, chosen), feature_names=feature_names)
            for row, explanation in zip(rows, explanations, strict=True):
                row["nearest"] = _nearest(explanation, conditions)
    return {
        "target": getattr(model, "target_name_", None),
        "classes": _names_of_outputs(tables),
        "unit": model._voting_model().unit,
        "numbers": None if tables.range is None else _plain_range(tables.range),
        "is_one_sided": isinstance(model, Readable) and rules.is_one_sided,
        "n_columns": tables.n_columns,
        "columns": [
            _column(column) | {"position": column.position, "importance": _rounded(importances[column.position])}
            for column in tables.columns
        ],
        "image": shape,
        "rules": _cards(rules, conditions) if isinstance(rules, ScoreCards) else _rules(rules, conditions),
        "counts": None if X is None else _counted(model, X, answers),
        "rows": rows,
        "conditions": conditions.listed,  # after all that adds to it
    }


class _ConditionList:
    """The conditions of the page, each once."""

    def __init__(self, place_of: Mapping[str, int]) -> None:
        self.listed: list[dict[str, Any]] = []
        self._place_of = place_of
        self._known: dict[str, int] = {}

    def add(self, condition: Condition) -> int:
        """Return the position of a condition."""
        text = str(condition)
        if text not in self._known:
            self._known[text] = len(self.listed)
            self.listed.append({"text": text, "column": self._place_of[condition.column]} | _meaning(condition))
        return self._known[text]


def _meaning(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, Interval):
        low, high = (None if math.isinf(end) else end for end in (condition.low, condition.high))
        return {"low": low, "high": high, "missing": condition.missing}
    if isinstance(condition, Values):
        return {"values": list(map(_plain, condition.values)), "equal": condition.equal, "missing": condition.missing}
    return {"is_missing": condition.is_missing}


def _plain(value: Value) -> str | float:
    """Return a category as the page compares it: numbers and booleans as floats, as in tables."""
    return value if isinstance(value, str) else float(value)


def _column(column: Column) -> dict[str, Any]:
    """Describe a column for the page: the values to choose from, None for numbers, and one to begin with."""
    conditions = column.conditions
    if not isinstance(conditions, Numbers):
        values = [[_plain(value), spell_value(value)] for value in conditions.values]
        return {"name": column.name, "values": values, "start": values[0][0] if values else None}
    if conditions.is_binary:
        return {"name": column.name, "values": [[0, "0 (false)"], [1, "1 (true)"]], "start": 0, "is_binary": True}
    thresholds = conditions.thresholds
    return {"name": column.name, "values": None, "start": thresholds[len(thresholds) // 2] if thresholds else 0}


def _answers(model: Any, y: Any) -> np.ndarray:
    """Return class indices, or numbers of shape (n_rows, n_outputs)."""
    if isinstance(model, NumberPredictor):
        return model._columns(check_numbers(y, "y"), "y")
    return class_indices(check_labels(y, "y"), model.classes_, "y")


def _names_of_outputs(tables: ModelTables) -> list[str]:
    if tables.range is None:
        return [spell_label(label) for label in tables.labels]
    return ["the number"] if len(tables.labels) == 1 else [f"output {label}" for label in tables.labels]


def _plain_range(range: Range) -> dict[str, Any]:
    return {"share": range.share, "middle": list(range.middle), "half": list(range.half)}


def _cards(cards: ScoreCards, conditions: _ConditionList) -> dict[str, list[Any]]:
    """Return fuzzy rules: their conditions, the points of each, how many are needed, and how many there are."""
    flat = [[point for of_column in card.points for point in of_column] for card in cards]
    columns: dict[str, list[Any]] = {
        "class": cards._rules.classes.tolist(),
        "vote": list(map(str, cards._rules.votes.tolist())),
        "conditions": [[conditions.add(condition) for condition, _ in points] for points in flat],
        "points": [[n for _, n in points] for points in flat],
        "needed": [card.n_needed for card in cards],
        "of": [card.n_conditions for card in cards],
    }
    if "support" in cards.columns:
        columns["support"] = [_rounded(value) for value in cards.columns["support"].tolist()]
    return columns


def _rules(rules: RuleTable, conditions: _ConditionList) -> dict[str, list[Any]]:
    counted = [name for name in _COUNTED if name in rules.columns]
    columns: dict[str, list[Any]] = {
        "class": rules._clauses.classes.tolist(),
        "vote": list(map(str, rules.votes.tolist())),
        "conditions": [[conditions.add(condition) for condition in rule.conditions] for rule in rules],
    }
    return columns | {name: [_rounded(value) for value in rules.columns[name].tolist()] for name in counted}


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{value:.4g}")


def _counted(model: Any, X: Any, answers: np.ndarray | None) -> dict[str, Any]:
    return (_errors if isinstance(model, NumberPredictor) else _counts)(model, X, answers)


def _errors(model: Any, X: Any, numbers: np.ndarray | None) -> dict[str, Any]:
    """Return the number of rows and, with true numbers, the errors of each output and the numbers of some rows."""
    predicted = model.predict(X)
    predicted = predicted.reshape(len(predicted), -1)
    if numbers is None:
        return {"n_rows": len(predicted), "outputs": None}
    shown = np.unique(np.linspace(0, len(numbers) - 1, min(_MAX_POINTS, len(numbers))).astype(np.int64))
    outputs = []
    for found, true in zip(predicted.T, numbers.T, strict=True):
        pairs = zip(true[shown].tolist(), found[shown].tolist(), strict=True)
        error, spread = np.mean((found - true) ** 2), np.var(true)
        outputs.append(
            {
                "rmse": _rounded(float(np.sqrt(error))),
                "rmse_of_mean": _rounded(float(np.sqrt(spread))),
                "mae": _rounded(float(np.abs(found - true).mean())),
                "r2": _rounded(float(1 - error / spread)) if spread else None,
                "pairs": [list(map(_rounded, pair)) for pair in pairs],
            }
        )
    return {"n_rows": len(predicted), "outputs": outputs}


def _counts(model: Any, X: Any, labels: np.ndarray | None) -> dict[str, list[Any]]:
    """Return the number of rows by prediction and, with class indices, by label and by both."""
    n_classes = len(model.classes_)
    predicted = class_indices(model.predict(X), model.classes_, "X")
    counts: dict[str, list[Any]] = {"predicted": np.bincount(predicted, minlength=n_classes).tolist(), "pairs": []}
    if labels is None:
        return counts
    pairs, n_rows = np.unique(labels * n_classes + predicted, return_counts=True)
    counts["pairs"] = [[*divmod(pair, n_classes), n] for pair, n in zip(pairs.tolist(), n_rows.tolist(), strict=True)]
    return counts | {"labelled": np.bincount(labels, minlength=n_classes).tolist()}


def _rows(
    table: Table | SparseTable, answers: np.ndarray | None, names: Any, columns: Sequence[Column], n_rows: int
) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """Choose the rows to explain; return their positions, and their values in the columns that rules use."""
    if answers is not None:
        check_consistent_length(table, answers)
    if names is not None:
        names = np.asarray(names, object)
        if names.ndim != 1:
            raise ValueError(f"row_names must be a list of names, got {short_repr(names)} of shape {names.shape}.")
        check_consistent_length(table, names)
    chosen = np.unique(np.linspace(0, len(table) - 1, min(n_rows, len(table))).astype(np.int64))
    part = table[chosen]
    values = [_values(part.column(column.position)) for column in columns]
    return chosen, [
        {
            "name": str(number + 1 if names is None else names[number]),
            "label": None if answers is None else answers[number].tolist(),
            "values": [of_column[i] for of_column in values],
        }
        for i, number in enumerate(chosen.tolist())
    ]


def _taken(X: Any, rows: np.ndarray) -> Any:
    """Return some rows of the caller's table, in a kind that the classifier takes."""
    if sp.issparse(X):
        return sp.csr_array(X)[rows]
    if hasattr(X, "schema") and hasattr(X, "take"):  # of pyarrow, whose batches narwhals doesn't know
        return X.take(rows)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame[rows.tolist()].to_native() if isinstance(frame, nw.DataFrame) else _safe_indexing(X, rows)


def _values(column: TableColumn) -> list[str | float | None]:
    if isinstance(column, NumberColumn):
        return [None if math.isnan(value) else value for value in column.numbers()(slice(None)).tolist()]
    return [None if code < 0 else _plain(column.distinct[code]) for code in column.codes.tolist()]


def _nearest(explanation: Explanation, conditions: _ConditionList) -> dict[str, Any]:
    change = explanation.nearest_change(_MAX_TRIES)
    return {"text": str(change), "changes": [conditions.add(after) for _, after in change.changes]}
