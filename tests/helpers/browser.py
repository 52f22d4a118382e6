"""Headless Chromium, driven by the DevTools protocol over two pipes."""

import fcntl
import json
import os
import select
import shutil
import subprocess
from itertools import count

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--remote-debugging-pipe",
)  # fmt: skip

_PATIENCE = 60  # seconds


class Browser:
    """One process with one page. `errors` are what the page wrote to the console as an error, or threw."""

    def __init__(self, profile):
        from_browser, answers = _pipe()
        questions, to_browser = _pipe()
        command = f'exec "$@" 3<&{questions} 4>&{answers}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, "bash", CHROMIUM, *_FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(questions, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(questions)
        os.close(answers)
        self._in, self._out = os.fdopen(from_browser, "rb"), os.fdopen(to_browser, "wb")
        self._numbers, self._session, self._buffer, self._loaded = count(1), None, b"", set()
        self.errors, self.requests = [], []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def send(self, method, **params):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        message |= {"sessionId": self._session} if self._session else {}
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._next()).get("id") != number:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path):
        """Load a file, and forget the errors of the page before."""
        self.errors, self.requests = [], []
        page = self.send("Page.navigate", url=path.as_uri())["loaderId"]
        while page not in self._loaded:
            self._note(self._next())

    def run(self, script):
        """Return the value of a JavaScript expression."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")

    def press(self, key):
        """Press and release a key: a character, or Enter."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text="\r" if key == "Enter" else key)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def close(self):
        try:
            self._session = None
            self.send("Browser.close")
        except (OSError, EOFError):
            self._process.kill()
        self._process.wait(20)
        self._in.close()
        self._out.close()

    def _next(self):
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], _PATIENCE)[0]:
                raise EOFError("the browser doesn't answer")
            part = os.read(self._in.fileno(), 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details.get("text", "thrown")))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(str(params["args"]))
        elif method == "Page.lifecycleEvent" and params["name"] == "load":
            self._loaded.add(params["loaderId"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


def _pipe():
    """Both ends of a pipe, above the numbers 3 and 4 that the browser needs."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved
