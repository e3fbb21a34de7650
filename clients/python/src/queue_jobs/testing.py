"""For tests of programs that enqueue: jobs run at once, in this process, without any service.

    from queue_jobs.testing import eager

    def test_a_signup_sends_a_mail():
        with eager(queue) as ran:
            sign_up("ada@example.org")  # calls send.enqueue(..)
        assert [(job.kind, job.payload["to"]) for job in ran] == [("send", "ada@example.org")]
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import ChainMap
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

from ._answers import Reply, read
from ._async_queue import AsyncQueue
from ._connection import Call
from ._eager import Ended, EagerStore, Work
from ._handlers import Handler, is_waiting
from ._job import CURRENT, ClaimedJob
from ._plans import INHERITED
from ._queue import Queue
from ._send import AsyncSender, SyncSender
from ._wire import JSON

__all__ = ["eager"]


@contextmanager
def eager(
    *queues: Queue | AsyncQueue, handlers: Mapping[str, Handler] | None = None, raises: bool = True, retries: bool = False
) -> Iterator[list[ClaimedJob]]:
    """Inside of the block each enqueue into these queues runs the job before it returns.

    Answers the list of the jobs that ran, in the order of their starts. They run by the tasks of their
    queue, and by `handlers` by kind. Payloads and results go through JSON as they would, an id that
    is taken is found, and `wait` has the outcome. Delays, priorities and expiry have no effect; a job
    that snoozes stays `queued`. Other calls, such as batches and schedules, raise `Unsupported`.

    What a handler raises comes out of the enqueue, and so does `InvalidRequest` for a result that cannot
    be stored. With `raises=False` a job whose handler raises is Failed instead, after one attempt.

    With `retries=True` a job whose handler raises runs again at once, as often as its `max_attempts`
    allow (100 times at most): each attempt is in the list, and the error of the last one counts.
    """
    store = EagerStore(raises, retries)
    with ExitStack() as after:
        for queue in queues:
            known = ChainMap(dict(handlers or {}), queue._tasks)
            after.callback(setattr, queue, "_sender", queue._sender)
            if isinstance(queue, Queue):
                queue._sender = _Sync(store, known)
            else:
                queue._sender = _Async(store, known)
        yield store.ran


def _context(job: ClaimedJob) -> contextvars.Context:
    context = contextvars.copy_context()
    context.run(CURRENT.set, job)
    context.run(INHERITED.set, {})
    return context


class _Sync(SyncSender):
    def __init__(self, store: EagerStore, handlers: Mapping[str, Handler]) -> None:
        self._store, self._handlers = store, handlers

    def call(self, call: Call) -> Reply:
        work = self._store.answer(call, self._handlers)
        ended = None
        while True:
            try:
                ended = self._ended(next(work) if ended is None else work.send(ended))
            except StopIteration as end:
                return Reply(read(call, 200, JSON, end.value.encode()))

    @staticmethod
    def _ended(work: Work) -> Ended:
        context = _context(work.job)
        try:
            result = context.run(work.handler, work.job)
            return Ended(_finished(context, result) if is_waiting(work.handler) else result)
        except Exception as error:
            return Ended(error=error)

    def close(self) -> None:
        """Nothing is open."""


def _finished(context: contextvars.Context, coroutine: Any) -> Any:
    """Runs a coroutine in a thread, since this one may have an event loop that runs."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(context.run, asyncio.run, coroutine).result()


class _Async(AsyncSender):
    def __init__(self, store: EagerStore, handlers: Mapping[str, Handler]) -> None:
        self._store, self._handlers = store, handlers

    async def call(self, call: Call, retry_for: float | None = None) -> Reply:
        work = self._store.answer(call, self._handlers)
        ended = None
        while True:
            try:
                ended = await self._ended(next(work) if ended is None else work.send(ended))
            except StopIteration as end:
                return Reply(read(call, 200, JSON, end.value.encode()))

    @staticmethod
    async def _ended(work: Work) -> Ended:
        context = _context(work.job)
        try:
            if is_waiting(work.handler):
                return Ended(await context.run(asyncio.ensure_future, work.handler(work.job)))
            return Ended(await asyncio.to_thread(context.run, work.handler, work.job))
        except Exception as error:
            return Ended(error=error)

    async def close(self) -> None:
        """Nothing is open."""
