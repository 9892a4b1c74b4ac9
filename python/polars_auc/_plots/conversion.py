"""What vl-convert makes, in a process of its own.

vl-convert keeps Python from running while it works, which may take seconds: no interrupt would be heard. This
process waits for the other one, and ends it at Ctrl-C.
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

# What the other process runs until its input ends, because the first call of vl-convert is the slow one. What
# is printed there does not get into the answers.
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

# Seconds after which an interrupt is heard.
_WAIT = 0.05


class _Converter:
    """The other process, which is begun when it is first asked, and anew after an interrupt."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin another process when it is next asked."""
        self._process: Popen[bytes] | None = None
        self._lock = Lock()

    def ask(self, function: str, arguments: dict[str, Any]) -> Any:
        """Call a function of vl-convert, and return its answer."""
        answers: list[tuple[Any, str | None]] = []

        def exchange(process: Popen[bytes]) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            # There is no answer if the other process ends before, or in the midst of one.
            with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
                pickle.dump((function, arguments), process.stdin)
                process.stdin.flush()
                answers.append(pickle.load(process.stdout))

        with self._lock:
            process = self._process = self._process or _begun()
            thread = Thread(target=exchange, args=[process], daemon=True)
            try:
                thread.start()
                # A signal does not end the reading of a pipe: the handler of Polars lets it go on.
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
        """End the other process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _begun() -> Popen[bytes]:
    from multiprocessing.spawn import get_executable
    from subprocess import PIPE, Popen

    # A terminal sends Ctrl-C to all processes of a session.
    command = [os.fsdecode(get_executable()), "-I", "-c", _SERVE]
    process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
    assert process.stdin is not None
    pickle.dump(sys.path, process.stdin)
    return process


_converter = _Converter()
atexit.register(_converter.end)
if hasattr(os, "register_at_fork"):
    # Two processes cannot ask one.
    os.register_at_fork(after_in_child=_converter.forget)


def convert(function: str, **arguments: Any) -> Any:
    """Call a function of vl-convert."""
    if sys.executable and not getattr(sys, "frozen", False):
        with suppress(OSError):
            return _converter.ask(function, arguments)
    # No Python can be begun.
    import vl_convert

    return getattr(vl_convert, function)(**arguments)


def picture(chart: Any, ending: str, scale: float, dpi: float) -> bytes:
    """Return a chart of Altair as a picture or a page of PDF, as its method ``save`` makes it."""
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
