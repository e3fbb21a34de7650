"""JSON in which no number loses a digit.

Values are read with the decoder of the standard library. A number becomes an `int`, or a `float` if
a double has the value that was written, and a `Decimal` otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

#: Python refuses to read longer integers from text, as reading them takes quadratic time.
_INT_DIGITS_MAX = 4000
_SPACE = re.compile(r"[ \t\r\n]*")


class Json:
    """JSON text that is sent exactly as it is written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Json({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Json) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


def _read_int(text: str) -> int | float | Decimal:
    if text == "-0":
        return -0.0
    return int(text) if len(text) <= _INT_DIGITS_MAX else Decimal(text)


def _read_float(text: str) -> float | Decimal:
    near = float(text)
    try:
        exact = Decimal(text)
        return near if Decimal(repr(near)) == exact else exact
    except InvalidOperation:
        # The exponent is beyond what a decimal can have; the text of the payload still has it.
        return near


_DECODER = json.JSONDecoder(parse_int=_read_int, parse_float=_read_float)


def loads(text: str) -> Any:
    """Reads a value. Raises `ValueError` if the text is not JSON."""
    return _DECODER.decode(text)


def dumps(value: object) -> str:
    """Writes a value.

    `Decimal` is written with all of its digits, and `Json` as it is. Raises `TypeError` for what is
    no JSON, and `ValueError` for NaN, the infinities and half of a surrogate pair.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except TypeError:
        text = _dumps_exact(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"text that is no Unicode: {error}") from None
    return text


def _dumps_exact(value: object) -> str:
    """The same in Python, for values with `Decimal` and `Json` in them."""
    if isinstance(value, Json):
        return value.text
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no JSON number")
        return str(value)
    if isinstance(value, dict):
        members = (f"{_name(name)}:{_dumps_exact(item)}" for name, item in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_dumps_exact(item) for item in value) + "]"
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names in JSON are text, not {type(name).__name__}")
    return json.dumps(name, ensure_ascii=False)


def members(text: str, at: int = 0) -> Iterator[tuple[str, str]]:
    """The members of the object that begins at `at`, each with the text of its value."""
    at = _skip(text, at)
    if text[at : at + 1] != "{":
        return
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield str(name), text[at:end]
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def items(text: str) -> Iterator[str]:
    """The text of each item of an array."""
    at = _skip(text, 0)
    if text[at : at + 1] != "[":
        return
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield text[at:end]
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
