"""What files of results must hold, so that an edited or half-copied one is named, and no wrong figure comes of it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = [
    "ENVIRONMENT", "are_numbers", "are_shares", "check_entries", "has_entries", "is_count", "is_data", "is_flag",
    "is_number", "is_share", "is_text", "of_kind",
]  # fmt: skip

_HUGE = 1e30


def check_entries(path: Path, content: dict[str, Any], checks: Mapping[str, Callable[[Any], bool]]) -> None:
    """Make sure that every entry that is needed is there and passes its check.

    Raises
    ------
    ValueError
        One is missing or wrong.
    """
    for name, passes in checks.items():
        if name not in content or not passes(content[name]):
            state = "wrong" if name in content else "missing"
            raise ValueError(
                f"{path} holds no usable results, as its entry {name!r} is {state}: remove it, or get it again."
            )


def has_entries(value: Any, checks: Mapping[str, Callable[[Any], bool]]) -> bool:
    """Whether a value is an object of JSON with these entries, which pass."""
    return isinstance(value, dict) and all(name in value and passes(value[name]) for name, passes in checks.items())


def of_kind(kind: str) -> Callable[[Any], bool]:
    """Check of the entry ``kind``."""
    return lambda value: isinstance(value, str) and value == kind


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    """Whether a value is true or false."""
    return isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number, finite and of a size that can be something's."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 0 upward."""
    return isinstance(value, int) and is_number(value) and value >= 0


def is_share(value: Any) -> bool:
    """Whether a value is a fraction of 1."""
    return is_number(value) and 0 <= value <= 1


def are_numbers(values: Any) -> bool:
    """Whether a value is a list of finite numbers from 0 upward, at least one."""
    return isinstance(values, list) and bool(values) and all(is_number(value) and value >= 0 for value in values)


def are_shares(values: Any) -> bool:
    """Whether a value is a list of fractions of 1, at least one."""
    return isinstance(values, list) and bool(values) and all(map(is_share, values))


def is_data(value: Any) -> bool:
    """Whether a value tells of data, as `wtm.paper.problem.Problem.describe` does."""
    return has_entries(value, {"key": is_text, "quick": is_flag, "digest": is_text})


ENVIRONMENT: dict[str, Callable[[Any], bool]] = {
    "versions": lambda value: isinstance(value, dict) and all(map(is_text, value.values())),
    "machine": lambda value: has_entries(value, {"processor": is_text, "cores": is_count, "platform": is_text}),
}
"""Checks of what `wtm.paper.files.environment` tells."""
