"""The Weighted Tsetlin Machine: a classifier and a regressor of weighted AND-rules over true/false features."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wtm.booleanizer import Booleanizer
    from wtm.classifier import WTMClassifier
    from wtm.conv_classifier import ConvolutionalWTMClassifier
    from wtm.fuzzy_classifier import FuzzyWTMClassifier
    from wtm.fuzzy_conv_classifier import FuzzyConvolutionalWTMClassifier
    from wtm.fuzzy_regressor import FuzzyWTMRegressor
    from wtm.image_booleanizer import ImageBooleanizer
    from wtm.loading import load_model
    from wtm.regressor import WTMRegressor

__all__ = [
    "Booleanizer",
    "ConvolutionalWTMClassifier",
    "FuzzyConvolutionalWTMClassifier",
    "FuzzyWTMClassifier",
    "FuzzyWTMRegressor",
    "ImageBooleanizer",
    "WTMClassifier",
    "WTMRegressor",
    "__version__",
    "load_model",
]

__version__ = "0.2.0"


_MODULES = {
    "Booleanizer": "wtm.booleanizer",
    "ConvolutionalWTMClassifier": "wtm.conv_classifier",
    "FuzzyConvolutionalWTMClassifier": "wtm.fuzzy_conv_classifier",
    "FuzzyWTMClassifier": "wtm.fuzzy_classifier",
    "FuzzyWTMRegressor": "wtm.fuzzy_regressor",
    "ImageBooleanizer": "wtm.image_booleanizer",
    "WTMClassifier": "wtm.classifier",
    "WTMRegressor": "wtm.regressor",
    "load_model": "wtm.loading",
}


def __getattr__(name: str) -> Any:
    # Numba and scikit-learn take a second to import: reading the version should not wait for them.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
