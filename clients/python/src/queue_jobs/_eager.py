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

    def __init__(self, raises: bool) -> None:
        self.ran: list[ClaimedJob] = []
        self._raises = raises
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._seqs = itertools.count(1)

    def answer(self, call: Call, handlers: Mapping[str, Handler]) -> Answering:
        """Carries a call out; answers as the service would."""
        _, _, _, queue, *rest = call.path.split("/")
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
        raise Unsupported(f"eager mode has enqueue, wait and cancel alone, and not {call.method} {call.path}")

    def _enqueued(self, queue: str, said: dict[str, str], handlers: Mapping[str, Handler]) -> Answering:
        job_id = loads(said["id"]) if "id" in said else uuid4().hex
        if (kept := self._kept.get((queue, job_id))) is not None:
            known = {"id": dumps(job_id), "seq": str(kept.seq)}
            if kept.state == "completed":
                return _object({**known, **kept.outcome})
            return _object({**known, "outcome": '"duplicate"', "state": dumps(kept.state)})
        job = _claimed(queue, job_id, next(self._seqs), said)
        if (handler := handlers.get(job.kind)) is None:
            raise InvalidRequest(f"eager mode has no handler for the kind {job.kind!r}: give handlers")
        kept = self._kept[queue, job_id] = _Kept(job.seq, "processing", {})
        self.ran.append(job)
        ended = yield Work(handler, job)
        for follower in self._settle(kept, job, ended):
            yield from self._enqueued(queue, dict(members(follower)), handlers)
        return _object({"id": dumps(job_id), "seq": str(job.seq), "outcome": '"queued"'})

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


def _claimed(queue: str, job_id: str, seq: int, said: Mapping[str, str]) -> ClaimedJob:
    """The job as a worker would have it."""
    text = {name: said[name] for name in _CLAIMED if name in said}
    known = {"receipt": "eager", "queue": queue, "id": job_id, "seq": seq, "epoch": 1, "attempt": 1}
    return ClaimedJob(_object({**{name: dumps(value) for name, value in known.items()}, **text}))
