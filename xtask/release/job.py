"""Enqueues a job, works on it and waits for its result: the proof of a wheel that is installed."""

import os
import threading

from queue_jobs import Queue, Worker

queue = Queue(os.environ["QUEUE_URL"], "mail")
worker = Worker(queue, {"email": lambda job: {"sent": job.payload["to"]}})
working = threading.Thread(target=worker.run)
working.start()
job = queue.enqueue("email", {"to": "ada@example.org"}, awaited=True)
result = queue.wait(job, timeout=60).result
worker.stop()
working.join()
assert result == {"sent": "ada@example.org"}, result
