"""Checks of what callers give, so that an error names the option and says what to write."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from math import isfinite
from typing import Any

from ._errors import InvalidRequest
from ._model import JobOptions, Keep, Seconds

_PRIORITIES = range(-32768, 32768)
_BUDGETS = ("max_attempts", "max_stalls")
_TEXTS = ("id", "partition", "on_failure", "kind")


def text(value: object, what: str) -> str:
    """A text. `what` names it in an error."""
    if not isinstance(value, str):
        raise InvalidRequest(f"{what}: text, not {value!r}")
    return value


def millis(length: Seconds, what: str) -> int:
    """A length of time in whole milliseconds."""
    seconds = length.total_seconds() if isinstance(length, timedelta) else length
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool) or not isfinite(seconds):
        raise InvalidRequest(f"{what}: a number of seconds or a timedelta, not {length!r}")
    if seconds < 0:
        raise InvalidRequest(f"{what}: a length of time from 0 on, not {length!r}")
    return round(seconds * 1000)


def keep(length: Keep, what: str) -> int | str:
    """How long a record is kept."""
    if not isinstance(length, str):
        return millis(length, what)
    if length not in ("forever", "nothing"):
        raise InvalidRequest(f'{what}: a number of seconds, a timedelta, "forever" or "nothing", not {length!r}')
    return length


def whole(value: object, least: int, most: int | None, what: str) -> int:
    """A whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or most is not None and value > most:
        span = f"from {least} on" if most is None else f"from {least} to {most}"
        raise InvalidRequest(f"{what}: a whole number {span}, not {value!r}")
    return value


def option(name: str, value: Any) -> None:
    """Checks an option of a job that is neither a length of time nor what is kept."""
    if name == "priority":
        whole(value, _PRIORITIES[0], _PRIORITIES[-1], name)
    elif name in _BUDGETS and value != "unlimited":
        if isinstance(value, str):
            raise InvalidRequest(f'{name}: a whole number from 1 on, or "unlimited", not {value!r}')
        whole(value, 1, None, name)
    elif name in _TEXTS:
        text(value, name)
    elif name == "tags":
        texts(value, name)


def texts(value: Any, what: str) -> list[Any]:
    """A list of texts. A text by itself is a list too in Python, of its letters."""
    if isinstance(value, (str, bytes)):
        raise InvalidRequest(f"{what}: a list such as [{value!r}], not {value!r} by itself")
    try:
        return list(value)
    except TypeError:
        raise InvalidRequest(f"{what}: a list of texts, not {value!r}") from None


def known_options(options: Mapping[str, Any]) -> None:
    """Raises `TypeError` for a name that is not an option of a job."""
    known = list(JobOptions.__annotations__)
    if wrong := [name for name in options if name not in known]:
        raise TypeError(f"{wrong[0]!r} is not an option of a job; the options are {', '.join(known)}")
