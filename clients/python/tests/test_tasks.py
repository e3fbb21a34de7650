"""Tasks: functions that are called here, or enqueued and called by a worker."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from harness import Server
from queue_jobs import AsyncQueue, Completed, Failed, InvalidRequest, Job, Queue, Worker, current_job

NOWHERE = "http://127.0.0.1:1"


class Tasks(unittest.TestCase):
    def test_a_task_stays_a_function_and_names_the_arguments_of_its_jobs(self) -> None:
        queue = Queue(NOWHERE)

        @queue.task
        def send(to: str, subject: str = "Hi", **more: Any) -> str:
            """Sends."""
            return f"{subject} {to} {more}"

        self.assertEqual(send("ada"), "Hi ada {}")
        self.assertEqual((send.__name__, send.__doc__, send.kind, repr(send)), ("send", "Sends.", "send", "Task('send')"))
        self.assertEqual(send.job("ada"), Job("send", {"to": "ada"}))
        self.assertEqual(send.job("ada", subject="Yo", copies=2), Job("send", {"to": "ada", "subject": "Yo", "copies": 2}))
        with self.assertRaises(TypeError):
            send.enqueue()  # type: ignore[call-arg]

    def test_options_are_those_of_the_decorator_and_of_the_call(self) -> None:
        queue = Queue(NOWHERE)

        @queue.task("email", max_attempts=5, tags=["mail"])
        def send(to: str) -> None: ...

        job = send.options(id="a", max_attempts=1).job("ada")
        self.assertEqual(job, Job("email", {"to": "ada"}, "a", max_attempts=1, tags=["mail"]))
        self.assertEqual(send.job("ada"), Job("email", {"to": "ada"}, max_attempts=5, tags=["mail"]))
        for call in (lambda: send.options(dealy=5), lambda: queue.task("x", dealy=5)(print), lambda: queue.enqueue("x", dealy=5)):
            with self.assertRaisesRegex(TypeError, "'dealy' is not an option of a job; the options are id, .*delay"):
                call()

    def test_what_cannot_be_a_task_is_refused(self) -> None:
        queue = Queue(NOWHERE)
        with self.assertRaises(InvalidRequest):
            queue.task(lambda *args: None)
        with self.assertRaises(InvalidRequest):
            queue.task(lambda to, /: None)

        @queue.task("email")
        def send(to: str) -> None: ...

        with self.assertRaisesRegex(InvalidRequest, "send"):

            @queue.task("email")
            def other(to: str) -> None: ...

    def test_a_method_is_refused(self) -> None:
        queue = Queue(NOWHERE)
        with self.assertRaisesRegex(InvalidRequest, "a method cannot be a task"):

            class Mailer:
                @queue.task
                def send(self, to: str) -> None: ...

    def test_a_second_function_of_one_kind_is_refused_and_the_same_one_again_is_not(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "twice.py"

            def load(text: str, queue: Queue, name: str = "twice") -> None:
                file.write_text(text)
                exec(compile(text, str(file), "exec"), {"__name__": name, "queue": queue})

            one, queue = "@queue.task\ndef send(to): ...\n", Queue(NOWHERE)
            load(one, queue)
            load(one, queue)
            load(one, queue, "__main__")
            load("# edited\n" + one, queue)
            with self.assertRaisesRegex(InvalidRequest, r"twice.send \(.*twice.py, line 1\); give one of them another kind"):
                load(one + one, Queue(NOWHERE))
            self.assertRaises(InvalidRequest, load, "@queue.task('send')\ndef other(to): ...\n", queue)

    def test_a_callback_of_a_batch_gets_the_arguments_that_it_takes(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        queue = Queue(f"http://127.0.0.1:{server.port}", "tasks", token_file=server.token_files["all"])
        self.addCleanup(queue.close)
        got: list[Any] = []
        all_told = threading.Event()

        def note(*what: Any) -> None:
            got.append(what)
            if len(got) == 3:
                all_told.set()

        @queue.task
        def row(n: int) -> None: ...

        @queue.task(max_attempts=3)
        def done(completed: int, failed: int) -> None:
            note("done", completed, failed)

        @queue.task
        def report(to: str, completed: int = 0) -> None:
            note("report", to, completed)

        def run() -> None:
            for number, on_end in enumerate((done, (report, {"to": "ada"}), report.job("bob"))):
                with queue.batch(f"b-{number}", on_end=on_end) as batch:
                    batch.add_all(row.job(n) for n in range(2))
            self.assertTrue(all_told.wait(60))

        self.worked(queue, run)
        self.assertEqual(sorted(got), [("done", 2, 0), ("report", "ada", 2), ("report", "bob", 2)])
        with self.assertRaisesRegex(InvalidRequest, "is of the queue 'tasks', not of 'others'"):
            queue.batch("b", on_end=done, callbacks_in="others")

    def test_a_schedule_takes_a_task_or_a_kind(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        queue = Queue(f"http://127.0.0.1:{server.port}", "tasks", token_file=server.token_files["all"])
        self.addCleanup(queue.close)

        @queue.task("nightly", priority=7)
        def tick() -> None: ...

        for name, job, priority in (("a", tick, 7), ("b", "nightly", 0), ("c", tick.job(), 7)):
            self.assertEqual(queue.schedules.put(name, job, every=3600), "created")
            shown = queue.schedules.get(name)["job"]
            self.assertEqual((shown["kind"], shown.get("priority", 0)), ("nightly", priority))
        with self.assertRaisesRegex(InvalidRequest, "a Job, a task or a kind, not 7"):
            queue.schedules.put("d", 7, every=60)  # type: ignore[arg-type]

    def worked(self, queue: Any, run: Any) -> Any:
        worker = Worker(queue)
        thread = threading.Thread(target=worker.run, daemon=True)
        thread.start()
        try:
            return run()
        finally:
            worker.stop()
            thread.join(60)

    def test_a_worker_runs_the_tasks_of_its_queue(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        queue = Queue(f"http://127.0.0.1:{server.port}", "tasks", token_file=server.token_files["all"])
        self.addCleanup(queue.close)

        @queue.task
        def add(a: int, b: int = 1) -> list[Any]:
            job = current_job()
            return [a + b, job and job.id]

        @queue.task
        async def later(a: int) -> int:
            await asyncio.sleep(0)
            return -a

        def run() -> None:
            for job, result in ((add.options(id="x").enqueue(2), [3, "x"]), (later.enqueue(7), -7), (queue.enqueue("add", {"a": 1, "b": 1}, id="y"), [2, "y"])):
                outcome = queue.wait(job, timeout=60)
                assert isinstance(outcome, Completed)
                self.assertEqual(outcome.result, result)
            for payload in ("text", {"z": 1}):
                outcome = queue.wait(queue.enqueue("add", payload), timeout=60)
                assert isinstance(outcome, Failed) and outcome.error is not None
                self.assertEqual((outcome.error.name, outcome.reason), ("ArgumentMismatch", "terminal"))

        self.worked(queue, run)
        self.assertIsNone(current_job())

    def test_a_task_of_an_async_queue_is_enqueued_by_a_coroutine(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        queue = AsyncQueue(f"http://127.0.0.1:{server.port}", "tasks", token_file=server.token_files["all"])

        @queue.task
        def add(a: int, b: int = 1) -> int:
            return a + b

        async def wait() -> Any:
            try:
                return await queue.wait(await add.enqueue(2, b=5), timeout=60)
            finally:
                await queue.close()

        outcome = self.worked(queue, lambda: asyncio.run(wait()))
        self.assertEqual(outcome.result, 7)


if __name__ == "__main__":
    unittest.main()
