"""The conversations of a producer, without input or output, for both faces of the client."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Literal
from urllib.parse import urlencode

from . import _wire
from ._checks import known_options, millis, text, texts
from ._connection import Call
from ._errors import InvalidRequest, QueueError
from ._json import loads
from ._model import (
    Changed,
    Enqueued,
    Failed,
    FailureGroup,
    Job,
    JobOptions,
    JobPage,
    Outcome,
    PauseState,
    Pending,
    Seconds,
)
from ._results import result_of
from ._send import Plan

#: The longest that one request waits; the client asks again after it.
_WAIT_MS_MAX = 20_000
#: Seconds after the end of a wait for which a service that does not answer is still asked.
_LATE = 5.0

#: Headers of the job whose handler is running, which the jobs that it enqueues inherit.
INHERITED: ContextVar[Mapping[str, str]] = ContextVar("queue_jobs_inherited")

Trace = Callable[[], Mapping[str, str]]


def inherited(trace: Trace | None) -> Mapping[str, str]:
    """Headers that new jobs get unless they have their own."""
    return {**INHERITED.get({}), **(trace() if trace is not None else {})}


def as_job(job: Job | str, payload: Any, options: JobOptions) -> Job:
    """A job from either form of arguments."""
    if isinstance(job, str):
        known_options(options)
        return Job(job, payload, **options)
    if not isinstance(job, Job):
        raise InvalidRequest(f"a Job or a kind, not {job!r}; a task is enqueued by its own `enqueue`")
    if payload is not None or options:
        raise InvalidRequest("a Job has its payload and its options in it")
    return job


def enqueue(queue: str, jobs: Sequence[Job], atomic: bool, trace: Trace | None) -> Plan[list[Enqueued]]:
    """Stores jobs: in one call if atomic, else in as many as their sizes need."""
    path, tail = f"{_wire.queue_path(queue)}/jobs", ',"atomic":true' if atomic else ""
    return store(path, jobs, trace, tail=tail, is_one_call=atomic)


def store(
    path: str, jobs: Iterable[Job], trace: Trace | None, *, tail: str, is_one_call: bool = False
) -> Plan[list[Enqueued]]:
    """Sends jobs to a path that answers what became of each; `tail` goes with each call.

    What cannot be written is found before the first call, except in an iterator, whose jobs are
    sent as they come.
    """
    texts = _wire.job_texts(jobs, inherited(trace))
    if not isinstance(jobs, Iterator):
        texts = iter(list(texts))
    found: list[Enqueued] = []
    for part in filter(None, [list(texts)]) if is_one_call else _wire.parts(texts, lambda item: item[0]):
        body = _wire.list_body("jobs", [text for text, _ in part], tail)
        reply = yield Call("POST", path, body, "jobs", len(part))
        drawn = [is_drawn for _, is_drawn in part]
        found += _wire.enqueued(reply.answer.said["jobs"], drawn, reply.was_resent)
    return found


def wait(queue: str, job: Enqueued | str, seq: int | None, timeout: Seconds | None) -> Plan[Outcome]:
    """Waits for the end of a job, in as many calls as it takes."""
    if not isinstance(job, (str, Enqueued)):
        raise InvalidRequest(f"job: the answer of an enqueue or an id, not {job!r}")
    job_id = job if isinstance(job, str) else job.id
    if not isinstance(job, str) and seq is None:
        seq = job.seq
    end = None if timeout is None else time.monotonic() + millis(timeout, "timeout") / 1000
    while True:
        left = _WAIT_MS_MAX if end is None else max(0, math.ceil((end - time.monotonic()) * 1000))
        wait_ms = min(left, _WAIT_MS_MAX)
        said: dict[str, object] = {"id": job_id, "wait_ms": wait_ms}
        if seq is not None:
            said["seq"] = seq
        body = _wire.text_of(said, "wait").encode()
        patience = math.inf if end is None else (left - wait_ms) / 1000 + _LATE
        path = f"{_wire.queue_path(queue)}/jobs:wait"
        reply = yield Call("POST", path, body, "outcome", wait=wait_ms / 1000, patience=patience)
        outcome = _wire.outcome(reply.answer.said)
        if not isinstance(outcome, Pending) or wait_ms == left and end is not None:
            return outcome
        seq = outcome.seq


def result(queue: str, outcome: Outcome) -> Plan[Any]:
    """The result of a job that was waited for. Asks for the job if that has more to say than the wait."""
    shown: dict[str, Any] = {}
    if isinstance(outcome, (Failed, Pending)):
        try:
            reply = yield Call("GET", _wire.job_path(queue, outcome.id), b"", "id", patience=_LATE)
            shown = loads(reply.answer.text)
        except QueueError:
            pass  # Such as that of a token without the scope `view`: the outcome is known without it.
    return result_of(outcome, shown if shown.get("seq") == getattr(outcome, "seq", None) else {})


def cancel(queue: str, ids: Iterable[str], processing: Literal["leave", "request"]) -> Plan[list[Changed]]:
    """Cancels jobs by their ids."""
    return _change(queue, ids, "cancel", f',"processing":{_wire.text_of(processing, "processing")}')


def redrive(queue: str, ids: Iterable[str]) -> Plan[list[Changed]]:
    """Runs Failed and Cancelled jobs again."""
    return _change(queue, ids, "redrive", "")


def _change(queue: str, ids: Iterable[str], action: str, tail: str) -> Plan[list[Changed]]:
    found: list[Changed] = []
    named = [_wire.text_of(text(job_id, "id"), "id") for job_id in texts(ids, "ids")]
    for part in _wire.chunks(named):
        body = _wire.list_body("ids", [named[place] for place in part], tail)
        reply = yield Call("POST", f"{_wire.queue_path(queue)}/jobs:{action}", body, "items", len(part))
        found += _wire.changed(reply.answer.said["items"])
    return found


def pause(queue: str, kind: str | None, duration: Seconds | None) -> Plan[PauseState]:
    """Stops claims."""
    said: dict[str, object] = {} if kind is None else {"kind": kind}
    if duration is not None:
        said["for_ms"] = millis(duration, "duration")
    return _paused(queue, "pause", said)


def resume(queue: str, kind: str | None) -> Plan[PauseState]:
    """Ends a pause."""
    return _paused(queue, "resume", {} if kind is None else {"kind": kind})


def _paused(queue: str, change: str, said: Mapping[str, object]) -> Plan[PauseState]:
    body = _wire.text_of(said, change).encode()
    reply = yield Call("POST", f"{_wire.queue_path(queue)}/{change}", body, "paused")
    return PauseState(reply.answer.said["paused"], reply.answer.said.get("until_ms"))


def counts(queue: str) -> Plan[dict[str, Any]]:
    """How many jobs there are in each state."""
    reply = yield Call("GET", _wire.queue_path(queue), b"", "total")
    return reply.answer.said


def listing(queue: str, states: str | Sequence[str], asked: Mapping[str, object]) -> Plan[JobPage]:
    """One page of jobs; parts of the filter that are None are left out."""
    parts = [("state", one) for one in ([states] if isinstance(states, str) else states)]
    parts += [(name, str(value)) for name, value in asked.items() if value is not None]
    _wire.text_of(dict(parts), "list")
    reply = yield Call("GET", f"{_wire.queue_path(queue)}/jobs?{urlencode(parts)}", b"", "jobs")
    said = reply.answer.said
    return JobPage([loads(item) for item in said["jobs"]], said.get("next"))


def failures(queue: str) -> Plan[list[FailureGroup]]:
    """What fails, in groups."""
    reply = yield Call("GET", f"{_wire.queue_path(queue)}/failures", b"", "groups")
    return _wire.failures(reply.answer.said["groups"])


def get(queue: str, job_id: str) -> Plan[dict[str, Any]]:
    """A job as the service shows it."""
    reply = yield Call("GET", _wire.job_path(queue, job_id), b"", "id")
    shown: dict[str, Any] = loads(reply.answer.text)
    return shown
