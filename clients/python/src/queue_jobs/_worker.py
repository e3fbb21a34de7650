"""Works on the jobs of a queue."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TypeVar

from . import _wire
from ._async_queue import AsyncQueue
from ._errors import InvalidRequest
from ._events import Events, Observer
from ._handlers import Handler
from ._queue import Queue
from ._run import Options, Run
from ._send import AsyncSender

H = TypeVar("H", bound=Handler)


class Worker:
    """Claims jobs of a queue and runs their handlers, `concurrency` of them at the same time.

    A plain function runs in a thread of its own; a coroutine function runs in the event loop of the
    worker, which it must not block, since heartbeats come from there. What a handler returns is the
    result of the job; an exception is a failed attempt. See `Complete`, `Fail` and `Snooze`.

    Args:
        queue: the address, the token and the queue; the worker has connections of its own.
        handlers: by kind, beside the tasks of the queue. A job of another kind becomes a failed attempt.
        concurrency: how many jobs are held at the same time, at least 1.
        lease: seconds for which a job is held unless extended; 1 to 3600. If this process dies,
            its jobs run elsewhere after that time.
        grace: seconds that handlers have after SIGTERM or `stop`. The jobs of those that have not
            ended then go back to the queue, uncharged.
        wait: seconds for which the service waits for a job that is due; 0 to 60.
        name: the beginning of the worker's name, for operators; each run adds text of its own.
        on_event: is called with each `WorkerEvent`, in the event loop of the worker, which it must
            not block. Without it, what went wrong goes to the logger `queue_jobs`.
    """

    def __init__(
        self,
        queue: Queue | AsyncQueue,
        handlers: Mapping[str, Handler] | None = None,
        *,
        concurrency: int = 10,
        lease: float = 30.0,
        grace: float = 20.0,
        wait: float = 20.0,
        name: str | None = None,
        on_event: Observer | None = None,
    ) -> None:
        if concurrency < 1:
            raise InvalidRequest("concurrency is at least 1")
        _wire.text_of([name, *(handlers or {})], "the name and the kinds of a worker")
        self._connection = queue.connection
        self._emit = Events(on_event)
        self._handlers: dict[str, Handler] = dict(handlers or {})
        self._options = Options(
            url=queue.connection.url,
            queue=queue.name,
            handlers=ChainMap(self._handlers, queue._tasks),
            concurrency=concurrency,
            lease=lease,
            grace=grace,
            wait=wait,
            name=(name or socket.gethostname())[:64] or "python",
        )
        self._lock = threading.Lock()
        self._current: tuple[asyncio.AbstractEventLoop, Run] | None = None
        self._is_stopped_early = False

    def handler(self, kind: str) -> Callable[[H], H]:
        """A decorator that makes a function the handler of a kind."""

        def register(function: H) -> H:
            self._handlers[kind] = function
            return function

        return register

    def run(self) -> None:
        """Works until SIGTERM, SIGINT, `stop`, or an operator who asks the worker to drain.

        A second signal ends it without waiting for handlers. Signals are taken in the main thread
        alone. Raises `QueueError` if the service lets this token not work on the queue.
        """
        run_workers(self)

    async def serve(self) -> None:
        """The same in an event loop of the caller, without signals: `stop` ends it.

        If it is cancelled, jobs that run come back when their leases lapse.
        """
        await self._run()

    def stop(self) -> None:
        """Asks the worker to end, from any thread; a second time: without waiting for handlers.

        If it does not run yet, its next run ends at once.
        """
        with self._lock:
            if self._current is None:
                self._is_stopped_early = True
            else:
                loop, run = self._current
                loop.call_soon_threadsafe(run.stop)

    async def _run(self) -> None:
        sender = AsyncSender(self._connection)
        run = Run(self._options, sender, self._emit)
        with self._lock:
            if self._current is not None:
                raise RuntimeError("this worker is running already")
            self._current = (asyncio.get_running_loop(), run)
            if self._is_stopped_early:
                self._is_stopped_early = False
                run.stop()
        try:
            await run.run()
        finally:
            with self._lock:
                self._current = None
            await sender.close()


def run_workers(*workers: Worker) -> None:
    """Runs several workers, such as one for each queue, until all of them have ended.

    They share an event loop, and so what `Worker.run` says about coroutines and signals. If one ends
    with an error, the others are asked to end, and the error is raised.
    """
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_together(workers))
    finally:
        _close(loop)


async def _together(workers: Sequence[Worker]) -> None:
    asked = threading.Event()

    def stop() -> None:
        asked.set()
        for worker in workers:
            worker.stop()

    async def one(worker: Worker) -> None:
        try:
            await worker._run()
        except BaseException:
            if not asked.is_set():  # A second request would cut the grace of the others.
                stop()
            raise

    with ExitStack() as signals:
        if threading.current_thread() is threading.main_thread():
            _on_signals(stop, signals)
        ends = await asyncio.gather(*map(one, workers), return_exceptions=True)
    for worker in workers:
        worker._is_stopped_early = False  # What came after its end was about this run.
    for error in ends:
        if error is not None:
            raise error


def _on_signals(stop: Callable[[], None], until: ExitStack) -> None:
    """Calls a function at each SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
            until.callback(loop.remove_signal_handler, number)
        except NotImplementedError:
            pass  # Windows has no such signals for event loops; Ctrl-C raises there.


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Closes the loop, also over coroutines that do not end when they are cancelled.

    `asyncio.run` waits for them, and so would a process that was told to end.
    """
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1.0))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
