"""What the client makes of answers that do not come from the service."""

from __future__ import annotations

import json
import unittest

from queue_jobs import QueueError, Unavailable
from queue_jobs._answers import Answer, read
from queue_jobs._connection import Call

PAGE = b"<!DOCTYPE html><title>We will be back soon</title>"
JSON, PROBLEM, HTML = "application/json", "application/problem+json", "text/html; charset=utf-8"

CALLS = (
    Call("POST", "/v1/queues/q/jobs", b"", "jobs", 1),
    Call("POST", "/v1/queues/q/claim", b"", "jobs"),
    Call("POST", "/v1/extend", b"", "items", 1),
    Call("POST", "/v1/settle", b"", "items", 1),
    Call("POST", "/v1/queues/q/jobs:wait", b"", "outcome"),
    Call("POST", "/v1/queues/q/jobs:cancel", b"", "items", 1),
)

#: Status, content type, body.
FOREIGN = (
    *((status, HTML, PAGE) for status in (200, 302, 400, 401, 403, 404, 405, 413, 421, 429, 500, 501, 502)),
    *((200, JSON, body) for body in (b"", PAGE, b"\xff", b"null", b"[]", b"{}", b'{"jobs": 1', b'{"error": "denied"}')),
    *((200, JSON, body) for body in (b"[" * 100_000, b'{"jobs": 7, "items": 7}', b'{"jobs": null, "items": null}')),
    *((400, PROBLEM, body) for body in (b"", PAGE, b"\xff", b"[]", b"{}", b'{"kind": "outage"}', b'{"kind": 1}')),
    (404, JSON, b'{"kind": "not_found"}'),
    (200, PROBLEM, b'{"kind": "invalid"}'),
    (204, "", b""),
    (200, HTML, b'{"jobs": [{}], "items": [{}], "outcome": "completed"}'),
)


class Answers(unittest.TestCase):
    def test_whatever_is_not_from_the_service_tells_nothing_of_the_request(self) -> None:
        for call in CALLS:
            for status, content_type, body in FOREIGN:
                with self.subTest(path=call.path, status=status, content_type=content_type, body=body[:20]):
                    with self.assertRaises(Unavailable) as raised:
                        read(call, status, content_type, body)
                    error = raised.exception
                    self.assertEqual((error.kind, error.certainty, error.status), ("unavailable", "unknown", status))
                    self.assertTrue(error.is_temporary)

    def problem(self, status: int, document: object) -> QueueError:
        with self.assertRaises(QueueError) as raised:
            read(CALLS[0], status, "Application/Problem+JSON; charset=utf-8", json.dumps(document).encode())
        return raised.exception

    def test_a_problem_of_the_service_is_taken_at_its_word(self) -> None:
        for kind, status in (("invalid", 404), ("unauthorized", 401), ("not_found", 404), ("closed", 503), ("internal", 500)):
            for certainty in ("not_applied", "unknown"):
                error = self.problem(status, {"kind": kind, "certainty": certainty, "detail": "so it is"})
                self.assertEqual((error.kind, error.status, error.certainty, error.detail), (kind, status, certainty, "so it is"))
        self.assertEqual(self.problem(503, {"kind": "closed"}).certainty, "unknown")

    def test_the_problem_says_when_to_come_back(self) -> None:
        self.assertEqual(self.problem(429, {"kind": "too_many", "retry_after_ms": 1500}).retry_after, 1.5)
        self.assertIsNone(self.problem(429, {"kind": "too_many", "retry_after_ms": "soon"}).retry_after)

    def test_a_good_answer_has_what_the_call_asked_for(self) -> None:
        answer = read(CALLS[0], 200, "application/json;charset=UTF-8", b'{"jobs": [ {"id": 1.0} ], "new": {}}')
        self.assertEqual(answer, Answer('{"jobs": [ {"id": 1.0} ], "new": {}}', {"jobs": ['{"id": 1.0}'], "new": {}}))
        with self.assertRaises(Unavailable):
            read(CALLS[0], 200, JSON, b'{"jobs": [{}, {}]}')


if __name__ == "__main__":
    unittest.main()
