"""Batches of a queue: many jobs, and callbacks once all of them have ended."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union
from urllib.parse import urlencode

from . import _plans, _wire
from ._checks import millis
from ._connection import Call
from ._errors import InvalidRequest, NotFound
from ._json import Json, loads
from ._model import Enqueued, Job, JobOptions, Seconds
from ._send import AsyncSender, Plan, SyncSender
from ._tasks import AsyncTask, Task, job_for

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Called = Union[str, Task[..., Any], AsyncTask[..., Any]]
#: A kind or a task that a batch enqueues, alone or with any JSON that its job gets as `payload`, or
#: a job of them.
Callback = Union[_Called, Job, tuple[_Called, Any]]
#: What became of a change: `done`, `requested` (workers do it) or `unchanged`.
BatchOutcome = Literal["done", "requested", "unchanged"]
_Shown = dict[str, Any]
T = TypeVar("T")


class Batches:
    """The batches of a queue; see `Queue.batches`. Every method raises `QueueError`."""

    def __init__(self, queue: str, sender: SyncSender, trace: _plans.Trace | None) -> None:
        self._queue, self._sender, self._trace = queue, sender, trace

    def named(self, name: str) -> Batch:
        """A handle on the batch of this name, without a call."""
        return Batch(self, name, None)

    def get(self, name: str) -> _Shown:
        """A batch as docs/service/protocol.md shows it; `NotFound` if there is none. Needs the scope `view`."""
        return self._sender.run(_get(self._queue, name))

    def list(self) -> Sequence[_Shown]:
        """All batches of the queue, the newest first. Needs the scope `view`.

        Of those that the service cannot read there are `batch`, `error` and the `state` `"unreadable"` alone.
        """
        return self._sender.run(_list(self._queue))

    def seal(self, name: str) -> BatchOutcome:
        """As `Batch.seal`."""
        return self.named(name).seal()

    def cancel(self, name: str) -> BatchOutcome:
        """As `Batch.cancel`."""
        return self.named(name).cancel()

    def abandon(self, name: str) -> BatchOutcome:
        """As `Batch.abandon`."""
        return self.named(name).abandon()


class Batch:
    """One batch. As a context manager it is sealed at the end of the block, unless that raises.

    Attributes:
        name: its name.
        seq: the number of this life of the name, which is in the ids of its members, such as
            `import-7@12/row-1`. Calls of this handle touch no later batch of the name. None for a handle
            that `Batches.named` made, whose calls are about the batch that has the name then.
    """

    def __init__(self, batches: Batches, name: str, seq: int | None) -> None:
        self._batches, self.name, self.seq = batches, name, seq

    def add(self, job: Job | str, payload: Any = None, **options: Unpack[JobOptions]) -> Enqueued:
        """Adds a member: `add("row", {"n": 1}, id="row-1")`, or a whole `Job`; see `add_all`."""
        return self.add_all([_plans.as_job(job, payload, options)])[0]

    def add_all(self, jobs: Iterable[Job]) -> Sequence[Enqueued]:
        """Adds members; the answers are in their order.

        The id of each is made of the name and the number of the batch, and the id that is given
        here. A member that is there is not added again, so a producer that gives ids may repeat all
        its calls. They go in as many calls as they need, each of which stores all or none of its
        members; those of an iterator are sent as they come. After an error add all of them again.
        Raises `InvalidRequest` with the `reason` `batch_sealed` or `batch_ended`, and `NotFound`.
        """
        return self._run(_add(self._batches._queue, self, jobs, self._batches._trace))

    def seal(self) -> BatchOutcome:
        """Says that no more members come from outside; the batch ends once all have ended."""
        return self._run(_change(self._batches._queue, self, "seal"))

    def status(self) -> _Shown:
        """How far it is; see `Batches.get`."""
        return self._run(_status(self._batches._queue, self))

    def cancel(self) -> BatchOutcome:
        """Cancels the members that have not ended; the batch ends after them. Needs the scope `operate`."""
        return self._run(_change(self._batches._queue, self, "cancel"))

    def abandon(self) -> BatchOutcome:
        """Gives it up: no callback runs, the members go on. Needs the scope `operate`."""
        return self._run(_change(self._batches._queue, self, "abandon"))

    def _run(self, plan: Plan[T]) -> T:
        return self._batches._sender.run(plan)

    def __repr__(self) -> str:
        return f"Batch({self.name!r}, seq={self.seq})"

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.seal()


class AsyncBatches:
    """The same for asyncio."""

    def __init__(self, queue: str, sender: AsyncSender, trace: _plans.Trace | None) -> None:
        self._queue, self._sender, self._trace = queue, sender, trace

    def named(self, name: str) -> AsyncBatch:
        """A handle on the batch of this name, without a call."""
        return AsyncBatch(self, name, None)

    async def get(self, name: str) -> _Shown:
        """A batch; see `Batches.get`."""
        return await self._sender.run(_get(self._queue, name))

    async def list(self) -> Sequence[_Shown]:
        """All batches of the queue; see `Batches.list`."""
        return await self._sender.run(_list(self._queue))

    async def seal(self, name: str) -> BatchOutcome:
        """As `Batch.seal`."""
        return await self.named(name).seal()

    async def cancel(self, name: str) -> BatchOutcome:
        """As `Batch.cancel`."""
        return await self.named(name).cancel()

    async def abandon(self, name: str) -> BatchOutcome:
        """As `Batch.abandon`."""
        return await self.named(name).abandon()


class AsyncBatch:
    """One batch, for asyncio; see `Batch`. `async with` seals it."""

    def __init__(self, batches: AsyncBatches, name: str, seq: int | None) -> None:
        self._batches, self.name, self.seq = batches, name, seq

    async def add(self, job: Job | str, payload: Any = None, **options: Unpack[JobOptions]) -> Enqueued:
        """Adds a member; see `Batch.add`."""
        return (await self.add_all([_plans.as_job(job, payload, options)]))[0]

    async def add_all(self, jobs: Iterable[Job]) -> Sequence[Enqueued]:
        """Adds members; see `Batch.add_all`."""
        return await self._run(_add(self._batches._queue, self, jobs, self._batches._trace))

    async def seal(self) -> BatchOutcome:
        """As `Batch.seal`."""
        return await self._run(_change(self._batches._queue, self, "seal"))

    async def status(self) -> _Shown:
        """As `Batch.status`."""
        return await self._run(_status(self._batches._queue, self))

    async def cancel(self) -> BatchOutcome:
        """As `Batch.cancel`."""
        return await self._run(_change(self._batches._queue, self, "cancel"))

    async def abandon(self) -> BatchOutcome:
        """As `Batch.abandon`."""
        return await self._run(_change(self._batches._queue, self, "abandon"))

    async def _run(self, plan: Plan[T]) -> T:
        return await self._batches._sender.run(plan)

    def __repr__(self) -> str:
        return f"AsyncBatch({self.name!r}, seq={self.seq})"

    async def __aenter__(self) -> AsyncBatch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.seal()


class OpeningBatch:
    """A batch that is opened when it is awaited, or at the start of an `async with`, which seals it."""

    def __init__(self, open_: Callable[[], Coroutine[Any, Any, AsyncBatch]]) -> None:
        self._open = open_
        self._batch: AsyncBatch | None = None

    def __await__(self) -> Generator[Any, Any, AsyncBatch]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncBatch:
        self._batch = await self._open()
        return self._batch

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._batch is not None:
            await self._batch.__aexit__(kind, error, trace)


def _path(queue: str, name: str) -> str:
    return f"{_wire.queue_path(queue)}/batches/{_wire.segment(name, 'the name of the batch')}"


def _callback(when: str, callback: Callback, queue: str) -> dict[str, Any]:
    called, payload = callback if isinstance(callback, tuple) and len(callback) == 2 else (callback, None)
    if not isinstance(called, (str, Task, AsyncTask)) and not (isinstance(called, Job) and called is callback):
        raise InvalidRequest(
            f"{when}: a kind or a task, alone or with what its job gets, "
            f'such as "report", report or (report, {{"to": "ada"}}), not {callback!r}'
        )
    if isinstance(called, Job):
        payload = called.payload
        if called != Job(called.kind, payload):
            raise InvalidRequest(f"{when}: the job of a callback has a kind and a payload, and no options")
    job = job_for(queue, called)
    return {"kind": job.kind, "payload": Json._of(_wire.text_of(payload, when))}


def opening(
    queue: str,
    name: str,
    callbacks: Mapping[str, Callback | None],
    callbacks_in: str | None,
    timeout: Seconds | None,
    on_timeout: str,
    keep: Seconds | None,
) -> Plan[int]:
    """Opens a batch; its end is the number of this life of the name."""
    said: dict[str, Any] = {
        when: _callback(when, callback, callbacks_in or queue)
        for when, callback in callbacks.items()
        if callback is not None
    }
    said["on_timeout"] = on_timeout
    if callbacks_in is not None:
        said["callbacks_in"] = callbacks_in
    if timeout is not None:
        said["timeout_ms"] = millis(timeout, "timeout")
    if keep is not None:
        said["keep_ms"] = millis(keep, "keep")
    reply = yield Call("PUT", _path(queue, name), _wire.text_of(said, "batch").encode(), "seq")
    return int(reply.answer.said["seq"])


def _get(queue: str, name: str) -> Plan[_Shown]:
    reply = yield Call("GET", _path(queue, name), b"", "batch")
    found: _Shown = loads(reply.answer.text)
    return found


def _list(queue: str) -> Plan[Sequence[_Shown]]:
    found: list[_Shown] = []
    after: str | None = None
    while True:
        query = "" if after is None else f"?{urlencode({'after': after})}"
        reply = yield Call("GET", f"{_wire.queue_path(queue)}/batches{query}", b"", "batches")
        said = reply.answer.said
        found += said["batches"]
        found += [{**one, "state": "unreadable"} for one in said.get("unreadable", [])]
        after = said.get("next")
        if after is None:
            return found


def _status(queue: str, batch: Batch | AsyncBatch) -> Plan[_Shown]:
    found = yield from _get(queue, batch.name)
    if batch.seq not in (None, found["seq"]):
        raise NotFound("there is a later batch of this name", status=404, reason="no_batch")
    return found


def _add(
    queue: str, batch: Batch | AsyncBatch, jobs: Iterable[Job], trace: _plans.Trace | None
) -> Plan[list[Enqueued]]:
    tail = "" if batch.seq is None else f',"seq":{batch.seq}'
    return _plans.store(f"{_path(queue, batch.name)}/jobs", jobs, trace, tail=tail)


def _change(queue: str, batch: Batch | AsyncBatch, change: str) -> Plan[Any]:
    body = b"{}" if batch.seq is None else _wire.text_of({"seq": batch.seq}, "seq").encode()
    reply = yield Call("POST", f"{_path(queue, batch.name)}/{change}", body, "outcome")
    return reply.answer.said["outcome"]
