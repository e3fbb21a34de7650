"""What a worker logs and stores of a handler that raises, and of a service that cannot be reached."""

from __future__ import annotations

import json
import logging
import threading
import unittest
from typing import Any

from harness import Server
from queue_jobs import Fail, Failed, JobError, Queue, Unavailable, Worker, WorkerEvent
from queue_jobs._events import Log
from queue_jobs._failures import failure_of, named


def missing(job: Any) -> Any:
    return {}["missing"]


def leaves(job: Any) -> None:
    raise SystemExit(3)


async def leaves_too(job: Any) -> None:
    raise SystemExit(3)


def refuses(job: Any) -> None:
    raise Fail("Smtp", "no such mailbox", terminal=True)


HANDLERS: dict[str, Any] = {"missing": missing, "leaves": leaves, "leaves_too": leaves_too, "refuses": refuses}


class Failures(unittest.TestCase):
    def setUp(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        self.queue = Queue(f"http://127.0.0.1:{server.port}", "mail", token_file=server.token_files["all"])
        self.addCleanup(self.queue.close)

    def logged(self, kind: str, **options: Any) -> tuple[logging.LogRecord, JobError | None]:
        """The line of the failed attempt, and the error of the job if it failed for good."""
        was_told, log = threading.Event(), Log()

        def on_event(event: WorkerEvent) -> None:
            log(event)
            if event.name == "job_failed":
                was_told.set()

        worker = Worker(self.queue, HANDLERS, on_event=on_event)
        thread = threading.Thread(target=worker.run)
        with self.assertLogs("queue_jobs", "WARNING") as logs:
            thread.start()
            job = self.queue.enqueue(kind, **options)
            self.assertTrue(was_told.wait(60))
            worker.stop()
            thread.join()
        [record] = [one for one in logs.records if "job_failed" in one.getMessage()]
        outcome = self.queue.wait(job, timeout=0)
        return record, outcome.error if isinstance(outcome, Failed) else None

    def test_the_log_has_the_type_the_traceback_and_that_it_was_the_last_try(self) -> None:
        record, error = self.logged("missing", max_attempts=1)
        self.assertIn("failed for good", record.getMessage())
        self.assertIn("error=KeyError: 'missing'", record.getMessage())
        text = logging.Formatter().format(record)
        self.assertIn("test_failures.py", text)
        self.assertNotIn("_handlers.py", text)
        assert error is not None and error.details is not None
        trace = error.details.value["traceback"]
        self.assertRegex(trace, r'test_failures.py", line \d+, in missing\n    return {}\["missing"\]')
        self.assertTrue(trace.endswith("KeyError"), trace)

    def test_the_log_says_when_a_job_runs_again(self) -> None:
        record, error = self.logged("missing")
        self.assertRegex(record.getMessage(), r"runs again in \d\.\d s")
        self.assertIsNone(error)

    def test_a_handler_that_exits_fails_its_job_under_that_name_and_not_the_worker(self) -> None:
        for kind in ("leaves", "leaves_too"):
            _, error = self.logged(kind, max_attempts=1)
            assert error is not None
            self.assertEqual((error.name, error.message), ("SystemExit", "3"), kind)

    def test_a_failure_that_a_handler_names_has_no_traceback(self) -> None:
        record, error = self.logged("refuses")
        self.assertIn("failed for good", record.getMessage())
        self.assertIsNone(record.exc_info)
        self.assertEqual((error and error.name, error and error.details), ("Smtp", None))


class Traces(unittest.TestCase):
    def test_a_long_traceback_keeps_its_end_within_the_bound_and_no_text_of_an_exception(self) -> None:
        secret = "".join(("hun", "ter2"))

        def down(left: int) -> None:
            if left == 0:
                raise ValueError(f"{secret} \ud800" + "x" * 100_000)
            further(left)

        def further(left: int) -> None:
            down(left - 1)

        try:
            try:
                down(100)
            except ValueError as error:
                raise RuntimeError(secret) from error
        except RuntimeError as error:
            fail = failure_of(error)
        trace = fail.details["traceback"]
        self.assertLess(len(json.dumps(trace)), 9_000)
        self.assertTrue(trace.startswith("..\n") and trace.endswith("RuntimeError"), trace)
        self.assertNotIn("hunter2", trace)

    def test_an_error_is_named_with_its_type(self) -> None:
        for error, text in ((KeyError("a"), "KeyError: 'a'"), (ValueError(), "ValueError"), (Fail("Smtp", "no"), "Smtp: no")):
            self.assertEqual(named(error), text)


class Unreached(unittest.TestCase):
    def test_a_service_that_cannot_be_reached_is_a_warning_at_first_and_once_a_minute(self) -> None:
        now = 0.0
        log = Log(lambda: now)
        event = WorkerEvent("claim_failed", error=Unavailable("no"), details={"url": "http://127.0.0.1:1"})
        with self.assertLogs("queue_jobs", "DEBUG") as logs:
            for now in (0.0, 5.0, 59.0, 60.0, 61.0):
                log(event)
            log(WorkerEvent("reached"))
            log(event)
            levels = [record.levelname for record in logs.records]
        self.assertEqual(levels, ["WARNING", "DEBUG", "DEBUG", "WARNING", "DEBUG", "WARNING", "WARNING"])
        self.assertIn("url=http://127.0.0.1:1", logs.output[0])

    def test_a_worker_says_when_the_service_is_reached_again(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        url = f"http://127.0.0.1:{server.port}"
        queue = Queue(url, "mail", token_file=server.token_files["all"])
        self.addCleanup(queue.close)
        server.kill()
        failed, reached, said = threading.Event(), threading.Event(), list[WorkerEvent]()

        def on_event(event: WorkerEvent) -> None:
            said.append(event)
            {"claim_failed": failed, "reached": reached}.get(event.name, threading.Event()).set()

        worker = Worker(queue, HANDLERS, on_event=on_event)
        thread = threading.Thread(target=worker.run)
        thread.start()
        self.assertTrue(failed.wait(60))
        server.start()
        self.assertTrue(reached.wait(60))
        worker.stop()
        thread.join()
        self.assertEqual({event.details["url"] for event in said if event.name in ("claim_failed", "reached")}, {url})


if __name__ == "__main__":
    unittest.main()
