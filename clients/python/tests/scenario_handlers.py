"""Handlers of scenarios: blocking ones for the sync face, coroutines for the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from queue_jobs import ClaimedJob, Complete, Fail, Job, Snooze


def handlers_of(said: dict[str, Any], saw: list[Any], client: Any, face: str) -> dict[str, Any]:
    """A handler for each kind."""
    return {kind: _handler(script, saw, client, face) for kind, script in said.items()}


def _handler(script: Any, saw: list[Any], client: Any, face: str) -> Callable[[ClaimedJob], Any]:
    acts = script if isinstance(script, list) else [script]
    starts = 0

    def next_act(job: ClaimedJob) -> dict[str, Any]:
        nonlocal starts
        saw.append({**job.fields, "payload": job.payload, "payload_text": job.data.text if job.data.is_json else None,
                    "progress": job.progress.value if job.progress else None,
                    "last_error": job.last_error and {"name": job.last_error.name, "message": job.last_error.message}})
        starts += 1
        return dict(acts[min(starts, len(acts)) - 1])

    def blocking(job: ClaimedJob) -> Any:
        act = next_act(job)
        match act["do"]:
            case "hang":
                while True:
                    job.sleep(60)
            case "ignore":
                threading.Event().wait(60)
                return None
            case "finish_when_asked":
                job._stop.wait(60)
                return act["value"]
            case "enqueue":
                client.enqueue(Job(**act["job"]))
                return None
        return _plain(job, act)

    async def waiting(job: ClaimedJob) -> Any:
        act = next_act(job)
        match act["do"]:
            case "hang":
                await asyncio.sleep(60)
            case "ignore":
                await _stubborn()
                return None
            case "finish_when_asked":
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    return act["value"]
            case "enqueue":
                own = type(client)("http://x", client.name)
                own.connection = client.connection
                own._open()
                await own.enqueue(Job(**act["job"]))
                await own.close()
                return None
        return _plain(job, act)

    return blocking if face == "sync" else waiting


async def _stubborn() -> None:
    for _ in range(60):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            pass


def _plain(job: ClaimedJob, act: dict[str, Any]) -> Any:
    error = act.get("error") or {}
    fields = {"message": error.get("message", ""), "details": error.get("details")}
    match act["do"]:
        case "echo":
            return Complete(job.data)
        case "value":
            return job.payload
        case "headers":
            return dict(job.headers)
        case "return":
            return act["value"]
        case "terminal":
            raise Fail(error["name"], **fields, terminal=True)
        case "fail" if error or "delay_ms" in act:
            raise Fail(error.get("name", "Failed"), **fields, delay=act.get("delay_ms", 0) / 1000)
        case "fail":
            raise ValueError("an ordinary error")
        case "snooze":
            raise Snooze(act["delay_ms"] / 1000)
        case "progress":
            job.report(act["value"])
            return _plain(job, act["after"])
        case "add_member":
            job.batch.add(Job(**act["job"]))
            return _plain(job, act["after"])
    raise ValueError(f"unknown: {act}")
