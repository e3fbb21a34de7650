"""Answers that never end, in time or in bytes."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
import unittest
from collections.abc import Iterable

from queue_jobs import AsyncQueue, Queue, Unavailable

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 400000000\r\n\r\n"
#: Far longer than the timeouts below: a client that waits for it fails the test by its count of pieces.
DRIPS = 400


class Endless:
    """Answers each connection with these pieces, and counts those that went out."""

    def __init__(self, pieces: Iterable[bytes], pause: float) -> None:
        self.sent = 0
        self._pieces, self._pause = list(pieces), pause
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 16)
                try:
                    for piece in self._pieces:
                        connection.sendall(piece)
                        self.sent += 1
                        time.sleep(self._pause)
                except OSError:
                    pass  # The client has had enough.

    def close(self) -> None:
        self._listener.close()


def enqueue(face: str, url: str, timeout: float) -> None:
    if face == "sync":
        with Queue(url, timeout=timeout, retry_for=0) as queue:
            queue.enqueue("k")
        return

    async def run() -> None:
        async with AsyncQueue(url, timeout=timeout, retry_for=0) as queue:
            await queue.enqueue("k")

    asyncio.run(run())


class Bounds(unittest.TestCase):
    def gives_up(self, pieces: Iterable[bytes], pause: float, timeout: float, most: int) -> None:
        """Both faces end the call, and fewer than so many pieces went out."""
        for face in ("sync", "async"):
            with self.subTest(face=face):
                server = Endless(pieces, pause)
                with self.assertRaises(Unavailable) as raised:
                    enqueue(face, server.url, timeout)
                server.close()
                self.assertEqual(raised.exception.certainty, "unknown")
                self.assertLess(server.sent, most)

    def test_an_answer_whose_body_drips_is_given_up_at_the_timeout(self) -> None:
        self.gives_up([HEAD, *[b" "] * DRIPS], 0.05, timeout=0.5, most=DRIPS)

    def test_an_answer_whose_head_drips_is_given_up_at_the_timeout(self) -> None:
        self.gives_up([b"HTTP/1.1 200 OK\r\nx: ", *[b"x"] * DRIPS], 0.05, timeout=0.5, most=DRIPS)

    def test_an_answer_without_end_is_not_read_whole(self) -> None:
        self.gives_up([HEAD, *[b" " * (1 << 20)] * 300], 0.0, timeout=30.0, most=150)


if __name__ == "__main__":
    unittest.main()
