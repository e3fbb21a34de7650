"""One deadline for a whole attempt of a blocking call, however its bytes arrive.

The timeouts of httpx count from one byte to the next, so that an answer of a byte a second would
never be given up. Here every operation on a socket gets what is left of the attempt. In asyncio a
cancelled task does the same, so only the blocking client needs this.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx


class _Attempt(threading.local):
    """A blocking call stays in its thread, and so does its deadline."""

    end = float("inf")


_attempt = _Attempt()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """What this thread does on sockets in the meantime takes at most so long altogether."""
    _attempt.end = time.monotonic() + seconds
    try:
        yield
    finally:
        _attempt.end = float("inf")


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    left = _attempt.end - time.monotonic()
    if left <= 0:
        raise late("the answer did not end in time")
    if left == float("inf"):
        return timeout
    return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(host, port, left, local_address, socket_options))

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_unix_socket(path, left, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class Transport(httpx.HTTPTransport):
    """The transport of httpx over sockets with a deadline."""

    def __init__(self, ssl_context: ssl.SSLContext, uds: str | None) -> None:
        super().__init__(verify=ssl_context)
        # The bounds are those of httpx itself.
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context,
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            uds=uds,
            network_backend=_Backend(),
        )
