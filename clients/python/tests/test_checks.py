"""What a caller gives is checked before anything is sent, and the error says what to write."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from queue_jobs import InvalidRequest, Job, Limit, Queue

NOWHERE = "http://127.0.0.1:1"


class Checks(unittest.TestCase):
    def test_wrong_input_is_refused_with_what_to_write(self) -> None:
        queue = Queue(NOWHERE, retry_for=0)
        calls: list[tuple[Callable[[], Any], str]] = [
            (lambda: queue.enqueue("k", delay="2"), "delay: a number of seconds or a timedelta, not '2'"),
            (lambda: queue.enqueue("k", delay=-5), "delay: a length of time from 0 on, not -5"),
            (lambda: queue.enqueue("k", expires_in=timedelta(-1)), "expires_in: a length of time from 0 on, not datetime.timedelta(days=-1)"),
            (lambda: queue.enqueue("k", delay=float("nan")), "delay: a number of seconds or a timedelta, not nan"),
            (lambda: queue.enqueue("k", keep_completed="5"), 'keep_completed: a number of seconds, a timedelta, "forever" or "nothing", not \'5\''),
            (lambda: queue.enqueue("k", priority=1.5), "priority: a whole number from -32768 to 32767, not 1.5"),
            (lambda: queue.enqueue("k", max_attempts=0), "max_attempts: a whole number from 1 on, not 0"),
            (lambda: queue.enqueue("k", max_attempts="ever"), "max_attempts: a whole number from 1 on, or \"unlimited\", not 'ever'"),
            (lambda: queue.enqueue("k", id=5), "id: text, not 5"),
            (lambda: queue.enqueue(5), "a Job or a kind, not 5; a task is enqueued by its own `enqueue`"),
            (lambda: queue.enqueue(Job(kind=5)), "kind: text, not 5"),
            (lambda: queue.enqueue("k", tags=7), "tags: a list of texts, not 7"),
            (lambda: queue.wait("a", timeout="1"), "timeout: a number of seconds or a timedelta, not '1'"),
            (lambda: queue.wait(None), "job: the answer of an enqueue or an id, not None"),
            (lambda: queue.result(None), "job: the answer of an enqueue or an id, not None"),
            (lambda: queue.cancel(7), "id: text, not 7"),
            (lambda: queue.cancel_many("a"), "ids: a list such as ['a'], not 'a' by itself"),
            (lambda: queue.pause(duration="1"), "duration: a number of seconds or a timedelta, not '1'"),
            (lambda: queue.set_limits(each=Limit(-1)), "each: running: a whole number from 0 on, not -1"),
            (lambda: queue.set_limits(partitions={"a": Limit(1, 1.5)}), "partitions['a']: weight: a whole number from 0 on, not 1.5"),
            (lambda: Queue(NOWHERE, 5), "the name of the queue: text, not 5"),
            (lambda: Queue(5), "the address of a service: text, not 5"),
        ]
        for call, why in calls:
            with self.assertRaises(InvalidRequest, msg=why) as raised:
                call()
            self.assertEqual((raised.exception.detail, raised.exception.certainty), (why, "not_applied"))


if __name__ == "__main__":
    unittest.main()
