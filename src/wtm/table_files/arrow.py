"""pyarrow, which reads tables, if it is installed."""

from typing import Any

from wtm.utils.printable import shorten

try:
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv
    import pyarrow.parquet

    pa: Any = pyarrow
except ImportError:
    pa = None
compute: Any = pa and pa.compute

_LONGEST_REASON = 300


def require_pyarrow() -> None:
    """Raise a ValueError with the remedy if pyarrow is not installed."""
    if pa is None:
        raise ValueError(
            "pyarrow, which reads CSV and Parquet files, is not installed: "
            "python -m pip install 'weighted-tsetlin-machine[tables]'"
        )


def unreadable(name: str, reason: object) -> ValueError:
    """Return the error for a file that pyarrow can't read, with pyarrow's reason in one line."""
    return ValueError(f"{name} can't be read: {shorten(' '.join(str(reason).split()), _LONGEST_REASON)}")
