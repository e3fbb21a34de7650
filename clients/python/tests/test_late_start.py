"""A handler does not start on a lease that is over."""

from __future__ import annotations

import threading
import time
import unittest
from typing import Any

from harness import Server
from queue_jobs import ClaimedJob, Job, Queue, Worker

LEASE = 1.0


class LateStart(unittest.TestCase):
    def test_a_job_that_waited_for_a_blocked_loop_goes_back_unstarted(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        for second in ("coroutine", "thread"):
            with self.subTest(second=second):
                self.one_blocks_the_other(Queue(
                    f"http://127.0.0.1:{server.port}", second, token_file=server.token_files["all"]), second)

    def one_blocks_the_other(self, queue: Queue, second: str) -> None:
        starts: list[str] = []

        async def blocks(job: ClaimedJob) -> None:
            starts.append(f"a{job.epoch}")
            if len(starts) == 1:
                time.sleep(1.5 * LEASE)

        async def coroutine(job: ClaimedJob) -> None:
            starts.append(f"b{job.epoch}")

        def thread(job: ClaimedJob) -> None:
            starts.append(f"b{job.epoch}")

        handlers: dict[str, Any] = {"a": blocks, "b": coroutine if second == "coroutine" else thread}
        worker = Worker(queue, handlers, concurrency=2, lease=LEASE)
        with queue:
            queue.enqueue_many([Job("a", id="a"), Job("b", id="b")])
            running = threading.Thread(target=worker.run)
            running.start()
            ended = [type(queue.wait(job, timeout=60)).__name__ for job in ("a", "b")]
            worker.stop()
            running.join()
        self.assertEqual(ended, ["Completed", "Completed"])
        self.assertEqual(starts[0], "a1")
        self.assertNotIn("b1", starts)


if __name__ == "__main__":
    unittest.main()
