"""Partitions of a queue, and their limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any, Union
from urllib.parse import urlencode

from . import _wire
from ._checks import whole
from ._connection import Call
from ._errors import InvalidRequest
from ._send import Plan


@dataclass(frozen=True, slots=True)
class Limit:
    """How many jobs of a partition run at once, and how large its share is.

    Attributes:
        running: the most of its jobs that are leased at once: 0 pauses it, None is no limit.
        weight: how many jobs it gets for one of a partition of weight 1: 1 to 1,000.
    """

    running: int | None = None
    weight: int = 1


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """The limits of a queue.

    Attributes:
        each: of each partition by itself that has no limit of its own.
        unpartitioned: of the jobs without a partition, which have a weight alone.
        partitions: of single partitions, by their keys.
    """

    each: Limit | None = None
    unpartitioned: Limit | None = None
    partitions: Mapping[str, Limit] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PartitionPage:
    """Partitions as the service shows them, and behind which key the next page begins: None if this is the last."""

    partitions: Sequence[dict[str, Any]]
    next: str | None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)


#: A limit to set, None to take the one there is away, and `...` to leave it as it is.
LimitChange = Union[Limit, None, EllipsisType]


def limits(queue: str) -> Plan[QueueLimits]:
    """The limits of a queue."""
    reply = yield Call("GET", f"{_wire.queue_path(queue)}/limits", b"", "partitions")
    said = reply.answer.said
    partitions = {key: _limit(limit) for key, limit in said["partitions"].items()}
    each, unpartitioned = (said[name] and _limit(said[name]) for name in ("each", "unpartitioned"))
    return QueueLimits(each, unpartitioned, partitions)


def set_limits(
    queue: str, each: LimitChange, unpartitioned: LimitChange, partitions: Mapping[str, Limit | None] | None
) -> Plan[None]:
    """Sets limits and takes limits away, in one step."""
    scopes = {"each": each, "unpartitioned": unpartitioned}
    said: dict[str, Any] = {name: _said(name, limit) for name, limit in scopes.items() if limit is not ...}
    if partitions:
        said["partitions"] = {key: _said(f"partitions[{key!r}]", limit) for key, limit in partitions.items()}
    body = _wire.text_of(said, "limits").encode()
    yield Call("PUT", f"{_wire.queue_path(queue)}/limits", body, "outcome")


def partitions(queue: str, limit: int, after: str | None) -> Plan[PartitionPage]:
    """One page of partitions."""
    asked = {"limit": str(limit), **({} if after is None else {"after": after})}
    _wire.text_of(asked, "partitions")
    reply = yield Call("GET", f"{_wire.queue_path(queue)}/partitions?{urlencode(asked)}", b"", "partitions")
    said = reply.answer.said
    return PartitionPage(said["partitions"], said.get("next"))


def _limit(shown: Mapping[str, Any]) -> Limit:
    return Limit(shown["running"], shown["weight"])


def _said(name: str, limit: object) -> dict[str, Any] | None:
    match limit:
        case None:
            return None
        case Limit(running, weight):
            if running is not None:
                whole(running, 0, None, f"{name}: running")
            return {"running": running, "weight": whole(weight, 0, None, f"{name}: weight")}
        case _:
            raise InvalidRequest(f"{name}: a Limit, such as Limit(3), or None to take it away")
