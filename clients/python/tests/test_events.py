"""What a worker tells its user about outcomes that came too late."""

from __future__ import annotations

import json
import threading
import unittest
from typing import Any

from harness import Proxy, Server
from queue_jobs import ClaimedJob, Job, Queue, Worker, WorkerEvent

UNAVAILABLE = {"kind": "unavailable", "status": 503, "certainty": "not_applied", "detail": "the store cannot answer now"}

OTHER_KEY = {
    "kind": "invalid", "status": 400, "certainty": "not_applied", "reason": "other_key",
    "detail": "receipt: the server has another key; --key-file",
}  # fmt: skip


class Events(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)
        self.proxy = Proxy(self.server)
        self.addCleanup(self.proxy.close)
        self.queue = Queue(self.proxy.url, "late", token_file=self.server.token_files["all"])
        self.addCleanup(self.queue.close)

    def call(self, path: str, said: dict[str, Any]) -> Any:
        """A bare call beside the proxy."""
        token = self.server.token_files["all"].read_text().strip()
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        status, answer = self.server.call("POST", path, json.dumps(said).encode(), headers)
        self.assertEqual(status, 200, answer)
        return json.loads(answer)

    def hold_back(self, *paths: str) -> None:
        with self.proxy.lock:
            for path in paths:
                fault = {"on": path, "do": "answer", "status": 503, "times": 10**9, "body": UNAVAILABLE}
                self.proxy.faults.append(fault)

    def told_of_a_late_settle(self, then: Any) -> WorkerEvent:
        """The event of a settle that arrives when a thief has had the job for a while."""
        self.hold_back("/extend", "/settle")
        self.queue.enqueue(Job("slow", id="a", keep_completed="nothing"))
        may_end, was_told, told = threading.Event(), threading.Event(), list[WorkerEvent]()

        def slow(job: ClaimedJob) -> None:
            may_end.wait()

        def on_event(event: WorkerEvent) -> None:
            if event.name == "not_settled":
                told.append(event)
                was_told.set()

        worker = Worker(self.queue, {"slow": slow}, concurrency=1, lease=1.0, grace=0.1, on_event=on_event)
        thread = threading.Thread(target=worker.run)
        thread.start()
        try:
            self.wait_until_held()
            claim = {"worker": "thief", "claim_id": f"{1:032x}", "wait_ms": 20_000}
            [stolen] = self.call("/v1/queues/late/claim", claim)["jobs"]
            then(stolen)
            may_end.set()
            with self.proxy.lock:  # No extension gets through, which would hear of the lost lease first.
                self.proxy.faults = [fault for fault in self.proxy.faults if fault["on"] == "/extend"]
            self.assertTrue(was_told.wait(60))
        finally:
            may_end.set()
            worker.stop()
            thread.join()
        self.assertEqual(told[0].job and told[0].job.id, "a")
        return told[0]

    def wait_until_held(self) -> None:
        while True:
            [job] = self.call("/v1/queues/late/jobs:get", {"ids": ["a"]})["jobs"]
            if job["state"] == "processing":
                return

    def test_a_settle_of_a_job_that_another_worker_has_is_told_as_lease_lost(self) -> None:
        event = self.told_of_a_late_settle(lambda stolen: None)
        self.assertEqual(event.details, {"outcome": "lease_lost"})

    def test_a_settle_of_a_job_that_is_gone_is_told_as_missing(self) -> None:
        def completed(stolen: Any) -> None:
            settle = {"items": [{"receipt": stolen["receipt"], "complete": {}}]}
            self.assertEqual(self.call("/v1/settle", settle)["items"][0]["outcome"], "done")

        event = self.told_of_a_late_settle(completed)
        self.assertEqual(event.details, {"outcome": "missing"})

    def test_a_server_with_another_key_is_told_by_a_failed_extension_and_a_refused_settle(self) -> None:
        refused = json.dumps({"now_ms": 1, "drain": False, "items": [{"outcome": "refused", "problem": OTHER_KEY}]})
        answer = {"status": 200, "content_type": "application/json", "body_text": refused}
        with self.proxy.lock:
            for path in ("/extend", "/settle"):
                self.proxy.faults.append({"on": path, "do": "answer", "times": 1, "answer": answer})
        self.queue.enqueue(Job("slow", id="a"))
        was_extended, was_told, told = threading.Event(), threading.Event(), list[WorkerEvent]()

        def on_event(event: WorkerEvent) -> None:
            told.append(event)
            if event.name.startswith("extend"):
                was_extended.set()
            if event.name == "not_settled":
                was_told.set()

        handlers = {"slow": lambda job: was_extended.wait(60)}
        worker = Worker(self.queue, handlers, concurrency=1, lease=9.0, on_event=on_event)
        thread = threading.Thread(target=worker.run)
        thread.start()
        self.assertTrue(was_told.wait(60))
        worker.stop()
        thread.join()
        names = [event.name for event in told if event.name != "settled"]
        self.assertEqual(names, ["started", "extend_failed", "settle_refused", "not_settled", "ended"])
        self.assertEqual(told[0].details, {"queue": "late", "concurrency": 1})
        self.assertEqual(told[-1].details["not_settled"], 1)
        [refusal] = [event for event in told if event.name == "settle_refused"]
        self.assertIn("--key-file", str(refusal.error))

    def test_an_observer_that_raises_costs_no_job(self) -> None:
        def on_event(event: WorkerEvent) -> None:
            raise ValueError("a bug of the observer")

        worker = Worker(self.queue, {"a": lambda job: 1}, on_event=on_event)
        thread = threading.Thread(target=worker.run)
        with self.assertLogs("queue_jobs", "ERROR"):
            thread.start()
            self.assertEqual(type(self.queue.wait(self.queue.enqueue("a"))).__name__, "Completed")
            worker.stop()
            thread.join()


if __name__ == "__main__":
    unittest.main()
