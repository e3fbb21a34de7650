"""A client that was made before a fork serves parent and child."""

from __future__ import annotations

import asyncio
import os
import traceback
import unittest
from collections.abc import Callable

from harness import Server
from queue_jobs import AsyncQueue, Queue

CALLS = 300


def in_child(work: Callable[[], bool]) -> int:
    """The process id of a child that ends with 0 if the work says so."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class Forks(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)
        self.place = f"http://127.0.0.1:{self.server.port}", "forks"
        self.token = self.server.token_files["all"]

    def both(self, work: Callable[[str], bool]) -> None:
        child = in_child(lambda: work("child"))
        try:
            self.assertTrue(work("parent"))
        finally:
            _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_parent_and_child_get_their_own_answers(self) -> None:
        with Queue(*self.place, token_file=self.token) as queue:
            queue.enqueue("k", id="before")

            def work(who: str) -> bool:
                ids = [f"{who}-{number}" for number in range(CALLS)]
                return [queue.enqueue("k", id=one).id for one in ids] == ids

            self.both(work)

    def test_so_they_do_in_asyncio(self) -> None:
        loop = asyncio.new_event_loop()
        queue = AsyncQueue(*self.place, token_file=self.token)
        loop.run_until_complete(queue.enqueue("k", id="before"))

        def work(who: str) -> bool:
            own = loop if who == "parent" else asyncio.new_event_loop()
            ids = [f"{who}-{number}" for number in range(CALLS)]

            async def calls() -> list[str]:
                return [(await queue.enqueue("k", id=one)).id for one in ids]

            return own.run_until_complete(calls()) == ids

        self.both(work)
        loop.run_until_complete(queue.close())
        loop.close()


if __name__ == "__main__":
    unittest.main()
