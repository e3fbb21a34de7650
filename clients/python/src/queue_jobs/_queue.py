"""The client of a queue, in its two faces."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Literal

from . import _plans, _wire
from ._batches import AsyncBatch, AsyncBatches, Batch, Batches, Callback, OpeningBatch, opening
from ._connection import Connection
from ._model import Changed, Enqueued, FailureGroup, Job, Outcome, Seconds
from ._schedules import AsyncSchedules, Schedules
from ._send import AsyncSender, SyncSender


class _Base:
    """What both faces have: a connection and the name of a queue.

    Args:
        url: `http://host:port`, `https://host` or `unix:/path/of/socket`.
        name: the queue.
        token: the token; better in a file.
        token_file: a file with the token, read again when it changes.
        plaintext: sends the token over `http://` to another machine too, where everybody on the way
            can read it. Without it such an address raises `InvalidRequest`.
        timeout: seconds after which an attempt without an answer is given up.
        retry_for: seconds for which a call is sent again when the service does not answer or
            says that it cannot now.
        ssl_context: for authorities and client certificates of one's own.
        trace: called at every enqueue for headers of the jobs, such as `traceparent`. Jobs that a
            handler enqueues inherit `traceparent` and `tracestate` of its job without it.
    """

    def __init__(
        self,
        url: str,
        name: str = "default",
        *,
        token: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        plaintext: bool = False,
        timeout: float = 30.0,
        retry_for: float = 60.0,
        ssl_context: ssl.SSLContext | None = None,
        trace: _plans.Trace | None = None,
    ) -> None:
        _wire.queue_path(name)  # A name that no path can have is refused here.
        self.name = name
        self.connection = Connection(
            url,
            token=token,
            token_file=token_file,
            plaintext=plaintext,
            timeout=timeout,
            retry_for=retry_for,
            ssl_context=ssl_context,
        )
        self._trace = trace
        self._open()

    def _open(self) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Queue(_Base):
    """A queue behind a service, for programs with threads. One object serves all of them."""

    def _open(self) -> None:
        self._sender = SyncSender(self.connection)

    @property
    def schedules(self) -> Schedules:
        """The schedules of this queue: `queue.schedules.put("nightly", Job("report"), cron="0 3 * * *")`."""
        return Schedules(self.name, self._sender)

    @property
    def batches(self) -> Batches:
        """The batches of this queue: many jobs each, and callbacks once all of them have ended."""
        return Batches(self.name, self._sender, self._trace)

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
    ) -> Batch:
        """Opens a batch: `with queue.batch("import-7", on_end="report") as batch: batch.add_all(jobs)`.

        The end of the block seals it, unless it raises.

        A callback is a job that is enqueued once: at the end, or `on_first_failure` as soon as a member
        has not completed. It is a kind, or a kind with any JSON that the job gets as `payload` beside
        the counts of the batch. `callbacks_in`: their queue, if it is another one. `timeout`: how long
        after its opening the batch ends at the latest; 7 days if None. `keep`: how long members are
        kept after the end; 24 hours if None.

        Opened again in the same way it is the same batch. Another way raises `InvalidRequest` with
        the `reason` `batch_exists`.
        """
        callbacks = dict(
            on_end=on_end, on_success=on_success, on_failure=on_failure, on_first_failure=on_first_failure
        )
        plan = opening(self.name, name, callbacks, callbacks_in, timeout, on_timeout, keep)
        return Batch(self.batches, name, self._sender.run(plan))

    def enqueue(self, job: Job | str, payload: Any = None, *, id: str | None = None) -> Enqueued:
        """Stores a job: `enqueue("email", {"to": "ada"}, id="welcome-42")`, or a whole `Job`.

        The id is the key by which duplicates are found. Raises `QueueError`.
        """
        return self.enqueue_many([_plans.as_job(job, payload, id)])[0]

    def enqueue_many(self, jobs: Iterable[Job], *, atomic: bool = False) -> list[Enqueued]:
        """Stores jobs; the answers are in their order.

        With `atomic` all are stored or none, in one call of at most 1,000 jobs and 8 MiB. Without it
        they go in as many calls as they need, and after an error some of them may be stored.
        """
        return self._sender.run(_plans.enqueue(self.name, list(jobs), atomic, self._trace))

    def wait(self, job: Enqueued | str, *, seq: int | None = None, timeout: Seconds | None = None) -> Outcome:
        """Waits until the job is over: without `timeout` for as long as it takes, else `Pending`.

        With a `timeout` a service that does not answer is given up five seconds after it, however
        long `retry_for` is.

        With the answer of `enqueue`, or with `seq`, it is about that life of the id and no other.
        """
        return self._sender.run(_plans.wait(self.name, job, seq, timeout))

    def cancel(self, id: str, *, processing: Literal["leave", "request"] = "leave") -> Changed:
        """Cancels a job that waits; with `processing="request"` one that runs is asked to stop."""
        return self.cancel_many([id], processing=processing)[0]

    def cancel_many(
        self, ids: Iterable[str], *, processing: Literal["leave", "request"] = "leave"
    ) -> list[Changed]:
        """Cancels jobs; the answers are in the order of the ids."""
        return self._sender.run(_plans.cancel(self.name, list(ids), processing))

    def failures(self) -> list[FailureGroup]:
        """What fails, in groups, the largest first. Needs the scope `view`.

        The service looks at the newest 1,000 failed jobs and as many failing ones.
        """
        return self._sender.run(_plans.failures(self.name))

    def job(self, id: str) -> dict[str, Any]:
        """A job as the service shows it: its state, its times, its pauses and its last attempts.

        The keys are those of "A job as it is shown" in the protocol; every other face has the same
        document. Raises `QueueError` of the kind `not_found` if there is no such job. Needs the scope
        `view`.
        """
        return self._sender.run(_plans.job(self.name, id))

    def close(self) -> None:
        """Closes the connections."""
        self._sender.close()

    def __enter__(self) -> Queue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncQueue(_Base):
    """The same for asyncio. It belongs to the event loop that uses it first."""

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

    async def enqueue(self, job: Job | str, payload: Any = None, *, id: str | None = None) -> Enqueued:
        """Stores a job; see `Queue.enqueue`. A cancelled call may have stored it."""
        return (await self.enqueue_many([_plans.as_job(job, payload, id)]))[0]

    async def enqueue_many(self, jobs: Iterable[Job], *, atomic: bool = False) -> list[Enqueued]:
        """Stores jobs; see `Queue.enqueue_many`."""
        return await self._sender.run(_plans.enqueue(self.name, list(jobs), atomic, self._trace))

    async def wait(
        self, job: Enqueued | str, *, seq: int | None = None, timeout: Seconds | None = None
    ) -> Outcome:
        """Waits until the job is over; see `Queue.wait`."""
        return await self._sender.run(_plans.wait(self.name, job, seq, timeout))

    async def cancel(self, id: str, *, processing: Literal["leave", "request"] = "leave") -> Changed:
        """Cancels a job; see `Queue.cancel`."""
        return (await self.cancel_many([id], processing=processing))[0]

    async def cancel_many(
        self, ids: Iterable[str], *, processing: Literal["leave", "request"] = "leave"
    ) -> list[Changed]:
        """Cancels jobs; the answers are in the order of the ids."""
        return await self._sender.run(_plans.cancel(self.name, list(ids), processing))

    async def failures(self) -> list[FailureGroup]:
        """As `Queue.failures`."""
        return await self._sender.run(_plans.failures(self.name))

    async def job(self, id: str) -> dict[str, Any]:
        """As `Queue.job`."""
        return await self._sender.run(_plans.job(self.name, id))

    async def close(self) -> None:
        """Closes the connections."""
        await self._sender.close()

    async def __aenter__(self) -> AsyncQueue:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
