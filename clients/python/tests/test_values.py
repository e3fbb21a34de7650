"""Numbers, texts and requests, without a server."""

from __future__ import annotations

import json
import os
import random
import tempfile
import unittest
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from queue_jobs import InvalidRequest, Job, Json, Queue, Unavailable, Worker
from queue_jobs import _batches, _wire
from queue_jobs._connection import Attempts, Connection
from queue_jobs._job import ClaimedJob
from queue_jobs._json import dumps, items, loads, members


class Values(unittest.TestCase):
    def test_every_number_keeps_its_value_through_reading_and_writing(self) -> None:
        seed = int(os.environ.get("QUEUE_SEED", random.randrange(2**32)))
        chance = random.Random(seed)
        for _ in range(5_000):
            digits = "".join(chance.choices("0123456789", k=chance.randint(1, 25))).lstrip("0") or "0"
            text = chance.choice(("", "-")) + digits
            if chance.random() < 0.7:
                text += "." + "".join(chance.choices("0123456789", k=chance.randint(1, 25)))
            if chance.random() < 0.5:
                text += chance.choice("eE") + chance.choice(("", "+", "-")) + str(chance.randint(0, 500))
            self.assertEqual(Decimal(dumps(loads(text))), Decimal(text), f"seed {seed}: {text}")

    def test_a_token_file_that_is_just_being_written_leaves_the_token_as_it_was(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "token"
            path.write_text("")
            with self.assertRaises(InvalidRequest):
                Connection("http://127.0.0.1:1", token_file=path).headers()
            path.write_text("qk_a_b\n")
            connection = Connection("http://127.0.0.1:1", token_file=path)
            self.assertEqual(connection.headers()["authorization"], "Bearer qk_a_b")
            for number, text in enumerate(("", "two words", "qk_c_d\n")):
                path.write_text(text)
                os.utime(path, (number, number))
                expected = "qk_c_d" if text.startswith("qk") else "qk_a_b"
                self.assertEqual(connection.headers()["authorization"], f"Bearer {expected}")

    def test_a_number_that_a_double_holds_is_a_float_and_no_decimal(self) -> None:
        for text, value in (("1.5", 1.5), ("0.1", 0.1), ("1e3", 1000.0), ("1.10", 1.1), ("-0", -0.0)):
            self.assertIs(type(loads(text)), float, text)
            self.assertEqual(loads(text), value)
        self.assertEqual(loads("0.1000000000000000055511151231257827"), Decimal("0.1000000000000000055511151231257827"))
        self.assertEqual(loads("9" * 5000), Decimal("9" * 5000))

    def test_what_is_not_json_is_refused(self) -> None:
        for value in (float("nan"), float("inf"), "\ud800", b"x", object(), {1: {Decimal(1)}}, Decimal("NaN")):
            with self.assertRaises((TypeError, ValueError), msg=repr(value)):
                dumps(value)
        with self.assertRaises(InvalidRequest):
            _wire.job_text(Job("k", object()), "a", {})
        circular: list[object] = []
        circular.append(circular)
        with self.assertRaises(InvalidRequest):
            _wire.job_text(Job("k", circular), "a", {})
        for text in ("NaN", "[1,", "", '"\\ud800"', '{"\\uDC00": 1, "a": 2}', '"\ud800"', 5):
            with self.assertRaises(InvalidRequest, msg=repr(text)):
                Json(text)  # type: ignore[arg-type]
        self.assertEqual(Json('["\\ud83e\\udd80 \\\\ud800"]').text, '["\\ud83e\\udd80 \\\\ud800"]')

    def test_what_json_would_change_is_refused_with_the_way_to_it(self) -> None:
        half = "text with half of a surrogate pair, which is not Unicode"
        for job, why in (
            (Job("k", {"to": ["a", "\ud800"]}), f"payload.to[1]: {half}"),
            (Job("k", {1: "a"}), "payload.1: the names of an object are text, and this one is of the type int"),
            (Job("k", {"a": {None: 1}}), "payload.a.None: the names of an object are text, and this one is of the type NoneType"),
            (Job("k", {"a": float("nan")}), "payload.a: JSON has no nan"),
            (Job("k", [Decimal("-Infinity")]), "payload[0]: JSON has no -Infinity"),
            (Job("k", {"a": b"x"}), "payload.a: bytes within a value are not JSON: give base64, or bytes as the whole"),
            (Job("k", {"at": timedelta(1)}), "payload.at: a timedelta cannot be written as JSON"),
            (Job("k", {"to": {1, 2}}), "payload.to: a set cannot be written as JSON"),
            (Job("k\udfff"), f"job.kind: {half}"),
            (Job("k", tags=["a", "\ud800"]), f"job.tags[1]: {half}"),
            (Job("k", headers={"a": "\ud800"}), f"job.headers.a: {half}"),
            (Job("k", tags="abc"), "tags: a list such as ['abc'], not 'abc' by itself"),
        ):
            with self.assertRaises(InvalidRequest) as raised:
                _wire.job_text(job, "a", {})
            self.assertEqual((raised.exception.detail, raised.exception.certainty), (why, "not_applied"))
        for make in (lambda: Queue("http://127.0.0.1:1", "\ud800"), lambda: Worker(Queue("http://127.0.0.1:1"), name="\ud800"),
                     lambda: Worker(Queue("http://127.0.0.1:1"), {"\ud800": print})):
            with self.assertRaises(InvalidRequest):
                make()
        self.assertEqual(dumps({"n": 2**70, "d": Decimal("1.10"), "t": (1,)}), f'{{"n":{2**70},"d":1.10,"t":[1]}}')

    def test_the_text_of_members_and_items_is_kept(self) -> None:
        text = ' { "a" : [1.10, {"b": "},]"}] , "c":{},"d" :"\\"" , "e": [ ] } '
        self.assertEqual(dict(members(text)), {"a": '[1.10, {"b": "},]"}]', "c": "{}", "d": '"\\""', "e": "[ ]"})
        self.assertEqual(list(items('[ 1e400 ,"]", [2] ]')), ["1e400", '"]"', "[2]"])
        self.assertEqual((list(members("{}")), list(items("[]"))), ([], []))

    def test_a_job_says_only_what_was_set(self) -> None:
        self.assertEqual(json.loads(_wire.job_text(Job("k"), "a", {})), {"kind": "k", "id": "a"})
        job = Job("k", b"\x00", delay=timedelta(minutes=1), keep_completed="forever", keep_failed=1.5, max_attempts="unlimited")
        self.assertEqual(json.loads(_wire.job_text(job, "a", {"x": "y"})), {
            "kind": "k", "id": "a", "payload_base64": "AA==", "content_type": "application/octet-stream", "headers": {"x": "y"},
            "delay_ms": 60000, "keep_completed": "forever", "keep_failed": 1500, "max_attempts": "unlimited"})

    def test_calls_are_divided_by_count_and_by_bytes(self) -> None:
        self.assertEqual([len(part) for part in _wire.chunks(["x"] * 2001)], [1000, 1000, 1])
        self.assertEqual([len(part) for part in _wire.chunks(["x" * 3_000_000] * 5)], [2, 2, 1])
        self.assertEqual(_wire.chunks([]), [])
        self.assertEqual(len(_wire.chunks(["x" * 9_000_000])), 1)

    def test_queues_that_a_path_cannot_say_are_refused(self) -> None:
        self.assertEqual(_wire.queue_path("a/b ü"), "/v1/queues/a%2Fb%20%C3%BC")
        for name in ("", ".", "..", "\ud800"):
            with self.assertRaises(InvalidRequest):
                _wire.queue_path(name)


class Errors(unittest.TestCase):
    def test_waits_double_with_jitter_and_end(self) -> None:
        now = 0.0
        attempts, waits = Attempts(60, clock=lambda: now), []
        with self.assertRaises(Unavailable) as raised:
            for attempt in range(1000):
                waits.append(attempts.delay_after(Unavailable("x", certainty="unknown" if attempt == 1 else "not_applied")))
                now += waits[-1]
        self.assertEqual(raised.exception.certainty, "unknown")
        for number, wait in enumerate(waits):
            longest = min(0.1 * 2**number, 5.0)
            self.assertTrue(longest / 2 <= wait <= longest, (number, wait))
        self.assertTrue(15 < len(waits) < 40 and len(set(waits)) == len(waits), waits)


    def test_an_answer_may_ask_for_a_longer_wait_and_never_for_a_shorter_one(self) -> None:
        for asked, longest in ((0.0, 5.0), (1.0, 5.0), (86_400.0, 75.0)):
            now = 0.0
            attempts, waits = Attempts(3600, clock=lambda: now), []
            for number in range(12):
                waits.append(attempts.delay_after(Unavailable("x", retry_after=asked)))
                now += waits[-1]
                own = min(0.1 * 2**number, 5.0)
                self.assertGreaterEqual(waits[-1], max(own / 2, min(asked, 60.0)), (asked, number))
                self.assertLessEqual(waits[-1], longest)

    def test_what_an_attempt_was_to_wait_does_not_count(self) -> None:
        now = 0.0
        attempts = Attempts(1, waits=20, latest=41, clock=lambda: now)
        for _ in range(2):
            now += 20
            now += attempts.delay_after(Unavailable("x"))
        now += 20
        with self.assertRaises(Unavailable):
            attempts.delay_after(Unavailable("x"))

    def test_a_stubborn_caller_tries_once_more_when_its_time_ends(self) -> None:
        now = 0.0
        attempts = Attempts(10, stubborn=True, clock=lambda: now)
        now += attempts.delay_after(Unavailable("x", retry_after=86_400.0))
        self.assertEqual(now, 10.0)
        with self.assertRaises(Unavailable):
            attempts.delay_after(Unavailable("x"))


class Tokens(unittest.TestCase):
    SECRET = "qk_0123456789_secretsecret"

    def test_no_text_shows_a_token_or_a_receipt(self) -> None:
        queue = Queue("http://127.0.0.1:1", token=self.SECRET, retry_for=0)
        job = ClaimedJob('{"receipt":"v1.secret","queue":"q","id":"a","kind":"k","seq":1,"epoch":1,"attempt":1}')
        with self.assertRaises(Unavailable) as raised:
            queue.enqueue("k")
        for text in (repr(queue), repr(queue.connection), repr(job), str(job.fields), repr(raised.exception), str(raised.exception)):
            self.assertNotIn("secret", text)
        self.assertEqual(raised.exception.certainty, "not_applied")

    def test_a_token_that_is_none_is_refused_without_being_shown(self) -> None:
        for token in ("", " ", "a b secret", "secret\nx: y", "sécret", "secret\x00"):
            with self.assertRaises(InvalidRequest) as raised:
                Connection("http://localhost", token=token)
            self.assertNotIn("cret", str(raised.exception))

    def test_a_token_file_is_read_again_when_it_changes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "token"
            connection = Connection("http://localhost", token_file=file)
            with self.assertRaises(InvalidRequest):
                connection.headers()
            for token in ("first", "second!"):
                (Path(folder) / "new").write_text(token + "\n")
                os.replace(Path(folder) / "new", file)
                self.assertEqual(connection.headers()["authorization"], f"Bearer {token}")
            file.unlink()
            self.assertEqual(connection.headers()["authorization"], "Bearer second!")

    def test_a_token_goes_to_another_machine_over_https_only(self) -> None:
        for url in ("http://queue.example.org", "http://10.0.0.1:8080", "http://127.0.0.1.example.org",
                    "http://localhost.example.org", "http://[2001:db8::1]", "http://0.0.0.0"):
            for given in ({"token": "a"}, {"token_file": "/a"}):
                with self.assertRaises(InvalidRequest, msg=url):
                    Connection(url, **given)
                Connection(url, plaintext=True, **given)
            Connection(url)
        for url in ("http://localhost:1", "http://127.0.0.2", "http://[::1]:80", "https://queue.example.org", "unix:/a"):
            Connection(url, token="a")

    def test_addresses_that_are_none_are_refused(self) -> None:
        for url in ("", "localhost:8080", "ftp://x", "http://user:secret@host"):
            with self.assertRaises(InvalidRequest) as raised:
                Connection(url)
            self.assertNotIn("secret", str(raised.exception))

    def test_a_callback_is_a_kind_alone_or_with_what_its_job_gets(self) -> None:
        for callback, payload in (("report", "null"), (("report", 7), "7"), (("report", {"a": [1]}), '{"a":[1]}')):
            said = _batches._callback("on_end", callback, "mail")
            self.assertEqual((said["kind"], dumps(said["payload"])), ("report", payload))
        for callback in ({"kind": "report"}, ["report"], ("report",), ("report", 7, 8), (7, "report"), 7, b"report"):
            with self.assertRaisesRegex(InvalidRequest, r'on_end: .*"report", report or \(report, ', msg=repr(callback)):
                _batches._callback("on_end", callback, "mail")


if __name__ == "__main__":
    unittest.main()
