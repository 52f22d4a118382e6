"""Read a CSV file in many processes that end in the middle of it, and print how often each exit code occurred.

Run as a script with the file, the number of processes, and "error" or "interruption". It imports once and forks: a new
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

from wtm.cli import csv_file
from wtm.cli.csv_format import CsvFormat
from wtm.cli.errors import one_line_on_failure
from wtm.cli.main import app
from wtm.cli.table_files import open_table
from wtm.utils.interruption import terminable

_TIME_LIMIT = 60.0
_LONGEST_DELAY = 0.2


@app.command("read")
def read(path: str, ready: int, *, fails: bool = False):
    with one_line_on_failure(), open_table(Path(path), CsvFormat()) as source:
        os.write(ready, b"1")
        for _ in source.batches(source.names[:1]):
            if fails:
                raise ValueError("a cell can't be read.")


def main(path, n_runs, end):
    # In small parts, the reader of a file of some MiB is as far ahead as it otherwise is in a large one.
    csv_file._BLOCK, csv_file._BYTES_PER_BATCH = 1 << 18, 1 << 20
    gc.freeze()  # pages that the collector does not visit need no copy in the children
    found = Counter()
    for i in range(n_runs):
        child, ready = _start(path, end)
        start = time.monotonic()
        if end == "interruption":
            os.read(ready, 1)
            time.sleep(_LONGEST_DELAY * i / n_runs)
            os.kill(child, signal.SIGINT)
        os.close(ready)
        found[_wait(child, start + _TIME_LIMIT)] += 1
    print(json.dumps(found))


def _start(path, end):
    """Fork, and read in the child; return its number, and a pipe that it writes to when it starts to read."""
    ready, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        return child, ready
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in the background of a script
    with terminable():
        app(["read", path, str(tell), *(["--fails"] if end == "error" else [])], prog_name="wtm")
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
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
