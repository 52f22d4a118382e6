"""Find and read the files of a data set."""

import gzip
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from wtm.utils.paths import as_path

DATA_DIR_VARIABLE = "WTM_DATA"


class DatasetNotFoundError(FileNotFoundError):
    """The files of a data set were not found, and could not be downloaded."""


def find_files(
    dataset: str, subfolder: str, names: Sequence[str], data_dir: str | os.PathLike[str] | None
) -> dict[str, Path]:
    """Find the files of a data set, each plain or compressed (with ``.gz`` after its name).

    Parameters
    ----------
    dataset : str
        The name of the data set, for messages.
    subfolder : str
        The folder of the data set inside the data folder. The files may also be in the data folder itself.
    names : sequence of str
        The files needed, without ``.gz``.
    data_dir : path or None
        The data folder; by default the value of the environment variable ``WTM_DATA``.

    Returns
    -------
    dict of str to Path
        The path of each of `names`, all in one folder.

    Raises
    ------
    DatasetNotFoundError
        No folder has all the files.
    TypeError
        `data_dir` is not a path.
    """
    base = data_dir if data_dir is not None else os.environ.get(DATA_DIR_VARIABLE) or None
    folder = None if base is None else as_path(base, "data_dir").expanduser()
    folders = [] if folder is None else [folder / subfolder, folder]
    for folder in folders:
        found = {name: path for name in names if (path := _find_file(folder, name)) is not None}
        if len(found) == len(names):
            return found
    where = f"Looked in {' and '.join(map(str, folders))}" if folders else f"{DATA_DIR_VARIABLE} is not set"
    raise DatasetNotFoundError(
        f"{dataset} was not found: it needs the files {', '.join(names)}, each of which may be compressed (.gz). "
        f"{where}. Pass their folder, or its parent if the folder is called '{subfolder}', as data_dir=... in Python "
        f"or --data-dir in a shell, or set the environment variable {DATA_DIR_VARIABLE}."
    )


def _find_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}.gz", folder / name)
    return next((path for path in candidates if path.is_file()), None)


def read_file(path: Path) -> bytes:
    """Read a file, and decompress it if its name ends in ``.gz``.

    Raises
    ------
    ValueError
        The compressed file is truncated or damaged.
    """
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is truncated or not a valid gzip file ({error}): download it again.") from error
