"""Models as JSON, and back."""

import json
import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NoReturn

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.export.model_tables import BIT, ModelTables, tests_of
from wtm.machine.fuzzy_machine import MAX_FAILURES
from wtm.machine.fuzzy_voting import FuzzyVotingModel
from wtm.machine.voting import VotingModel
from wtm.modelfile.values import decode_labels, encode_labels, parse_json
from wtm.prediction import Predictor
from wtm.rules.fuzzy_readable import FuzzyLabels, FuzzyNumbers
from wtm.rules.label_reducible import LabelReducible
from wtm.rules.number_readable import NumberReadable
from wtm.rules.number_reducible import NumberReducible
from wtm.rules.readable import Readable
from wtm.rules.reducible import Reducible
from wtm.utils.printable import short_repr
from wtm.validation.targets import check_range

_FORMAT, _VERSION = "wtm rules", 1


def to_json(model: Any, *, bits: int | None = None) -> str:
    """Write the rules of a model as JSON, which other programs can evaluate and `from_json` reads.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    str
        One line of ASCII. docs/export.md describes the schema.

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, or `bits` is not such a number.
    """
    tables = ModelTables.of(model, bits=bits)
    names = getattr(model, "feature_names_in_", None)
    columns, output = tables.columns, "class" if tables.range is None else "output"
    state = {
        "format": _FORMAT,
        "version": _VERSION,
        "classes": encode_labels(model.classes_) if isinstance(model, Predictor) else None,
        "numbers": None if isinstance(model, Predictor) else _numbers(model),
        "n_columns": tables.n_columns,
        "column_names": None if names is None else list(map(str, names)),
        "strict": model._is_strict(),
        "booleanizer": None if model.booleanizer_ is None else model.booleanizer_.to_json(),
        "unit": tables.unit,
        "logit_scale": float(model._model.logit_scale),
        "literal_failures": tables.literal_failures,
        "features": [
            {"column": columns[f.column].position, "name": columns[f.column].name, "test": f.test, "value": f.value}
            for f in tables.features
        ],
        "rules": [{output: r.label, "vote": r.vote, "true": r.true, "false": r.false} for r in tables.rules],
    }
    return json.dumps(state, allow_nan=False)


def _numbers(model: Any) -> dict[str, Any]:
    return {"y_range": model.y_range_.tolist(), "T": float(model._model.parameters.T), "ndim": model.y_ndim_}


def from_json(text: str | bytes) -> Any:
    """Return a model that predicts as the one that `to_json` wrote.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    ExportedClassifier, ExportedRegressor, ExportedFuzzyClassifier or ExportedFuzzyRegressor
        It predicts, shows and explains its rules as the model that was written does, and accepts and refuses the same
        tables, but it can't be trained.

    Raises
    ------
    ValueError
        `text` is not such a model, or of a later version.
    """
    try:
        state = parse_json(text.decode() if isinstance(text, bytes) else text)
    except ValueError as error:
        raise ValueError(f"text is not a model of wtm.export.to_json: {error}.") from error
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise ValueError(f'text is not a model of wtm.export.to_json: it lacks "format": "{_FORMAT}".')
    if state.get("version") != _VERSION:
        raise ValueError(
            f"text is a model of version {short_repr(state.get('version'))}, and this wtm reads version {_VERSION}. "
            "Upgrade wtm."
        )
    try:
        return _read(state)
    except KeyError as error:
        raise ValueError(f"The model has no {error.args[0]!r}.") from error
    except (TypeError, AttributeError, OverflowError, IndexError) as error:
        raise ValueError(f"The model is not as to_json writes it: {error}.") from error


class _Exported(Reducible):
    """A model that only predicts.

    Parameters
    ----------
    booleanizer : {"auto", "strict"}, default="auto"
        Whether a model without a Booleanizer accepts only 0 and 1.
    n_jobs : int or None, default=None
        Number of threads.
    """

    _model: Any

    def __init__(self, booleanizer: str = "auto", n_jobs: int | None = None) -> None:
        self.booleanizer = booleanizer
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> NoReturn:
        """Not possible: JSON holds no state of training."""
        raise ValueError(
            "This model was read from JSON, so it only predicts. To train further, load a file that save wrote."
        )


class ExportedClassifier(_Exported, Readable, LabelReducible):
    """A `wtm.WTMClassifier` that only predicts: what `from_json` returns."""


class ExportedRegressor(_Exported, NumberReadable, NumberReducible):
    """A `wtm.WTMRegressor` that only predicts: what `from_json` returns."""


class ExportedFuzzyClassifier(_Exported, FuzzyLabels, LabelReducible):
    """A `wtm.FuzzyWTMClassifier` that only predicts: what `from_json` returns."""


class ExportedFuzzyRegressor(_Exported, FuzzyNumbers, NumberReducible):
    """A `wtm.FuzzyWTMRegressor` that only predicts: what `from_json` returns."""


@dataclass(frozen=True)
class _Parameters:
    n_features: int
    T: float


@dataclass(frozen=True)
class _RuleModel:
    """Rules and their votes, in place of `wtm.machine.model_state.PredictionModel`, whose weights are powers."""

    parameters: _Parameters
    clause_votes: np.ndarray
    clause_ends: np.ndarray
    literal_list: np.ndarray
    unit: float
    logit_scale: float
    literal_failures: int | None

    def for_prediction(self) -> "_RuleModel":
        return self

    def voting_model(self) -> VotingModel:
        clauses = self.clause_votes, self.clause_ends, self.literal_list
        if self.literal_failures is None:
            return VotingModel.with_votes(*clauses, self.unit)
        return FuzzyVotingModel.with_votes(*clauses, self.unit, literal_failures=self.literal_failures)

    @property
    def machines(self) -> NoReturn:
        raise AttributeError("This model was read from JSON, so it has no automata and no machines_.")


_KINDS: dict[tuple[bool, bool], type[_Exported]] = {
    (False, False): ExportedClassifier,
    (True, False): ExportedRegressor,
    (False, True): ExportedFuzzyClassifier,
    (True, True): ExportedFuzzyRegressor,
}
"""By whether a model predicts numbers, and whether its rules are fuzzy."""


def _read(state: dict[str, Any]) -> Any:
    failures, numbers = state["literal_failures"], state["numbers"]
    _check(failures is None or (_is_below(failures, MAX_FAILURES + 1) and failures > 0), "literal_failures", failures)
    model: Any = _KINDS[numbers is not None, failures is not None]("strict" if state["strict"] else "auto")
    T = 1.0
    if numbers is None:
        model.classes_ = decode_labels(state["classes"])
        n_sums = len(model.classes_)
    else:
        T = _positive(numbers, "T")
        _check(numbers["ndim"] in (1, 2), "numbers", numbers)
        model.y_range_ = check_range(numbers["y_range"], len(numbers["y_range"]))
        model.n_outputs_ = n_sums = len(model.y_range_)
        model.y_ndim_ = numbers["ndim"]
        _check(n_sums > 0 and (model.y_ndim_ == 2 or n_sums == 1), "numbers", numbers)
    model.booleanizer_ = None if state["booleanizer"] is None else Booleanizer.from_json(state["booleanizer"])
    model.n_features_in_ = n_columns = state["n_columns"]
    is_right = model.booleanizer_ is None or model.booleanizer_.n_features_in_ == n_columns
    _check(_is_below(n_columns, 1 << 31) and n_columns > 0 and is_right, "n_columns", n_columns)
    names = state["column_names"]
    if names is not None:
        _check(len(names) == n_columns and all(isinstance(name, str) for name in names), "column_names", names)
        model.feature_names_in_ = np.array(names, object)
    n_features = n_columns if model.booleanizer_ is None else model.booleanizer_.n_features_out_
    clauses = _clauses(state, model, n_features, n_sums)
    scales = _positive(state, "unit"), _positive(state, "logit_scale")
    model._model = _RuleModel(_Parameters(n_features, T), *clauses, *scales, failures)
    return model


def _positive(state: dict[str, Any], name: str) -> float:
    value = state[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    _check(is_number and 0 < value < math.inf, name, value)
    return float(value)


def _clauses(
    state: dict[str, Any], model: Any, n_features: int, n_sums: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the votes, ends and literals of clauses: for each class as many for it as against it.

    Sides with fewer rules are filled with clauses without literals.
    """
    output = "class" if state["numbers"] is None else "output"
    used = _positions(state["features"], model)
    sides: list[list[tuple[int, list[int]]]] = [[] for _ in range(2 * n_sums)]
    for rule in state["rules"]:
        label, vote, places = rule[output], rule["vote"], [*rule["true"], *rule["false"]]
        _check(bool(places) and all(_is_below(place, len(used)) for place in places), "rules", rule)
        _check(_is_below(label, n_sums) and type(vote) is int, "rules", rule)
        literals = {used[place] for place in rule["true"]} | {used[place] + n_features for place in rule["false"]}
        sides[2 * label + (vote < 0)].append((vote, sorted(literals)))
    most = state["literal_failures"] or 1
    are_small = all(sum(abs(vote) for vote, _ in side) * most < 1 << 62 for side in sides)
    _check(are_small, "rules", "votes whose sum exceeds 63 bits")
    n_rules = max(1, *map(len, sides))
    clauses = [clause for side in sides for clause in [*side, *[(0, [])] * (n_rules - len(side))]]
    return (
        np.array([vote for vote, _ in clauses], np.int64).reshape(n_sums, 2 * n_rules),
        np.array([0, *accumulate(len(literals) for _, literals in clauses)], np.int64),
        np.array([literal for _, literals in clauses for literal in literals], np.int32),
    )


def _positions(features: list[dict[str, Any]], model: Any) -> list[int]:
    """Return the positions of features in JSON among all features of the model."""
    n_columns = model.n_features_in_
    conditions = None if model.booleanizer_ is None else model.booleanizer_.conditions_
    positions = []
    for feature in features:
        column = feature["column"]
        _check(_is_below(column, n_columns), "features", feature)
        tests = tests_of(BIT if conditions is None else conditions[column])
        _check((feature["test"], feature["value"]) in tests, "features", feature)
        first = column if conditions is None else conditions.first_feature(column)
        positions.append(first + tests.index((feature["test"], feature["value"])))
    return positions


def _is_below(value: Any, bound: int) -> bool:
    return type(value) is int and 0 <= value < bound


def _check(holds: bool, name: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"The model has invalid {name}: {short_repr(value)}.")
