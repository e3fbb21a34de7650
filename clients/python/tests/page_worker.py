"""A worker that notes each start of its handler in a file.

`cargo xtask soak pages` starts it behind a proxy that answers some of its calls with pages of its own.
"""

from __future__ import annotations

import os
import sys

from queue_jobs import ClaimedJob, Queue, Worker, WorkerEvent

runs = os.open(os.environ["QUEUE_RUNS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def note(job: ClaimedJob) -> None:
    os.write(runs, f"{job.id}\n".encode())


def tell(event: WorkerEvent) -> None:
    print(event, file=sys.stderr, flush=True)


queue = Queue(os.environ["QUEUE_URL"], "workload", token_file=os.environ["QUEUE_TOKEN_FILE"])
concurrency = int(os.environ["QUEUE_CONCURRENCY"])
Worker(queue, {"default": note}, concurrency=concurrency, on_event=tell).run()
