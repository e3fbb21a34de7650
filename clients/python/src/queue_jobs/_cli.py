"""The command `python -m queue_jobs`: finds the workers of a module and runs them.

A worker process finds what it runs by its targets. With `--processes` this process starts as many
of them, and imports no module itself.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Union

from ._async_queue import AsyncQueue
from ._errors import QueueError
from ._processes import Processes
from ._queue import Queue
from ._worker import Worker, run_workers

#: What no restart helps against: a wrong target, or a service that refuses the token.
FAILED, USAGE = 1, 2

_WORK = """
TARGET is a module, or module:name. The name is a Worker, a Queue or an AsyncQueue; without a name it
is every Worker of the module, or every queue that has tasks. Each queue has its own slots.
"""


class _Wrong(Exception):
    """What is wrong with the command line."""


def main(words: Sequence[str]) -> int:
    """Carries a command line out; answers the exit status."""
    asked = _parser().parse_args(words)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(process)d: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # It has a line for each request.
    if asked.processes > 1:
        return Processes(_words_of(asked), asked.processes, final=(FAILED, USAGE)).run()
    if asked.until_eof:
        threading.Thread(target=_end_with_parent, name="queue-jobs-parent", daemon=True).start()
    try:
        run_workers(*_workers(asked.target, asked.concurrency))
    except _Wrong as wrong:
        print(f"queue_jobs: {wrong}", file=sys.stderr)
        return USAGE
    except QueueError as error:
        print(f"queue_jobs: {error}", file=sys.stderr)
        return FAILED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m queue_jobs")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    work = commands.add_parser("work", help="works until SIGTERM", description="Works until SIGTERM.", epilog=_WORK)
    work.add_argument("target", nargs="+", metavar="TARGET", help="such as tasks:queue; several for several queues")
    processes = "processes, for work that computes; each has all slots"
    work.add_argument("--processes", type=_positive, default=1, metavar="N", help=processes)
    slots = "jobs of a queue at the same time in one process"
    work.add_argument("--concurrency", type=_positive, metavar="N", help=slots)
    work.add_argument("--until-eof", action="store_true", help=argparse.SUPPRESS)
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 on, not {text!r}")
    return int(text)


def _words_of(asked: argparse.Namespace) -> list[str]:
    """The command line of one process of several."""
    concurrency = [] if asked.concurrency is None else ["--concurrency", str(asked.concurrency)]
    return [sys.executable, "-m", "queue_jobs", "work", "--until-eof", *concurrency, *asked.target]


def _end_with_parent() -> None:
    """A parent that is killed closes the pipe, and no worker goes on without it."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _workers(targets: Sequence[str], concurrency: int | None) -> list[Worker]:
    found: list[Worker] = []
    for target in targets:
        found += [_worker(one) for one in _named(target)]
    queues = [worker._options.queue for worker in found]
    if twice := {queue for queue in queues if queues.count(queue) > 1}:
        raise _Wrong(f"the queue {min(twice)!r} has several workers: name one of them, as module:name")
    if concurrency is not None:
        for worker in found:
            worker._options = replace(worker._options, concurrency=concurrency)
    return found


_Found = Union[Worker, Queue, AsyncQueue]


def _named(target: str) -> list[_Found]:
    module_name, _, name = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # The module is there, and one that it needs is not.
        raise _Wrong(f"there is no module {module_name!r} here or on the path of Python") from None
    if name:
        one = getattr(module, name, None)
        if one is None:
            raise _Wrong(f"{module_name} has nothing of the name {name!r}")
        if not isinstance(one, (Worker, Queue, AsyncQueue)):
            raise _Wrong(f"{target} is a {type(one).__name__}: name a Worker, a Queue or an AsyncQueue")
        return [one]
    things = {id(thing): thing for thing in vars(module).values()}.values()
    workers: list[_Found] = [thing for thing in things if isinstance(thing, Worker)]
    queues: list[_Found] = [thing for thing in things if isinstance(thing, (Queue, AsyncQueue)) and thing._tasks]
    if not workers and not queues:
        raise _Wrong(f"{module_name} has no Worker, and no queue with tasks")
    return workers or queues


def _worker(found: _Found) -> Worker:
    return found if isinstance(found, Worker) else Worker(found)
