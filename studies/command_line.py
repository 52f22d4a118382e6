"""What the command lines of the studies share: checks of numbers, and errors of one line."""

import argparse
from collections.abc import Callable

from wtm.cli.errors import one_line_on_failure
from wtm.utils.interruption import terminable

LARGEST_SEED = 2**63 - 1
MAX_SEEDS = 1_000


def run_command(main: Callable[[], None]) -> None:
    """Run `main`; on Ctrl-C, and on any error that a user can correct, end with one line instead of a traceback."""
    with terminable(), one_line_on_failure():
        main()


def whole_number(smallest: int, largest: int | None = None) -> Callable[[str], int]:
    """Return a type for argparse: whole numbers in a range."""
    allowed = f"at least {smallest}" if largest is None else f"from {smallest} to {largest}"

    def read(text: str) -> int:
        try:
            number: int | None = int(text)
        except ValueError:
            number = None
        if number is None or number < smallest or (largest is not None and number > largest):
            raise argparse.ArgumentTypeError(f"must be a whole number, {allowed}, got {text}")
        return number

    return read


def thread_count(text: str) -> int:
    """Read the value of ``--n-jobs``, as a type for argparse."""
    number = whole_number(-(2**31), 2**31)(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be a positive number, or -1 for all cores, got 0")
    return number
