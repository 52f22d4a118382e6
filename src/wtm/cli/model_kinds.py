"""The kinds of models that the commands train and read."""

from typing import Any

from wtm.classifier import WTMClassifier
from wtm.fuzzy_classifier import FuzzyWTMClassifier
from wtm.fuzzy_regressor import FuzzyWTMRegressor
from wtm.regressor import WTMRegressor

Classifier = WTMClassifier | FuzzyWTMClassifier
Regressor = WTMRegressor | FuzzyWTMRegressor
AnyModel = Classifier | Regressor


def kind_to_train(*, regression: bool, fuzzy: bool) -> type[AnyModel]:
    """Return the estimator that such options of ``wtm train`` ask for."""
    if regression:
        return FuzzyWTMRegressor if fuzzy else WTMRegressor
    return FuzzyWTMClassifier if fuzzy else WTMClassifier


def outputs_of(model: AnyModel) -> list[Any]:
    """Return what the rules of a model vote on: its classes, or the numbers of its outputs from 0."""
    return list(range(model.n_outputs_)) if isinstance(model, Regressor) else list(model.classes_.tolist())
