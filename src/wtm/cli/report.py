"""``wtm report``: write a page that shows and explains a model."""

import re
from pathlib import Path

import typer

from wtm.cli.column_options import check_target_has_data
from wtm.cli.errors import OptionError, options_named
from wtm.cli.labelled_rows import rows_with_labels
from wtm.cli.output import check_output
from wtm.cli.table_options import TableOptions
from wtm.loading import load_table_model
from wtm.report_page import to_html
from wtm.table_files.open_table import STANDARD_STREAM
from wtm.utils.atomic_write import atomic_write


def report(
    model: Path,
    out: Path,
    options: TableOptions | None,
    target: str | None,
    image_shape: str | None,
    n_rows: int,
    *,
    overwrite: bool,
) -> None:
    """Write the page, with the rules counted on a table and some of its rows explained, if there is one."""
    check_target_has_data(target, options)
    if out == STANDARD_STREAM:
        raise OptionError("--out must be a file, such as model.html; got - for standard output.")
    check_output(out, [model] if options is None else [model, options.data], overwrite=overwrite)
    shape = None if image_shape is None else _shape(image_shape)
    clf = load_table_model(model)
    X, y, rows = (None, None, None) if options is None else rows_with_labels(clf, options, target)
    names = None if rows is None else rows + 1
    with options_named({"image_shape": "--image-shape"}):
        page = to_html(clf, X, y, row_names=names, image_shape=shape, n_rows=n_rows)
    with atomic_write(out) as file:
        file.write(page.encode())
    typer.echo(f"{out}: the page, for a browser")


def _shape(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text, re.ASCII)
    if found is None:
        raise OptionError(f"--image-shape must be a height and a width such as 28x28, got {text!r}.")
    return int(found[1]), int(found[2])
