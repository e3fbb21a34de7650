"""Carries out a scenario of `clients/spec/scenarios.json` with one of the two faces of the client."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import os
import threading
import time
from typing import Any
from urllib.parse import quote, unquote

from harness import Proxy, Server
from patterns import difference, filled
from queue_jobs import AsyncQueue, Queue, QueueError, Worker
from scenario_handlers import handlers_of
from scenario_words import batched, job_of, limited, plain, scheduled

_names = itertools.count()
SECONDS_MAX = 60.0


class Failure(AssertionError):
    """A scenario that did not go as it says."""


class Scenario:
    """One scenario, on its own queue, with its own proxy."""

    def __init__(self, said: dict[str, Any], server: Server, face: str) -> None:
        self.said, self.server, self.face = said, server, face
        self.queue = said.get("queue", "scenario-{n}").replace("{n}", str(next(_names)))
        self.known: dict[str, Any] = {"it": said.get("it")}
        #: What the handlers of a worker that runs now were given.
        self.saw: list[Any] | None = None
        self.proxy = Proxy(server)
        self.token_file = server.token_files[said.get("token", "all")]

    def run(self) -> None:
        kind = AsyncQueue if self.face == "async" else Queue
        self.loop = asyncio.new_event_loop()
        retry_for = self.said["retry_ms"] / 1000 if "retry_ms" in self.said else SECONDS_MAX
        self.client = kind(self.proxy.url, self.queue, token_file=self.token_file, retry_for=retry_for)
        try:
            self._steps(self.said["steps"])
        finally:
            self._ended(self.client.close())
            self.loop.close()
            self.proxy.close()

    def _ended(self, result: Any) -> Any:
        """What the call of either face returns."""
        return self.loop.run_until_complete(result) if inspect.isawaitable(result) else result

    def _steps(self, steps: list[dict[str, Any]]) -> None:
        for number, step in enumerate(steps):
            action = next(iter(step))
            try:
                said = step[action]
                if action not in ("work", "requests"):  # These have patterns and later steps in them.
                    said = filled(said, self.known)
                getattr(self, f"_do_{action}")(said, step)
            except Failure as failure:
                raise Failure(f"step {number} ({action}): {failure}") from None

    def _check(self, pattern: Any, actual: Any) -> None:
        if (found := difference(pattern, actual, self.known)) is not None:
            raise Failure(found)

    def _with_client(self, step: dict[str, Any], call: Any) -> None:
        try:
            result = plain(self._ended(call()))
            if "schedules" in step and isinstance(result, str):
                result = {"id" if "run" in step["schedules"] else "outcome": result}
            if "batches" in step and isinstance(result, str):
                result = {"outcome": result}
        except QueueError as error:
            if "problem" not in step:
                raise Failure(f"raised {error}") from error
            self._check(step["problem"], self._problem(error))
            return
        if "problem" in step:
            raise Failure(f"returned {result!r} and raised nothing")
        self._check(step.get("answer", {"$any": True}), result)

    @staticmethod
    def _problem(error: QueueError) -> dict[str, Any]:
        return {"kind": error.kind, "status": error.status, "certainty": error.certainty, "reason": error.reason}

    def _do_open(self, said: str, step: dict[str, Any]) -> None:
        def open_() -> dict[str, Any]:
            kind = AsyncQueue if self.face == "async" else Queue
            self._ended(kind(said, self.queue, token_file=self.token_file).close())
            return {}

        self._with_client(step, open_)

    def _do_enqueue(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.enqueue(job_of(said)))

    def _do_enqueue_many(self, said: Any, step: dict[str, Any]) -> None:
        jobs = [job_of(job) for job in said["jobs"]]
        self._with_client(step, lambda: self.client.enqueue_many(jobs, atomic=said.get("atomic", False)))

    def _do_enqueue_task(self, said: Any, step: dict[str, Any]) -> None:
        job = job_of(said)
        task = self.client.task(job.kind)(lambda **arguments: None)
        self._with_client(step, lambda: task.options(id=job.id, tags=job.tags).enqueue(**job.payload))

    def _do_wait(self, said: Any, step: dict[str, Any]) -> None:
        seconds = said.get("timeout_ms", SECONDS_MAX * 1000) / 1000
        self._with_client(step, lambda: self.client.wait(said["id"], seq=said.get("seq"), timeout=seconds))

    def _do_cancel(self, said: Any, step: dict[str, Any]) -> None:
        processing = said.get("processing", "leave")
        self._with_client(step, lambda: self.client.cancel_many(said["ids"], processing=processing))

    def _do_redrive(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.redrive_many(said["ids"]))

    def _do_pause(self, said: Any, step: dict[str, Any]) -> None:
        duration = said["for_ms"] / 1000 if "for_ms" in said else None
        self._with_client(step, lambda: self.client.pause(kind=said.get("kind"), duration=duration))

    def _do_resume(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.resume(**said))

    def _do_get(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.get(said["id"]))

    def _do_counts(self, _said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.counts())

    def _do_list(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.list(**said))

    def _do_failures(self, _said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.failures())

    def _do_limits(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: limited(self.client, dict(said)))

    def _do_partitions(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: self.client.partitions(**said))

    def _do_schedules(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: scheduled(self.client.schedules, dict(said)))

    def _do_batches(self, said: Any, step: dict[str, Any]) -> None:
        self._with_client(step, lambda: batched(self.client, dict(said)))

    def _called(self, said: str, step: dict[str, Any]) -> tuple[int, Any]:
        method, path = said.split(" ", 1)
        body: str | None = filled(step.get("body_text"), self.known)
        if "body" in step:
            body = json.dumps(filled(step["body"], self.known))
        token = step.get("token", self.said.get("token", "all"))
        headers = {"content-type": "application/json"}
        if token != "none":
            headers["authorization"] = "Bearer " + self.server.token_files[token].read_text().strip()
        headers |= step.get("headers", {})
        path = path.replace("{queue}", quote(self.queue, safe=""))
        status, text = self.server.call(method, path, None if body is None else body.encode(), headers)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode(errors="replace")

    def _do_call(self, said: str, step: dict[str, Any]) -> None:
        status, answer = self._called(said, step)
        if "status" in step and status != step["status"]:
            raise Failure(f"status {status}, not {step['status']}: {answer!r}")
        self._check(step.get("answer", {"$any": True}), answer)

    def _do_until(self, said: str, step: dict[str, Any]) -> None:
        end = time.monotonic() + SECONDS_MAX
        while True:
            try:
                self._do_call(said, step)
                return self._must_have_started(said, step)
            except Failure:
                if time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def _must_have_started(self, said: str, step: dict[str, Any]) -> None:
        """A job that is processing may be on its way to the worker; steps mean that its handler runs."""
        if self.saw is None or step.get("answer", {}).get("state") != "processing":
            return
        job = unquote(said.rsplit("/", 1)[1])
        if all(one["id"] != job for one in self.saw):
            raise Failure(f"the handler of {job} has not started")

    def _do_fault(self, said: Any, step: dict[str, Any]) -> None:
        with self.proxy.lock:
            if said["do"] == "none":
                self.proxy.faults = [one for one in self.proxy.faults if one["on"] != said["on"]]
            else:
                self.proxy.faults.append({"times": 1, **said})

    def _do_requests(self, said: Any, step: dict[str, Any]) -> None:
        with self.proxy.lock:
            bodies = [body for path, body in self.proxy.requests if path.endswith(said["on"])]
        pattern = step["requests"]["list"]
        self._check(pattern, bodies[: len(pattern)])

    def _do_server(self, said: str, step: dict[str, Any]) -> None:
        assert self.said.get("own_server"), "a scenario that kills its server has one to itself"
        self.server.kill() if said == "kill" else self.server.start()

    def _do_work(self, said: Any, step: dict[str, Any]) -> None:
        saw: list[Any] = []
        self.saw = saw
        raised: list[QueueError] = []
        face = Queue if self.face == "sync" else AsyncQueue
        worker_queue = face(self.proxy.url, self.queue, token_file=self.token_file)
        worker = Worker(
            worker_queue,
            handlers_of(filled(said.get("handlers", {}), self.known), saw, self.client, self.face),
            concurrency=said.get("concurrency", 2),
            lease=said.get("lease_ms", 30_000) / 1000,
            grace=said.get("grace_ms", 5_000) / 1000,
        )

        def run() -> None:
            try:
                worker.run()
            except QueueError as error:
                raised.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        end = said.get("end", "stop")
        try:
            self._steps(step["work"].get("then", []))
        finally:
            if end == "stop":
                worker.stop()
            thread.join(SECONDS_MAX)
            is_alive = thread.is_alive()
            worker.stop(), worker.stop()
            thread.join(SECONDS_MAX)
        self.saw = None
        if is_alive:
            raise Failure("the worker did not end")
        if isinstance(end, dict):
            self._check(end["problem"], self._problem(raised[0]) if raised else None)
        elif raised:
            raise Failure(f"the worker ended with {raised[0]}")
        if "saw" in said:
            self._check(step["work"]["saw"], saw)
