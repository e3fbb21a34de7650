"""What a call raises."""

from __future__ import annotations

from typing import Literal

Certainty = Literal["not_applied", "unknown"]


class QueueError(Exception):
    """A call was not carried out, or nobody knows whether it was.

    Attributes:
        kind: what to do, by the table of the protocol: `invalid`, `unauthorized`, `forbidden`,
            `not_found`, `conflict`, `too_many`, `unsupported`, `unavailable`, `closed`,
            `corrupt` or `internal`.
        status: the HTTP status; 0 if there was no answer.
        certainty: `not_applied`: nothing happened. `unknown`: it may have happened.
        retry_after: seconds after which the same call may succeed, or None.
        reason: why, where programs act on more than the kind, such as `batch_sealed`; None otherwise.
        detail: text for people.
    """

    kind = "internal"

    def __init__(
        self,
        detail: str,
        *,
        kind: str | None = None,
        status: int = 0,
        certainty: Certainty = "not_applied",
        retry_after: float | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.kind = kind or type(self).kind
        self.status = status
        self.certainty: Certainty = certainty
        self.retry_after = retry_after
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.detail} ({self.kind}, {self.certainty})"

    @property
    def is_temporary(self) -> bool:
        """Whether the same call may succeed later."""
        return self.kind in ("conflict", "too_many", "unavailable", "closed")


class InvalidRequest(QueueError):
    """The request is wrong, and will be as wrong when it is sent again."""

    kind = "invalid"


class Unauthorized(QueueError):
    """The token is missing, unknown or expired."""

    kind = "unauthorized"


class Forbidden(QueueError):
    """The token lacks the scope or the queue."""

    kind = "forbidden"


class NotFound(QueueError):
    """The job, operation, schedule or batch is not there."""

    kind = "not_found"


class Conflict(QueueError):
    """The record kept changing."""

    kind = "conflict"


class TooMany(QueueError):
    """The token has too many calls under way."""

    kind = "too_many"


class Unsupported(QueueError):
    """The store does not offer this."""

    kind = "unsupported"


class Unavailable(QueueError):
    """The service or its store did not answer, in spite of all attempts."""

    kind = "unavailable"


class ServiceFault(QueueError):
    """The service has a bug, or its store has damaged data."""

    kind = "internal"


_BY_KIND: dict[str, type[QueueError]] = {
    "invalid": InvalidRequest,
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "conflict": Conflict,
    "too_many": TooMany,
    "unsupported": Unsupported,
    "unavailable": Unavailable,
    "closed": Unavailable,
    "corrupt": ServiceFault,
    "internal": ServiceFault,
}


def from_problem(problem: object, status: int) -> QueueError | None:
    """The error that a problem document says; None if it is not one of the protocol."""
    if not isinstance(problem, dict):
        return None
    kind = problem.get("kind")
    if not isinstance(kind, str) or kind not in _BY_KIND:
        return None
    return _BY_KIND[kind](
        str(problem.get("detail") or f"the service answered {status}"),
        kind=kind,
        status=status,
        certainty="not_applied" if problem.get("certainty") == "not_applied" else "unknown",
        retry_after=_seconds(problem.get("retry_after_ms")),
        reason=problem.get("reason"),
    )


def of_item(problem: object) -> QueueError:
    """The error of one item that the service refused; nothing was changed then."""
    status = problem.get("status") if isinstance(problem, dict) else None
    error = from_problem(problem, status if isinstance(status, int) else 400)
    error = error or ServiceFault("the service refused an item and did not say why")
    error.certainty = "not_applied"
    return error


def _seconds(millis: object) -> float | None:
    if isinstance(millis, (int, float)) and not isinstance(millis, bool) and 0 <= millis < 1e9:
        return millis / 1000
    return None
