"""The methods compared. Each is fitted to a training part alone, with its own search where it is tuned."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold, StratifiedShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline

from benchmarks.tables.encoding import one_hot
from wtm import Booleanizer, FuzzyWTMClassifier, WTMClassifier

__all__ = [
    "EBM_BAGS",
    "EBM_ROUNDS",
    "FEW_ROWS",
    "FOLDS",
    "HELD_OUT",
    "METHODS",
    "N_CANDIDATES",
    "WTM_ROWS",
    "Fitted",
    "MissingMethod",
]

N_CANDIDATES = 10
"""Settings that a search tries."""
FEW_ROWS, FOLDS, HELD_OUT = 3_000, 3, 0.25
"""With at most this many rows a search has folds; with more it holds out a part of the rows once."""
WTM_ROWS = 8_000
"""Rows that the search for wtm uses at most; the one for boosting, which is faster, uses all."""
EBM_BAGS, EBM_ROUNDS = 2, 2_000
"""Instead of 14 and 50,000, which take ten times as long and more."""


class MissingMethod(Exception):  # noqa: N818
    """A method can't be used here; the message says why."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model, and the number of conditions of each of its rules, if it has rules."""

    model: Any
    rule_lengths: np.ndarray | None = None
    chosen: dict[str, Any] | None = None

    def probabilities(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of the classes, of shape (n_samples, n_classes)."""
        return self.model.predict_proba(X)


def _searched(model: Any, space: Any, n_rows: int, seed: int) -> RandomizedSearchCV:
    """Return a search that compares settings by their log-loss on rows held out of the training part."""
    cv: Any = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    if n_rows > FEW_ROWS:
        cv = StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    return RandomizedSearchCV(
        model, space, n_iter=N_CANDIDATES, cv=cv, scoring="neg_log_loss", random_state=seed, error_score="raise"
    )


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else str(value) for name, value in values.items()}


def _lengths(clf: WTMClassifier) -> np.ndarray:
    return clf.rules().columns["length"]


def _wtm(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    clf = WTMClassifier(random_state=seed).fit(X, y)
    return Fitted(clf, _lengths(clf))


def _wtm_auto(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    clf = WTMClassifier(s="auto", random_state=seed).fit(X, y)
    return Fitted(clf, _lengths(clf))


def _readable(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    clf = WTMClassifier.readable(random_state=seed).fit(X, y)
    return Fitted(clf, _lengths(clf))


_SIZES = ((200, 25), (400, 60), (1_000, 100))


def _wtm_space() -> list[dict[str, Any]]:
    """Return the settings to draw from; `T` goes with the number of clauses."""
    others = {
        "s": ["auto", 3, 5, 10, 20],
        "boost_true_positive": [True, False],
        "booleanizer": [Booleanizer(), Booleanizer(strategy="splits")],
        "average_last": [10],
    }
    return [{"n_clauses": [n_clauses], "T": [T], **others} for n_clauses, T in _SIZES]


def _wtm_tuned(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    rows = np.arange(len(y))
    if len(y) > WTM_ROWS:
        rows, _ = train_test_split(rows, train_size=WTM_ROWS, random_state=seed, stratify=y)
    search = _searched(WTMClassifier(random_state=seed), _wtm_space(), len(rows), seed)
    search.set_params(refit=False).fit(X.iloc[rows], y[rows])
    clf = clone(search.estimator).set_params(**search.best_params_).fit(X, y)
    return Fitted(clf, _lengths(clf), _plain(search.best_params_))


def _fuzzy(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    clf = FuzzyWTMClassifier(random_state=seed).fit(X, y)
    return Fitted(clf, np.array([card.n_conditions for card in clf.rules()]))


_BOOSTING_SPACE = {
    "learning_rate": loguniform(0.02, 0.3),
    "max_leaf_nodes": [4, 8, 16, 31],
    "min_samples_leaf": [5, 20, 60],
    "l2_regularization": loguniform(0.01, 30),
    "max_features": [0.3, 0.6, 1.0],
}


def _boosting_search(n_rows: int, seed: int) -> RandomizedSearchCV:
    model = HistGradientBoostingClassifier(
        max_iter=500, early_stopping=True, categorical_features="from_dtype", random_state=seed
    )
    return _searched(model, _BOOSTING_SPACE, n_rows, seed)


def _boosting(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    search = _boosting_search(len(y), seed).fit(X, y)
    return Fitted(search, chosen=_plain(search.best_params_))


def _boosting_on(booleanizer: Booleanizer, X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    model = make_pipeline(booleanizer, _boosting_search(len(y), seed)).fit(X, y)
    return Fitted(model, chosen=_plain(model[-1].best_params_))


def _boosting_on_bits(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    return _boosting_on(Booleanizer(), X, y, seed)


def _boosting_on_splits(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    return _boosting_on(Booleanizer(strategy="splits"), X, y, seed)


def _ebm(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    _require("interpret", "interpret-core")
    from interpret.glassbox import ExplainableBoostingClassifier

    model = ExplainableBoostingClassifier(outer_bags=EBM_BAGS, max_rounds=EBM_ROUNDS, n_jobs=1, random_state=seed)
    return Fitted(model.fit(X, y))


def _logistic(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    return Fitted(make_pipeline(one_hot(scaled=True), LogisticRegression(max_iter=1_000)).fit(X, y))


def _logistic_on_bits(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    return Fitted(make_pipeline(Booleanizer(), LogisticRegression(max_iter=1_000)).fit(X, y))


def _logistic_on_splits(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    return Fitted(make_pipeline(Booleanizer(strategy="splits"), LogisticRegression(max_iter=1_000)).fit(X, y))


def _rule_fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    _require("imodels", "imodels")
    from imodels import RuleFitClassifier

    classes, coded = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise MissingMethod("RuleFitClassifier is for two classes")
    model = make_pipeline(one_hot(scaled=False), RuleFitClassifier(random_state=seed)).fit(X, coded)
    rules = model[-1].rules_
    return Fitted(model, np.array([len(rule.agg_dict) for rule in rules]))


def _require(module: str, package: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingMethod(f"needs the package {package}: pip install {package}")


METHODS: dict[str, Callable[[pd.DataFrame, np.ndarray, int], Fitted]] = {
    "wtm, defaults": _wtm,
    "wtm, s auto": _wtm_auto,
    "wtm, tuned": _wtm_tuned,
    "wtm, readable": _readable,
    "fuzzy wtm, defaults": _fuzzy,
    "boosting, tuned": _boosting,
    "boosting on bits": _boosting_on_bits,
    "boosting on splits": _boosting_on_splits,
    "additive model (EBM)": _ebm,
    "logistic regression on columns": _logistic,
    "logistic regression on bits": _logistic_on_bits,
    "logistic regression on splits": _logistic_on_splits,
    "RuleFit": _rule_fit,
}
