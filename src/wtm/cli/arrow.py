"""pyarrow, which is installed on demand."""

from typing import Any

from wtm.utils.printable import shorten

_LONGEST_REASON = 300


def import_pyarrow() -> Any:
    """Return pyarrow; a ValueError with the remedy if it is not installed."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            "pyarrow, which reads CSV and Parquet files, is not installed: "
            "python -m pip install 'weighted-tsetlin-machine[tables]'"
        ) from None
    return pyarrow


def unreadable(name: str, reason: object) -> ValueError:
    """Return the error for a file that pyarrow can't read, with pyarrow's reason in one line."""
    return ValueError(f"{name} can't be read: {shorten(' '.join(str(reason).split()), _LONGEST_REASON)}")
