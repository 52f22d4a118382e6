"""The entry point of the distribution: the command ``wtm``.

It imports the commands once it can handle Ctrl-C, since that takes long enough to be interrupted.
"""

import io
import sys

from wtm.cli.errors import one_line_on_failure
from wtm.utils.interruption import terminable


def main() -> None:
    """Run the command."""
    with terminable(), one_line_on_failure():  # also while typer builds the commands, reads arguments or prints help
        from wtm.cli.app import app

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # On an ASCII terminal, question marks rather than an error after all the work.
                stream.reconfigure(errors="replace")
        app(prog_name="wtm")
