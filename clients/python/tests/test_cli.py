"""`python -m queue_jobs work`, run from an empty directory as a user would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import Server
from queue_jobs import Completed, Queue, Worker, run_workers

TASKS = """
import os
from queue_jobs import Queue, Worker

url, token = os.environ["QUEUE_URL"], os.environ["QUEUE_TOKEN_FILE"]
mail, images = Queue(url, "mail", token_file=token), Queue(url, "images", token_file=token)

@mail.task
def send(to):
    return [to, os.getpid()]

@images.task
def crash(when):
    os._exit(9)

images.task("where")(os.getpid)
"""
FEW = {"QUEUE_URL": "http://127.0.0.1:1", "QUEUE_TOKEN_FILE": "/nowhere"}


class Commands(unittest.TestCase):
    def folder(self, program: str = TASKS) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "tasks.py").write_text(program)
        return folder.name

    def started(self, *words: str, token: str = "all") -> subprocess.Popen[str]:
        self.server = Server()
        self.addCleanup(self.server.close)
        self.url = f"http://127.0.0.1:{self.server.port}"
        environment = {**os.environ, "QUEUE_URL": self.url, "QUEUE_TOKEN_FILE": str(self.server.token_files[token])}
        process = subprocess.Popen([sys.executable, "-m", "queue_jobs", "work", *words], cwd=self.folder(),
                                   env=environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def queue(self, name: str) -> Queue:
        queue = Queue(self.url, name, token_file=self.server.token_files["all"])
        self.addCleanup(queue.close)
        return queue

    def result(self, queue: str, kind: str, payload: object = None) -> object:
        client = self.queue(queue)
        outcome = client.wait(client.enqueue(kind, payload), timeout=120)
        assert isinstance(outcome, Completed), outcome
        return outcome.result

    def test_all_queues_of_a_module_are_worked_in_one_process(self) -> None:
        process = self.started("tasks")
        self.assertEqual(self.result("mail", "send", {"to": "ada"}), ["ada", process.pid])
        self.assertEqual(self.result("images", "where"), process.pid)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(said.count("started"), 2, said)

    def test_processes_that_crash_are_replaced_and_all_end_on_sigterm(self) -> None:
        process = self.started("tasks:images", "tasks:mail", "--processes", "2", "--concurrency", "1")
        images = self.queue("images")
        for number in range(2):
            images.enqueue("crash", {"when": number}, id=f"crash-{number}", max_stalls=1)
        pid = self.result("images", "where")  # Both have crashed, or one takes it with a slot to spare.
        self.assertNotEqual(pid, process.pid)
        crashed = 0
        assert process.stderr is not None
        while crashed < 2:
            crashed += "ended with 9 and is replaced" in process.stderr.readline()
        self.assertIsInstance(self.result("images", "where"), int)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)

    def test_no_process_outlives_the_one_that_started_it(self) -> None:
        process = self.started("tasks", "--processes", "2")
        self.assertNotEqual(self.result("images", "where"), process.pid)
        process.kill()
        process.communicate(timeout=120)  # Until none of them has standard error any more.

    def test_a_token_that_is_refused_ends_all_processes(self) -> None:
        process = self.started("tasks", "--processes", "2", token="produce")
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("forbidden", said)

    def test_what_is_no_worker_is_said(self) -> None:
        folder = self.folder()
        for words, why in ((["nosuch"], "no module 'nosuch'"), (["tasks:send"], "is a Task: name a Worker"), (["tasks:nosuch"], "nothing of the name 'nosuch'"), (["os"], "no queue with tasks"),
                           (["tasks", "tasks:mail"], "several workers"), (["tasks", "--processes", "0"], "from 1 on"), ([], "TARGET")):
            done = subprocess.run([sys.executable, "-m", "queue_jobs", "work", *words], cwd=folder, env={**os.environ, **FEW},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        (Path(folder) / "other.py").write_text("import nosuch\n")
        done = subprocess.run([sys.executable, "-m", "queue_jobs", "work", "other"], cwd=folder, capture_output=True, text=True)
        self.assertIn('other.py", line 1', done.stderr)

    def test_an_error_of_one_worker_ends_the_others(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        url = f"http://127.0.0.1:{server.port}"
        workers = [Worker(Queue(url, name, token_file=server.token_files[name]), {"a": print}) for name in ("all", "produce")]
        with self.assertRaisesRegex(Exception, "forbidden"):
            run_workers(*workers)


if __name__ == "__main__":
    unittest.main()
