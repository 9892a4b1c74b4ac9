"""Run vl-convert in a separate process.

vl-convert holds the GIL for seconds, which would block interrupts. This process waits for the other one, and
kills it on Ctrl-C.
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

# Loop of the other process until its input ends: only the first call of vl-convert is slow. Printed text
# must not mix with the pickled results.
_SERVE = """
import os, pickle, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
sys.path[:] = pickle.load(asked)
import vl_convert
while True:
    try:
        function, arguments = pickle.load(asked)
    except EOFError:
        break
    try:
        answer = getattr(vl_convert, function)(**arguments), None
    except BaseException as error:
        answer = None, str(error)
    pickle.dump(answer, answers)
    answers.flush()
"""

# Polling interval for interrupts, in seconds.
_WAIT = 0.05


class _Converter:
    """The other process: it starts with the first call, and restarts after an interrupt."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop the process; the next call starts another one."""
        self._process: Popen[bytes] | None = None
        self._lock = Lock()

    def ask(self, function: str, arguments: dict[str, Any]) -> Any:
        """Call a function of vl-convert, and return its result."""
        answers: list[tuple[Any, str | None]] = []

        def exchange(process: Popen[bytes]) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            # There is no result if the other process ends before or while it writes one.
            with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
                pickle.dump((function, arguments), process.stdin)
                process.stdin.flush()
                answers.append(pickle.load(process.stdout))

        with self._lock:
            process = self._process = self._process or _begun()
            thread = Thread(target=exchange, args=[process], daemon=True)
            try:
                thread.start()
                # A signal does not end the read of a pipe: the handler of Polars restarts it.
                while thread.is_alive():
                    thread.join(_WAIT)
            finally:
                if not answers:
                    process.kill()
                    if thread.is_alive():
                        thread.join()
                    self.end()
        if not answers:
            msg = f"vl-convert ended in {function}, without an answer"
            raise RuntimeError(msg)
        [(answer, fault)] = answers
        if fault is not None:
            raise ValueError(fault)
        return answer

    def end(self) -> None:
        """Kill the other process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _begun() -> Popen[bytes]:
    from multiprocessing.spawn import get_executable
    from subprocess import PIPE, Popen

    # A new session: a terminal sends Ctrl-C to all processes of its session.
    command = [os.fsdecode(get_executable()), "-I", "-c", _SERVE]
    process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
    assert process.stdin is not None
    pickle.dump(sys.path, process.stdin)
    return process


_converter = _Converter()
atexit.register(_converter.end)
if hasattr(os, "register_at_fork"):
    # Two processes cannot share one pipe.
    os.register_at_fork(after_in_child=_converter.forget)


def convert(function: str, **arguments: Any) -> Any:
    """Call a function of vl-convert."""
    if sys.executable and not getattr(sys, "frozen", False):
        with suppress(OSError):
            return _converter.ask(function, arguments)
    # A Python process cannot be started.
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
