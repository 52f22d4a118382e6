"""What is said of the signal that came."""

import os
import signal

import pytest

from wtm.cli.errors import Terminated
from wtm.paper.interruption import Interruption

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")


@pytest.mark.parametrize(
    ("number", "said", "error"),
    [
        (signal.SIGINT, "Stopping after this epoch; Ctrl-C once more stops at once.", KeyboardInterrupt),
        (signal.SIGTERM, "Asked to end by SIGTERM: stopping after this epoch. Ctrl-C stops at once.", Terminated),
    ],
)
def test_the_first_signal_is_told_by_its_name(number, said, error, capsys):
    before = signal.signal(number, signal.default_int_handler)
    try:
        with Interruption() as interruption:
            os.kill(os.getpid(), number)
            assert interruption.requested
            assert isinstance(interruption.error("why"), error)
    finally:
        signal.signal(number, before)
    assert capsys.readouterr().err == f"{said}\n"
