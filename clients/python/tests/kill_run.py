"""Workers that are killed and stopped at random, behind a proxy that loses answers: no job may be lost.

`kill_run.py [JOBS] [SEED]`, by hand: it takes a minute. Prints its seed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time

from harness import Proxy, Server
from queue_jobs import Completed, Job, Queue

WORKERS = 4
WORKER = """
import os, random, time
from queue_jobs import Queue, Worker

def work(job):
    job.sleep(random.uniform(0, 0.4))
    return [job.payload, job.epoch]

queue = Queue(os.environ["QUEUE_URL"], "kill", token_file=os.environ["QUEUE_TOKEN_FILE"])
Worker(queue, {"work": work}, concurrency=4, lease=1.0, grace=1.0).run()
"""


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    print(f"{count} jobs, seed {seed}", flush=True)
    chance = random.Random(seed)
    server = Server()
    proxy = Proxy(server)
    environment = {**os.environ, "QUEUE_URL": proxy.url, "QUEUE_TOKEN_FILE": str(server.token_files["work"])}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", WORKER], env=environment, stderr=subprocess.DEVNULL)

    def faults() -> None:
        while not over.wait(0.05):
            on = chance.choice(("/claim", "/settle", "/extend"))
            with proxy.lock:
                proxy.faults = [{"on": on, "do": chance.choice(("drop_answer", "refuse")), "times": 1}]
                proxy.requests.clear()

    def kill() -> None:
        while not over.wait(chance.uniform(0.3, 1.2)):
            victim = chance.randrange(WORKERS)
            how = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM))
            signals.append(how)
            workers[victim].send_signal(how)
            if how == signal.SIGSTOP:
                over.wait(1.5)
                workers[victim].send_signal(signal.SIGCONT)
            else:
                workers[victim].wait()
                workers[victim] = start()

    over = threading.Event()
    signals: list[int] = []
    workers = [start() for _ in range(WORKERS)]
    threads = [threading.Thread(target=faults, daemon=True), threading.Thread(target=kill, daemon=True)]
    try:
        with Queue(f"http://127.0.0.1:{server.port}", "kill", token_file=server.token_files["all"]) as queue:
            jobs = queue.enqueue_many(
                Job("work", n, id=f"job-{n}", max_stalls="unlimited", awaited=True) for n in range(count)
            )
            for thread in threads:
                thread.start()
            epochs = 0
            for n, job in enumerate(jobs):
                outcome = queue.wait(job, timeout=300)
                assert isinstance(outcome, Completed) and outcome.result[0] == n, outcome
                epochs += outcome.result[1] - 1
    finally:
        over.set()
        for thread in threads:
            thread.join()
        for worker in workers:
            worker.kill()
            worker.wait()
        proxy.close()
        server.close()
    print(f"all {count} jobs are completed, each with its own result, after {len(signals)} signals, with {epochs} claims in vain")
    return 0


if __name__ == "__main__":
    sys.exit(main())
