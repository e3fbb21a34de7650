"""What both faces of the client have."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from typing import Any

from . import _plans, _wire
from ._connection import Connection
from ._errors import InvalidRequest
from ._job import ClaimedJob
from ._origin import Origin
from ._tasks import AsyncTask, Task


class Base:
    """What both faces have: a connection and the name of a queue.

    Args:
        url: `http://host:port`, `https://host` or `unix:/path/of/socket`.
        name: the queue.
        token: the token; better in a file.
        token_file: a file with the token, read again when it changes.
        plaintext: sends the token over `http://` to another machine too, where everybody on the way
            can read it. Without it such an address raises `InvalidRequest`.
        timeout: seconds after which an attempt without an answer is given up.
        retry_for: seconds for which a call is sent again when the service does not answer or
            says that it cannot now.
        ssl_context: for authorities and client certificates of one's own.
        trace: called at every enqueue for headers of the jobs, such as `traceparent`. Jobs that a
            handler enqueues inherit `traceparent` and `tracestate` of its job without it.
    """

    def __init__(
        self,
        url: str,
        name: str = "default",
        *,
        token: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        plaintext: bool = False,
        timeout: float = 30.0,
        retry_for: float = 60.0,
        ssl_context: ssl.SSLContext | None = None,
        trace: _plans.Trace | None = None,
    ) -> None:
        _wire.queue_path(name)  # A name that no path can have is refused here.
        self.name = name
        self.connection = Connection(
            url,
            token=token,
            token_file=token_file,
            plaintext=plaintext,
            timeout=timeout,
            retry_for=retry_for,
            ssl_context=ssl_context,
        )
        self._trace = trace
        #: The handlers of its tasks by kind, which every worker of this object has.
        self._tasks: dict[str, Callable[[ClaimedJob], Any]] = {}
        self._origins: dict[str, Origin] = {}
        self._open()

    def _open(self) -> None:
        raise NotImplementedError

    def _register(self, task: Task[Any, Any] | AsyncTask[Any, Any]) -> None:
        """Two functions of one kind would run each other's jobs; a module that is loaded again is fine."""
        _wire.text_of(task.kind, "the kind of a task")
        other = self._origins.setdefault(task.kind, task._origin)
        if not task._origin.is_again(other):
            raise InvalidRequest(f"the kind {task.kind!r} has a task already: {other}; give one of them another kind")
        self._origins[task.kind] = task._origin
        self._tasks[task.kind] = task._handler()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
