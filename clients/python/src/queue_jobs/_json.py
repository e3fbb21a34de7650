"""JSON in which no number loses a digit.

Values are read with the decoder of the standard library. A number becomes an `int`, or a `float` if
a double has the value that was written, and a `Decimal` otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any, NoReturn

from ._errors import InvalidRequest

#: Python refuses to read longer integers from text, as reading them takes quadratic time.
_INT_DIGITS_MAX = 4000
_SPACE = re.compile(r"[ \t\r\n]*")
#: Text without this has no half of a surrogate pair in it.
_PERHAPS_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_HALF = "text with half of a surrogate pair, which is not Unicode"


class Json:
    """JSON text that is sent exactly as it is written.

    Raises `InvalidRequest` for what is not JSON, and for text in it that is not Unicode.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        _check_text(text)
        self.text = text

    @classmethod
    def _of(cls, text: str) -> Json:
        """Text that was written or checked here."""
        made = cls.__new__(cls)
        made.text = text
        return made

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


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


_DECODER = json.JSONDecoder(parse_int=_read_int, parse_float=_read_float, parse_constant=_refuse_constant)


def loads(text: str) -> Any:
    """Reads a value. Raises `ValueError` if the text is not JSON."""
    return _DECODER.decode(text)


def _check_text(text: str) -> None:
    try:
        loads(text)
        text.encode()
        strings = _STRING.findall(text) if _PERHAPS_HALF.search(text) else ()
        for string in strings:
            json.loads(string).encode()
    except UnicodeEncodeError:
        raise InvalidRequest(f"JSON: {_HALF}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidRequest(f"this text is not JSON: {error}") from error


class Refused(ValueError):
    """Why a value cannot be written as JSON, and where in the whole it is, which callers add step by step."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.path = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.args[0]}"


def dumps(value: object) -> str:
    """Writes a value.

    `Decimal` is written with all of its digits, and `Json` as it is. Raises `Refused` for what JSON
    cannot say or would change without a word: NaN, the infinities, half of a surrogate pair, names
    that are not text, and every other type.
    """
    _check(value)
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except TypeError:
        return _dumps_exact(value)


def _check(value: object) -> None:
    match value:
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Refused(_HALF) from None
        case float() | Decimal():
            if not (isfinite(value) if isinstance(value, float) else value.is_finite()):
                raise Refused(f"JSON has no {value}")
        case None | int() | Json():
            pass
        case dict():
            for name, item in value.items():
                _check_at(f".{name}", item, name)
        case list() | tuple():
            for place, item in enumerate(value):
                _check_at(f"[{place}]", item)
        case bytes() | bytearray() | memoryview():
            raise Refused("bytes within a value are not JSON: give base64, or bytes as the whole")
        case _:
            raise Refused(f"a {type(value).__name__} cannot be written as JSON")


def _check_at(step: str, item: object, name: object = "") -> None:
    try:
        if not isinstance(name, str):
            raise Refused(f"the names of an object are text, and this one is of the type {type(name).__name__}")
        _check(name)
        _check(item)
    except Refused as refused:
        refused.path = step + refused.path
        raise


def _dumps_exact(value: object) -> str:
    """The same in Python, for values with `Decimal` and `Json` in them."""
    if isinstance(value, Json):
        return value.text
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json.dumps(name, ensure_ascii=False)}:{_dumps_exact(item)}" for name, item in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_dumps_exact(item) for item in value) + "]"
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


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
