"""The client of a queue, for asyncio."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _limits, _plans
from ._base import Base
from ._batches import AsyncBatch, AsyncBatches, Callback, OpeningBatch, opening
from ._limits import Limit, LimitChange, PartitionPage, QueueLimits
from ._model import (
    Changed,
    Enqueued,
    FailureGroup,
    Job,
    JobOptions,
    JobPage,
    Outcome,
    PauseState,
    Seconds,
    Standing,
)
from ._schedules import AsyncSchedules
from ._send import AsyncSender
from ._tasks import AsyncTask, P, R

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncQueue(Base):
    """The same for asyncio. Each event loop that uses it has connections of its own."""

    def _open(self) -> None:
        self._sender = AsyncSender(self.connection)

    @property
    def schedules(self) -> AsyncSchedules:
        """The schedules of this queue; see `Queue.schedules`."""
        return AsyncSchedules(self.name, self._sender)

    @property
    def batches(self) -> AsyncBatches:
        """The batches of this queue; see `Queue.batches`."""
        return AsyncBatches(self.name, self._sender, self._trace)

    def batch(
        self,
        name: str,
        *,
        on_end: Callback | None = None,
        on_success: Callback | None = None,
        on_failure: Callback | None = None,
        on_first_failure: Callback | None = None,
        callbacks_in: str | None = None,
        timeout: Seconds | None = None,
        on_timeout: Literal["cancel", "leave"] = "cancel",
        keep: Seconds | None = None,
    ) -> OpeningBatch:
        """Opens a batch; see `Queue.batch`.

        `async with queue.batch("import-7") as batch:` seals it at the end of the block, and
        `batch = await queue.batch("import-7")` does not.
        """
        callbacks = dict(
            on_end=on_end, on_success=on_success, on_failure=on_failure, on_first_failure=on_first_failure
        )

        async def open_() -> AsyncBatch:
            plan = opening(self.name, name, callbacks, callbacks_in, timeout, on_timeout, keep)
            return AsyncBatch(self.batches, name, await self._sender.run(plan))

        return OpeningBatch(open_)

    @overload
    def task(self, function: Callable[P, R], /) -> AsyncTask[P, R]: ...

    @overload
    def task(
        self, kind: str | None = None, /, **options: Unpack[JobOptions]
    ) -> Callable[[Callable[P, R]], AsyncTask[P, R]]: ...

    def task(self, function: Any = None, /, **options: Unpack[JobOptions]) -> Any:
        """A decorator for functions that a worker calls; see `Queue.task`."""
        if callable(function):
            return self.task()(function)

        def decorate(decorated: Callable[P, R]) -> AsyncTask[P, R]:
            task = AsyncTask(self, decorated, function, options)
            self._register(task)
            return task

        return decorate

    async def enqueue(self, job: Job | str, payload: Any = None, **options: Unpack[JobOptions]) -> Enqueued:
        """Stores a job; see `Queue.enqueue`. A cancelled call may have stored it."""
        return (await self.enqueue_many([_plans.as_job(job, payload, options)]))[0]

    async def enqueue_many(self, jobs: Iterable[Job], *, atomic: bool = False) -> Sequence[Enqueued]:
        """Stores jobs; see `Queue.enqueue_many`."""
        return await self._sender.run(_plans.enqueue(self.name, list(jobs), atomic, self._trace))

    async def wait(
        self, job: Enqueued | str, *, seq: int | None = None, timeout: Seconds | None = None
    ) -> Outcome:
        """Waits until the job is over; see `Queue.wait`."""
        return await self._sender.run(_plans.wait(self.name, job, seq, timeout))

    async def result(
        self, job: Enqueued | str, *, seq: int | None = None, timeout: Seconds | None = None
    ) -> Any:
        """The result of a job; see `Queue.result`."""
        outcome = await self.wait(job, seq=seq, timeout=timeout)
        return await self._sender.run(_plans.result(self.name, outcome))

    async def cancel(self, id: str, *, processing: Literal["leave", "request"] = "leave") -> Changed:
        """Cancels a job; see `Queue.cancel`."""
        return (await self.cancel_many([id], processing=processing))[0]

    async def cancel_many(
        self, ids: Iterable[str], *, processing: Literal["leave", "request"] = "leave"
    ) -> Sequence[Changed]:
        """Cancels jobs; the answers are in the order of the ids."""
        return await self._sender.run(_plans.cancel(self.name, ids, processing))

    async def failures(self) -> Sequence[FailureGroup]:
        """As `Queue.failures`."""
        return await self._sender.run(_plans.failures(self.name))

    async def redrive(self, id: str) -> Changed:
        """Runs a Failed or Cancelled job again; see `Queue.redrive`."""
        return (await self.redrive_many([id]))[0]

    async def redrive_many(self, ids: Iterable[str]) -> Sequence[Changed]:
        """Runs Failed and Cancelled jobs again; the answers are in the order of the ids."""
        return await self._sender.run(_plans.redrive(self.name, ids))

    async def pause(self, *, kind: str | None = None, duration: Seconds | None = None) -> PauseState:
        """Stops claims of the queue, or of one kind; see `Queue.pause`."""
        return await self._sender.run(_plans.pause(self.name, kind, duration))

    async def resume(self, *, kind: str | None = None) -> PauseState:
        """Ends the pause of the queue, or of one kind."""
        return await self._sender.run(_plans.resume(self.name, kind))

    async def limits(self) -> QueueLimits:
        """The limits of the queue; see `Queue.limits`."""
        return await self._sender.run(_limits.limits(self.name))

    async def set_limits(
        self,
        *,
        each: LimitChange = ...,
        unpartitioned: LimitChange = ...,
        partitions: Mapping[str, Limit | None] | None = None,
    ) -> None:
        """Sets limits and takes limits away; see `Queue.set_limits`."""
        await self._sender.run(_limits.set_limits(self.name, each, unpartitioned, partitions))

    async def partitions(self, *, limit: int = 100, after: str | None = None) -> PartitionPage:
        """A page of partitions; see `Queue.partitions`."""
        return await self._sender.run(_limits.partitions(self.name, limit, after))

    async def get(self, id: str) -> dict[str, Any]:
        """A job as the service shows it; see `Queue.get`."""
        return await self._sender.run(_plans.get(self.name, id))

    async def counts(self) -> dict[str, Any]:
        """How many jobs there are in each state; see `Queue.counts`."""
        return await self._sender.run(_plans.counts(self.name))

    async def list(
        self,
        state: Standing | Sequence[Standing] = (),
        *,
        kind: str | None = None,
        tag: str | None = None,
        partition: str | None = None,
        id_prefix: str | None = None,
        order: Literal["oldest", "newest"] | None = None,
        limit: int = 50,
        after: str | None = None,
    ) -> JobPage:
        """A page of jobs; see `Queue.list`."""
        asked = dict(
            kind=kind, tag=tag, partition=partition, id_prefix=id_prefix, order=order, limit=limit, after=after
        )
        return await self._sender.run(_plans.listing(self.name, state, asked))

    async def close(self) -> None:
        """Closes the connections of this event loop."""
        await self._sender.close()

    async def __aenter__(self) -> AsyncQueue:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
