"""Training on more rows than memory holds: files are read some rows at a time, in random order."""

from wtm.stream.batches import batches
from wtm.stream.row_sources import ArrayRows, ParquetRows
from wtm.stream.training import fit

__all__ = ["ArrayRows", "ParquetRows", "batches", "fit"]
