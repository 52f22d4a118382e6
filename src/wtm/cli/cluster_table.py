"""The table that `wtm train --dask` learns from: Parquet files, which workers read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wtm.cli.model_kinds import AnyModel
from wtm.cli.table_options import TableOptions
from wtm.cli.training_table import NOT_NUMBERS, TrainingTable, read_target
from wtm.table_files.arrow import pa
from wtm.table_files.parquet_files import ParquetFiles, read_groups
from wtm.table_files.target_labels import rows_with_label, target_numbers


@dataclass(frozen=True)
class FileChunk:
    """Some row groups, and which of their rows are wanted.

    Attributes
    ----------
    groups : list of (Path, int)
    rows : ndarray of bool
    """

    groups: list[tuple[Path, int]]
    rows: np.ndarray

    def read(self, columns: Sequence[str]) -> Any:
        """Return columns of the wanted rows as a table of pyarrow."""
        return read_groups(self.groups, columns).filter(pa.array(self.rows))


def _numbers(table: Any, target: str) -> np.ndarray:
    return target_numbers(table[target], target, None, range(len(table)), NOT_NUMBERS)


def _predicted(model: AnyModel, chunk: FileChunk, features: Sequence[str]) -> np.ndarray:
    predicted: np.ndarray = model.predict(chunk.read(features))
    return predicted


@dataclass(frozen=True)
class ClusterTable(TrainingTable):
    """A table whose columns are on a cluster, and whose target is here.

    Attributes
    ----------
    client : distributed.Client
    files : ParquetFiles
    features : list of str
    target : str
    with_target : ndarray of int64
        The rows of the files that have a target.
    regression : bool
    """

    client: Any
    files: ParquetFiles
    features: list[str]
    target: str
    with_target: np.ndarray
    regression: bool

    def fit(self, model: AnyModel, rows: np.ndarray) -> AnyModel:
        """Train a copy of the model on the cluster."""
        from dask.delayed import delayed

        from wtm.dask.chunk_rows import Chunk
        from wtm.dask.training import fit_chunks

        read, target_of = delayed(FileChunk.read), delayed(_numbers if self.regression else _labels)
        parts = [
            Chunk(read(chunk, self.features), target_of(read(chunk, [self.target]), self.target), None)
            for chunk in self._chunks(rows)
        ]
        example = read_groups(self.files.groups[:1], self.features)[:0]
        fitted: AnyModel = fit_chunks(model, parts, example, None, None, self.client)
        return fitted

    def predict(self, model: AnyModel, rows: np.ndarray) -> np.ndarray:
        """Predict some rows on the cluster."""
        from dask.delayed import delayed

        from wtm.dask.worker_copy import for_workers

        shared = delayed(for_workers(model, model._model.for_prediction()), traverse=False)
        parts = [delayed(_predicted)(shared, chunk, self.features) for chunk in self._chunks(rows)]
        return np.concatenate(self.client.gather(self.client.compute(parts)))

    def _chunks(self, rows: np.ndarray) -> list[FileChunk]:
        wanted = np.zeros(sum(self.files.sizes), np.bool_)
        wanted[self.with_target[rows]] = True
        starts = np.cumsum([0, *self.files.sizes])
        return [
            FileChunk(self.files.groups[part], wanted[starts[part.start] : starts[part.stop]])
            for part in self.files.chunks(len(self.features))
        ]


def _labels(table: Any, target: str) -> Any:
    return table[target]


def read_on_cluster(
    client: Any,
    files: ParquetFiles,
    features: list[str],
    target: str,
    options: TableOptions,
    *,
    regression: bool,
    drop_missing_target: bool,
) -> ClusterTable:
    """Read the target, of the rows that have one."""
    files.require([*features, target], "the first file has")
    files.join_types([*features, target])
    found = [client.submit(read_groups, files.groups[part], [target], pure=False) for part in files.chunks(1)]
    table = pa.concat_tables(client.gather(found), promote_options="permissive").unify_dictionaries()
    rows = rows_with_label(table[target], target, files.name, drop_missing=drop_missing_target)
    y = read_target(table[target].take(rows), target, None, rows + 1, options, regression=regression)
    return ClusterTable(y, len(features), False, (), client, files, features, target, rows, regression)
