"""Whole programs, run from an empty directory as a user would."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from uuid import uuid4

from harness import Server
from queue_jobs import Completed, Pending, Queue

README = Path(__file__).resolve().parents[1] / "README.md"

DEAF = """
import os, time
from queue_jobs import Queue, Worker

def deaf(job):
    print("started", flush=True)
    time.sleep(3600)

Worker(Queue(os.environ["QUEUE_URL"], "deaf", token_file=os.environ["QUEUE_TOKEN_FILE"]), {"deaf": deaf}, grace=0.1).run()
"""

SLOW = """
import os, sys
from queue_jobs import Queue, Worker

def slow(job):
    print("started", flush=True)
    sys.stdin.readline()
    return "late"

queue = Queue(os.environ["QUEUE_URL"], "late", token_file=os.environ["QUEUE_TOKEN_FILE"])
Worker(queue, {"slow": slow}, lease=1.0, wait=0.0).run()
"""


def programs() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


class Processes(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)
        self.url = f"http://127.0.0.1:{self.server.port}"

    def queue(self, name: str) -> Queue:
        queue = Queue(self.url, name, token_file=self.server.token_files["all"])
        self.addCleanup(queue.close)
        return queue

    def started(self, program: str, *others: str) -> subprocess.Popen[str]:
        """Runs a program from a folder that has it and others, whose first lines have their names."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "program.py").write_text(program)
        for other in others:
            (Path(folder.name) / other.split()[1]).write_text(other)
        environment = {**os.environ, "QUEUE_URL": self.url, "QUEUE_TOKEN_FILE": str(self.server.token_files["all"])}
        process = subprocess.Popen([sys.executable, "program.py"], cwd=folder.name, env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def test_the_first_programs_of_the_readme_enqueue_a_task_and_work_on_it(self) -> None:
        tasks, main, *_ = programs()
        self.assertLessEqual(len(tasks.splitlines()), 11, "the program has ten lines")
        worker = self.started("from queue_jobs._cli import main\nmain(['work', 'tasks'])", tasks)
        said, trouble = self.started(main, tasks).communicate(timeout=120)
        self.assertEqual((said, trouble), ("{'sent': 'ada@example.org'}\n", ""))
        worker.send_signal(signal.SIGTERM)
        said, trouble = worker.communicate(timeout=120)
        self.assertEqual((said, worker.returncode), ("sending 'Hello' to ada@example.org\n", 0), trouble)

    def test_the_program_with_a_worker_of_the_readme_works_and_ends_on_sigterm(self) -> None:
        process = self.started(programs()[2])
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "sending to ada@example.org\n")
        outcome = self.queue("mail").wait("welcome-43", timeout=120)
        self.assertIsInstance(outcome, Completed)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.communicate(timeout=120), ("", ""))
        self.assertEqual(process.returncode, 0)

    def test_the_test_of_the_readme_passes(self) -> None:
        [program] = [one for one in programs() if "def test_" in one]
        process = self.started(program + "\ntest_a_welcome_is_sent()\n")
        self.assertEqual((*process.communicate(timeout=120), process.returncode), ("", "", 0))

    def test_every_program_of_the_readme_has_right_names(self) -> None:
        for program in programs():
            compile(program, "README.md", "exec")
            for line in re.findall(r"^from queue_jobs\S* import .*$", program, re.MULTILINE):
                exec(line, {})

    def test_a_worker_whose_handlers_hang_ends_after_its_grace_and_gives_the_jobs_back(self) -> None:
        queue = self.queue("deaf")
        queue.enqueue("deaf", id="a")
        process = self.started(DEAF)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "started\n")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        outcome = queue.wait("a", timeout=0)
        self.assertIsInstance(outcome, Pending)
        self.assertEqual(outcome.state, "queued")  # type: ignore[union-attr]

    def call(self, path: str, said: dict[str, Any]) -> Any:
        token = self.server.token_files["all"].read_text().strip()
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        status, answer = self.server.call("POST", path, json.dumps(said).encode(), headers)
        self.assertEqual(status, 200, answer)
        return json.loads(answer)

    def test_a_worker_that_was_stopped_for_longer_than_its_lease_changes_nothing_and_says_so(self) -> None:
        queue = self.queue("late")
        queue.enqueue("slow", id="a")
        process = self.started(SLOW)
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self.assertEqual(process.stdout.readline(), "started\n")
        process.send_signal(signal.SIGSTOP)
        jobs: list[Any] = []
        while not jobs:  # The service looks for lapsed leases every five seconds.
            claim = {"worker": "other", "claim_id": uuid4().hex, "wait_ms": 2000}
            jobs = self.call("/v1/queues/late/claim", claim)["jobs"]
        process.send_signal(signal.SIGCONT)
        process.stdin.write("end\n")
        process.stdin.flush()
        self.assertRegex(process.stderr.readline(), "^(lease_lost|not_settled) job=")
        settle = {"receipt": jobs[0]["receipt"], "complete": {"result": "in time"}}
        self.assertEqual(self.call("/v1/settle", {"items": [settle]})["items"][0]["outcome"], "done")
        outcome = queue.wait("a", timeout=120)
        assert isinstance(outcome, Completed)
        self.assertEqual(outcome.result, "in time")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)

    def test_a_token_file_that_is_replaced_is_taken_up(self) -> None:
        file = self.server.folder / "mine.token"
        file.write_text(self.server.token_files["bad"].read_text())
        with Queue(self.url, "mail", token_file=file, retry_for=0) as queue:
            with self.assertRaisesRegex(Exception, "unauthorized"):
                queue.enqueue("k")
            file.write_text(self.server.token_files["all"].read_text())
            self.assertEqual(queue.enqueue("k").outcome, "queued")


if __name__ == "__main__":
    unittest.main()
