"""Functions that are called here, or enqueued and called by a worker."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from ._checks import known_options
from ._errors import InvalidRequest
from ._job import ClaimedJob, Fail
from ._model import Enqueued, Job, JobOptions
from ._origin import Origin

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._async_queue import AsyncQueue
    from ._queue import Queue

P = ParamSpec("P")
R = TypeVar("R")

#: The ids of callbacks of batches, which the service gives to no other jobs.
_CALLBACK = re.compile(r"batch:[^@/]+@\d+/(?:end|success|failure|first-failure)")
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
        known_options(options)
        self.kind = kind or function.__name__
        self._origin = Origin.of(function)
        self._function = function
        self._signature = inspect.signature(function)
        first = next(iter(self._signature.parameters), "")
        if first in ("self", "cls") and self._origin.is_in_class:
            raise InvalidRequest(f"{self.kind}: a method cannot be a task, as a worker has no {first!r} for it")
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
                return await function(**self._arguments(job))

            return waiting
        return lambda job: function(**self._arguments(job))

    def _arguments(self, job: ClaimedJob) -> Mapping[str, Any]:
        """The arguments of a call. Those that do not fit would not fit at the next attempt either."""
        payload = {} if job.payload is None else job.payload
        if not isinstance(payload, dict):
            wrong = f"the payload is an object of arguments by name, not of the type {type(payload).__name__}"
            raise Fail("ArgumentMismatch", f"{self.kind}: {wrong}", terminal=True)
        if _CALLBACK.fullmatch(job.id):
            payload = self._of_batch(payload)
        try:
            self._signature.bind(**payload)
        except TypeError as error:
            raise Fail("ArgumentMismatch", f"{self.kind}: {error}", terminal=True) from None
        return payload

    def _of_batch(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """What a callback of a batch takes of its counts, and of the arguments that it was given."""
        own = payload.get("payload")
        offered = {**payload, **(own if isinstance(own, dict) else {})}
        parameters = self._signature.parameters
        if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
            return offered
        return {name: value for name, value in offered.items() if name in parameters}


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


def job_for(queue: str, given: Job | Task[..., Any] | AsyncTask[..., Any] | str) -> Job:
    """The job of a schedule or a callback of this queue; that of a task or of a kind has no payload."""
    match given:
        case Job():
            return given
        case str():
            return Job(given)
        case Task() | AsyncTask():
            if given._queue.name != queue:
                raise InvalidRequest(f"{given!r} is of the queue {given._queue.name!r}, not of {queue!r}")
            return Job(given.kind, **given._options)
    raise InvalidRequest(f"a Job, a task or a kind, not {given!r}")
