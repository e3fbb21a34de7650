"""The words of scenarios: jobs and answers of the client, and its calls about schedules and batches."""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import Any

from queue_jobs import (
    AsyncBatch, Batch, Changed, Completed, Data, Enqueued, FailureGroup, Job, JobPage, Json, Limit, PartitionPage,
    PauseState, QueueLimits,
)

_LENGTHS = ("delay", "expires_in", "time_limit", "max_wait", "keep_completed", "keep_failed")


def job_of(said: dict[str, Any]) -> Job:
    """A job as the client takes it from the fields of the protocol."""
    said = dict(said)
    if "payload_text" in said:
        said["payload"] = Json(said.pop("payload_text"))
    if "payload_base64" in said:
        content = said.pop("content_type", "application/octet-stream")
        said["payload"] = Data(base64.b64decode(said.pop("payload_base64")), content)
    for name in _LENGTHS:
        if f"{name}_ms" in said:
            said[name] = said.pop(f"{name}_ms") / 1000
    for name in ("keep_completed", "keep_failed"):
        if isinstance(said.get(name), int):
            said[name] /= 1000
    return Job(**said)


def shown(data: Data | None, name: str) -> dict[str, Any]:
    if data is None:
        return {}
    if not data.is_json:
        return {f"{name}_base64": base64.b64encode(data.bytes).decode(), "content_type": data.content_type}
    return {name: data.value, f"{name}_text": data.text}


def plain(result: Any) -> Any:
    """What a call returned, in the words of scenarios."""
    if isinstance(result, list):
        return [plain(one) for one in result]
    if isinstance(result, Enqueued):
        return {"id": result.id, "seq": result.seq, "outcome": result.outcome, "state": result.state,
                **shown(result.result, "result")}
    if isinstance(result, (Batch, AsyncBatch)):
        return {"batch": result.name, "seq": result.seq}
    if isinstance(result, JobPage):
        return {"jobs": result.jobs, "next": result.next}
    if isinstance(result, PartitionPage):
        return {"partitions": result.partitions, "next": result.next}
    if isinstance(result, QueueLimits):
        return asdict(result)
    if isinstance(result, PauseState):
        return {"paused": result.paused, "until_ms": result.until_ms}
    if isinstance(result, Changed):
        return {"id": result.id, "outcome": result.outcome, "state": result.state}
    if isinstance(result, FailureGroup):
        error = {"name": result.error.name, "message": result.error.message}
        return {"kind": result.kind, "error": error, "failed": result.failed, "failing": result.failing,
                "examples": result.examples}
    if isinstance(result, (dict, str)):
        return result
    said = {"outcome": type(result).__name__.lower()}
    said |= {name: getattr(result, name) for name in ("id", "seq", "reason", "state") if hasattr(result, name)}
    if isinstance(result, Completed):
        return {**said, **shown(result.data, "result")}
    if (error := getattr(result, "error", None)) is not None:
        said["error"] = {"name": error.name, "message": error.message, **shown(error.details, "details")}
    return said


def scheduled(schedules: Any, said: dict[str, Any]) -> Any:
    """A call about schedules; its answer in the words of scenarios."""
    more = {"after" if name == "from" else name: said.pop(name) for name in ("count", "from") if name in said}
    fields = dict(said.pop("schedule", {}))
    [(action, name)] = said.items()
    for length in ("every", "grace", "jitter", "spread"):
        if f"{length}_ms" in fields:
            fields[length] = fields.pop(f"{length}_ms") / 1000
    match action:
        case "put":
            return schedules.put(name, job_of(fields.pop("job", {})), **fields)
        case "list":
            return schedules.list()
        case "next":
            return schedules.next(name, **more)
        case "preview":
            return schedules.preview(**fields, **more)
    return getattr(schedules, action)(name)


def limited(client: Any, said: dict[str, Any]) -> Any:
    """A call about limits."""
    if "get" in said:
        return client.limits()

    def limit(shown: dict[str, Any] | None) -> Limit | None:
        return None if shown is None else Limit(**shown)

    fields = dict(said["set"])
    partitions = {key: limit(shown) for key, shown in fields.pop("partitions", {}).items()}
    return client.set_limits(**{name: limit(shown) for name, shown in fields.items()}, partitions=partitions)


def batched(client: Any, said: dict[str, Any]) -> Any:
    """A call about batches."""
    fields, jobs = dict(said.pop("batch", {})), [job_of(job) for job in said.pop("jobs", ())]
    [(action, name)] = said.items()
    for length in ("timeout", "keep"):
        if f"{length}_ms" in fields:
            fields[length] = fields.pop(f"{length}_ms") / 1000
    for moment, callback in fields.items():
        if isinstance(callback, dict):
            fields[moment] = (callback["kind"], callback.get("payload"))
    match action:
        case "open":
            return client.batch(name, **fields)
        case "add":
            return client.batches.named(name).add_all(jobs)
        case "list":
            return client.batches.list()
    return getattr(client.batches, action)(name)
