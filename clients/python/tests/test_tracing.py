"""Spans of attempts, with the API and the SDK of OpenTelemetry if they are there."""

from __future__ import annotations

import contextvars
import json
import unittest

from queue_jobs import _tracing
from queue_jobs._job import ClaimedJob

try:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
except ImportError:
    trace = None

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def claimed(**fields: object) -> ClaimedJob:
    said = {
        "receipt": "r", "queue": "mails", "id": "a", "kind": "letter", "seq": 1, "epoch": 1, "attempt": 1, "created_at_ms": 0,
        "run_at_ms": 0, "lease_expires_at_ms": 31_000, "lease_ms": 30_000, "headers": {"traceparent": f"00-{TRACE}-{SPAN}-01"},
    }
    return ClaimedJob(json.dumps({**said, **fields}))


class WithoutTheApi(unittest.TestCase):
    def test_a_job_hands_on_what_it_had(self) -> None:
        api, _tracing._API = _tracing._API, None
        try:
            span = _tracing.AttemptSpan(claimed(), contextvars.copy_context())
            self.assertEqual(span.headers({"traceparent": "t"}), {"traceparent": "t"})
            span.end(ValueError("no"))
        finally:
            _tracing._API = api


@unittest.skipIf(trace is None, "opentelemetry-sdk is not installed")
class WithTheSdk(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(cls.exporter))
        trace.set_tracer_provider(provider)

    def ended(self, error: BaseException | None = None, **fields: object) -> tuple[object, dict[str, str]]:
        self.exporter.clear()
        context = contextvars.copy_context()
        span = _tracing.AttemptSpan(claimed(**fields), context)
        self.assertEqual(context.run(trace.get_current_span), span._span, "it is the current one in the handler")
        headers = span.headers({})
        span.end(error)
        return self.exporter.get_finished_spans()[0], headers

    def test_the_first_attempt_is_a_child_and_is_handed_on(self) -> None:
        span, headers = self.ended()
        self.assertEqual((span.name, span.kind), ("process mails", trace.SpanKind.CONSUMER))
        self.assertEqual(f"{span.context.trace_id:032x}", TRACE)
        self.assertEqual(f"{span.parent.span_id:016x}", SPAN)
        self.assertEqual(headers["traceparent"], f"00-{TRACE}-{span.context.span_id:016x}-01")

    def test_a_later_attempt_is_a_root_with_a_link(self) -> None:
        late = {"lease_expires_at_ms": 100_000}
        for fields in ({"epoch": 2, "attempt": 2}, {"run_at_ms": 500}, late):
            span, _ = self.ended(**fields)
            self.assertIsNone(span.parent)
            self.assertEqual([f"{link.context.span_id:016x}" for link in span.links], [SPAN])

    def test_an_error_is_the_status_and_a_context_that_is_none_makes_a_root(self) -> None:
        span, _ = self.ended(ValueError("no"), headers={"traceparent": "nonsense"})
        self.assertEqual((span.status.status_code, span.attributes["error.type"]), (trace.StatusCode.ERROR, "ValueError"))
        self.assertEqual((span.parent, list(span.links)), (None, []))


if __name__ == "__main__":
    unittest.main()
