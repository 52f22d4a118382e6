"""Work that Ctrl-C need not wait for."""

import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["interruptibly"]

_Result = TypeVar("_Result")


def interruptibly(work: Callable[[], _Result]) -> _Result:
    """Do `work` in a way that Ctrl-C ends at once, even while it is in compiled code.

    Python handles signals in its main thread, between two of its own instructions: a main thread that is in a kernel
    for a minute hears of Ctrl-C a minute later. So it lets another thread do the work and waits. After Ctrl-C that
    thread goes on to the end of `work`, whose result is lost; it keeps no process from ending.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome: list[_Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="wtm", daemon=True)
    thread.start()
    # With a timeout, since without one a wait can't be interrupted on Windows.
    while thread.is_alive():
        thread.join(0.5)
    if failure:
        raise failure[0]
    return outcome[0]
