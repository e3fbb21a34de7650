"""One run of a worker: claims, heartbeats, settles and its end, as tasks of one event loop."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import time
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from . import _wire
from ._checks import millis
from ._connection import Attempts, Call
from ._errors import QueueError, ServiceFault
from ._events import Events
from ._handlers import Handler, Running
from ._heartbeat import Heartbeat
from ._job import ClaimedJob
from ._send import AsyncSender, within
from ._settler import Held, Settler

#: Seconds between two messages to operators, and for which a message is good.
_ANNOUNCE_EVERY, _ANNOUNCE_FOR = 10.0, 30.0
#: Seconds that a handler has to end after it was asked to, at the end of the grace.
_LAST_WORD = 1.0
#: Seconds for the last calls: what ran is settled, and what may be leased goes back.
_LAST_CALLS = 5.0
_RELEASE = '"release":{}'
#: A claim that comes back empty sooner than this did not wait, so the next one is put off.
_QUICK, _REST_MAX = 0.05, 5.0
#: The longest rest in a pause whose end is known, since somebody may resume before.
_PAUSE_MAX = 20.0


@dataclass(frozen=True)
class Options:
    """What a worker was told; lengths in seconds."""

    url: str
    queue: str
    handlers: Mapping[str, Handler]
    concurrency: int
    lease: float
    grace: float
    wait: float
    name: str


class Run:
    """The state of one run."""

    def __init__(self, options: Options, sender: AsyncSender, emit: Events) -> None:
        self._emit = emit
        self._options = options
        self._sender = sender
        self._worker = f"{options.name}-{uuid4().hex[:12]}"
        self._running: dict[Held, Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._lost_claim: dict[str, Any] | None = None
        self._error: QueueError | None = None
        self._paused_for: float | None = None
        self._is_unreached = False
        self._grace_began = False
        self._outcomes: Counter[str] = Counter()
        self._settler = Settler(sender, lambda: len(self._running), emit)
        self._heartbeat = Heartbeat(sender, self._worker, options.lease, self._running, self._drained, emit)

    def _drained(self) -> None:
        """An operator asks for it: claims no more, and ends when all that runs has ended."""
        if not self._stopping.is_set():
            self._emit("drain")
        self._stopping.set()

    def stop(self) -> None:
        """The same, with an end to patience after the grace; a second call ends it now."""
        if self._grace_began:
            self._hurry.set()
            return
        self._grace_began = True
        self._stopping.set()
        asyncio.get_running_loop().call_later(self._options.grace, self._hurry.set)

    async def run(self) -> None:
        """Works until it is told to stop. Raises the error that makes working impossible."""
        self._emit("started", queue=self._options.queue, concurrency=self._options.concurrency)
        claims, announce = self._spawn(self._claims()), self._spawn(self._announce())
        heartbeat, settler = self._spawn(self._heartbeat.run()), self._spawn(self._settler.run())
        try:
            await self._first(self._stopping.wait(), claims, heartbeat, settler)
            await _cancelled(claims)
            await self._give_back()
            await self._until_idle(self._hurry)
            await self._ask_all_to_stop()
            await self._say(0.0)
        finally:
            for running in self._running.values():
                running.ask_to_stop("shutdown")
            await _cancelled(claims, announce, heartbeat, settler, *self._tasks)
            self._emit("ended", **dict[str, Any](self._outcomes))
        if self._error is not None:
            raise self._error

    async def _claims(self) -> None:
        empty = 0
        while not self._stopping.is_set():
            free = self._options.concurrency - len(self._running)
            if free <= 0:
                self._changed.clear()
                await self._changed.wait()
                continue
            try:
                asked = time.monotonic()
                found = await self._claim(free)
                for job, granted in found:
                    self._start(job, granted)
                is_quick = not found and time.monotonic() - asked < _QUICK
                empty = empty + 1 if is_quick else 0
                if is_quick:
                    await asyncio.sleep(self._rest(empty))
            except QueueError as error:
                self._error = error
                self._stopping.set()

    def _rest(self, empty: int) -> float:
        """Seconds until the next claim after answers without jobs that did not wait.

        A service that shuts down answers so, and any service a claim with `wait=0`. Of a pause it
        tells when it ends.
        """
        backoff: float = min(_REST_MAX, 0.1 * 2 ** min(empty, 10)) * random.uniform(0.5, 1.0)
        return backoff if self._paused_for is None else max(backoff, min(self._paused_for, _PAUSE_MAX))

    async def _claim(self, limit: int) -> list[tuple[ClaimedJob, float]]:
        """Claims until there is an answer; what may be leased already is asked for again."""
        options = self._options
        said = {
            "worker": self._worker,
            "claim_id": uuid4().hex,
            "limit": min(limit, _wire.ITEMS_MAX),
            "lease_ms": millis(options.lease, "lease"),
            "wait_ms": millis(options.wait, "wait"),
        }
        attempts = Attempts(float("inf"), stubborn=True)
        lapsed_at = float("inf")
        while time.monotonic() < lapsed_at:
            self._lost_claim = {**said, "repeat": True}
            sent = time.monotonic()
            try:
                jobs, waited = await self._asked(said)
                self._lost_claim = None
                if self._is_unreached:
                    self._is_unreached = False
                    self._emit("reached", url=options.url)
                return [(job, sent + waited) for job in jobs]
            except QueueError as error:
                if error.certainty == "unknown" and "repeat" not in said:
                    said["repeat"] = True
                    lapsed_at = time.monotonic() + options.lease + options.wait
                delay = attempts.delay_after(error)
                self._is_unreached = True
                self._emit("claim_failed", error=error, url=options.url)
                if "repeat" not in said:
                    self._lost_claim = None
            await asyncio.sleep(delay)
        self._lost_claim = None
        return []

    async def _asked(self, said: Mapping[str, Any]) -> tuple[list[ClaimedJob], float]:
        """Jobs, and how many seconds the request had waited when their leases began."""
        body = _wire.text_of(said, "claim").encode()
        path = f"{_wire.queue_path(self._options.queue)}/claim"
        reply = await self._sender.attempt(Call("POST", path, body, "jobs", wait=said["wait_ms"] / 1000))
        answer = reply.said
        try:
            jobs = [ClaimedJob(item) for item in answer["jobs"]]
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise ServiceFault(f"the answer is not of this protocol: {error!r}", certainty="unknown") from error
        if answer.get("drain"):
            self._drained()
        due = answer.get("next_due_in_ms")
        self._paused_for = due / 1000 if answer.get("paused") and due is not None else None
        return jobs, answer.get("waited_ms", 0) / 1000

    def _start(self, job: ClaimedJob, granted: float) -> None:
        held = Held(job, granted + job.fields["lease_ms"] / 1000)
        running = Running(held, self._options.handlers.get(job.kind), self._emit)
        self._running[held] = running
        self._spawn(self._finish(held, running))

    async def _finish(self, held: Held, running: Running) -> None:
        try:
            event = await running.event()
            if event is not None:
                try:
                    outcome = await self._settler.settle(held, event)
                finally:
                    running.tell_failure()
                if outcome == "done":
                    name = event.split('"')[1]
                    self._outcomes[name] += 1
                    self._emit("settled", held.job, event=name)
                else:
                    self._outcomes["not_settled"] += 1
                    self._emit("not_settled", held.job, outcome=outcome)
        finally:
            del self._running[held]
            self._changed.set()

    async def _give_back(self) -> None:
        """Releases what the service may have leased while the claim was given up."""
        if (said := self._lost_claim) is None:
            return
        try:
            jobs, _ = await within(self._asked({**said, "wait_ms": 0}), _LAST_CALLS)
            held = [Held(job, time.monotonic()) for job in jobs]
            await within(asyncio.gather(*(self._settler.settle(one, _RELEASE) for one in held)), _LAST_CALLS)
        except (QueueError, TimeoutError):
            return

    async def _until_idle(self, over: asyncio.Event) -> None:
        """Waits until nothing runs and all is settled, or until time is over."""
        while self._running and not over.is_set():
            self._changed.clear()
            await self._first(self._changed.wait(), over.wait())

    async def _ask_all_to_stop(self) -> None:
        for running in list(self._running.values()):
            running.ask_to_stop("shutdown")
        for seconds, gives_up in ((_LAST_WORD, False), (_LAST_CALLS, True)):
            over = asyncio.Event()
            timer = asyncio.get_running_loop().call_later(seconds, over.set)
            if gives_up:
                self._settler.last_moment = time.monotonic() + seconds
                for held in list(self._running):
                    held.abandoned.set()
            await self._until_idle(over)
            timer.cancel()

    async def _announce(self) -> None:
        """Tells operators of this worker, who may ask it to drain."""
        while not self._stopping.is_set() and await self._say(_ANNOUNCE_FOR):
            await asyncio.sleep(_ANNOUNCE_EVERY * random.uniform(0.8, 1.0))

    async def _say(self, good_for: float) -> bool:
        """Whether it makes sense to say it again."""
        said = {
            "worker": self._worker,
            "queues": [self._options.queue],
            "concurrency": self._options.concurrency,
            "held": len(self._running),
            "host": f"{socket.gethostname()}, process {os.getpid()}",
            "version": "queue-python 0.1.0",
            "kinds": list(self._options.handlers)[:100],
            "ttl_ms": millis(good_for, "ttl"),
        }
        call = Call("POST", "/v1/workers", _wire.text_of(said, "worker").encode(), "drain")
        try:
            answer = (await within(self._sender.attempt(call), _LAST_CALLS)).said
        except QueueError as error:
            return error.is_temporary or error.kind == "internal"
        except TimeoutError:
            return True
        if answer.get("drain"):
            self._drained()
        return True

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _first(self, *waits: Any) -> None:
        """Waits for the first; raises what it raises. The others go on only if they are tasks."""
        tasks = {wait: asyncio.ensure_future(wait) for wait in waits}
        try:
            done, _ = await asyncio.wait(tasks.values(), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancelled(*(task for wait, task in tasks.items() if wait is not task))
        for task in done:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error


async def _cancelled(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
