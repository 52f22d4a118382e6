"""Work that Ctrl-C interrupts at once."""

import threading
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


def interruptible(work: Callable[[], _Result]) -> _Result:
    """Run `work` so that Ctrl-C ends the call at once, even inside compiled code.

    Python handles signals in the main thread, between two bytecode instructions. A main thread that spends a minute
    in a kernel would see Ctrl-C a minute later, so another thread runs `work` while the main thread waits. After
    Ctrl-C that thread finishes `work`, and its result is lost; it is a daemon, so the process can end before it.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[_Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="wtm", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.5)  # on Windows a wait without a timeout can't be interrupted
    if errors:
        raise errors[0]
    return results[0]
