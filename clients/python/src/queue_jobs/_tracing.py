"""A span for each attempt, if the package `opentelemetry-api` is there; otherwise nothing.

The rules are those of the worker in Rust: the first attempt of a job without a delay that is claimed
within a minute is a child of the span that enqueued it, any other a root with a link to that span.
"""

from __future__ import annotations

import importlib
from contextvars import Context
from typing import Any

from ._job import ClaimedJob

#: Milliseconds from enqueue to claim for which an attempt belongs to the trace of its enqueue.
_CHILD_FOR = 60_000


def _api() -> tuple[Any, Any, Any] | None:
    try:
        return tuple(importlib.import_module(f"opentelemetry.{name}") for name in ("trace", "context", "propagate"))  # type: ignore[return-value]
    except ImportError:
        return None


_API = _api()


class AttemptSpan:
    """The span of one attempt. Nothing that goes wrong here is a job's matter."""

    def __init__(self, job: ClaimedJob, context: Context) -> None:
        """Begins the span, and makes it the current one in the context of the handler."""
        self._span: Any = None
        if _API is None:
            return
        trace, ambient, propagate = _API
        sender = propagate.extract(dict(job.headers), context=ambient.Context())
        remote = trace.get_current_span(sender).get_span_context()
        is_child = _is_prompt(job)
        links = [trace.Link(remote)] if remote.is_valid and not is_child else []
        self._span = trace.get_tracer("queue_jobs").start_span(
            f"process {job.queue}",
            context=sender if is_child else ambient.Context(),
            kind=trace.SpanKind.CONSUMER,
            links=links,
            attributes={
                "messaging.system": "queue",
                "messaging.operation.type": "process",
                "messaging.destination.name": job.queue,
                "messaging.message.id": job.id,
                "queue.job.kind": job.kind,
                "queue.job.attempt": job.attempt,
                "queue.job.seq": job.seq,
                "queue.job.epoch": job.epoch,
            },
        )
        context.run(lambda: ambient.attach(trace.set_span_in_context(self._span)))

    def headers(self, otherwise: dict[str, str]) -> dict[str, str]:
        """What jobs that the handler enqueues inherit: this span, or what the job had."""
        if _API is None or not self._span.get_span_context().is_valid:
            return otherwise
        trace, ambient, propagate = _API
        carrier: dict[str, str] = {}
        propagate.inject(carrier, context=trace.set_span_in_context(self._span, ambient.Context()))
        return {name: text for name, text in carrier.items() if name in ("traceparent", "tracestate")}

    def end(self, error: BaseException | None) -> None:
        """Ends the span; an exception of the handler is its status."""
        if _API is None:
            return
        if error is not None:
            trace = _API[0]
            self._span.set_attribute("error.type", type(error).__name__)
            self._span.set_status(trace.Status(trace.StatusCode.ERROR))
        self._span.end()


def _is_prompt(job: ClaimedJob) -> bool:
    said = job.fields
    claimed = said.get("lease_expires_at_ms", 0) - said.get("lease_ms", 0)
    created = said.get("created_at_ms", 0)
    return bool(job.epoch == 1 and said.get("run_at_ms") == created and claimed - created <= _CHILD_FOR)
