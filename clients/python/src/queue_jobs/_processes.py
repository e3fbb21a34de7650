"""Several processes of one worker program: starts them, hands on signals, replaces those that crash."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

_log = logging.getLogger("queue_jobs")

#: Seconds before a process that crashed is replaced, so that one that cannot start does not spin.
_RESTART_AFTER = 1.0


class Processes:
    """Runs a program some times at once, until it is asked to end.

    Each process has a session of its own, so a Ctrl-C reaches it through here and once; its standard
    input is a pipe from here, whose end says that this process is no more.
    """

    def __init__(self, words: Sequence[str], count: int, final: Sequence[int]) -> None:
        """`final` are exit statuses after which all of them end, as no restart helps."""
        self._words, self._count, self._final = words, count, final
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._is_stopping = False

    def run(self) -> int:
        """Answers the exit status: 0, or the first final one."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hand_on)
        for _ in range(self._count):
            self._start()
        status = 0
        while self._running:
            ended = self._next_end()
            if ended == 0 or self._is_stopping:
                continue
            if ended in self._final:
                status = ended
                self._hand_on(signal.SIGTERM, None)
                continue
            _log.warning("a worker process ended with %s and is replaced", ended)
            time.sleep(_RESTART_AFTER)
            if not self._is_stopping:
                self._start()
        return status

    def _start(self) -> None:
        process = subprocess.Popen(self._words, stdin=subprocess.PIPE, start_new_session=True)
        self._running[process.pid] = process
        if self._is_stopping:  # The signal came while it was started.
            self._send(process.pid, signal.SIGTERM)

    def _next_end(self) -> int:
        """Waits for the end of one, and answers how it ended; signals are handled meanwhile."""
        pid, status = os.waitpid(-1, 0)
        if (process := self._running.pop(pid, None)) is None:
            return 0
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.stdin is not None
        process.stdin.close()
        return process.returncode

    def _hand_on(self, number: int, _frame: FrameType | None) -> None:
        self._is_stopping = True
        for pid in list(self._running):
            self._send(pid, number)

    @staticmethod
    def _send(pid: int, number: int) -> None:
        """Unlike that of `Popen` it leaves the end of the process to `_next_end`."""
        with suppress(ProcessLookupError):
            os.kill(pid, number)
