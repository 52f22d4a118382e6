"""Columns that options and models name."""

from collections.abc import Iterable, Sequence

from wtm.utils.printable import short_repr

_MOST_NAMED = 10


def parse_names(values: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the names in an option's values: each value is a name, or several with commas between them."""
    known = set(known)
    names: list[str] = []
    for value in values:
        names += [value] if value in known else [name.strip() for name in value.split(",")]
    return list(dict.fromkeys(names))


def require_columns(names: Iterable[str], known: Sequence[str], file: object, purpose: str) -> None:
    """Raise a ValueError if some columns are not in `file`, whose columns are `known`."""
    present = set(known)
    missing = [name for name in names if name not in present]
    if missing:
        remedy = " A name is empty: is a variable not set?" if "" in missing else ""
        if len(known) == 1:
            remedy = " If the columns of a CSV file are separated otherwise, pass --separator."
        raise ValueError(
            f"{file} has no column {_listed(missing)}, {purpose}. Its columns are {_listed(known)}.{remedy}"
        )


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(map(short_repr, names[:_MOST_NAMED]))
    return listed if len(names) <= _MOST_NAMED else f"{listed} and {len(names) - _MOST_NAMED:,} more"
