"""What calls take and answer. Lengths of time are in seconds, as `float` or `timedelta`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, TypedDict, Union

from ._json import loads

Seconds = Union[int, float, timedelta]
Keep = Union[Seconds, Literal["forever", "nothing"]]
Budget = Union[int, Literal["unlimited"]]
State = Literal["queued", "processing", "failing", "completed", "failed", "cancelled"]
#: How jobs stand in a listing: states, and by the time at which they are due.
Standing = Literal[State, "due", "scheduled", "parked", "gated", "lapsed"]


@dataclass(frozen=True, slots=True)
class Data:
    """Bytes with their content type: a payload, a result, progress or details of an error."""

    bytes: bytes
    content_type: str = "application/octet-stream"
    is_json: bool = False

    @property
    def text(self) -> str:
        """JSON as it was written, with all digits and spaces."""
        return self.bytes.decode()

    @property
    def value(self) -> Any:
        """The value if this is JSON, else the bytes.

        A number is an `int`, or a `float` if a double has exactly the digits that were written, and
        a `Decimal` otherwise.
        """
        return loads(self.text) if self.is_json else self.bytes


@dataclass(frozen=True, slots=True)
class Job:
    """A job to enqueue.

    Attributes:
        kind: selects the handler.
        payload: any JSON; `Json` for JSON text; `bytes` or `Data` for bytes.
        id: the id within the queue, and the key by which duplicates are found; drawn if None.
        headers: text by name for the handler; at most 16, 4 KiB together.
        tags: words by which listings find the job; at most 8 of 64 bytes.
        partition: the key of those with which it takes turns, such as a customer.
        priority: -32768 to 32767; lower is claimed first.
        delay: not claimed before; at most 100 years.
        expires_in: cancelled if it was not started by then.
        time_limit: how long the handler may run.
        max_attempts: failures at which it is Failed; 25 if None.
        max_stalls: lapsed leases at which it is Failed; 3 if None.
        keep_completed: how long its record is kept; an hour if None.
        keep_failed: the same for Failed and Cancelled; a week if None.
        on_failed: what a Failed record of the same id does.
        on_waiting: what a waiting job of the same id does.
        max_wait: with `on_waiting="replace"`, due at the latest this long after the first of them.
        on_failure: the kind of a job that is enqueued if this one becomes Failed.
        awaited: the producer will wait for the outcome.
    """

    kind: str = "default"
    payload: Any = None
    id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    tags: Sequence[str] = ()
    partition: str | None = None
    priority: int = 0
    delay: Seconds | None = None
    expires_in: Seconds | None = None
    time_limit: Seconds | None = None
    max_attempts: Budget | None = None
    max_stalls: Budget | None = None
    keep_completed: Keep | None = None
    keep_failed: Keep | None = None
    on_failed: Literal["block", "replace"] | None = None
    on_waiting: Literal["block", "replace"] | None = None
    max_wait: Seconds | None = None
    on_failure: str | None = None
    awaited: bool = False


class JobOptions(TypedDict, total=False):
    """The options of a job, as keywords of `enqueue`; `Job` says what each is."""

    id: str | None
    headers: Mapping[str, str]
    tags: Sequence[str]
    partition: str | None
    priority: int
    delay: Seconds | None
    expires_in: Seconds | None
    time_limit: Seconds | None
    max_attempts: Budget | None
    max_stalls: Budget | None
    keep_completed: Keep | None
    keep_failed: Keep | None
    on_failed: Literal["block", "replace"] | None
    on_waiting: Literal["block", "replace"] | None
    max_wait: Seconds | None
    on_failure: str | None
    awaited: bool


@dataclass(frozen=True, slots=True)
class Enqueued:
    """What became of a job that was enqueued.

    `outcome` is `queued` (stored), `duplicate` (the id is taken by a job in `state`, nothing was
    changed) or `completed` (the id is taken by a Completed job with this `result`, None if the
    answer had no room for it). A job whose id the client drew is never a duplicate. With an id of
    one's own, `was_resent` says that an answer was lost: the duplicate may be this very job.
    """

    id: str
    seq: int
    outcome: Literal["queued", "duplicate", "completed"]
    state: State | None = None
    result: Data | None = None
    was_resent: bool = False


@dataclass(frozen=True, slots=True)
class JobError:
    """How an attempt failed."""

    name: str
    message: str
    details: Data | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """The handler returned."""

    id: str
    seq: int
    data: Data

    @property
    def result(self) -> Any:
        """The result; a `Decimal` stands where a `float` would lose digits."""
        return self.data.value


@dataclass(frozen=True, slots=True)
class Failed:
    """No further attempt will be made.

    `reason` is `exhausted`, `terminal`, `stalled`, `unknown_kind` or `undecodable`.
    """

    id: str
    seq: int
    reason: str
    error: JobError | None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The job was cancelled; `reason` is `expired` if it could not start in time."""

    id: str
    seq: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer job has the id."""

    id: str


@dataclass(frozen=True, slots=True)
class Expired:
    """The job is gone: its record was not kept long enough."""

    id: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """There is no job of this id."""

    id: str


@dataclass(frozen=True, slots=True)
class Pending:
    """Not over by the end of the wait."""

    id: str
    seq: int
    state: State | None


Outcome = Union[Completed, Failed, Cancelled, Superseded, Expired, Unknown, Pending]


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Jobs of one kind that failed with one error.

    Messages count as equal if they differ only in numbers, hexadecimals, UUIDs and quoted text. The
    times are those of the store, in milliseconds; `examples` has the ids of the newest, at most three.
    """

    queue: str
    kind: str
    error: JobError
    failed: int
    failing: int
    first_at_ms: int
    last_at_ms: int
    examples: list[str]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change did to a job.

    `outcome` is `done`, `requested` (it runs, and its worker is told), `unchanged` (its `state` does
    not allow the change, or is already as asked), `missing` or `conflict`.
    """

    id: str
    outcome: Literal["done", "requested", "unchanged", "missing", "conflict"]
    state: State | None = None


@dataclass(frozen=True, slots=True)
class JobPage:
    """Jobs as the service shows them, and where the next page begins: None if this is the last."""

    jobs: Sequence[dict[str, Any]]
    next: str | None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.jobs)

    def __len__(self) -> int:
        return len(self.jobs)


@dataclass(frozen=True, slots=True)
class PauseState:
    """Whether a queue, or a kind of it, is paused now, and until when by the clock of the store.

    `until_ms` is None in a pause that lasts until it is resumed.
    """

    paused: bool
    until_ms: int | None
