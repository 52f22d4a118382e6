"""The first signal is reported, and becomes an exception after the epoch."""

import os
import signal

import pytest

from wtm.utils.interruption import StopAfterEpoch, Terminated

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")


@pytest.mark.parametrize(
    ("number", "said", "error"),
    [
        (signal.SIGINT, "Ctrl-C: stopping after this epoch. Another Ctrl-C stops at once.", KeyboardInterrupt),
        (signal.SIGTERM, "SIGTERM: stopping after this epoch. Another Ctrl-C stops at once.", Terminated),
    ],
)
def test_the_first_signal_is_named(number, said, error, capsys):
    before = signal.signal(number, signal.default_int_handler)
    try:
        with StopAfterEpoch() as stop:
            os.kill(os.getpid(), number)
            assert stop.requested
            assert isinstance(stop.error("why"), error)
    finally:
        signal.signal(number, before)
    assert capsys.readouterr().err == f"{said}\n"
