"""The columns that options name."""

from collections.abc import Collection, Iterable
from pathlib import Path

from wtm.cli.errors import OptionError
from wtm.cli.model_kinds import AnyModel
from wtm.table_files.column_names import require_columns
from wtm.table_files.open_table import TableSource
from wtm.tables.reading import first_duplicate
from wtm.utils.printable import short_repr


def named_target(target: str, source: TableSource, purpose: str = "which --target names") -> str:
    """Return the name of the target if the file has it."""
    _refuse_empty([target], source.names, "--target")
    require_columns([target], source.names, source.name, purpose, source.hint)
    return target


def check_target_has_data(target: str | None, data: object) -> None:
    """Check that an option for the target comes with a file to read it from, which is None otherwise."""
    if target is not None and data is None:
        raise OptionError("--target names a column of the file in --data: pass --data too.")


def target_of(model: AnyModel, target: str | None, path: Path) -> str:
    """Return the name of the target: that of the training if `target` is None."""
    name = getattr(model, "target_name_", None) if target is None else target
    if not isinstance(name, str):
        raise ValueError(f"{path} does not name its target column: pass --target.")
    return name


def named_columns(values: Iterable[str], source: TableSource, option: str) -> list[str]:
    """Return the columns of a file that an option names."""
    known = [*source.names, *source.index]
    names = parse_names(values, known, option)
    require_columns(names, known, source.name, f"which {option} names", source.hint)
    return names


def parse_names(values: Iterable[str], known: Iterable[str], option: str) -> list[str]:
    """Return the names in an option's values: each value is a name, or several with commas between them."""
    known = set(known)
    names: list[str] = []
    for value in values:
        names += [value] if value in known else [name.strip() for name in value.split(",")]
    _refuse_empty(names, known, option)
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise OptionError(f"{option} names {short_repr(duplicate)} more than once: leave out the second.")
    return names


def _refuse_empty(names: Iterable[str], known: Collection[str], option: str) -> None:
    if "" in names and "" not in known:
        raise OptionError(f"{option} must name a column, got an empty name. Is a variable not set?")
