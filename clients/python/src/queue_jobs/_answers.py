"""What an answer is: the word of the service, or that of something that stands before it.

Between a client and the service stand ingresses, gateways, login pages and firewalls, which answer
with pages of their own. Such a page says nothing about what became of the request.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _wire
from ._connection import Call
from ._errors import QueueError, Unavailable, from_problem
from ._json import items, loads

_PROBLEM = "application/problem+json"


#: The largest answer that is read; a claim brings at most 16 MiB of payloads.
BYTES_MAX = 64 << 20


class Body:
    """The bytes of an answer as they come."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Takes a piece. Raises if there is no end to it."""
        self._bytes += chunk
        if len(self._bytes) > BYTES_MAX:
            raise Unavailable("the answer is too large", certainty="unknown")

    def __bytes__(self) -> bytes:
        return bytes(self._bytes)


class Answer(NamedTuple):
    """A good answer. `said` has its members; the list that the call asks for is cut into items."""

    text: str
    said: dict[str, Any]


class Reply(NamedTuple):
    """A good answer. `was_resent`: an earlier attempt may have been carried out."""

    answer: Answer
    was_resent: bool = False


def read(call: Call, status: int, content_type: str, body: bytes) -> Answer:
    """The only place that judges an answer.

    JSON of the shape that the call asks for is a success. A problem document of a kind that the
    protocol has is raised as what it says. Everything else did not come from the service, and is
    raised as `Unavailable` with certainty `unknown`: the request may have been carried out.
    """
    media = content_type.split(";")[0].strip().lower()
    if status >= 400 and media == _PROBLEM and (error := _problem(status, body)) is not None:
        raise error
    if 200 <= status < 300 and media == _wire.JSON and (answer := _success(call, body)) is not None:
        return answer
    raise Unavailable(
        f"what answered with status {status} and {media or 'no content type'} is not the service",
        status=status,
        certainty="unknown",
    )


def _problem(status: int, body: bytes) -> QueueError | None:
    try:
        return from_problem(loads(body.decode()), status)
    except (ValueError, RecursionError):
        return None


def _success(call: Call, body: bytes) -> Answer | None:
    try:
        text = body.decode()
        said = _wire.answer(text)
        if call.member not in said:
            return None
        if call.member in _wire.LISTS:
            if not said[call.member].startswith("["):
                return None
            said[call.member] = list(items(said[call.member]))
            if call.length is not None and len(said[call.member]) != call.length:
                return None
        return Answer(text, said)
    except (ValueError, TypeError, IndexError, RecursionError):
        return None
