"""Runs a handler: a coroutine function in the event loop, a plain function in a thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, Union

from ._errors import InvalidRequest
from ._events import Events
from ._failures import failure_of
from ._job import (
    CURRENT,
    ClaimedJob,
    Fail,
    Snooze,
    Stopped,
    StopReason,
    complete_event,
    fail_event,
    snooze_event,
)
from ._plans import INHERITED
from ._settler import Held
from ._tracing import AttemptSpan

Handler = Union[Callable[[ClaimedJob], Any], Callable[[ClaimedJob], Awaitable[Any]]]

#: What a job hands on to the jobs that its handler enqueues.
_TRACE = ("traceparent", "tracestate")


def is_waiting(handler: Handler) -> bool:
    """Whether a handler is a coroutine function, or an object that is called as one."""
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


class _Left(Exception):
    """`SystemExit` and the like of a handler, which end one job here and not the worker."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Lapsed(Exception):
    """The lease was over before the handler could start, so that the job may run elsewhere."""


class Running:
    """A handler that runs. `event` waits for its end."""

    def __init__(self, held: Held, handler: Handler | None, emit: Events) -> None:
        self.held = held
        self._failed: BaseException | None = None
        self._emit = emit
        self._job = held.job
        self._task: asyncio.Task[Any] | None = None
        self._is_async = False
        if handler is not None:
            trace = {name: text for name, text in self._job.headers.items() if name in _TRACE}
            context = contextvars.copy_context()
            span = AttemptSpan(self._job, context)
            context.run(INHERITED.set, span.headers(trace))
            context.run(CURRENT.set, self._job)
            self._task = context.run(self._start, handler)
            self._task.add_done_callback(lambda task: span.end(_error_of(task)))
        if self._job.stop_reason is not None:
            self.ask_to_stop(self._job.stop_reason)

    def _start(self, handler: Handler) -> asyncio.Task[Any]:
        if is_waiting(handler):
            self._is_async = True
            return asyncio.ensure_future(self._awaited(handler))
        return asyncio.ensure_future(self._threaded(handler))

    async def _threaded(self, handler: Handler) -> Any:
        self._must_hold()
        return await _in_thread(handler, self._job)

    def _must_hold(self) -> None:
        """A handler that blocks the loop, or a machine that stood still, makes the others start late."""
        if time.monotonic() >= self.held.expires:
            raise _Lapsed

    async def _awaited(self, handler: Handler) -> Any:
        self._must_hold()
        try:
            return await handler(self._job)
        except SystemExit as error:
            raise _Left(error) from None

    def ask_to_stop(self, reason: StopReason) -> None:
        """Cancels a coroutine; tells a thread, which goes on until it asks."""
        self._job._ask_to_stop(reason)
        if self._task is not None and self._is_async:
            self._task.cancel()

    async def event(self) -> str | None:
        """What to settle with when the handler has ended, or None if the lease is lost."""
        if self._task is None:
            kind = self._job.kind
            self._emit("unknown_kind", self._job, kind=kind)
            return fail_event(Fail("UnknownKind", f"this worker has no handler for {kind}"), "unknown_kind")
        await self._end(self._task)
        if self._job.stop_reason == "lease_lost":
            return None
        if not self._task.done():
            self._emit("handler_abandoned", self._job, why=self._job.stop_reason)
            return '"interrupt":{}'
        try:
            return self._event_of(self._task)
        except InvalidRequest as error:
            self._emit("result_refused", self._job, error)
            return fail_event(Fail("ResultRefused", error.detail, terminal=True))

    def tell_failure(self) -> None:
        """Says that the attempt failed, once the settle has said whether the job runs again."""
        if self._failed is not None:
            job, held = self._job, self.held
            self._emit("job_failed", job, self._failed, attempt=job.attempt, state=held.state, again_in=held.again_in)

    async def _end(self, task: asyncio.Task[Any]) -> None:
        """Waits for the handler, its time limit, or for the worker that gives it up."""
        abandoned = asyncio.ensure_future(self.held.abandoned.wait())
        try:
            both = {task, abandoned}
            await asyncio.wait(both, timeout=self._job.time_limit, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and not abandoned.done():
                self.ask_to_stop("time_limit")
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            abandoned.cancel()

    def _event_of(self, task: asyncio.Task[Any]) -> str:
        error = _raised(task)
        match error:
            case None:
                return complete_event(task.result(), self._job.batch)
            case Fail():
                self._failed = error
                return fail_event(error)
            case Snooze():
                return snooze_event(error)
            case _Lapsed():
                return '"release":{}'
            case Stopped() | asyncio.CancelledError() if self._job.stop_reason == "time_limit":
                return fail_event(Fail("TimeLimit", f"it ran longer than {self._job.time_limit} s"))
            case Stopped() | asyncio.CancelledError() if self._job.stop_reason is not None:
                return '"interrupt":{}'
            case _:
                self._failed = error
                return fail_event(failure_of(error))


def _error_of(task: asyncio.Task[Any]) -> BaseException | None:
    """What a handler raised, unless it is to run again later."""
    error = _raised(task)
    return None if isinstance(error, (Snooze, _Lapsed)) else error


def _raised(task: asyncio.Task[Any]) -> BaseException | None:
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    return error.error if isinstance(error, _Left) else error


async def _in_thread(handler: Handler, job: ClaimedJob) -> Any:
    """A thread of its own for each job: it ends with the process even if the handler hangs."""
    loop = asyncio.get_running_loop()
    end: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def tell(result: Any, error: BaseException | None) -> None:
        if end.done():
            return
        if error is not None:
            end.set_exception(error)
        else:
            end.set_result(result)

    def work() -> None:
        result: Any = None
        error: BaseException | None = None
        try:
            result = context.run(handler, job)
        except StopIteration as stop:
            error = RuntimeError(f"the handler raised {stop!r}")
        except BaseException as raised:
            error = raised if isinstance(raised, Exception) else _Left(raised)
        try:
            loop.call_soon_threadsafe(tell, result, error)
        except RuntimeError:
            pass  # The worker has ended before its handler, and nobody waits for the result.

    threading.Thread(target=work, name=f"queue-job-{job.kind}", daemon=True).start()
    return await end
