"""Schedules of a queue: jobs that are enqueued at times of a calendar."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any, Literal, Union
from urllib.parse import urlencode

from . import _wire
from ._checks import millis
from ._connection import Call
from ._errors import InvalidRequest
from ._json import Json, loads
from ._model import Job, Seconds
from ._send import AsyncSender, Plan, SyncSender
from ._tasks import AsyncTask, Task, job_for

Moment = Union[datetime, str]
Missed = Literal["skip", "latest", "all"]
Overlap = Literal["allow", "skip", "cancel"]
#: What became of a change: `done`, `requested` (it fires just now and follows then) or `unchanged`.
ChangeOutcome = Literal["done", "requested", "unchanged"]
#: What became of a put; `rescheduled` if the same schedule slept beyond its next tick.
PutOutcome = Literal["created", "changed", "unchanged", "rescheduled"]
_Shown = list[dict[str, Any]]


class Schedules:
    """The schedules of a queue; see `Queue.schedules`. Every method raises `QueueError`."""

    def __init__(self, queue: str, sender: SyncSender) -> None:
        self._queue, self._sender = queue, sender

    def put(
        self,
        name: str,
        job: Job | Task[..., Any] | AsyncTask[..., Any] | str,
        *,
        cron: str | None = None,
        zone: str | None = None,
        every: Seconds | None = None,
        at: Sequence[Moment] | None = None,
        missed: Missed = "skip",
        grace: Seconds | None = None,
        catch_up: int | None = None,
        overlap: Overlap = "allow",
        jitter: Seconds = 0,
        spread: Seconds = 0,
    ) -> PutOutcome:
        """Makes a schedule, or changes the one of this name. Give one of `cron`, `every` and `at`.

        `job` is a `Job`, such as `report.job(day="$queue.tick")`, or a task or a kind without arguments.
        The id of each job is the name, `@` and its moment, so `job` has no id; a string
        `"$queue.tick"` in its payload becomes that moment. A changed schedule goes on from its last
        tick. It takes a token with the scopes `operate` and `produce`.
        """
        timing = _timing(cron, zone, every, at)
        return self._sender.run(
            _put(self._queue, name, job, timing, missed, grace, catch_up, overlap, jitter, spread)
        )

    def get(self, name: str) -> dict[str, Any]:
        """A schedule as docs/service/protocol.md shows it; `NotFound` if there is none."""
        return self._sender.run(_get(self._queue, name))

    def list(self) -> _Shown:
        """All schedules of the queue, without their jobs.

        Of those that the service cannot read there are `schedule`, `error` and the `state` `"unreadable"` alone.
        """
        return self._sender.run(_list(self._queue))

    def pause(self, name: str) -> ChangeOutcome:
        """Stops a schedule until it is resumed."""
        return self._sender.run(_change(self._queue, name, "pause"))

    def resume(self, name: str) -> ChangeOutcome:
        """Resumes a paused schedule; `missed` decides about the ticks during the pause."""
        return self._sender.run(_change(self._queue, name, "resume"))

    def remove(self, name: str) -> ChangeOutcome:
        """Removes a schedule; jobs that it enqueued stay."""
        return self._sender.run(_change(self._queue, name, "remove"))

    def run(self, name: str) -> str:
        """Enqueues its job now, beside its ticks, and returns the id of the job."""
        return self._sender.run(_run(self._queue, name))

    def next(self, name: str, *, count: int = 10, after: Moment | None = None) -> Sequence[str]:
        """The next ticks of a schedule in UTC; none while it is paused."""
        return self._sender.run(_next(self._queue, name, count, after))

    def preview(
        self,
        *,
        cron: str | None = None,
        zone: str | None = None,
        every: Seconds | None = None,
        at: Sequence[Moment] | None = None,
        count: int = 10,
        after: Moment | None = None,
    ) -> Sequence[str]:
        """The next ticks of a schedule that is not made yet, in UTC."""
        return self._sender.run(_preview(_timing(cron, zone, every, at), count, after))


class AsyncSchedules:
    """The same for asyncio."""

    def __init__(self, queue: str, sender: AsyncSender) -> None:
        self._queue, self._sender = queue, sender

    async def put(
        self,
        name: str,
        job: Job | Task[..., Any] | AsyncTask[..., Any] | str,
        *,
        cron: str | None = None,
        zone: str | None = None,
        every: Seconds | None = None,
        at: Sequence[Moment] | None = None,
        missed: Missed = "skip",
        grace: Seconds | None = None,
        catch_up: int | None = None,
        overlap: Overlap = "allow",
        jitter: Seconds = 0,
        spread: Seconds = 0,
    ) -> PutOutcome:
        """Makes or changes a schedule; see `Schedules.put`."""
        timing = _timing(cron, zone, every, at)
        return await self._sender.run(
            _put(self._queue, name, job, timing, missed, grace, catch_up, overlap, jitter, spread)
        )

    async def get(self, name: str) -> dict[str, Any]:
        """A schedule; see `Schedules.get`."""
        return await self._sender.run(_get(self._queue, name))

    async def list(self) -> _Shown:
        """All schedules of the queue; see `Schedules.list`."""
        return await self._sender.run(_list(self._queue))

    async def pause(self, name: str) -> ChangeOutcome:
        """Stops a schedule until it is resumed."""
        return await self._sender.run(_change(self._queue, name, "pause"))

    async def resume(self, name: str) -> ChangeOutcome:
        """Resumes a paused schedule."""
        return await self._sender.run(_change(self._queue, name, "resume"))

    async def remove(self, name: str) -> ChangeOutcome:
        """Removes a schedule; jobs that it enqueued stay."""
        return await self._sender.run(_change(self._queue, name, "remove"))

    async def run(self, name: str) -> str:
        """Enqueues its job now; see `Schedules.run`."""
        return await self._sender.run(_run(self._queue, name))

    async def next(self, name: str, *, count: int = 10, after: Moment | None = None) -> Sequence[str]:
        """The next ticks of a schedule in UTC; none while it is paused."""
        return await self._sender.run(_next(self._queue, name, count, after))

    async def preview(
        self,
        *,
        cron: str | None = None,
        zone: str | None = None,
        every: Seconds | None = None,
        at: Sequence[Moment] | None = None,
        count: int = 10,
        after: Moment | None = None,
    ) -> Sequence[str]:
        """The next ticks of a schedule that is not made yet, in UTC."""
        return await self._sender.run(_preview(_timing(cron, zone, every, at), count, after))


def _path(queue: str, name: str) -> str:
    return f"{_wire.queue_path(queue)}/schedules/{_wire.segment(name, 'the name of the schedule')}"


def _moment(moment: Moment) -> str:
    if isinstance(moment, str):
        return moment
    if moment.tzinfo is None:
        raise InvalidRequest("a moment has a time zone")
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _timing(
    cron: str | None, zone: str | None, every: Seconds | None, at: Sequence[Moment] | None
) -> dict[str, Any]:
    said = {
        "cron": cron,
        "zone": zone,
        "every_ms": None if every is None else millis(every, "every"),
        "at": None if at is None else [_moment(moment) for moment in at],
    }
    return {name: value for name, value in said.items() if value is not None}


def _put(
    queue: str,
    name: str,
    given: Job | Task[..., Any] | AsyncTask[..., Any] | str,
    timing: dict[str, Any],
    missed: str,
    grace: Seconds | None,
    catch_up: int | None,
    overlap: str,
    jitter: Seconds,
    spread: Seconds,
) -> Plan[Any]:
    job = job_for(queue, given)
    said = {**timing, "job": Json._of(_wire.job_text(job, job.id, {})), "missed": missed, "overlap": overlap}
    said |= {"jitter_ms": millis(jitter, "jitter"), "spread_ms": millis(spread, "spread")}
    if grace is not None:
        said["grace_ms"] = millis(grace, "grace")
    if catch_up is not None:
        said["catch_up"] = catch_up
    reply = yield Call("PUT", _path(queue, name), _wire.text_of(said, "schedule").encode(), "outcome")
    return reply.answer.said["outcome"]


def _get(queue: str, name: str) -> Plan[dict[str, Any]]:
    reply = yield Call("GET", _path(queue, name), b"", "schedule")
    found: dict[str, Any] = loads(reply.answer.text)
    return found


def _list(queue: str) -> Plan[_Shown]:
    reply = yield Call("GET", f"{_wire.queue_path(queue)}/schedules", b"", "schedules")
    found: _Shown = reply.answer.said["schedules"]
    unreadable: _Shown = reply.answer.said.get("unreadable", [])
    return found + [{**one, "state": "unreadable"} for one in unreadable]


def _change(queue: str, name: str, change: str) -> Plan[Any]:
    reply = yield Call("POST", f"{_path(queue, name)}/{change}", b"{}", "outcome")
    return reply.answer.said["outcome"]


def _run(queue: str, name: str) -> Plan[str]:
    reply = yield Call("POST", f"{_path(queue, name)}/run", b"{}", "id")
    return str(reply.answer.said["id"])


def _next(queue: str, name: str, count: int, after: Moment | None) -> Plan[Sequence[str]]:
    asked: dict[str, object] = {"count": count}
    if after is not None:
        asked["from"] = _moment(after)
    reply = yield Call("GET", f"{_path(queue, name)}/next?{urlencode(asked)}", b"", "next")
    return list(reply.answer.said["next"])


def _preview(timing: dict[str, Any], count: int, after: Moment | None) -> Plan[Sequence[str]]:
    said = {**timing, "count": count}
    if after is not None:
        said["from"] = _moment(after)
    reply = yield Call("POST", "/v1/schedules:preview", _wire.text_of(said, "schedule").encode(), "next")
    return list(reply.answer.said["next"])
