"""``wtm predict``: from a model file and a file with a table to predictions, some rows at a time."""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from wtm.cli.cluster import check_cluster_options, connected, files_on_cluster, refuse_several
from wtm.cli.cluster_predictions import write_predictions
from wtm.cli.column_options import named_columns
from wtm.cli.errors import OptionError
from wtm.cli.model_kinds import AnyModel, Regressor
from wtm.cli.output import check_table_output, new_folder, table_writer
from wtm.cli.predictions import needed_columns, prediction_names, predictions_for, probability_names
from wtm.cli.table_options import TableOptions
from wtm.loading import load_table_model
from wtm.table_files.arrow import pa
from wtm.table_files.open_table import PARQUET, STANDARD_STREAM
from wtm.utils.printable import counted, short_repr


def predict(
    options: TableOptions,
    model: Path,
    out: Path,
    *,
    proba: bool,
    keep: Sequence[str],
    escape_formulas: bool,
    dask: str | None,
) -> None:
    """Predict, and write the predictions in the order of the rows; on a cluster if `dask` is the address of one."""
    if dask is None:
        refuse_several(options)
    loaded: AnyModel = load_table_model(model)
    new = prediction_names(loaded)
    if proba:
        if isinstance(loaded, Regressor):
            raise ValueError(f"{model} holds a {type(loaded).__name__}, which predicts numbers: leave --proba out.")
        new += probability_names(loaded)
    if dask is not None:
        if escape_formulas:
            raise OptionError("--escape-formulas is for CSV, and --dask writes Parquet: leave it out.")
        _predict_on_cluster(options, loaded, out, dask, proba=proba, keep=keep, new=new)
        return
    with predictions_for(loaded, options, proba=proba) as predictions:
        kept = named_columns(keep, predictions.source, "--keep")
        _check_names(kept, new)
        if escape_formulas and out.name.lower().endswith(PARQUET):
            raise OptionError(f"--escape-formulas is for CSV, but --out {out} is Parquet: leave it out.")
        check_table_output(out, [model, options.data], overwrite=options.overwrite)
        hidden = out == STANDARD_STREAM and sys.stdout.isatty()  # no bar between predictions
        with (
            closing(predictions.batches(kept, hidden=hidden)) as batches,
            table_writer(out, escape_formulas=escape_formulas) as write,
        ):
            for batch, found in batches:
                # Kept columns are written as they are in the file.
                columns = {name: batch[name] for name in kept}
                write(pa.table(columns | {name: pa.array(values) for name, values in found.items()}))
    if out != STANDARD_STREAM:
        options.note(f"{out}: predictions for {counted(predictions.n_rows, 'row')}")


def _predict_on_cluster(
    options: TableOptions,
    model: AnyModel,
    out: Path,
    dask: str,
    *,
    proba: bool,
    keep: Sequence[str],
    new: Sequence[str],
) -> None:
    check_cluster_options(options)
    if out == STANDARD_STREAM:
        raise OptionError("--dask writes Parquet files: give --out the name of a folder.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"--out {out} is not an empty folder: choose another name.")
    with connected(dask) as client:
        files = files_on_cluster(options)
        kept = named_columns(keep, files, "--keep")
        _check_names(kept, new)
        needed = needed_columns(model, files)
        files.require([*needed, *kept], "the first file has")
        files.join_types([*needed, *kept])
        options.note_format(files)
        with new_folder(out):
            counts = write_predictions(client, files, model, needed, kept, out.resolve(), proba=proba)
    options.note(f"{out}: predictions for {counted(sum(counts), 'row')} in {counted(len(counts), 'file')}")


def _check_names(kept: Sequence[str], new: Sequence[str]) -> None:
    clash = next((name for name in kept if name in new), None)
    if clash is not None:
        raise ValueError(
            f"--keep names {short_repr(clash)}, and the predictions have a column of this name. Rename it in the data."
        )
