"""Patterns of scenarios: see `clients/spec/README.md`."""

from __future__ import annotations

import re
from typing import Any

#: Stands for a member that is not there.
ABSENT = object()


def only(pattern: Any) -> tuple[str, Any] | None:
    """The operator of a pattern, if it is one."""
    if isinstance(pattern, dict) and len(pattern) == 1:
        (name, value), = pattern.items()
        return (name, value) if name.startswith("$") else None
    return None


def filled(value: Any, known: dict[str, Any]) -> Any:
    """A request, with what was remembered put in."""
    match only(value):
        case ("$ref", name):
            return known[name]
        case ("$repeat", [text, times]):
            return text * times
        case ("$no_json", what):
            return "a\ud800" if what == "half" else float(what)
    if isinstance(value, dict):
        return {name: filled(item, known) for name, item in value.items()}
    return [filled(item, known) for item in value] if isinstance(value, list) else value


def difference(pattern: Any, actual: Any, known: dict[str, Any], at: str = "answer") -> str | None:
    """Where something does not match, or None."""
    if (operator := only(pattern)) is not None:
        return None if _holds(*operator, actual, known) else f"{at}: {_short(actual)} is not {pattern}"
    if isinstance(pattern, dict):
        if not isinstance(actual, dict):
            return f"{at}: {_short(actual)} is no object"
        found = (difference(item, actual.get(name, ABSENT), known, f"{at}.{name}") for name, item in pattern.items())
        return next((one for one in found if one), None)
    if isinstance(pattern, list):
        if not isinstance(actual, list) or len(actual) != len(pattern):
            return f"{at}: {_short(actual)} is not a list of {len(pattern)}"
        found = (difference(item, actual[n], known, f"{at}[{n}]") for n, item in enumerate(pattern))
        return next((one for one in found if one), None)
    same = type(pattern) is type(actual) or not isinstance(pattern, bool) and not isinstance(actual, bool)
    return None if same and pattern == actual else f"{at}: {_short(actual)} is not {_short(pattern)}"


def _holds(operator: str, value: Any, actual: Any, known: dict[str, Any]) -> bool:
    if operator == "$absent":
        return actual is ABSENT or actual is None
    if actual is ABSENT:
        return False
    match operator:
        case "$set":
            known[value] = actual
            return True
        case "$ref":
            return bool(known[value] == actual)
        case "$not":
            return difference(value, actual, known) is not None
        case "$any":
            return True
        case "$one_of":
            return actual in value
        case "$like":
            return isinstance(actual, str) and re.fullmatch(value, actual) is not None
        case "$repeat":
            return bool(actual == value[0] * value[1])
    raise ValueError(f"unknown pattern {operator}")


def _short(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    text = repr(value)
    return text if len(text) < 200 else text[:200] + ".."
