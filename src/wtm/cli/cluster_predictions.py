"""Predictions for Parquet files, which workers of a cluster read and write."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wtm.cli.model_kinds import AnyModel
from wtm.cli.predictions import predicted_columns
from wtm.table_files.arrow import pa
from wtm.table_files.parquet_files import ParquetFiles, read_groups
from wtm.utils.atomic_write import atomic_write


def write_predictions(
    client: Any,
    files: ParquetFiles,
    model: AnyModel,
    needed: Sequence[str],
    kept: Sequence[str],
    out: Path,
    *,
    proba: bool,
) -> list[int]:
    """Write a file of predictions for each chunk of rows, named by its number, and return their numbers of rows."""
    from dask.delayed import delayed

    from wtm.dask.worker_copy import for_workers

    chunks, write = files.chunks(len(needed)), delayed(_write)
    shared = delayed(for_workers(model, model._model.for_prediction()), traverse=False)
    n_digits = len(str(len(chunks) - 1))
    tasks = [
        write(shared, files.groups[chunk], needed, kept, out / f"part-{number:0{n_digits}}.parquet", proba)
        for number, chunk in enumerate(chunks)
    ]
    counts: list[int] = client.gather(client.compute(tasks))
    return counts


def _write(model: AnyModel, groups: Any, needed: Sequence[str], kept: Sequence[str], path: Path, proba: bool) -> int:
    table = read_groups(groups, list(dict.fromkeys([*needed, *kept])))
    columns = {name: table[name] for name in kept}
    found = predicted_columns(model, table.select(needed), proba=proba)
    with atomic_write(path) as file:
        pa.parquet.write_table(pa.table(columns | {name: pa.array(values) for name, values in found.items()}), file)
    return len(table)
