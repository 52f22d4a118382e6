"""The names of columns: those of a file are unique, and those that are asked for are there."""

from collections.abc import Iterable, Sequence
from itertools import chain, count

from wtm.tables.reading import first_duplicate
from wtm.utils.printable import short_repr

_MOST_NAMED = 10


def require_columns(names: Iterable[str], known: Sequence[str], file: str, purpose: str, hint: str) -> None:
    """Raise a ValueError if some columns are not among `known`, those of `file`; `hint` may be the reason."""
    present = set(known)
    missing = [name for name in names if name not in present]
    if missing:
        alike = [name for name in known if _spelt(name) == _spelt(missing[0])]
        if alike:
            hint = f"Did you mean {short_repr(alike[0])}?"
        noun = "column" if len(missing) == 1 else "columns"
        message = f"{file} has no {noun} {listed(missing)}, {purpose}. Its columns are {listed(known)}. {hint}"
        raise ValueError(message.rstrip())


def check_unique(names: Sequence[str], file: str) -> None:
    """Raise a ValueError if two columns of a file have the same name."""
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ValueError(
            f"{file} has more than one column called {short_repr(duplicate)}: rename them, or pass --no-header if the "
            "file has no header."
        )


def named_as_in_pandas(names: Sequence[str]) -> list[str]:
    """Name the columns of a CSV file whose names are empty as `pandas.read_csv` does, so that they clash with none."""
    taken = set(names)
    named = list(names)
    for i, name in enumerate(names):
        if not name:
            others = (f"Unnamed: {i}{suffix}" for suffix in chain([""], (f".{n}" for n in count(1))))
            named[i] = next(other for other in others if other not in taken)
    return named


def _spelt(name: str) -> str:
    return "".join(name.split()).casefold()


def listed(values: Sequence[object]) -> str:
    """Return values for a message, the first ones if there are many."""
    text = ", ".join(map(short_repr, values[:_MOST_NAMED]))
    return text if len(values) <= _MOST_NAMED else f"{text} and {len(values) - _MOST_NAMED:,} more"
