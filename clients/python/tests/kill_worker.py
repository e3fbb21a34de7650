"""A worker and a producer that note every call and its answer in a file, and are killed at random.

`cargo xtask soak clients` starts it. A call is in the file before it is sent, so a kill leaves at
worst a call with an unknown outcome. `tests/src/bin/soak/clients/tape.rs` says what the lines mean.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
import time
from pathlib import Path
from typing import Any

from queue_jobs import ClaimedJob, Fail, Job, Queue, QueueError, Snooze, Unavailable, Worker, WorkerEvent
from queue_jobs._answers import Answer
from queue_jobs._connection import Call
from queue_jobs._send import AsyncSender, SyncSender

QUEUE = "workload"
LEASE = 1.0
BATCH = 4
#: Events that are about one job, and tell what became of it.
TOLD = ("lease_lost", "not_settled", "settle_refused")


class Tape:
    """The file. Its times are those of the host's monotonic clock, which all processes share."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._lock = threading.Lock()
        self._calls = 0

    def note(self, members: str) -> None:
        with self._lock:
            os.write(self._file, f'{{"at":{time.monotonic_ns()},{members}}}\n'.encode())

    def sent(self, call: Call) -> int:
        with self._lock:
            self._calls += 1
            number = self._calls
        body = call.body.decode() or "null"
        self.note(f'"call":{number},"sent":{{"path":{json.dumps(call.path)},"body":{body}}}')
        return number

    def answered(self, number: int, text: str) -> None:
        self.note(f'"call":{number},"answer":{text}')

    def failed(self, number: int, error: QueueError) -> None:
        self.note(f'"call":{number},"failed":{json.dumps(error.certainty)}')

    def about(self, what: str, job: ClaimedJob) -> None:
        self.note(f'"{what}":{{"seq":{job.seq},"epoch":{job.epoch}}}')


def tell(event: WorkerEvent) -> None:
    """What the worker tells its user about a job."""
    if event.name in TOLD and (job := event.job) is not None:
        tape.note(f'"told":{{"what":{json.dumps(str(event))},"seq":{job.seq},"epoch":{job.epoch}}}')


def taped() -> None:
    """Puts the tape below all that a client sends; a call that is abandoned stays without an end."""
    attempt, attempt_async = SyncSender._attempt, AsyncSender.attempt

    def sync_call(self: SyncSender, call: Call) -> Answer:
        number = tape.sent(call)
        try:
            answer = attempt(self, call)
        except QueueError as error:
            tape.failed(number, error)
            raise
        tape.answered(number, answer.text)
        return answer

    async def async_call(self: AsyncSender, call: Call) -> Answer:
        if is_deaf and call.path == "/v1/extend":
            raise Unavailable("no heartbeat gets through", certainty="not_applied")
        number = tape.sent(call)
        try:
            answer = await attempt_async(self, call)
        except QueueError as error:
            tape.failed(number, error)
            raise
        tape.answered(number, answer.text)
        return answer

    SyncSender._attempt, AsyncSender.attempt = sync_call, async_call  # type: ignore[method-assign]


def work(job: ClaimedJob) -> Any:
    """Ignores that it is asked to stop, as a handler may, so that outcomes come too late as well."""
    tape.about("started", job)
    time.sleep(random.uniform(0, 0.3))
    dice = random.random()
    tape.about("ended", job)
    if dice < 0.05:
        raise Fail("Dice", delay=0)
    if dice < 0.1:
        raise Snooze(0.05)
    if dice < 0.12:
        raise Fail("Dice", terminal=True)
    return [job.payload, job.epoch]


def produce(queue: Queue) -> None:
    batch: list[Job] = []
    stop, number = Path(os.environ["QUEUE_STOP"]), 0
    while not stop.exists():
        if not batch or random.random() > 0.1:  # Sometimes the same again, which must be duplicates.
            batch = [job(number + place) for place in range(BATCH)]
            number += BATCH
        try:
            queue.enqueue_many(batch, atomic=random.random() < 0.5)
        except QueueError:
            pass
        time.sleep(random.uniform(0.1, 0.4))


def job(number: int) -> Job:
    name = f"{os.environ['QUEUE_NUMBER']}-{number}"
    return Job("work", {"of": name}, id=name, max_attempts="unlimited", max_stalls="unlimited")


def main() -> None:
    taped()
    url, file = os.environ["QUEUE_URL"], os.environ["QUEUE_TOKEN_FILE"]
    producer = threading.Thread(target=produce, args=(Queue(url, QUEUE, token_file=file),), daemon=True)
    producer.start()
    mine = Queue(url, QUEUE, token_file=file)
    worker = Worker(mine, {"work": work}, concurrency=4, lease=LEASE, wait=1.0, on_event=tell)
    asyncio.run(worker.serve())


if __name__ == "__main__":
    tape = Tape(os.environ["QUEUE_TAPE"])
    # Nothing but its settle tells such a worker that its lease is lost.
    is_deaf = "QUEUE_DEAF" in os.environ
    main()
