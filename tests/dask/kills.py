"""Workers that are killed."""

import os
import signal

import pytest

needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


def kill_a_worker(client, choice=min):
    """Kill the process of a worker."""
    os.kill(choice(sorted(client.run(os.getpid).values())), signal.SIGKILL)
