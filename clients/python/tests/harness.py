"""A server of its own and a proxy that makes faults, for tests."""

from __future__ import annotations

import http.client
import json
import os
import random
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

#: Where servers listen: no system gives these ports to those who connect, so a port stays free
#: between a kill and the start after it.
PORTS = range(12_000, 30_000)
STARTS_MAX = 50

SCOPES = {"all": ["produce", "work", "view", "payload", "operate"], "produce": ["produce"], "work": ["work"]}


def queue_program() -> str:
    """The command-line program; the environment says where it is."""
    program = os.environ.get("QUEUE_PROGRAM")
    if program is None:
        raise SystemExit("QUEUE_PROGRAM names the `queue` program; `cargo xtask clients` sets it")
    return program


class Server:
    """A server over the memory store, with tokens and keys in a folder of its own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="queue-clients-"))
        self.token_files = {name: self.folder / f"{name}.token" for name in SCOPES}
        for name, scopes in SCOPES.items():
            words = [word for scope in scopes for word in ("--scope", scope)]
            self.token_files[name].write_text(self._queue("token", "new", *words, "--queues", "*"))
        self.token_files["bad"] = self.folder / "bad.token"
        self.token_files["bad"].write_text("qk_00000000000000000000_" + "0" * 64 + "\n")
        self._queue("token", "rotate-key", "--key-file", str(self.folder / "keys.json"))
        self.port = 0
        self.start()

    def _queue(self, *words: str) -> str:
        environment = {**os.environ, "QUEUE_TOKENS": str(self.folder / "tokens.json")}
        run = [queue_program(), *words]
        if words[1] == "rotate-key":
            del environment["QUEUE_TOKENS"]
        done = subprocess.run(run, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{words} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def start(self) -> None:
        """Starts at the port of the start before, if there was one."""
        for left in range(STARTS_MAX, 0, -1):
            try:
                return self._start(self.port or random.choice(PORTS))
            except RuntimeError:
                if left == 1:
                    raise
            time.sleep(0.02)

    def _start(self, port: int) -> None:
        words = ["serve", "--store", "memory:", "--listen", f"127.0.0.1:{port}"]
        words += ["--tokens", str(self.folder / "tokens.json"), "--key-file", str(self.folder / "keys.json")]
        words += ["--log", "off"]
        self.process = subprocess.Popen([queue_program(), *words], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("listening at "):
            self.process.communicate()
            raise RuntimeError(f"the server did not start: {line!r}")
        self.port = port

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def call(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        """One bare request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


class Proxy:
    """Stands between one client and the server; notes requests and makes faults."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.requests: list[tuple[str, Any]] = []
        self.faults: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        proxy = self

        class Handler(_Handler):
            pass

        Handler.proxy = proxy
        self._listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._listener.daemon_threads = True
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._listener.server_address[1]}"

    def close(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    def fault_of(self, path: str, body: bytes) -> dict[str, Any] | None:
        """Notes a request, and says which fault it meets."""
        with self.lock:
            try:
                self.requests.append((path, json.loads(body or b"null")))
            except ValueError:
                self.requests.append((path, None))
            for fault in self.faults:
                if path.endswith(fault["on"]) and fault["times"] > 0:
                    fault["times"] -= 1
                    return fault
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        fault = self.proxy.fault_of(urlsplit(self.path).path, body) or {"do": None}
        if fault["do"] == "refuse":
            self._hang_up()
        elif fault["do"] == "answer":
            self._answer(*_foreign(fault))
        else:
            self._through(body, fault)

    def _through(self, body: bytes, fault: dict[str, Any]) -> None:
        """Carries the request on; a client that goes away takes its request with it."""
        headers = {name: text for name, text in self.headers.items() if name.lower() != "host"}
        upstream = http.client.HTTPConnection("127.0.0.1", self.proxy.server.port, timeout=90)
        try:
            try:
                upstream.request(self.command, self.path, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                pass  # A body that the server refuses is answered before it has been sent.
            ready, _, _ = select.select([self.connection, upstream.sock], [], [])
            if self.connection in ready and not self.connection.recv(1, socket.MSG_PEEK):
                return self._hang_up()
            answer = upstream.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            return self._hang_up()
        finally:
            upstream.close()
        if fault["do"] == "drop_answer":
            return self._hang_up()
        if fault["do"] == "replace_answer":
            return self._answer(*_foreign(fault))
        self._answer(answer.status, text, answer.headers.get("content-type", ""))

    def _answer(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST = do_PUT = _forward


def _foreign(fault: dict[str, Any]) -> tuple[int, bytes, str]:
    """The answer of a fault: a problem, or whatever the scenario says."""
    if (said := fault.get("answer")) is not None:
        return said["status"], said["body_text"].encode(), said["content_type"]
    return fault["status"], json.dumps(fault["body"]).encode(), "application/problem+json"
