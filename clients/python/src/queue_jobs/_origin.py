"""Where a function was defined, to tell a second function of one kind from the first one that is loaded again."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Origin:
    """Where a function was defined."""

    module: str
    name: str
    file: str
    line: int

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Origin:
        """That of a function; one that is not written in Python has no file."""
        code = getattr(function, "__code__", None)
        file, line = ("", 0) if code is None else (code.co_filename, code.co_firstlineno)
        return cls(function.__module__, function.__qualname__, file, line)

    def __str__(self) -> str:
        return f"{self.module}.{self.name}" + (f" ({self.file}, line {self.line})" if self.file else "")

    @property
    def is_in_class(self) -> bool:
        """Whether it was defined in the body of a class."""
        around, _, _ = self.name.rpartition(".")
        return around != "" and not around.endswith("<locals>")

    def is_again(self, other: Origin) -> bool:
        """Whether both are one function: a module that is loaded again, or is run and imported too.

        A file that has both, at their two lines, defines two functions.
        """
        if self.name != other.name or (self.module != other.module and self.file != other.file):
            return False
        if self.line == other.line or self.file != other.file:
            return True
        return not self.name.endswith("<lambda>") and not {self.line, other.line} <= self._lines()

    def _lines(self) -> set[int]:
        """Where the file defines functions of this name now."""
        try:
            tree = ast.parse(Path(self.file).read_bytes())
        except (OSError, SyntaxError, ValueError):
            return set()
        name = self.name.rpartition(".")[2]
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        found = [one for one in ast.walk(tree) if isinstance(one, functions) and one.name == name]
        return {min([one.lineno, *(mark.lineno for mark in one.decorator_list)]) for one in found}
