"""What stands in for the service in tests: runs each job as it is enqueued, and keeps its outcome."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import unquote
from uuid import uuid4

from ._connection import Call
from ._errors import InvalidRequest, Unsupported
from ._failures import failure_of
from ._handlers import Handler
from ._job import ClaimedJob, Fail, Snooze, complete_event, fail_event
from ._json import dumps, items, loads, members
from ._model import State

#: Members of an enqueue that a claimed job has too.
_CLAIMED = ("kind", "payload", "payload_base64", "content_type", "headers", "tags", "partition", "priority", "time_limit_ms")
#: Attempts of a job that does not say how many, and the most that are made.
_ATTEMPTS, _ATTEMPTS_MAX = 25, 100
#: Members of a settle that a wait answers.
_RESULT = ("result", "result_base64", "content_type")


class Work(NamedTuple):
    """A handler to be run with a job."""

    handler: Handler
    job: ClaimedJob


class Ended(NamedTuple):
    """What a handler returned or raised."""

    result: Any = None
    error: Exception | None = None


@dataclass
class _Kept:
    """A job that ran; `outcome` are the members that a wait answers, as text."""

    seq: int
    state: State
    outcome: dict[str, str]


#: Yields what is to be run, is sent how it ended, and returns an answer.
Answering = Generator[Work, Ended, str]


class EagerStore:
    """The jobs of all queues of a test."""

    def __init__(self, raises: bool, retries: bool) -> None:
        self.ran: list[ClaimedJob] = []
        self._raises, self._retries = raises, retries
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._seqs = itertools.count(1)

    def answer(self, call: Call, handlers: Mapping[str, Handler]) -> Answering:
        """Carries a call out; answers as the service would."""
        queue, *rest = call.path.split("/")[3:] or [""]
        queue, body = unquote(queue), call.body.decode()
        match (call.method, rest):
            case ("POST", ["jobs"]):
                jobs = list(items(dict(members(body))["jobs"]))
                answers = []
                for job in jobs:
                    answers.append((yield from self._enqueued(queue, dict(members(job)), handlers)))
                return _object({"jobs": f"[{','.join(answers)}]"})
            case ("POST", ["jobs:wait"]):
                return self._waited(queue, loads(body)["id"])
            case ("POST", ["jobs:cancel"]):
                found = [self._cancelled(queue, job_id) for job_id in loads(body)["ids"]]
                return _object({"items": f"[{','.join(found)}]"})
        raise Unsupported(f"eager mode has no `{_name_of(call)}`: it has enqueue, result, wait and cancel")

    def _enqueued(self, queue: str, said: dict[str, str], handlers: Mapping[str, Handler]) -> Answering:
        job_id = loads(said["id"]) if "id" in said else uuid4().hex
        if (kept := self._kept.get((queue, job_id))) is not None:
            known = {"id": dumps(job_id), "seq": str(kept.seq)}
            if kept.state == "completed":
                return _object({**known, **kept.outcome})
            return _object({**known, "outcome": '"duplicate"', "state": dumps(kept.state)})
        seq, kind = next(self._seqs), loads(said["kind"])
        if (handler := handlers.get(kind)) is None:
            raise InvalidRequest(f"eager mode has no handler for the kind {kind!r}: give handlers")
        kept = self._kept[queue, job_id] = _Kept(seq, "processing", {})
        last_error: str | None = None
        for attempt in range(1, self._attempts(said) + 1):
            job = _claimed(queue, job_id, seq, said, attempt, last_error)
            self.ran.append(job)
            ended = yield Work(handler, job)
            if (last_error := _retried(ended.error)) is None:
                break
        for follower in self._settle(kept, job, ended):
            yield from self._enqueued(queue, dict(members(follower)), handlers)
        return _object({"id": dumps(job_id), "seq": str(job.seq), "outcome": '"queued"'})

    def _attempts(self, said: Mapping[str, str]) -> int:
        """How often the handler of a job may run."""
        if not self._retries:
            return 1
        most = loads(said.get("max_attempts", str(_ATTEMPTS)))
        return min(most, _ATTEMPTS_MAX) if isinstance(most, int) else _ATTEMPTS_MAX

    def _settle(self, kept: _Kept, job: ClaimedJob, ended: Ended) -> list[str]:
        """Keeps the outcome; answers the jobs that follow. Raises what the handler raised, if asked to."""
        error = ended.error
        if isinstance(error, Snooze):
            kept.state = "queued"
            return []
        if error is not None:
            kept.state = "failed"
            fail = error if isinstance(error, Fail) else failure_of(error)
            said = _event(fail_event(fail))
            reason = '"terminal"' if fail.terminal else '"exhausted"'
            kept.outcome = {"outcome": '"failed"', "reason": reason, "error": said["error"]}
            if self._raises:
                raise error
        else:
            kept.state = "failed"  # Unless the result can be stored.
            said = _event(complete_event(ended.result, job.batch))
            kept.state = "completed"
            kept.outcome = {"outcome": '"completed"', **{name: said[name] for name in _RESULT if name in said}}
        return list(items(said.get("then", "[]")))

    def _waited(self, queue: str, job_id: str) -> str:
        kept = self._kept.get((queue, job_id))
        if kept is None:
            return _object({"id": dumps(job_id), "outcome": '"unknown"'})
        pending = {"outcome": '"pending"', "state": dumps(kept.state)}
        return _object({"id": dumps(job_id), "seq": str(kept.seq), **(kept.outcome or pending)})

    def _cancelled(self, queue: str, job_id: str) -> str:
        """Only a job that snoozed still waits."""
        kept = self._kept.get((queue, job_id))
        if kept is None:
            return _object({"id": dumps(job_id), "outcome": '"missing"'})
        if kept.state == "queued":
            kept.state, kept.outcome = "cancelled", {"outcome": '"cancelled"'}
        outcome = '"done"' if kept.state == "cancelled" else '"unchanged"'
        return _object({"id": dumps(job_id), "outcome": outcome, "state": dumps(kept.state)})


def _object(said: Mapping[str, str]) -> str:
    return "{" + ",".join(f'"{name}":{text}' for name, text in said.items()) + "}"


def _event(text: str) -> dict[str, str]:
    """The members of the only event of a settle."""
    [(_, said)] = members("{" + text + "}")
    return dict(members(said))


def _name_of(call: Call) -> str:
    """What a program called, by the path of the request."""
    first, *rest = call.path.partition("?")[0].split("/")[2:]
    match rest[1:] if first == "queues" else [first]:
        case []:
            return "counts"
        case ["jobs"]:
            return "list"
        case ["jobs", _]:
            return "get"
        case [word, *_]:
            return word.removeprefix("jobs:").partition(":")[0]
    return call.path


def _retried(error: Exception | None) -> str | None:
    """The error of an attempt after which another one is made, as the next attempt sees it."""
    if error is None or isinstance(error, Snooze):
        return None
    fail = error if isinstance(error, Fail) else failure_of(error)
    return None if fail.terminal else dumps({"name": fail.name, "message": fail.message})


def _claimed(
    queue: str, job_id: str, seq: int, said: Mapping[str, str], attempt: int, last_error: str | None
) -> ClaimedJob:
    """The job as a worker would have it."""
    text = {name: said[name] for name in _CLAIMED if name in said}
    if last_error is not None:
        text["last_error"] = last_error
    known = {"receipt": "eager", "queue": queue, "id": job_id, "seq": seq, "epoch": attempt, "attempt": attempt}
    return ClaimedJob(_object({**{name: dumps(value) for name, value in known.items()}, **text}))
