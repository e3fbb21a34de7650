"""Sends calls, in threads and in asyncio, by the same rules."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Generic, TypeVar

import httpx

from ._answers import Answer, Body, Reply, read
from ._connection import Attempts, Call, Connection, no_answer
from ._errors import QueueError, ServiceFault, Unavailable
from ._network import deadline

T = TypeVar("T")
C = TypeVar("C")

#: A conversation: yields calls, is sent the replies, returns what they say.
Plan = Generator[Call, Reply, T]


class _PerProcess(Generic[C]):
    """The connections of this process.

    A child of `fork` has the sockets of its parent, and would read the answers to requests of the
    parent from them. It makes its own. Those of the parent are kept and not closed, since an end of
    TLS that the child sends would be the parent's.
    """

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._inherited: list[C] = []
        self._mine = (os.getpid(), make())

    def mine(self) -> C:
        """Made when a process first asks for it."""
        process, client = self._mine
        if process != os.getpid():
            self._inherited.append(client)
            client = self._make()
            self._mine = (os.getpid(), client)
        return client


class _PerLoop(Generic[C]):
    """The connections of each event loop, since those of one loop cannot be used by another.

    Those of a loop that was closed are dropped when the next loop asks for its own.
    """

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._process = os.getpid()
        self._inherited: list[C] = []
        self._mine: dict[asyncio.AbstractEventLoop, C] = {}

    def mine(self) -> C:
        """Made when a loop of this process first asks for it; see `_PerProcess` about a fork."""
        if self._process != os.getpid():
            self._inherited += self._mine.values()
            self._process, self._mine = os.getpid(), {}
        loop = asyncio.get_running_loop()
        if loop not in self._mine:
            for closed in [one for one in self._mine if one.is_closed()]:
                del self._mine[closed]
            self._mine[loop] = self._make()
        return self._mine[loop]


async def within(work: Awaitable[T], seconds: float) -> T:
    """The result, or `TimeoutError`.

    Unlike `asyncio.wait_for` of Python 3.11, it never loses a cancellation that comes with the result.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if task.done():
            return task.result()
        raise TimeoutError
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


def _step(plan: Plan[T], reply: Reply | QueueError | None) -> Call:
    """The next call, after the answer to the last one or its error. `StopIteration` carries the result out."""
    if isinstance(reply, QueueError):
        return plan.throw(reply)
    try:
        return next(plan) if reply is None else plan.send(reply)
    except (KeyError, ValueError, TypeError, IndexError, RecursionError) as error:
        if reply is None:
            raise
        raise ServiceFault(f"the answer is not of this protocol: {error!r}", certainty="unknown") from error


class SyncSender:
    """Sends calls and waits for them. It may be used by several threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pool = _PerProcess(connection.sync_client)

    def run(self, plan: Plan[T]) -> T:
        """Carries a conversation out."""
        reply: Reply | QueueError | None = None
        while True:
            try:
                call = _step(plan, reply)
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                reply = self.call(call)
            except QueueError as error:
                reply = error

    def call(self, call: Call) -> Reply:
        """Sends a call until it is answered, it makes no sense any more, or time is up."""
        attempts = Attempts(self._connection.retry_for, waits=call.wait, latest=call.wait + call.patience)
        while True:
            try:
                return Reply(self._attempt(call), attempts.was_resent)
            except QueueError as error:
                delay = attempts.delay_after(error)
            time.sleep(delay)

    def _attempt(self, call: Call) -> Answer:
        limit, body, client = self._connection.time_limit(call), Body(), self._pool.mine()
        request = client.build_request(
            call.method, call.path, content=call.body, headers=self._connection.headers(), timeout=limit
        )
        try:
            with deadline(limit):
                response = client.send(request, stream=True)
                try:
                    for chunk in response.iter_raw():
                        body.add(chunk)
                finally:
                    response.close()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise no_answer(error) from None
        return read(call, response.status_code, response.headers.get("content-type", ""), bytes(body))

    def close(self) -> None:
        """Closes the connections."""
        self._pool.mine().close()


class AsyncSender:
    """The same for asyncio. A cancelled call closes its connection, which the service sees."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pool = _PerLoop(connection.async_client)

    async def run(self, plan: Plan[T]) -> T:
        """Carries a conversation out."""
        reply: Reply | QueueError | None = None
        while True:
            try:
                call = _step(plan, reply)
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                reply = await self.call(call)
            except QueueError as error:
                reply = error

    async def call(self, call: Call, retry_for: float | None = None) -> Reply:
        """Sends a call until it is answered, it makes no sense any more, or time is up."""
        longest = self._connection.retry_for if retry_for is None else retry_for
        attempts = Attempts(longest, waits=call.wait, latest=call.wait + call.patience)
        while True:
            try:
                return Reply(await self.attempt(call), attempts.was_resent)
            except QueueError as error:
                delay = attempts.delay_after(error)
            await asyncio.sleep(delay)

    async def attempt(self, call: Call) -> Answer:
        """Sends a call once."""
        limit = self._connection.time_limit(call)
        try:
            response, body = await within(self._exchange(call, limit), limit)
        except TimeoutError:
            raise Unavailable("the service did not answer in time", certainty="unknown") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise no_answer(error) from None
        return read(call, response.status_code, response.headers.get("content-type", ""), bytes(body))

    async def _exchange(self, call: Call, limit: float) -> tuple[httpx.Response, Body]:
        body, client = Body(), self._pool.mine()
        request = client.build_request(
            call.method, call.path, content=call.body, headers=self._connection.headers(), timeout=limit
        )
        response = await client.send(request, stream=True)
        try:
            async for chunk in response.aiter_raw():
                body.add(chunk)
        finally:
            await response.aclose()
        return response, body

    async def close(self) -> None:
        """Closes the connections of this event loop."""
        await self._pool.mine().aclose()
