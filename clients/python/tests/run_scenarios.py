"""Runs the scenarios with both faces of the client: `run_scenarios.py [words of names]`."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness import Server
from scenario import Scenario

SPEC = Path(__file__).resolve().parents[2] / "spec" / "scenarios.json"
AT_ONCE = 4


def run(said: dict[str, Any], shared: Server, face: str) -> str | None:
    """What went wrong, or None."""
    server = Server() if said.get("own_server") else shared
    try:
        Scenario(said, server, face).run()
        return None
    except AssertionError as failure:
        return str(failure)
    except Exception:
        return traceback.format_exc()
    finally:
        if server is not shared:
            server.close()


def scenarios(file: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The scenarios of the file; one that is for each item of a list comes once for each."""
    for said in file["scenarios"]:
        if "for_each" not in said:
            yield said
            continue
        for item in file[said["for_each"]]:
            yield {**said, "name": f"{said['name']}: {item['what']}", "it": item}


def main() -> int:
    words = sys.argv[1:]
    logging.disable(logging.CRITICAL)  # The faults are made on purpose.
    wanted = [one for one in scenarios(json.loads(SPEC.read_text())) if all(word in one["name"] for word in words)]
    began = time.monotonic()
    failed = 0
    shared = Server()
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [(one, face, pool.submit(run, one, shared, face)) for one in wanted for face in ("sync", "async")]
            for one, face, future in jobs:
                if (wrong := future.result()) is not None:
                    failed += 1
                    print(f"FAILED ({face}): {one['name']}\n    {wrong}")
    finally:
        shared.close()
    print(f"{len(jobs) - failed} of {len(jobs)} scenarios passed, {time.monotonic() - began:.1f} s")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
