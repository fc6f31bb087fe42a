"""The program of the package: its file, and the server that it is (ridge serve).

In: options of `ridge serve`. Out: a Server, a process of its own that ends with this one at the latest.
Fails with what the program says before it serves, as an exception.
"""

from __future__ import annotations

import atexit
import collections
import os
import threading

from ridge import _call, _errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

LINES_KEPT = 100


def program() -> str:
    """The program's file: in the package, else $RIDGE_PROGRAM, else in a build tree beside the source; LibraryError where there is none."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, "bin", "ridge"), os.environ.get("RIDGE_PROGRAM", ""), os.path.join(here, "..", "..", "build", "ridge")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return os.path.normpath(place)
    raise _errors.LibraryError("the program ridge is not in the package, RIDGE_PROGRAM names none, and there is no build tree")


class Server:
    """A server that runs: ridge.serve(port=0). `with` ends it.

    url: where it is, "http://127.0.0.1:8000/"
    process: its subprocess.Popen
    words: the last lines that it said
    """

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url
        self.words: collections.deque[str] = collections.deque(maxlen=LINES_KEPT)
        self._ears = threading.Thread(target=self._hear, daemon=True)
        self._ears.start()
        atexit.register(self.stop)

    def _hear(self):
        for line in self.process.stderr:
            self.words.append(line.rstrip("\n"))

    def stop(self, timeout: float = 60.0) -> int:
        """Ends it as Ctrl-C does, what it measures included, after `timeout` seconds at once; its exit status."""
        atexit.unregister(self.stop)
        if self.process.poll() is None:
            from subprocess import TimeoutExpired

            self.process.terminate()
            try:
                self.process.wait(timeout)
            except TimeoutExpired:
                self.process.kill()
        status = self.process.wait()
        self._ears.join()
        if self.process.stderr:
            self.process.stderr.close()
        return status

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self):
        return f"<ridge.Server {self.url}{'' if self.process.poll() is None else ' ended'}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}">{self.url}</a>'


def _end(process):
    process.kill()
    process.stderr.close()
    return process.wait()


def start(given, repeated=()):
    """The server of these options, when it serves."""
    import subprocess  # its import takes longer than all of this package's

    given.update(given.pop("unknown"))
    words = ["--" + os.fsdecode(one).replace("_", "-", os.fsdecode(one).partition("=")[0].count("_"))
             for one in _call.assignments(given, repeated)]
    words = [one[:-len("=true")] if one.endswith("=true") else one for one in words if not one.endswith("=false")]
    process = subprocess.Popen([program(), "serve", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               encoding="utf-8", errors="replace", start_new_session=True)
    said = []
    try:
        for line in process.stderr:
            said.append(line.rstrip("\n"))
            if "serving on " in line:
                return Server(process, line.partition("serving on ")[2].strip())
    except BaseException:
        _end(process)
        raise
    status = process.wait()
    process.stderr.close()
    said = [line for line in said if not line.startswith("Try 'ridge")]
    raise _errors.of_session(status, "\n".join(said).removeprefix("ridge: ") if said else "the server ended", "", "", 0, 0, "")
