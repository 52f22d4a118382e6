"""``wtm export``: write a model for another program."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from wtm.cli.column_options import parse_names
from wtm.cli.errors import OptionError
from wtm.cli.model_kinds import AnyModel, Regressor
from wtm.cli.output import check_output, new_folder
from wtm.cli.predictions import predictions_for
from wtm.cli.table_options import TableOptions
from wtm.export import from_json, summarize, to_c, to_json, to_onnx, to_python, to_sql, to_verilog
from wtm.export.c_source import NUMBER_TYPES
from wtm.export.model_size import compare
from wtm.export.names import check_name
from wtm.export.sql_query import DIALECTS
from wtm.loading import load_table_model
from wtm.table_files.open_table import STANDARD_STREAM
from wtm.utils.atomic_write import atomic_write
from wtm.utils.printable import counted

_Files = dict[str, str | bytes]
"""Contents by the ending of the file."""

_FORMATS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[..., tuple[str | bytes, ...]]]] = {
    # endings of the files, options besides bits, and what writes their contents
    "json": ((".json",), (), lambda model, name, **options: (to_json(model, **options),)),
    "python": ((".py",), (), lambda model, name, **options: (to_python(model, **options),)),
    "c": ((".h", ".c"), ("number_type",), lambda model, name, **options: to_c(model, name, **options)[:2]),
    "sql": ((".sql",), ("dialect", "table", "keep"), lambda model, name, **options: (to_sql(model, **options),)),
    "onnx": ((".onnx",), ("missing",), lambda model, name, **options: (to_onnx(model, **options).SerializeToString(),)),
    "verilog": ((".v",), (), lambda model, name, **options: (to_verilog(model, name, **options),)),
}

_VALUES = {"dialect": tuple(DIALECTS), "number_type": tuple(NUMBER_TYPES)}


def export(
    model: Path,
    format: str,
    out: Path,
    name: str,
    options: dict[str, Any],
    table: TableOptions | None,
    *,
    overwrite: bool,
) -> None:
    """Write the files, and print their names and the model's size; `options` are None if not given."""
    data = None if table is None else table.data
    if format not in _FORMATS:
        raise OptionError(f"--format must be one of {', '.join(_FORMATS)}; got {format!r}.")
    endings, allowed, write = _FORMATS[format]
    given = {option: value for option, value in options.items() if value is not None}
    for option in given.keys() - {"bits", *allowed}:
        raise OptionError(f"--{option.replace('_', '-')} does not apply to --format {format}: leave it out.")
    if data == STANDARD_STREAM:
        raise OptionError("--data must be a file, since it is read twice; got - for standard input.")
    for option, values in _VALUES.items():
        if given.get(option, values[0]) not in values:
            raise OptionError(
                f"--{option.replace('_', '-')} must be one of {', '.join(values)}; got {given[option]!r}."
            )
    if given.get("table") == "":
        raise OptionError("--table must be a name, got an empty string.")
    try:
        check_name(name)
    except ValueError as error:
        raise OptionError(f"--{error}") from None
    paths = [out / f"{name}{ending}" for ending in endings]
    with new_folder(out):
        for path in paths:
            check_output(path, [model] if data is None else [model, data], overwrite=overwrite)
        loaded: AnyModel = load_table_model(model)
        if "keep" in given:
            given["keep"] = parse_names(given["keep"], getattr(loaded, "feature_names_in_", ()), "--keep")
        try:
            contents = write(loaded, name, **given)
        except (ImportError, TypeError) as error:  # a format that can't express this kind of model
            raise ValueError(str(error)) from error
        agreement = None if table is None else _agreement(loaded, given.get("bits"), table)
        for path, content in zip(paths, contents, strict=True):
            with atomic_write(path) as file:
                file.write(content if isinstance(content, bytes) else content.encode())
    typer.echo(f"{', '.join(map(str, paths))}: {summarize(loaded, bits=given.get('bits'))}")
    if agreement is not None:
        typer.echo(agreement)


def _agreement(model: AnyModel, bits: int | None, table: TableOptions) -> str:
    """Compare the predictions of exact and of rounded votes."""
    rounded = from_json(to_json(model, bits=bits))
    exact, found = _predicted(model, model, table), _predicted(model, rounded, replace(table, quiet=True))
    if not len(exact):
        raise ValueError(f"{table.data} has no rows to compare predictions on.")
    rows = f"{counted(len(exact), 'row')} of {table.data}"
    agreement, difference = compare(exact, found, are_numbers=isinstance(model, Regressor))
    if agreement is None:
        return f"at most {difference:.3g} away from the numbers of exact votes on {rows}"
    return f"the same label as with exact votes on {agreement:.2%} of {rows}"


def _predicted(trained: AnyModel, model: Any, table: TableOptions) -> np.ndarray:
    model.csv_format_ = getattr(trained, "csv_format_", "{}")
    with predictions_for(model, table) as predictions, closing(predictions.batches([])) as batches:
        parts = [np.stack([*found.values()], axis=-1) for _, found in batches]
    return np.concatenate(parts or [np.empty((0, 1))])
