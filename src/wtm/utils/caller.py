"""Warnings at the line of the caller's program."""

import sys
import warnings
from collections.abc import Iterable
from typing import Any

_PACKAGES = {"wtm", "sklearn"}  # scikit-learn wraps some methods, and calls those of pipelines


def warn_caller(warning: Warning) -> None:
    """Issue a warning at the line that called the package, itself or through scikit-learn."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


def warn_all(found: Iterable[Warning]) -> None:
    """Issue warnings as `warn_caller` does."""
    for warning in found:
        warn_caller(warning)


def warn_caller_once(estimator: Any, warning: Warning) -> None:
    """Issue a warning as `warn_caller` does, unless the estimator has issued the same one since `forget_warnings`.

    Any number of threads may predict with one estimator: of them, one issues the warning. What was issued is kept
    in the attribute `_issued` of the estimator, which is not pickled.
    """
    issued = vars(estimator).setdefault("_issued", {})
    text, token = str(warning), object()
    if issued.setdefault(text, token) is token:
        try:
            warn_caller(warning)
        except Warning:  # where warnings are errors, each call ends in one
            del issued[text]
            raise


def forget_warnings(estimator: Any) -> None:
    """Let `warn_caller_once` issue all warnings again."""
    vars(estimator).pop("_issued", None)
