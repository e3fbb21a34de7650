"""Settles in batches, until each outcome has the verdict of the service.

The end of a lease ends nothing: another worker may not have the job yet, and the service says so if
it has.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _wire
from ._connection import Attempts, Call
from ._errors import QueueError, of_item
from ._events import Events
from ._job import ClaimedJob, Fail, fail_event
from ._send import AsyncSender, within

#: `abandoned`: the worker ended before, or the service refuses the token; the job comes back.
Settled = Literal["done", "lease_lost", "missing", "refused", "abandoned"]
_FINAL = ("done", "lease_lost", "missing")

BATCH_MAX = 100
BATCH_SECONDS = 0.05
#: Seconds until an outcome is sent again that the service did not take by itself; they double.
_FIRST_REST, _LONGEST_REST = 0.2, 5.0
#: What the service may mend while a worker goes on.
_FAULTS = ("internal", "corrupt")


@dataclass(eq=False)
class Held:
    """A job that takes a slot. `expires` is on this process's steady clock.

    Once it is settled, `state` is the state of the job after it, and `again_in` the seconds until it
    may run again, as far as the service said so.
    """

    job: ClaimedJob
    expires: float
    is_lost: bool = False
    state: str | None = None
    again_in: float | None = None
    abandoned: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False)
class _Item:
    held: Held
    event: str
    done: asyncio.Future[Settled]
    is_second: bool = False
    is_resent: bool = False
    rest: float = _FIRST_REST

    @property
    def text(self) -> str:
        receipt = _wire.text_of(self.held.job._receipt, "receipt")
        return f'{{"receipt":{receipt},{self.event}}}'

    def finish(self, outcome: Settled) -> None:
        if not self.done.done():
            self.done.set_result(outcome)


class Settler:
    """One batch is under way at a time; what ends meanwhile goes with the next.

    A batch leaves when it is full, when its time is over, or when no handler runs that could still
    add to it.
    """

    def __init__(self, sender: AsyncSender, held_now: Callable[[], int], emit: Events) -> None:
        self._sender = sender
        self._emit = emit
        self._held_now = held_now
        self._in_flight = 0
        self._waiting: list[_Item] = []
        self._arrived = asyncio.Event()
        self._full = asyncio.Event()
        #: Set at the end of a worker: after this moment nothing is tried again.
        self.last_moment: float | None = None

    async def settle(self, held: Held, event: str) -> Settled:
        """Returns when the settle is answered, or given up."""
        item = _Item(held, event, asyncio.get_running_loop().create_future())
        self._add([item])
        return await item.done

    def _add(self, new: Sequence[_Item]) -> None:
        self._waiting += new
        self._arrived.set()
        if len(self._waiting) >= min(BATCH_MAX, self._held_now() - self._in_flight):
            self._full.set()

    async def run(self) -> None:
        """Sends batches for as long as it is not cancelled."""
        again: set[asyncio.Task[None]] = set()
        while True:
            await self._arrived.wait()
            try:
                await within(self._full.wait(), BATCH_SECONDS)
            except TimeoutError:
                pass
            batch, self._waiting = self._waiting[:BATCH_MAX], self._waiting[BATCH_MAX:]
            self._full.clear()
            if not self._waiting:
                self._arrived.clear()
            self._in_flight = len(batch)
            for part in _wire.chunks([item.text for item in batch]):
                for item in await self._send([batch[place] for place in part]):
                    task = asyncio.ensure_future(self._later(item))
                    again.add(task)
                    task.add_done_callback(again.discard)
            self._in_flight = 0

    async def _later(self, item: _Item) -> None:
        rest, item.rest = item.rest, min(2 * item.rest, _LONGEST_REST)
        await asyncio.sleep(rest)
        self._add([item])

    async def _send(self, batch: list[_Item]) -> list[_Item]:
        """Sends a batch until it is answered; returns the items that must be sent once more."""
        body = _wire.list_body("items", [item.text for item in batch])
        attempts = Attempts(math.inf)
        while True:
            try:
                call = Call("POST", "/v1/settle", body, "items", len(batch))
                answer = await self._sender.attempt(call)
                answers = [_wire.answer(item) for item in answer.said["items"]]
                for item, said in zip(batch, answers, strict=True):
                    _note(item.held, said, answer.said.get("now_ms"))
                return [item for item, said in zip(batch, answers, strict=True) if self._is_open(item, said)]
            except QueueError as error:
                if error.kind == "invalid":
                    return await self._refused(batch, error)
                for item in batch:
                    item.is_resent |= error.certainty == "unknown"
                self._emit("settle_failed", error=error, jobs=len(batch))
                left = self._left()
                if left > 0 and error.kind in _FAULTS:
                    # It may be of one outcome, which must not hold up the others.
                    return batch if len(batch) == 1 else await self._halves(batch)
                if left <= 0 or not error.is_temporary:
                    for item in batch:
                        item.finish("abandoned")
                    return []
                delay = attempts.delay_after(error)
            await asyncio.sleep(min(delay, left))  # One try more at the end is better than to give up now.

    def _left(self) -> float:
        """Seconds until the worker must end."""
        return math.inf if self.last_moment is None else self.last_moment - time.monotonic()

    async def _halves(self, batch: list[_Item]) -> list[_Item]:
        half = len(batch) // 2
        return await self._send(batch[:half]) + await self._send(batch[half:])

    async def _refused(self, batch: list[_Item], error: QueueError) -> list[_Item]:
        """One bad item refuses the call: finds it by halves, so that the others are settled."""
        if len(batch) == 1:
            return self._fail_instead(batch[0], error)
        return await self._halves(batch)

    def _fail_instead(self, item: _Item, error: QueueError) -> list[_Item]:
        """What the service does not take becomes a failure of the job, which people can see."""
        self._emit("settle_refused", item.held.job, error)
        if item.is_second:
            item.finish("refused")
            return []
        item.is_second = True
        item.event = fail_event(Fail("ResultRefused", error.detail, terminal=True))
        return [item]

    def _is_open(self, item: _Item, said: dict[str, Any]) -> bool:
        """Takes an answer, and says whether the item must be sent again."""
        outcome = said.get("outcome")
        if outcome == "conflict":
            return True
        if outcome == "refused":
            problem = said.get("problem") or {}
            if problem.get("kind") in ("unavailable", "closed", "too_many", "conflict"):
                return True
            error = of_item(problem)
            if problem.get("kind") == "invalid" and problem.get("status") == 413:
                return bool(self._fail_instead(item, error))
            self._emit("settle_refused", item.held.job, error)
        if outcome == "missing" and item.is_resent:
            outcome = "done"  # The sending that had no answer may have removed the job.
        item.finish(outcome if outcome in _FINAL else "refused")
        return False


def _note(held: Held, said: dict[str, Any], now_ms: object) -> None:
    held.state = said.get("state")
    run_at_ms = said.get("run_at_ms")
    if isinstance(run_at_ms, (int, float)) and isinstance(now_ms, (int, float)):
        held.again_in = max(0.0, (run_at_ms - now_ms) / 1000)
