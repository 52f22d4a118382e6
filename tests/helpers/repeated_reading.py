"""Read a table in many processes that end in the middle of it, and print how often each exit code occurred.

Run as a script with the file, the number of processes, and "error", "interruption" or "full disk"; after "stdin", the
processes read the file as standard input. It imports once and forks: a new
process would take ten times as long. Threads do not survive a fork, so pyarrow starts its own in each child. A child
ends as a command does: Python shuts down while pyarrow may still read ahead.
"""

import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from wtm.cli.app import app
from wtm.cli.errors import one_line_on_failure
from wtm.cli.output import table_writer
from wtm.table_files import csv_file, parquet_file
from wtm.table_files.csv_format import CsvFormat
from wtm.table_files.open_table import open_table
from wtm.utils.interruption import terminable

_TIME_LIMIT = 60.0
_LONGEST_DELAY = 0.2


@app.command("read")
def read(path: str, ready: int, end: str):
    with one_line_on_failure(), open_table(Path(path), CsvFormat()) as source, table_writer(Path("-")) as write:
        os.write(ready, b"1")
        for batch in source.batches(source.names[:1]):
            if end == "error":
                raise ValueError("a cell can't be read.")
            if end == "full disk":
                write(batch)


def main(path, n_runs, end, source="file"):
    # In small parts, the reader of a file of some MiB is as far ahead as it otherwise is in a large one.
    csv_file._BLOCK, csv_file._BYTES_PER_BATCH, parquet_file._ROWS_PER_BATCH = 1 << 18, 1 << 20, 1 << 14
    gc.freeze()  # pages that the collector does not visit need no copy in the children
    found = Counter()
    for i in range(n_runs):
        child, ready = _start(path, end, source)
        start = time.monotonic()
        if end == "interruption":
            os.read(ready, 1)
            time.sleep(_LONGEST_DELAY * i / n_runs)
            os.kill(child, signal.SIGINT)
        os.close(ready)
        found[_wait(child, start + _TIME_LIMIT)] += 1
    print(json.dumps(found))


def _start(path, end, source):
    """Fork, and read in the child; return its number, and a pipe that it writes to when it starts to read."""
    ready, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        return child, ready
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(os.open("/dev/full", os.O_WRONLY) if end == "full disk" else nowhere, 1)
    os.dup2(nowhere, 2)
    if source == "stdin":
        os.dup2(os.open(path, os.O_RDONLY), 0)
        path = "-"
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in the background of a script
    with terminable():
        app(["read", path, str(tell), end], prog_name="wtm")
    raise AssertionError("a command ends in SystemExit")


def _wait(child, deadline):
    while time.monotonic() < deadline:
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
