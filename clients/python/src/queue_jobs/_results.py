"""What `Queue.result` raises: the ends of a job that have no result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._model import Cancelled, Completed, Failed, JobError, Outcome, Pending


class NoResult(Exception):
    """A job has no result, or not yet.

    Attributes:
        id: the id of the job.
        outcome: what `Queue.wait` answers in its place.
    """

    def __init__(self, text: str, outcome: Outcome) -> None:
        super().__init__(text)
        self.id = outcome.id
        self.outcome = outcome


class JobFailed(NoResult):
    """No further attempt will be made.

    Attributes:
        reason: as in `Failed`.
        error: the error of the last attempt, or None.
        name, message: those of the error; empty if there is none.
        attempts, max_attempts: how many were made and allowed; None if the token may not view the job.
            `max_attempts` is None too if they are unlimited.
    """

    def __init__(self, outcome: Failed, shown: Mapping[str, Any]) -> None:
        self.reason, self.error = outcome.reason, outcome.error
        self.name = "" if outcome.error is None else outcome.error.name
        self.message = "" if outcome.error is None else outcome.error.message
        self.attempts: int | None = shown.get("attempts_made")
        most = shown.get("max_attempts")
        self.max_attempts: int | None = most if isinstance(most, int) else None
        super().__init__(self._text(), outcome)

    def _text(self) -> str:
        text = f"the job failed: {self.reason}" if self.error is None else _text_of(self.error)
        if self.attempts is None:
            return text
        most = "" if self.max_attempts is None else f" of {self.max_attempts}"
        return f"{text} (attempt {self.attempts}{most})"


class JobCancelled(NoResult):
    """The job was cancelled; `reason` is `expired` if it could not start in time."""

    def __init__(self, outcome: Cancelled) -> None:
        self.reason = outcome.reason
        why = "it could not start in time" if outcome.reason == "expired" else "by a call"
        super().__init__(f"the job {outcome.id!r} was cancelled: {why}", outcome)


class JobPending(NoResult, TimeoutError):
    """The job is not over by the end of the wait.

    Attributes:
        state: its state, or None.
        error: how its last attempt failed; None if none did, or if the token may not view the job.
    """

    def __init__(self, outcome: Pending, shown: Mapping[str, Any]) -> None:
        self.state = outcome.state
        said = shown.get("error")
        self.error = JobError(said["name"], said["message"]) if said else None
        text = f"the job {outcome.id!r} is not over: its state is {outcome.state or 'not known'}"
        super().__init__(text if self.error is None else f"{text}; last error: {_text_of(self.error)}", outcome)


class JobMissing(NoResult):
    """There is no job of this id, its record was not kept long enough, or a newer job has the id."""

    def __init__(self, outcome: Outcome) -> None:
        why = {"Superseded": "a newer job has the id", "Expired": "its record was not kept long enough"}
        text = why.get(type(outcome).__name__, "there is no job of this id")
        super().__init__(f"the job {outcome.id!r} has no result: {text}", outcome)


def result_of(outcome: Outcome, shown: Mapping[str, Any]) -> Any:
    """The result, or what is raised in its place. `shown` is the job as it is shown; empty if not known."""
    match outcome:
        case Completed():
            return outcome.result
        case Failed():
            raise JobFailed(outcome, shown)
        case Cancelled():
            raise JobCancelled(outcome)
        case Pending():
            raise JobPending(outcome, shown)
        case _:
            raise JobMissing(outcome)


def _text_of(error: JobError) -> str:
    return f"{error.name}: {error.message}" if error.message else error.name
