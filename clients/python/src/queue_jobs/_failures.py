"""What an exception of a handler looks like in a log, and as the stored error of its job."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterator
from types import TracebackType

from ._errors import QueueError
from ._job import Fail

#: Of the 16 KiB that the service takes as details, in JSON.
_TRACE_BYTES_MAX = 8 << 10
_LINE_MAX = 300
_MESSAGE_MAX = 1024
#: Of exceptions that led to one another.
_CHAIN_MAX = 10
_HERE = os.path.dirname(__file__)


def named(error: BaseException) -> str:
    """The error with its type, such as `KeyError: 'missing'`."""
    if isinstance(error, (Fail, QueueError)):
        return str(error)  # These begin with a name of their own, or say what to do.
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def frames(error: BaseException) -> TracebackType | None:
    """Its traceback without the calls of this client that led to the handler."""
    trace = error.__traceback__
    while trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == _HERE:
        trace = trace.tb_next
    return trace


def failure_of(error: BaseException) -> Fail:
    """An exception of a handler as a failure; text that is not Unicode is replaced.

    Its details have the traceback without the texts of the exceptions, since the service masks what
    looks like a secret in the message alone.
    """
    message = _unicode(str(error))[:_MESSAGE_MAX]
    trace = _trace(error)
    return Fail(type(error).__name__, message, details={"traceback": trace} if trace else None)


def _trace(error: BaseException) -> str:
    """The end of the traceback, where the error is; what is before it is cut."""
    lines = [line for one in reversed(list(_chain(error))) for line in _lines(one)]
    kept: list[str] = []
    room = _TRACE_BYTES_MAX
    for line in reversed(lines):
        line = _unicode(line)[:_LINE_MAX]
        room -= len(json.dumps(line)) + 2
        if room < 0:
            kept.append("..")
            break
        kept.append(line)
    return "\n".join(reversed(kept))


def _lines(error: BaseException) -> Iterator[str]:
    calls = traceback.extract_tb(frames(error), limit=-100)
    for entry in traceback.format_list(calls):
        yield from entry.splitlines()
    if calls:
        yield type(error).__name__


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and before it those that led to it."""
    one: BaseException | None = error
    for _ in range(_CHAIN_MAX):
        if one is None:
            return
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
