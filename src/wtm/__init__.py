"""The Weighted Tsetlin Machine: a classifier and a regressor of weighted AND-rules over true/false features."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wtm.booleanizer import Booleanizer
    from wtm.classifier import WTMClassifier
    from wtm.loading import load_model
    from wtm.regressor import WTMRegressor

__all__ = ["Booleanizer", "WTMClassifier", "WTMRegressor", "__version__", "load_model"]

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    # Numba and scikit-learn take a second to import: reading the version should not wait for them.
    if name == "WTMClassifier":
        from wtm.classifier import WTMClassifier

        return WTMClassifier
    if name == "WTMRegressor":
        from wtm.regressor import WTMRegressor

        return WTMRegressor
    if name == "load_model":
        from wtm.loading import load_model

        return load_model
    if name == "Booleanizer":
        from wtm.booleanizer import Booleanizer

        return Booleanizer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
