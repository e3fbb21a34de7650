"""What a worker tells its user, under the names that the other clients use too."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ._failures import frames, named
from ._job import ClaimedJob, Fail

_log = logging.getLogger("queue_jobs")

EventName = Literal[
    "started", "ended", "settled", "not_settled", "job_failed", "unknown_kind", "lease_lost", "drain",
    "claim_failed", "reached", "extend_failed", "extend_refused", "settle_failed", "settle_refused",
    "result_refused", "handler_abandoned",
]  # fmt: skip

_LEVELS: Mapping[str, int] = {
    "settled": logging.DEBUG,
    **dict.fromkeys(("started", "ended", "drain"), logging.INFO),
}
#: Seconds between two warnings that a service cannot be reached.
_WARN_EVERY = 60.0


@dataclass(frozen=True)
class WorkerEvent:
    """Something that happened to a worker; never with a payload, a receipt or a token.

    Attributes:
        name: what happened.
        job: the job that it is about, or None.
        error: what went wrong, or None.
        details: the rest by name, such as the `outcome` of `not_settled`.
    """

    name: EventName
    job: ClaimedJob | None = None
    error: BaseException | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        words: list[str] = [self.name]
        if self.job is not None:
            words.append(f"job={self.job!r}")
        words += [self._after()] if self.name == "job_failed" else []
        words += [f"{name}={value}" for name, value in self.details.items() if value is not None]
        if self.error is not None:
            words.append(f"error={named(self.error)}")
        return " ".join(word for word in words if word)

    def _after(self) -> str:
        """What happens after a failed attempt, if the service has said so."""
        if self.details.get("state") == "failed":
            return "failed for good"
        again = self.details.get("again_in")
        return "" if again is None else f"runs again in {again:.1f} s"


Observer = Callable[[WorkerEvent], None]


class Events:
    """Tells an observer, or the log."""

    def __init__(self, observer: Observer | None) -> None:
        self._observer = observer or Log()

    def __call__(
        self,
        name: EventName,
        job: ClaimedJob | None = None,
        error: BaseException | None = None,
        **details: Any,
    ) -> None:
        try:
            self._observer(WorkerEvent(name, job, error, details))
        except Exception:
            # An observer's bug must not cost a job.
            _log.exception("the observer of a worker failed")


class Log:
    """What happens with events unless `on_event` takes them: a line each for `logging`.

    A service that cannot be reached is a warning at first and once a minute, and so is its return, so
    that a program without settings of `logging` says why no job runs.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._warned_at: float | None = None

    def __call__(self, event: WorkerEvent) -> None:
        """Logs an event; that of a handler which raised has its traceback."""
        error, trace = event.error, None
        if event.name == "job_failed" and error is not None and not isinstance(error, Fail):
            trace = (type(error), error, frames(error))
        _log.log(self._level(event), "%s", event, exc_info=trace)

    def _level(self, event: WorkerEvent) -> int:
        if event.name == "reached":
            self._warned_at = None
        if event.name != "claim_failed":
            return _LEVELS.get(event.name, logging.WARNING)
        now = self._clock()
        if self._warned_at is not None and now - self._warned_at < _WARN_EVERY:
            return logging.DEBUG
        self._warned_at = now
        return logging.WARNING
