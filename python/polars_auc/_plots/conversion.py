"""Run vl-convert in a separate process.

vl-convert holds the GIL for seconds, which would block interrupts. It therefore runs in a child
process, which is killed on Ctrl-C.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import pickle
import sys
from contextlib import suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen

# Code of the child process. It serves calls until its input ends, because only the first call of vl-convert
# is slow. Its stdout is redirected to stderr: printed text must not mix with the pickled results.
_SERVE = """
import os, pickle, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
requests, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
sys.path[:] = pickle.load(requests)
import vl_convert
while True:
    try:
        function, arguments = pickle.load(requests)
    except EOFError:
        break
    try:
        result = getattr(vl_convert, function)(**arguments), None
    except BaseException as error:
        result = None, str(error)
    pickle.dump(result, results)
    results.flush()
"""

# Polling interval for interrupts, in seconds.
_WAIT = 0.05


class _Converter:
    """The child process: it starts at the first call, and again at the first call after an interrupt."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Drop the reference to the child process; the next call starts another one."""
        self._process: Popen[bytes] | None = None
        self._lock = Lock()

    def call(self, function: str, arguments: dict[str, Any]) -> Any:
        """Call a function of vl-convert, and return its result."""
        results: list[tuple[Any, str | None]] = []

        def exchange(process: Popen[bytes]) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            # If the child process ends before it has written the result, there is no result.
            with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
                pickle.dump((function, arguments), process.stdin)
                process.stdin.flush()
                results.append(pickle.load(process.stdout))

        with self._lock:
            process = self._process = self._process or _start()
            thread = Thread(target=exchange, args=[process], daemon=True)
            try:
                thread.start()
                # Another thread reads: Ctrl-C cannot end a blocking read, because the signal handler of
                # Polars restarts it.
                while thread.is_alive():
                    thread.join(_WAIT)
            finally:
                if not results:
                    process.kill()
                    if thread.is_alive():
                        thread.join()
                    self.end()
        if not results:
            msg = f"vl-convert ended in {function} without a result"
            raise RuntimeError(msg)
        [(result, message)] = results
        if message is not None:
            raise ValueError(message)
        return result

    def end(self) -> None:
        """Kill the child process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _start() -> Popen[bytes]:
    from multiprocessing.spawn import get_executable
    from subprocess import PIPE, Popen

    # A new session, because a terminal sends Ctrl-C to all its foreground processes.
    command = [os.fsdecode(get_executable()), "-I", "-c", _SERVE]
    process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
    assert process.stdin is not None
    pickle.dump(sys.path, process.stdin)
    return process


_converter = _Converter()
atexit.register(_converter.end)
if hasattr(os, "register_at_fork"):
    # A forked process cannot share the pipes of its parent.
    os.register_at_fork(after_in_child=_converter.reset)


def convert(function: str, **arguments: Any) -> Any:
    """Call a function of vl-convert, in a child process if possible."""
    if sys.executable and not getattr(sys, "frozen", False):
        with suppress(OSError):
            return _converter.call(function, arguments)
    # No child process can be started: call vl-convert in this process.
    import vl_convert

    return getattr(vl_convert, function)(**arguments)


def picture(chart: Any, ending: str, scale: float, dpi: float) -> bytes:
    """Return an Altair chart as an image or PDF, as its method ``save`` renders it."""
    from altair import renderers
    from altair.vegalite import SCHEMA_VERSION

    text = io.StringIO()
    chart.save(text, format="json")
    embedding = renderers.options.get("embed_options", {})
    options = {
        "vl_spec": json.loads(text.getvalue()),
        "vl_version": "_".join(SCHEMA_VERSION.split(".")[:2]),
        "format_locale": embedding.get("formatLocale"),
        "time_format_locale": embedding.get("timeFormatLocale"),
    }
    if ending == ".png":
        return bytes(convert("vegalite_to_png", scale=scale, ppi=dpi, **options))
    if ending == ".pdf":
        return bytes(convert("vegalite_to_pdf", scale=scale, **options))
    return str(convert("vegalite_to_svg", **options)).encode()
