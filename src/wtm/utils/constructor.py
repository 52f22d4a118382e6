"""Constructors besides ``__init__``, which an instance refuses."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any


class _Constructor(classmethod):  # type: ignore[type-arg]
    """A class method that makes a new instance; an instance, whose parameters it would drop, raises a TypeError."""

    def __get__(self, instance: Any, owner: Any = None) -> Callable[..., Any]:
        """Return the method of the class, or one that refuses."""
        method = super().__get__(None, owner)
        if instance is None:
            return method

        @wraps(method)
        def refuse(*_: Any, **__: Any) -> None:
            call = f"{type(instance).__name__}.{method.__name__}"
            raise TypeError(
                f"{call} makes a new estimator, without the parameters of this one: call it on the class, as "
                f"{call}(...), with all parameters that you want to change."
            )

        return refuse


if TYPE_CHECKING:
    constructor = classmethod
else:
    constructor = _Constructor
