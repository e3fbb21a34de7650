"""The client of a queue, for programs with threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _limits, _plans
from ._base import Base
from ._batches import Batch, Batches, Callback, opening
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
from ._schedules import Schedules
from ._send import SyncSender
from ._tasks import P, R, Task

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Queue(Base):
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

    @overload
    def task(self, function: Callable[P, R], /) -> Task[P, R]: ...

    @overload
    def task(
        self, kind: str | None = None, /, **options: Unpack[JobOptions]
    ) -> Callable[[Callable[P, R]], Task[P, R]]: ...

    def task(self, function: Any = None, /, **options: Unpack[JobOptions]) -> Any:
        """A decorator: the function stays what it is, and `send.enqueue("ada")` calls it in a worker.

            @queue.task
            def send(to, subject="Hi"): ...

            @queue.task("email", max_attempts=5)
            async def send(to): ...

        The kind is the name of the function unless it is given; the options are the fields of `Job`.
        Every `Worker` of this object runs the tasks.
        """
        if callable(function):
            return self.task()(function)

        def decorate(decorated: Callable[P, R]) -> Task[P, R]:
            task = Task(self, decorated, function, options)
            self._register(task)
            return task

        return decorate

    def enqueue(self, job: Job | str, payload: Any = None, **options: Unpack[JobOptions]) -> Enqueued:
        """Stores a job: `enqueue("email", {"to": "ada"}, id="welcome-42", delay=60)`, or a whole `Job`.

        The options are the fields of `Job`. The id is the key by which duplicates are found. Raises
        `QueueError`.
        """
        return self.enqueue_many([_plans.as_job(job, payload, options)])[0]

    def enqueue_many(self, jobs: Iterable[Job], *, atomic: bool = False) -> Sequence[Enqueued]:
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

    def result(self, job: Enqueued | str, *, seq: int | None = None, timeout: Seconds | None = None) -> Any:
        """Waits as `wait` does, and answers the result of the job or raises why there is none.

        That is `JobFailed`, `JobCancelled`, `JobMissing`, or `JobPending`, a `TimeoutError`, at the
        end of the `timeout`. A token with the scope `view` sees in them how many attempts were made.
        """
        outcome = self.wait(job, seq=seq, timeout=timeout)
        return self._sender.run(_plans.result(self.name, outcome))

    def cancel(self, id: str, *, processing: Literal["leave", "request"] = "leave") -> Changed:
        """Cancels a job that waits: `done`. It never starts again.

        One that runs is left alone, and the answer is `unchanged` with the state `processing`; with
        `processing="request"` its handler is asked to stop, and the answer is `requested`: the job
        becomes Cancelled if the handler stops, and Completed if it returns. One that has completed or
        failed is `unchanged`, with its state. Needs the scope `operate`.
        """
        return self.cancel_many([id], processing=processing)[0]

    def cancel_many(
        self, ids: Iterable[str], *, processing: Literal["leave", "request"] = "leave"
    ) -> Sequence[Changed]:
        """Cancels jobs; the answers are in the order of the ids."""
        return self._sender.run(_plans.cancel(self.name, ids, processing))

    def failures(self) -> Sequence[FailureGroup]:
        """What fails, in groups, the largest first. Needs the scope `view`.

        The service looks at the newest 1,000 failed jobs and as many failing ones.
        """
        return self._sender.run(_plans.failures(self.name))

    def redrive(self, id: str) -> Changed:
        """Runs a Failed or Cancelled job again, with fresh budgets: `done`. Needs the scope `operate`."""
        return self.redrive_many([id])[0]

    def redrive_many(self, ids: Iterable[str]) -> Sequence[Changed]:
        """Runs Failed and Cancelled jobs again; the answers are in the order of the ids."""
        return self._sender.run(_plans.redrive(self.name, ids))

    def pause(self, *, kind: str | None = None, duration: Seconds | None = None) -> PauseState:
        """Stops claims of the queue, or of one kind, for a time or until `resume`. Jobs that run go on.

        Needs the scope `operate`.
        """
        return self._sender.run(_plans.pause(self.name, kind, duration))

    def resume(self, *, kind: str | None = None) -> PauseState:
        """Ends the pause of the queue, or of one kind, which are pauses of their own."""
        return self._sender.run(_plans.resume(self.name, kind))

    def limits(self) -> QueueLimits:
        """How many jobs of a partition run at once, and how large its share is. Needs the scope `view`.

        Raises `Unsupported` for a store without partitions.
        """
        return self._sender.run(_limits.limits(self.name))

    def set_limits(
        self,
        *,
        each: LimitChange = ...,
        unpartitioned: LimitChange = ...,
        partitions: Mapping[str, Limit | None] | None = None,
    ) -> None:
        """Sets limits, for all workers at once: `set_limits(each=Limit(3), partitions={"acme": Limit(10)})`.

        `Limit(0)` pauses a partition, None takes a limit away, and what is not named stays. `each` is
        of each partition by itself that has no limit of its own; `unpartitioned` of the jobs without a
        partition, which have a weight alone. Needs the scope `operate`.
        """
        self._sender.run(_limits.set_limits(self.name, each, unpartitioned, partitions))

    def partitions(self, *, limit: int = 100, after: str | None = None) -> PartitionPage:
        """A page of the partitions with jobs that wait or run, or a limit of their own, by key.

        Each is as the protocol shows it: `partition`, `leases`, `limit`, `is_full`, `waiting`, counted
        up to 1,000, and `oldest_due_age_ms`. `limit` is at most 1,000. `after` is the `next` of the page
        before. Needs the scope `view`.
        """
        return self._sender.run(_limits.partitions(self.name, limit, after))

    def get(self, id: str) -> dict[str, Any]:
        """A job as the service shows it: its state, its times, its pauses and its last attempts.

        The keys are listed under "A job as it is shown" in the protocol; every other face has the same
        document. Raises `NotFound` if there is no such job. Needs the scope `view`.
        """
        return self._sender.run(_plans.get(self.name, id))

    def counts(self) -> dict[str, Any]:
        """How many jobs are `queued`, `processing`, `failing`, `completed`, `failed` and `cancelled`.

        Also how many there are in all (`total`), how many could start now (`due`), and whether the
        queue is `paused`. Raises `NotFound` if the queue never had a job. Needs the scope `view`.
        """
        return self._sender.run(_plans.counts(self.name))

    def list(
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
        """A page of jobs as `get` shows them: `for job in queue.list("failed", kind="email")`.

        `limit` is at most 1,000. `after` is the `next` of the page before, with the same filter; a
        page may have fewer jobs and not be the last. Needs the scope `view`.
        """
        asked = dict(
            kind=kind, tag=tag, partition=partition, id_prefix=id_prefix, order=order, limit=limit, after=after
        )
        return self._sender.run(_plans.listing(self.name, state, asked))

    def close(self) -> None:
        """Closes the connections."""
        self._sender.close()

    def __enter__(self) -> Queue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
