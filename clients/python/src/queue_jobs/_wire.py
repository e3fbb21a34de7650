"""Requests and answers as text: pure functions, no input or output."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, get_args
from urllib.parse import quote
from uuid import uuid4

from ._checks import keep, millis, option, text, texts
from ._errors import InvalidRequest
from ._json import Json, Refused, dumps, loads, members
from ._model import (
    Cancelled,
    Changed,
    Completed,
    Data,
    Enqueued,
    Expired,
    Failed,
    FailureGroup,
    Job,
    JobError,
    Outcome,
    Pending,
    Superseded,
    Unknown,
)

T = TypeVar("T")

#: Less than the service takes, so that a call has room for what stands around its items.
BODY_BYTES_MAX = 7 << 20
ITEMS_MAX = 1000
JSON = "application/json"


def segment(name: str, what: str) -> str:
    """A name as one segment of a path; `what` names it in an error, such as `the id of the job`."""
    if text(name, what) in ("", ".", ".."):
        raise InvalidRequest(f"{what} is {name!r}, which no path can have")
    try:
        return quote(name, safe="")
    except UnicodeEncodeError:
        raise InvalidRequest(f"{what} is not Unicode") from None


def queue_path(queue: str) -> str:
    """The path of a queue."""
    return f"/v1/queues/{segment(queue, 'the name of the queue')}"


def job_path(queue: str, job_id: str) -> str:
    """The path of a job."""
    return f"{queue_path(queue)}/jobs/{segment(job_id, 'the id of the job')}"


def text_of(value: object, what: str) -> str:
    """A value as JSON. What cannot be written is an invalid request."""
    try:
        return dumps(value)
    except Refused as error:
        raise InvalidRequest(f"{what}{error}") from None
    except RecursionError:
        raise InvalidRequest(f"{what}: it is nested too deeply or holds itself") from None
    except (TypeError, ValueError) as error:
        raise InvalidRequest(f"{what}: {error}") from error


def data_members(name: str, value: object, content_type: bool = True) -> dict[str, Any]:
    """The members that say bytes: `name` if they are JSON, else `name_base64`."""
    if isinstance(value, Data) and value.is_json:
        return {name: _json_of(value, name)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        value = Data(bytes(value))
    if isinstance(value, Data):
        said = {f"{name}_base64": base64.b64encode(value.bytes).decode()}
        return {**said, "content_type": value.content_type} if content_type else said
    return {name: Json._of(text_of(value, name))}


def _json_of(data: Data, name: str) -> Json:
    try:
        return Json(data.text)
    except UnicodeDecodeError:
        raise InvalidRequest(f"{name}: bytes that are not JSON") from None


#: The options of a job and their defaults, which are not sent.
_OPTIONS = {
    one.name: one.default for one in fields(Job) if one.name not in ("kind", "payload", "id", "headers")
}
_LENGTHS = frozenset(("delay", "expires_in", "time_limit", "max_wait"))
_KEPT = frozenset(("keep_completed", "keep_failed"))


def _option(name: str, value: Any) -> dict[str, Any]:
    """An option as the protocol has it: lengths of time in milliseconds, the others as they are."""
    if name in _LENGTHS:
        return {f"{name}_ms": millis(value, name)}
    if name in _KEPT:
        return {name: keep(value, name)}
    option(name, value)
    return {name: texts(value, name) if name == "tags" else value}


def job_text(job: Job, job_id: str | None, inherited: Mapping[str, str]) -> str:
    """A job of an enqueue. `inherited` are headers that its own ones replace."""
    said: dict[str, Any] = {"kind": text(job.kind, "kind")}
    if job_id is not None:
        said["id"] = text(job_id, "id")
    if job.payload is not None:
        said |= data_members("payload", job.payload)
    if headers := {**inherited, **job.headers}:
        said["headers"] = headers
    for name, default in _OPTIONS.items():
        if (value := getattr(job, name)) != default:
            said |= _option(name, value)
    return text_of(said, "job")


def job_texts(jobs: Iterable[Job], inherited: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """The jobs as text, each with an id, and whether that id was drawn here."""
    for job in jobs:
        yield job_text(job, uuid4().hex if job.id is None else job.id, inherited), job.id is None


def parts(items: Iterable[T], text_of_item: Callable[[T], str]) -> Iterator[list[T]]:
    """Items that go into one call: as many as count and bytes allow."""
    part: list[T] = []
    room = BODY_BYTES_MAX
    for item in items:
        size = len(text_of_item(item).encode()) + 1
        if part and (size > room or len(part) == ITEMS_MAX):
            yield part
            part, room = [], BODY_BYTES_MAX
        part.append(item)
        room -= size
    if part:
        yield part


def chunks(texts: Sequence[str]) -> list[list[int]]:
    """The places of texts that go into one call."""
    found = parts(enumerate(texts), lambda item: item[1])
    return [[place for place, _ in part] for part in found]


def list_body(name: str, texts: Sequence[str], tail: str = "") -> bytes:
    """A body whose only list is `name`."""
    return f'{{"{name}":[{",".join(texts)}]{tail}}}'.encode()


def answer(text: str) -> dict[str, Any]:
    """The members of an answer: text for those that hold data, values for others."""
    return {name: value if name in _RAW else loads(value) for name, value in members(text)}


#: Members of answers that are lists of what was asked for.
LISTS = ("jobs", "items", "groups")
_RAW = frozenset(("jobs", "items", "groups", "result", "payload", "progress", "error", "details", "last_error"))


def shown_data(said: Mapping[str, Any], name: str) -> Data | None:
    """The bytes that `name` or `name_base64` say, if either is there."""
    if (text := said.get(name)) is not None:
        return Data(text.encode(), said.get("content_type") or JSON, is_json=True)
    if (encoded := said.get(f"{name}_base64")) is not None:
        return Data(base64.b64decode(encoded), said.get("content_type") or Data(b"").content_type)
    return None


def error_of(text: str | None) -> JobError | None:
    """The error of a job."""
    if text is None or text == "null":
        return None
    said = answer(text)
    return JobError(said.get("name", ""), said.get("message", ""), shown_data(said, "details"))


def enqueued(texts: Sequence[str], drawn: Sequence[bool], was_resent: bool) -> list[Enqueued]:
    """The answer to an enqueue."""
    found = []
    for item, is_drawn in zip(texts, drawn, strict=True):
        said = answer(item)
        outcome = said["outcome"]
        if is_drawn and was_resent:
            outcome = "queued"
        state = said.get("state") if outcome == "duplicate" else None
        result = shown_data(said, "result") if outcome == "completed" else None
        found.append(Enqueued(said["id"], said["seq"], outcome, state, result, was_resent))
    return found


def outcome(said: Mapping[str, Any]) -> Outcome:
    """The answer to a wait."""
    job, seq = said["id"], said.get("seq") or 0
    match said["outcome"]:
        case "completed":
            return Completed(job, seq, shown_data(said, "result") or Data(b"null", JSON, is_json=True))
        case "failed":
            return Failed(job, seq, said.get("reason") or "", error_of(said.get("error")))
        case "cancelled":
            return Cancelled(job, seq, said.get("reason"))
        case "superseded":
            return Superseded(job)
        case "expired":
            return Expired(job)
        case "unknown":
            return Unknown(job)
        case _:
            return Pending(job, seq, said.get("state"))


def changed(texts: Sequence[str]) -> list[Changed]:
    """The answer to a change of jobs."""
    said = (loads(item) for item in texts)
    return [Changed(item["id"], item["outcome"], item.get("state")) for item in said]


def failures(texts: Sequence[str]) -> list[FailureGroup]:
    """What fails, in groups."""
    groups = []
    for item in map(loads, texts):
        error = JobError(item["error"]["name"], item["error"]["message"])
        names = ("failed", "failing", "first_at_ms", "last_at_ms", "examples")
        groups.append(FailureGroup(item["queue"], item["kind"], error, *(item[name] for name in names)))
    return groups


#: Outcomes of a wait, as names.
OUTCOMES = {type_: type_.__name__.lower() for type_ in get_args(Outcome)}
