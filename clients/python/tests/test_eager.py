"""The eager mode: jobs run as they are enqueued, without a service."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from queue_jobs import (
    AsyncQueue, Cancelled, Complete, Completed, Data, Fail, Failed, InvalidRequest, Job, Pending, Queue, Snooze,
    Unknown, Unsupported, current_job,
)
from queue_jobs.testing import eager

NOWHERE = "http://127.0.0.1:1"


class Eager(unittest.TestCase):
    def setUp(self) -> None:
        self.queue = Queue(NOWHERE, "mail", retry_for=0)

    def test_an_enqueue_runs_its_job_and_a_wait_has_the_outcome(self) -> None:
        @self.queue.task("email", tags=["vip"])
        def send(to: str, copies: tuple[int, ...] = ()) -> Any:
            job = current_job()
            return [to, copies, job and job.tags]

        with eager(self.queue) as ran:
            job = send.options(id="a").enqueue("ada", copies=(1, 2))
            self.assertEqual((job.outcome, ran[0].id, ran[0].payload), ("queued", "a", {"to": "ada", "copies": [1, 2]}))
            outcome = self.queue.wait(job)
            assert isinstance(outcome, Completed)
            self.assertEqual(outcome.result, ["ada", [1, 2], ["vip"]])
            again = send.options(id="a").enqueue("bob")
            assert again.result is not None
            self.assertEqual((again.outcome, again.result.value, len(ran)), ("completed", outcome.result, 1))
            self.assertEqual(self.queue.wait("other"), Unknown("other"))
            self.assertEqual(self.queue.cancel("a").outcome, "unchanged")
        with self.assertRaisesRegex(Exception, "cannot be reached"):
            send.enqueue("ada")

    def test_what_a_handler_raises_comes_out_of_the_enqueue_or_fails_the_job(self) -> None:
        def bad(job: Any) -> None:
            raise Fail("Smtp", "no such mailbox", details=[1], terminal=True)

        handlers = {"bad": bad, "odd": lambda job: 1 / 0, "nan": lambda job: float("nan")}
        with eager(self.queue, handlers=handlers):
            for kind, error in (("bad", Fail), ("odd", ZeroDivisionError), ("nan", InvalidRequest), ("none", InvalidRequest)):
                with self.assertRaises(error):
                    self.queue.enqueue(kind)
        with eager(self.queue, handlers=handlers, raises=False):
            outcome = self.queue.wait(self.queue.enqueue("bad"))
            assert isinstance(outcome, Failed) and outcome.error is not None
            self.assertEqual((outcome.reason, outcome.error.name), ("terminal", "Smtp"))
            outcome = self.queue.wait(self.queue.enqueue("odd"))
            assert isinstance(outcome, Failed) and outcome.error is not None
            self.assertEqual((outcome.reason, outcome.error.name), ("exhausted", "ZeroDivisionError"))

    def test_jobs_that_follow_and_jobs_of_handlers_run_too(self) -> None:
        def first(job: Any) -> Complete:
            self.queue.enqueue("third", b"\x00", id="inner")
            return Complete(Data(b"\x01", "image/png"), then=[Job("second", job.payload)])

        with eager(self.queue, handlers={"first": first, "second": print, "third": lambda job: job.payload}) as ran:
            jobs = self.queue.enqueue_many([Job("first", 7), Job("second", 8)])
            outcome = self.queue.wait(jobs[0])
            assert isinstance(outcome, Completed)
            self.assertEqual((outcome.data.bytes, outcome.data.content_type), (b"\x01", "image/png"))
        self.assertEqual([(job.kind, job.payload) for job in ran], [("first", 7), ("third", b"\x00"), ("second", 7), ("second", 8)])

    def test_a_job_that_snoozes_waits_and_can_be_cancelled(self) -> None:
        def snooze(job: Any) -> None:
            raise Snooze(60)

        with eager(self.queue, handlers={"a": snooze}):
            self.assertEqual(self.queue.wait(self.queue.enqueue("a", id="a"), timeout=0), Pending("a", 1, "queued"))
            self.assertEqual(self.queue.cancel("a").outcome, "done")
            self.assertIsInstance(self.queue.wait("a"), Cancelled)

    def test_what_it_does_not_have_is_said_by_the_name_of_the_call(self) -> None:
        queue = self.queue
        with eager(queue):
            for call, name in ((queue.counts, "counts"), (lambda: queue.batch("b"), "batches"), (queue.schedules.list, "schedules"),
                               (lambda: queue.get("a"), "get"), (queue.list, "list"), (lambda: queue.redrive("a"), "redrive"),
                               (lambda: queue.schedules.preview(every=60), "schedules"), (queue.pause, "pause")):
                with self.assertRaisesRegex(Unsupported, f"^eager mode has no `{name}`: it has enqueue, result, wait and cancel"):
                    call()  # type: ignore[operator]

    def test_with_retries_a_job_runs_until_it_succeeds_or_its_attempts_are_spent(self) -> None:
        def third(job: Any) -> Any:
            if job.attempt < 3:
                raise ValueError(f"attempt {job.attempt}")
            return [job.attempt, job.last_error.message]

        def bad(job: Any) -> None:
            raise Fail("Smtp", "no such mailbox", terminal=True)

        with eager(self.queue, handlers={"third": third, "bad": bad}, retries=True) as ran:
            self.assertEqual(self.queue.result(self.queue.enqueue("third")), [3, "attempt 2"])
            self.assertEqual([job.attempt for job in ran], [1, 2, 3])
            with self.assertRaisesRegex(ValueError, "attempt 2"):
                self.queue.enqueue("third", max_attempts=2)
            with self.assertRaises(Fail):
                self.queue.enqueue("bad")
        self.assertEqual(len(ran), 6)

    def test_both_faces_run_handlers_of_both_kinds(self) -> None:
        async def waiting(job: Any) -> Any:
            await asyncio.sleep(0)
            return [job.payload, current_job() is job]

        def blocking(job: Any) -> Any:
            return [job.payload, current_job() is job]

        handlers = {"waiting": waiting, "blocking": blocking}
        queue = AsyncQueue(NOWHERE, "mail", retry_for=0)

        async def both() -> list[Any]:
            found = []
            with eager(self.queue, queue, handlers=handlers) as ran:
                for kind in handlers:
                    found += [await queue.wait(await queue.enqueue(kind, 1)), self.queue.wait(self.queue.enqueue(kind, 1))]
            self.assertEqual(len(ran), 4)
            return found

        for outcome in asyncio.run(both()):
            self.assertEqual(outcome.result, [1, True])


if __name__ == "__main__":
    unittest.main()
