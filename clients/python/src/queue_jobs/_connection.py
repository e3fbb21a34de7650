"""Where the service is, and how a request reaches it."""

from __future__ import annotations

import math
import os
import random
import ssl
import time
from collections.abc import Callable
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from ._checks import text
from ._errors import InvalidRequest, QueueError, Unavailable
from ._network import Transport

#: Waits between attempts double from the first to the longest.
_FIRST_DELAY = 0.1
_LONGEST_DELAY = 5.0
#: The longest wait that an answer can ask for.
_ASKED_MAX = 60.0
_TOKEN_BYTES_MAX = 4096


class Call(NamedTuple):
    """A request. `wait` is how many seconds the service may take on purpose.

    `member` is what a good answer has; if it is a list, `length` is how many items it has, or None.
    `patience` is how many seconds the caller waits for a service that does not answer, if that is
    less than for other calls.
    """

    method: str
    path: str
    body: bytes
    member: str
    length: int | None = None
    wait: float = 0.0
    patience: float = math.inf


class Connection:
    """The address of a service and the token, which no text of this object shows.

    A token file is read again when it changes, so that a token can be replaced under a running
    worker.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        plaintext: bool = False,
        timeout: float = 30.0,
        retry_for: float = 60.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        if token is not None and token_file is not None:
            raise InvalidRequest("give a token or the file of a token, not both")
        text(url, "the address of a service")
        self.socket = url[len("unix:") :] if url.startswith("unix:") else None
        if self.socket is None and not url.startswith(("http://", "https://")):
            raise InvalidRequest("the address of a service begins with http://, https:// or unix:")
        if self.socket is None and "@" in url.split("/")[2]:
            raise InvalidRequest("an address has no password: give a token")
        has_token = token is not None or token_file is not None
        if has_token and url.startswith("http://") and not plaintext and not _is_loopback(url):
            raise InvalidRequest("a token goes to another machine only over https, or with plaintext=True")
        #: For messages.
        self.url = url
        self.base = "http://localhost" if self.socket is not None else url.rstrip("/")
        self.timeout = timeout
        self.retry_for = retry_for
        self._ssl = ssl_context
        self._token = None if token is None else _checked(token)
        self._file = token_file
        self._stamp: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"Connection({httpx.URL(self.base).host!r})"

    def sync_client(self) -> httpx.Client:
        """A client with connections of its own."""
        transport = Transport(self._verify(), self.socket)
        return httpx.Client(base_url=self.base, transport=transport, trust_env=False)

    def async_client(self) -> httpx.AsyncClient:
        """The same for asyncio, for one event loop."""
        transport = httpx.AsyncHTTPTransport(uds=self.socket) if self.socket is not None else None
        return httpx.AsyncClient(
            base_url=self.base, transport=transport, verify=self._verify(), trust_env=False
        )

    def _verify(self) -> ssl.SSLContext:
        return self._ssl if self._ssl is not None else ssl.create_default_context()

    def headers(self) -> dict[str, str]:
        """The headers of a request."""
        # Without an encoding, no answer is larger than the bytes that are counted.
        said = {
            "content-type": "application/json",
            "accept-encoding": "identity",
            "user-agent": "queue-python/0.1.0",
        }
        token = self._current_token()
        return said if token is None else {**said, "authorization": f"Bearer {token}"}

    def time_limit(self, call: Call) -> float:
        """Seconds for a whole attempt: what the service may take on purpose comes on top."""
        return max(0.1, min(self.timeout, call.patience)) + call.wait

    def _current_token(self) -> str | None:
        if self._file is None:
            return self._token
        try:
            status = os.stat(self._file)
            stamp = (status.st_mtime_ns, status.st_ino)
            if stamp != self._stamp:
                with open(self._file, encoding="ascii") as file:
                    self._token = _checked(file.read(_TOKEN_BYTES_MAX))
                self._stamp = stamp
        except (OSError, UnicodeDecodeError) as error:
            if self._token is None:
                raise InvalidRequest(f"the token file cannot be read: {type(error).__name__}") from None
        except InvalidRequest:
            # A file that is just being written leaves the token as it was.
            if self._token is None:
                raise
        return self._token


def _is_loopback(url: str) -> bool:
    """Whether what is sent to this address stays on this machine. A name that only looks so does not."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _checked(token: str) -> str:
    """The token without the line end of its file. An error does not show it."""
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidRequest("a token is one word of ASCII characters")
    return token


class Attempts:
    """Decides after each error whether, and when, the same request is sent again.

    An answer may ask for a longer wait than the one that is due, never for a shorter one.

    Every request of the protocol may be sent again, so certainty only tells what to say at the end:
    once an attempt may have been carried out, the error says `unknown`. A stubborn caller also sends
    again what met a bug of the service.

    The time for which an attempt asks the service to wait does not count, so an answer that is lost
    at the end of it is asked for again; `latest` bounds all of them.
    """

    def __init__(
        self,
        last: float,
        *,
        waits: float = 0.0,
        latest: float = math.inf,
        stubborn: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._stubborn = stubborn
        self._waits = waits
        self._sent = clock()
        self._end = self._sent + last
        self._latest = self._sent + latest
        self._delay = _FIRST_DELAY
        self.was_resent = False

    def delay_after(self, error: QueueError) -> float:
        """Seconds to wait. Raises the error if it is final, or if time is up."""
        self.was_resent |= error.certainty == "unknown"
        delay = self._delay * random.uniform(0.5, 1.0)
        self._delay = min(2 * self._delay, _LONGEST_DELAY)
        if error.retry_after is not None:
            asked = min(error.retry_after, _ASKED_MAX)
            delay = max(delay, asked * random.uniform(1.0, 1.25))
        now = self._clock()
        self._end += min(now - self._sent, self._waits)
        left = min(self._end, self._latest) - now
        if self._stubborn and left > 0:
            delay = min(delay, left)  # One try more at the end is better than to give up now.
        is_temporary = error.is_temporary or self._stubborn and error.kind in ("internal", "corrupt")
        if not is_temporary or delay > left:
            if self.was_resent:
                error.certainty = "unknown"
            raise error
        self._sent = now + delay
        return delay


def no_answer(error: httpx.HTTPError | httpx.InvalidURL) -> QueueError:
    """A request without an answer."""
    name = type(error).__name__
    if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol)):
        return InvalidRequest(f"the address of the service is not valid: {name}")
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)):
        return Unavailable(f"the service cannot be reached: {name}: {error}", certainty="not_applied")
    return Unavailable(f"the service did not answer: {name}", certainty="unknown")
