"""An `AsyncQueue` serves every event loop that uses it."""

from __future__ import annotations

import asyncio
import unittest

from harness import Server
from queue_jobs import AsyncQueue


class Loops(unittest.TestCase):
    def test_an_async_queue_serves_one_event_loop_after_another_and_two_at_once(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        queue = AsyncQueue(f"http://127.0.0.1:{server.port}", "loops", token_file=server.token_files["all"])

        async def enqueue(id: str) -> str:
            return (await queue.enqueue("k", id=id)).outcome

        async def inside() -> list[str]:
            return [await enqueue("c"), await asyncio.to_thread(asyncio.run, enqueue("d")), await enqueue("e")]

        async def last() -> str:
            async with queue:
                return await enqueue("f")

        self.assertEqual([asyncio.run(enqueue("a")), asyncio.run(enqueue("b"))], ["queued"] * 2)
        self.assertEqual((asyncio.run(inside()), asyncio.run(last())), (["queued"] * 3, "queued"))


if __name__ == "__main__":
    unittest.main()
