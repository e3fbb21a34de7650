"""Functions that are called here, or enqueued and called by a worker."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from ._errors import InvalidRequest
from ._job import ClaimedJob
from ._model import Enqueued, Job, JobOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._async_queue import AsyncQueue
    from ._queue import Queue

P = ParamSpec("P")
R = TypeVar("R")

#: Parameters that a payload cannot name.
_NAMELESS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)


class _Task(Generic[P, R]):
    """A function with a kind. Called, it runs here and now.

    The payload of its jobs is an object of the arguments by name, so that a program in any language
    enqueues them: `send("ada", subject="Hi")` is `{"to": "ada", "subject": "Hi"}`.

    Attributes:
        kind: the kind of its jobs.
    """

    def __init__(self, function: Callable[P, R], kind: str | None, options: JobOptions) -> None:
        functools.update_wrapper(self, function)
        self.kind = kind or function.__name__
        self._origin = f"{function.__module__}.{function.__qualname__}"
        self._function = function
        self._signature = inspect.signature(function)
        self._options = options
        for parameter in self._signature.parameters.values():
            if parameter.kind in _NAMELESS:
                raise InvalidRequest(f"{self.kind}: the argument {parameter} has no name that a payload can have")

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__.lstrip('_')}({self.kind!r})"

    def job(self, *args: P.args, **kwargs: P.kwargs) -> Job:
        """The job of a call, for `enqueue_many`, `then`, schedules and batches.

        Raises `TypeError` for arguments that the function does not take.
        """
        return Job(self.kind, self._payload(*args, **kwargs), **self._options)

    def _payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        arguments = self._signature.bind(*args, **kwargs).arguments
        for parameter in self._signature.parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                arguments |= arguments.pop(parameter.name, {})
        return arguments

    def _handler(self) -> Callable[[ClaimedJob], Any]:
        """What a worker runs: the function, with the arguments of the payload."""
        function: Callable[..., Any] = self._function
        if inspect.iscoroutinefunction(function):

            async def waiting(job: ClaimedJob) -> Any:
                return await function(**_arguments(job))

            return waiting
        return lambda job: function(**_arguments(job))


class Task(_Task[P, R]):
    """A task of a `Queue`; `Queue.task` makes it."""

    def __init__(self, queue: Queue, function: Callable[P, R], kind: str | None, options: JobOptions) -> None:
        super().__init__(function, kind, options)
        self._queue = queue

    def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> Enqueued:
        """Stores a job that calls the function with these arguments."""
        return self._queue.enqueue(self.job(*args, **kwargs))

    def options(self, **options: Unpack[JobOptions]) -> Task[P, R]:
        """The same task with other options: `send.options(id="welcome-42", delay=60).enqueue("ada")`."""
        return Task(self._queue, self._function, self.kind, {**self._options, **options})


class AsyncTask(_Task[P, R]):
    """A task of an `AsyncQueue`; see `Task`."""

    def __init__(
        self, queue: AsyncQueue, function: Callable[P, R], kind: str | None, options: JobOptions
    ) -> None:
        super().__init__(function, kind, options)
        self._queue = queue

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> Enqueued:
        """Stores a job that calls the function with these arguments."""
        return await self._queue.enqueue(self.job(*args, **kwargs))

    def options(self, **options: Unpack[JobOptions]) -> AsyncTask[P, R]:
        """The same task with other options; see `Task.options`."""
        return AsyncTask(self._queue, self._function, self.kind, {**self._options, **options})


def _arguments(job: ClaimedJob) -> Mapping[str, Any]:
    payload = job.payload
    if payload is None:
        return {}
    if not isinstance(payload, dict):
        raise TypeError(f"the payload of {job.kind} is no object of arguments by name")
    return payload
