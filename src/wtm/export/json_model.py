"""Models as JSON, and back."""

import json
import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NoReturn

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.export.model_tables import BIT, ModelTables, tests_of
from wtm.machine.voting import VotingModel
from wtm.modelfile.values import decode_labels, encode_labels, parse_json
from wtm.rules.label_reducible import LabelReducible
from wtm.rules.readable import Readable
from wtm.utils.printable import short_repr

_FORMAT, _VERSION = "wtm rules", 1


def to_json(clf: Any, *, bits: int | None = None) -> str:
    """Write the rules of a model as JSON, which other programs can evaluate and `from_json` reads.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    str
        One line of ASCII. docs/export.md describes the schema.

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `clf` is not a fitted WTMClassifier, or `bits` is not such a number.
    """
    tables = ModelTables.of(clf, bits=bits)
    names = getattr(clf, "feature_names_in_", None)
    columns = tables.columns
    state = {
        "format": _FORMAT,
        "version": _VERSION,
        "classes": encode_labels(clf.classes_),
        "n_columns": tables.n_columns,
        "column_names": None if names is None else list(map(str, names)),
        "strict": clf._is_strict(),
        "booleanizer": None if clf.booleanizer_ is None else clf.booleanizer_.to_json(),
        "unit": tables.unit,
        "logit_scale": float(clf._model.logit_scale),
        "features": [
            {"column": columns[f.column].position, "name": columns[f.column].name, "test": f.test, "value": f.value}
            for f in tables.features
        ],
        "rules": [{"class": r.label, "vote": r.vote, "true": r.true, "false": r.false} for r in tables.rules],
    }
    return json.dumps(state, allow_nan=False)


def from_json(text: str | bytes) -> "ExportedClassifier":
    """Return a classifier that predicts as the one that `to_json` wrote.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    ExportedClassifier

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


class ExportedClassifier(Readable, LabelReducible):
    """A classifier that only predicts: what `from_json` returns.

    It predicts, shows and explains its rules as the classifier that was written does, and accepts and refuses the same
    tables, but it can't be trained.

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
            "This model was read from JSON, so it only predicts. To train further, load a file of WTMClassifier.save."
        )


@dataclass(frozen=True)
class _NumberOfFeatures:
    n_features: int


@dataclass(frozen=True)
class _RuleModel:
    """Rules and their votes, in place of `wtm.machine.model_state.PredictionModel`, whose weights are powers."""

    parameters: _NumberOfFeatures
    clause_votes: np.ndarray
    clause_ends: np.ndarray
    literal_list: np.ndarray
    unit: float
    logit_scale: float

    def for_prediction(self) -> "_RuleModel":
        return self

    def voting_model(self) -> VotingModel:
        return VotingModel.with_votes(self.clause_votes, self.clause_ends, self.literal_list, self.unit)

    @property
    def machines(self) -> NoReturn:
        raise AttributeError("This model was read from JSON, so it has no automata and no machines_.")


def _read(state: dict[str, Any]) -> ExportedClassifier:
    clf = ExportedClassifier("strict" if state["strict"] else "auto")
    clf.classes_ = decode_labels(state["classes"])
    clf.booleanizer_ = None if state["booleanizer"] is None else Booleanizer.from_json(state["booleanizer"])
    clf.n_features_in_ = n_columns = state["n_columns"]
    is_right = clf.booleanizer_ is None or clf.booleanizer_.n_features_in_ == n_columns
    _check(_is_below(n_columns, 1 << 31) and n_columns > 0 and is_right, "n_columns", n_columns)
    names = state["column_names"]
    if names is not None:
        _check(len(names) == n_columns and all(isinstance(name, str) for name in names), "column_names", names)
        clf.feature_names_in_ = np.array(names, object)
    for name in ("unit", "logit_scale"):
        is_number = isinstance(state[name], int | float) and not isinstance(state[name], bool)
        _check(is_number and 0 < state[name] < math.inf, name, state[name])
    n_features = n_columns if clf.booleanizer_ is None else clf.booleanizer_.n_features_out_
    clauses = _clauses(state, clf, n_features)
    scales = float(state["unit"]), float(state["logit_scale"])
    clf._model = _RuleModel(_NumberOfFeatures(n_features), *clauses, *scales)
    return clf


def _clauses(
    state: dict[str, Any], clf: ExportedClassifier, n_features: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the votes, ends and literals of clauses: for each class as many for it as against it.

    Sides with fewer rules are filled with clauses without literals.
    """
    n_classes = len(clf.classes_)
    used = _positions(state["features"], clf)
    sides: list[list[tuple[int, list[int]]]] = [[] for _ in range(2 * n_classes)]
    for rule in state["rules"]:
        label, vote, places = rule["class"], rule["vote"], [*rule["true"], *rule["false"]]
        _check(bool(places) and all(_is_below(place, len(used)) for place in places), "rules", rule)
        _check(_is_below(label, n_classes) and type(vote) is int, "rules", rule)
        literals = {used[place] for place in rule["true"]} | {used[place] + n_features for place in rule["false"]}
        sides[2 * label + (vote < 0)].append((vote, sorted(literals)))
    _check(
        all(sum(abs(vote) for vote, _ in side) < 1 << 62 for side in sides), "rules", "votes whose sum exceeds 63 bits"
    )
    n_rules = max(1, *map(len, sides))
    clauses = [clause for side in sides for clause in [*side, *[(0, [])] * (n_rules - len(side))]]
    return (
        np.array([vote for vote, _ in clauses], np.int64).reshape(n_classes, 2 * n_rules),
        np.array([0, *accumulate(len(literals) for _, literals in clauses)], np.int64),
        np.array([literal for _, literals in clauses for literal in literals], np.int32),
    )


def _positions(features: list[dict[str, Any]], clf: ExportedClassifier) -> list[int]:
    """Return the positions of features in JSON among all features of the model."""
    n_columns = clf.n_features_in_
    conditions = None if clf.booleanizer_ is None else clf.booleanizer_.conditions_
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
