"""What a worker tells its user, under the names that the other clients use too."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ._job import ClaimedJob

_log = logging.getLogger("queue_jobs")

EventName = Literal[
    "started", "ended", "settled", "not_settled", "job_failed", "unknown_kind", "lease_lost", "drain",
    "claim_failed", "extend_failed", "extend_refused", "settle_failed", "settle_refused",
    "result_refused", "handler_abandoned",
]  # fmt: skip

_LEVELS: Mapping[str, int] = {
    "settled": logging.DEBUG,
    **dict.fromkeys(("started", "ended", "drain", "claim_failed"), logging.INFO),
}


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
        words += [f"{name}={value}" for name, value in self.details.items()]
        if self.error is not None:
            words.append(f"error={str(self.error) or type(self.error).__name__!r}")
        return " ".join(words)


Observer = Callable[[WorkerEvent], None]


class Events:
    """Tells an observer, or the log."""

    def __init__(self, observer: Observer | None) -> None:
        self._observer = observer or log

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


def log(event: WorkerEvent) -> None:
    """What happens with events unless `on_event` takes them: a line each for `logging`."""
    _log.log(_LEVELS.get(event.name, logging.WARNING), "%s", event)
