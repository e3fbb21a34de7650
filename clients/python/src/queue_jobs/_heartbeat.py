"""Extends the leases of all that runs, in one call at a third of the lease."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from . import _wire
from ._checks import millis
from ._connection import Call
from ._errors import QueueError, of_item
from ._events import Events
from ._handlers import Running
from ._job import ClaimedJob
from ._send import AsyncSender, within
from ._settler import Held

#: Parts of a lease: when it is extended, and how soon after a call that failed.
_BEAT, _AGAIN = 3, 15


class Heartbeat:
    """Asks handlers to stop whose lease is lost or whose job was cancelled."""

    def __init__(
        self,
        sender: AsyncSender,
        worker: str,
        lease: float,
        running: Mapping[Held, Running],
        on_drain: Callable[[], None],
        emit: Events,
    ) -> None:
        self._emit = emit
        self._sender = sender
        self._worker = worker
        self._lease = lease
        self._running = running
        self._on_drain = on_drain

    async def run(self) -> None:
        """Beats for as long as it is not cancelled."""
        while True:
            is_good = await self._beat()
            await asyncio.sleep(self._lease / (_BEAT if is_good else _AGAIN))

    async def _beat(self) -> bool:
        """Extends once. Returns false if something should be tried again soon."""
        held = [held for held in self._running if not held.is_lost]
        reports = [one.job._report for one in held]
        texts = [self._item(one.job, report) for one, report in zip(held, reports, strict=True)]
        is_good = True
        for part in _wire.chunks(texts):
            tail = f',"worker":{_wire.text_of(self._worker, "worker")}'
            body = _wire.list_body("items", [texts[place] for place in part], tail)
            sent = time.monotonic()
            try:
                call = Call("POST", "/v1/extend", body, "items", len(part))
                answer = (await within(self._sender.attempt(call), self._lease / _BEAT)).said
                answers = [_wire.answer(item) for item in answer["items"]]
            except (QueueError, ValueError, TimeoutError) as error:
                self._emit("extend_failed", error=error, jobs=len(part))
                is_good = False
                continue
            if answer.get("drain"):
                self._on_drain()
            for place, said in zip(part, answers):
                is_good &= self._heard(held[place], reports[place], said, sent)
        return is_good

    def _item(self, job: ClaimedJob, report: str | None) -> str:
        receipt = _wire.text_of(job._receipt, "receipt")
        progress = "" if report is None else f",{report}"
        return f'{{"receipt":{receipt},"by_ms":{millis(self._lease, "lease")}{progress}}}'

    def _heard(self, held: Held, report: str | None, said: Mapping[str, Any], sent: float) -> bool:
        """Whether the answer is final for this beat."""
        job, running = held.job, self._running.get(held)
        outcome = said.get("outcome")
        if outcome == "done":
            held.expires = sent + said.get("lease_ms", 0) / 1000
            if job._report is report:
                job._report = None
            if said.get("cancel_requested") and running is not None and job.stop_reason is None:
                running.ask_to_stop("cancelled")
            return True
        problem = said.get("problem") or {}
        if outcome == "conflict" or problem.get("kind") in ("conflict", "unavailable", "closed", "too_many"):
            return False
        if problem.get("reason") == "other_key" and time.monotonic() < held.expires:
            # Behind a balancer the next call may reach a server that has the key.
            self._emit("extend_failed", job, of_item(problem), jobs=1)
            return False
        if outcome == "refused":
            self._emit("extend_refused", job, of_item(problem))
            if report is not None and job._report is report:
                job._report = None
                return False
        held.is_lost = True
        if running is not None:
            self._emit("lease_lost", job)
            running.ask_to_stop("lease_lost")
        return True
