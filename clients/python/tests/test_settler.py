"""Outcomes of a worker over a service that does not take them, long after the leases are over."""

from __future__ import annotations

import asyncio
import json
import time
import unittest
from collections.abc import Callable
from typing import Any, Union

from queue_jobs import ClaimedJob
from queue_jobs._answers import Answer
from queue_jobs._connection import Call
from queue_jobs._errors import from_problem
from queue_jobs._settler import Held, Settled, Settler

DONE = {"outcome": "done", "state": "completed"}
#: What the service says to receipts at the nth call: an error of this kind, or its items.
Said = Callable[[list[str], int], Union[tuple[str, str], list[dict[str, Any]]]]


def unavailable(receipts: list[str], nth: int) -> tuple[str, str]:
    return ("unavailable", "not_applied")


class Service:
    """Answers settles without a network."""

    def __init__(self, says: Said) -> None:
        self.sent: list[list[str]] = []
        self._says = says

    async def attempt(self, call: Call) -> Answer:
        receipts = [item["receipt"] for item in json.loads(call.body)["items"]]
        self.sent.append(receipts)
        said = self._says(receipts, len(self.sent))
        if isinstance(said, list):
            return Answer("", {"items": [json.dumps(item) for item in said]})
        error = from_problem({"kind": said[0], "certainty": said[1]}, 500)
        assert error is not None
        raise error


def held(receipt: str) -> Held:
    """A job whose lease was over an hour ago."""
    names = {"id": receipt, "queue": "q", "kind": "k", "receipt": receipt}
    job = ClaimedJob(json.dumps({**names, "seq": 1, "epoch": 1, "attempt": 1, "lease_ms": 1000}))
    return Held(job, time.monotonic() - 3600)


async def settled(service: Service, *receipts: str, last: float | None = None) -> list[Settled]:
    settler = Settler(service, lambda: len(receipts), lambda *told, **more: None)  # type: ignore[arg-type]
    settler.last_moment = None if last is None else time.monotonic() + last
    running = asyncio.ensure_future(settler.run())
    try:
        return await asyncio.gather(*(settler.settle(held(one), '"complete":{}') for one in receipts))
    finally:
        running.cancel()


class LateOutcomes(unittest.TestCase):
    def ends_as(self, says: Said, *receipts: str, last: float | None = None) -> tuple[list[Settled], Service]:
        service = Service(says)
        return asyncio.run(asyncio.wait_for(settled(service, *receipts, last=last), 60)), service

    def test_an_outcome_is_sent_again_though_its_lease_was_over_an_hour_ago(self) -> None:
        refusals: list[Any] = [
            ("unavailable", "not_applied"), ("closed", "unknown"), [{"outcome": "conflict"}], ("internal", "unknown"),
        ]
        ended, service = self.ends_as(lambda _, nth: [DONE] if nth > len(refusals) else refusals[nth - 1], "a")
        self.assertEqual((ended, len(service.sent)), (["done"], len(refusals) + 1))

    def test_a_problem_that_no_waiting_mends_ends_it(self) -> None:
        for kind in ("unauthorized", "forbidden", "not_found", "unsupported"):
            with self.subTest(kind):
                ended, service = self.ends_as(lambda _, nth: (kind, "not_applied"), "a")
                self.assertEqual((ended, len(service.sent)), (["abandoned"], 1))

    def test_a_fault_of_the_service_that_one_outcome_meets_holds_up_no_other(self) -> None:
        async def others() -> list[Settled]:
            service = Service(lambda all, _: ("internal", "not_applied") if "bad" in all else [DONE for _ in all])
            settler = Settler(service, lambda: 4, lambda *told, **more: None)  # type: ignore[arg-type]
            running = asyncio.ensure_future(settler.run())
            bad, *others = (asyncio.ensure_future(settler.settle(held(one), '"complete":{}')) for one in ("bad", "a", "b", "c"))
            ended = await asyncio.wait_for(asyncio.gather(*others), 60)
            self.assertFalse(bad.done())
            bad.cancel()
            running.cancel()
            return ended

        self.assertEqual(asyncio.run(others()), ["done", "done", "done"])

    def test_an_outcome_that_was_sent_before_without_an_answer_is_done_when_the_job_is_missing(self) -> None:
        answers: list[Any] = [("internal", "unknown"), [{"outcome": "refused", "problem": {"kind": "unavailable"}}]]
        ended, _ = self.ends_as(lambda _, nth: [{"outcome": "missing"}] if nth > 2 else answers[nth - 1], "a")
        self.assertEqual(ended, ["done"])

    def test_a_worker_that_ends_gives_up_what_has_no_answer(self) -> None:
        ended, _ = self.ends_as(unavailable, "a", last=0.0)
        self.assertEqual(ended, ["abandoned"])


if __name__ == "__main__":
    unittest.main()
