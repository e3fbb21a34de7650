"""`Queue.result`: the result of a job, or an exception that says why there is none."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import Any

from harness import Server
from queue_jobs import (
    AsyncQueue, Fail, JobCancelled, JobFailed, JobMissing, JobPending, NoResult, Queue, QueueError, Worker,
)


def smtp(job: Any) -> None:
    raise RuntimeError("smtp down")


def again(job: Any) -> None:
    raise Fail("Smtp", "421 try later", delay=3600)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        cls.url = f"http://127.0.0.1:{cls.server.port}"
        queue = Queue(cls.url, "mail", token_file=cls.server.token_files["all"])
        worker = Worker(queue, {"echo": lambda job: job.payload, "smtp": smtp, "again": again}, on_event=print_nothing)
        thread = threading.Thread(target=worker.run)
        thread.start()
        cls.addClassCleanup(lambda: (worker.stop(), thread.join(), queue.close()))

    def queue(self, token: str = "all") -> Queue:
        queue = Queue(self.url, "mail", token_file=self.server.token_files[token])
        self.addCleanup(queue.close)
        return queue

    def test_a_completed_job_gives_its_result_on_both_faces(self) -> None:
        queue = self.queue()
        self.assertEqual(queue.result(queue.enqueue("echo", [1]), timeout=60), [1])

        async def ask() -> Any:
            async with AsyncQueue(self.url, "mail", token_file=self.server.token_files["all"]) as other:
                with self.assertRaises(JobMissing):
                    await other.result("nosuch", timeout=60)
                return await other.result(await other.enqueue("echo", [2]), timeout=60)

        self.assertEqual(asyncio.run(ask()), [2])

    def test_a_failed_job_raises_its_error_and_its_attempts(self) -> None:
        queue = self.queue()
        with self.assertRaises(JobFailed) as raised:
            queue.result(queue.enqueue("smtp", max_attempts=1), timeout=60)
        error = raised.exception
        self.assertEqual(str(error), "RuntimeError: smtp down (attempt 1 of 1)")
        self.assertEqual((error.name, error.message, error.attempts, error.max_attempts), ("RuntimeError", "smtp down", 1, 1))
        self.assertEqual(error.reason, "exhausted")

    def test_a_token_that_may_not_view_jobs_gets_the_error_without_attempts(self) -> None:
        queue = self.queue("produce")
        with self.assertRaises(JobFailed) as raised:
            queue.result(queue.enqueue("smtp", max_attempts=1), timeout=60)
        self.assertEqual((str(raised.exception), raised.exception.attempts), ("RuntimeError: smtp down", None))

    def test_a_job_that_is_not_over_is_a_timeout_with_its_state_and_its_last_error(self) -> None:
        queue = self.queue()
        with self.assertRaises(TimeoutError) as raised:
            queue.result(queue.enqueue("echo", id="later", delay=3600), timeout=0)
        self.assertEqual(str(raised.exception), "the job 'later' is not over: its state is queued")
        queue.enqueue("again", id="tried")
        while queue.get("tried")["state"] != "failing":
            pass
        with self.assertRaisesRegex(JobPending, "state is failing; last error: Smtp: 421 try later"):
            queue.result("tried", timeout=0)

    def test_a_cancelled_job_and_one_that_is_not_there_raise_what_they_are(self) -> None:
        queue = self.queue()
        job = queue.enqueue("echo", id="off", delay=3600)
        queue.cancel("off")
        with self.assertRaisesRegex(JobCancelled, "'off' was cancelled"):
            queue.result(job, timeout=60)
        with self.assertRaisesRegex(JobMissing, "'nosuch' has no result: there is no job of this id") as raised:
            queue.result("nosuch", timeout=60)
        self.assertIsInstance(raised.exception, NoResult)
        self.assertNotIsInstance(raised.exception, QueueError)


def print_nothing(event: Any) -> None:
    """The jobs fail on purpose."""


if __name__ == "__main__":
    unittest.main()
