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
from wtm.prediction import Predictor
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


class ExportedClassifier(Predictor):
    """A classifier that only predicts: what `from_json` returns.

    It has `predict`, `class_sums`, `decision_function`, `predict_proba` and `feature_importances_` of the classifier
    that was written, and accepts and refuses the same tables. :mod:`wtm.rules` lists its rules.

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
    """Rules and votes, in place of `wtm.machine.model_state.Model`."""

    parameters: _NumberOfFeatures
    voting: VotingModel
    logit_scale: float

    def voting_model(self) -> VotingModel:
        return self.voting

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
    voting = _voting_model(state, clf, n_features)
    clf._model = _RuleModel(_NumberOfFeatures(n_features), voting, float(state["logit_scale"]))
    return clf


def _voting_model(state: dict[str, Any], clf: ExportedClassifier, n_features: int) -> VotingModel:
    n_classes = len(clf.classes_)
    used = _positions(state["features"], clf)
    clauses: list[list[list[int]]] = [[] for _ in range(n_classes)]
    votes: list[list[int]] = [[] for _ in range(n_classes)]
    for rule in state["rules"]:
        places = [*rule["true"], *rule["false"]]
        _check(bool(places) and all(_is_below(place, len(used)) for place in places), "rules", rule)
        _check(_is_below(rule["class"], n_classes) and type(rule["vote"]) is int, "rules", rule)
        literals = {used[place] for place in rule["true"]} | {used[place] + n_features for place in rule["false"]}
        clauses[rule["class"]].append(sorted(literals))
        votes[rule["class"]].append(rule["vote"])
    _check(all(sum(map(abs, of_class)) < 1 << 63 for of_class in votes), "rules", "votes whose sum exceeds 63 bits")
    n_clauses = max(1, *map(len, clauses))  # all classes have the same number: the others are without literals
    padded = [[*of_class, *[[]] * (n_clauses - len(of_class))] for of_class in clauses]
    ends = [0, *accumulate(len(clause) for of_class in padded for clause in of_class)]
    return VotingModel.with_votes(
        np.array([[*of_class, *[0] * (n_clauses - len(of_class))] for of_class in votes], np.int64),
        np.array(ends, np.int64),
        np.array([literal for of_class in padded for clause in of_class for literal in clause], np.int32),
        float(state["unit"]),
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
