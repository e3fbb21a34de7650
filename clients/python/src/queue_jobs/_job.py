"""A job that a worker holds, as its handler sees it, and the ways in which a handler ends."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _wire
from ._checks import keep as keep_for
from ._checks import millis
from ._json import Json, loads
from ._model import Data, Job, JobError, JobOptions, Keep, Seconds
from ._plans import as_job

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Why a handler is asked to stop.
StopReason = Literal["cancelled", "lease_lost", "time_limit", "shutdown"]


class Stopped(Exception):
    """A blocking handler was asked to stop, and does so; `ClaimedJob.check` raises it."""


class BatchOfJob:
    """The batch of a job that is running; see `ClaimedJob.batch`.

    Attributes:
        name: its name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._added: list[Job] = []

    def __repr__(self) -> str:
        return f"BatchOfJob({self.name!r})"

    def add(self, job: Job | str, payload: Any = None, **options: Unpack[JobOptions]) -> None:
        """Adds a member in the very step that completes this job: `add("row", {"n": 2}, id="row-2")`.

        The batch cannot end between the two, and a sealed one takes it too. Nothing is added unless
        this job completes. The id is the part behind the name of the batch. Give one: an attempt that
        runs again adds nothing twice then.
        """
        self._added.append(as_job(job, payload, options))


class ClaimedJob:
    """A job that is running. Its receipt is a secret, which no text of this object shows.

    Attributes:
        queue, id, kind, priority, tags, partition, headers: as they were enqueued.
        seq, epoch: `(seq, epoch)` only grows from one claim to the next, and so fences other
            resources against an earlier attempt.
        attempt: counted from one.
        data: the payload as bytes, with its content type.
        progress: what an earlier attempt reported, or None.
        last_error: how an earlier attempt failed, or None.
        time_limit: seconds, or None.
        batch: the batch that this job is a member of, to add further members; None for others.
        fields: the fields of the protocol.
    """

    def __init__(self, text: str) -> None:
        said = _wire.answer(text)
        self._receipt: str = said.pop("receipt")
        self.fields: Mapping[str, Any] = said
        self.queue: str = said["queue"]
        self.id: str = said["id"]
        self.kind: str = said["kind"]
        self.seq: int = said["seq"]
        self.epoch: int = said["epoch"]
        self.attempt: int = said["attempt"]
        self.priority: int = said.get("priority", 0)
        self.tags: Sequence[str] = said.get("tags") or ()
        self.partition: str | None = said.get("partition")
        self.headers: Mapping[str, str] = said.get("headers") or {}
        self.data = _wire.shown_data(said, "payload") or Data(b"null", _wire.JSON, is_json=True)
        self.progress = _wire.shown_data({**said, "content_type": None}, "progress")
        self.last_error: JobError | None = _wire.error_of(said.get("last_error"))
        limit = said.get("time_limit_ms")
        self.time_limit: float | None = None if limit is None else limit / 1000
        self.batch = _batch_of(self.id, self.tags)
        self._reason: StopReason | None = "cancelled" if said.get("cancel_requested") else None
        self._stop = threading.Event()
        self._report: str | None = None

    def __repr__(self) -> str:
        return f"ClaimedJob(queue={self.queue!r}, id={self.id!r}, kind={self.kind!r}, attempt={self.attempt})"

    @property
    def payload(self) -> Any:
        """The payload: any JSON, or bytes. A `Decimal` stands where a `float` would lose digits."""
        return self.data.value

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the handler should stop, or None as long as it should go on."""
        return self._reason

    def check(self) -> None:
        """Raises `Stopped` if the handler should stop. A blocking handler calls it now and then."""
        if self._stop.is_set():
            raise Stopped(self._reason)

    def sleep(self, seconds: float) -> None:
        """Sleeps in a blocking handler; raises `Stopped` as soon as it should stop."""
        self._stop.wait(seconds)
        self.check()

    def report(self, progress: Any) -> None:
        """Sets the progress, any JSON or bytes, which goes with the next heartbeat.

        The next attempt finds it in `progress`; at most 16 KiB.
        """
        members = _wire.data_members("progress", progress, content_type=False)
        self._report = _wire.text_of(members, "progress")[1:-1]

    def _ask_to_stop(self, reason: StopReason) -> None:
        if self._reason is None or reason == "lease_lost":
            self._reason = reason
        self._stop.set()


#: The job whose handler runs.
CURRENT: ContextVar[ClaimedJob] = ContextVar("queue_jobs_current")


def current_job() -> ClaimedJob | None:
    """The job of the handler or task that calls this; None outside of a worker."""
    return CURRENT.get(None)


@dataclass(frozen=True, slots=True)
class Complete:
    """Returned by a handler that has more to say than a result.

    `then` are jobs that are stored in the same queue and in the same atomic step. Give them ids.
    """

    result: Any = None
    keep: Keep | None = None
    then: Sequence[Job] = ()


class Fail(Exception):
    """Raised by a handler that says how it failed. Any other exception is a failure as well.

    `terminal`: no further attempt can help. `delay`: when the next attempt may start; without it
    the waits double from 1 s. `then`: jobs that are stored if the failure is final.
    """

    def __init__(
        self,
        name: str,
        message: str = "",
        *,
        details: Any = None,
        terminal: bool = False,
        delay: Seconds | None = None,
        keep: Keep | None = None,
        then: Sequence[Job] = (),
    ) -> None:
        super().__init__(f"{name}: {message}")
        self.name, self.message, self.details = name, message, details
        self.terminal, self.delay, self.keep, self.then = terminal, delay, keep, then


class Snooze(Exception):
    """Raised by a handler whose job should run again after `delay`; charges no attempt."""

    def __init__(self, delay: Seconds, *, progress: Any = None) -> None:
        super().__init__(f"again in {delay} s")
        self.delay, self.progress = delay, progress


def _batch_of(job_id: str, tags: Sequence[str]) -> BatchOfJob | None:
    """The batch of a job, by its tag and its id."""
    lives = (tag.removeprefix("batch:") for tag in tags if tag.startswith("batch:"))
    life = next((life for life in lives if job_id.startswith(f"{life}/")), None)
    return None if life is None else BatchOfJob(life.rsplit("@", 1)[0])


def _event(name: str, members: Mapping[str, Any], then: Sequence[Job], keep: Keep | None) -> str:
    said = dict(members)
    if keep is not None:
        said["keep"] = keep_for(keep, "keep")
    if then:
        said["then"] = [Json._of(_wire.job_text(job, job.id, {})) for job in then]
    return f'"{name}":{_wire.text_of(said, name)}'


def complete_event(returned: Any, batch: BatchOfJob | None = None) -> str:
    """The event of a handler that returned, with the members that it added to its batch."""
    end = returned if isinstance(returned, Complete) else Complete(returned)
    said = _wire.data_members("result", end.result)
    if batch is not None and batch._added:
        said["members"] = [Json._of(text) for text, _ in _wire.job_texts(batch._added, {})]
    return _event("complete", said, end.then, end.keep)


def fail_event(fail: Fail, cause: str | None = None) -> str:
    """The event of a failure."""
    error: dict[str, Any] = {"name": fail.name, "message": fail.message}
    if fail.details is not None:
        error |= _wire.data_members("details", fail.details, content_type=False)
    said: dict[str, Any] = {"error": error}
    if cause is not None or fail.terminal:
        said["cause"] = cause or "terminal"
    if fail.delay is not None:
        said["delay_ms"] = millis(fail.delay, "delay")
    return _event("fail", said, fail.then, fail.keep)


def snooze_event(snooze: Snooze) -> str:
    """The event of a handler that is to run again later."""
    said: dict[str, Any] = {"delay_ms": millis(snooze.delay, "delay")}
    if snooze.progress is not None:
        said |= _wire.data_members("progress", snooze.progress, content_type=False)
    return _event("snooze", said, (), None)


def problem_of(document: str) -> dict[str, Any]:
    """The problem of an item."""
    said = loads(document)
    return said if isinstance(said, dict) else {}
