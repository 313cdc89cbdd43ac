"""Mutations: small changes of single C++ lines, such as a person makes by mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Operators to swap. clang-format puts spaces around binary operators, but not inside template
# arguments.
SWAPS = [
    (
        "comparison",
        r" (<=|>=|<|>|==|!=) ",
        {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    ),
    ("sign", r" ([+-]) ", {"+": "-", "-": "+"}),
    ("one", r"( [+-] 1)\b(?![.'])", {" + 1": "", " - 1": ""}),
    ("logic", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("extreme", r"std::(min|max)\b", {"min": "max", "max": "min"}),
    ("start", r"(?:= |[(,] ?)(0)(?=[;,)])", {"0": "1"}),
    ("sum", r" ([+-]=) ", {"+=": "-=", "-=": "+="}),
]
# A one-line statement that can be left out: a call (such as a barrier, a wait or a check), an
# assignment, a check that throws or returns. Not a declaration.
CALL = r"(?:[\w:.\[\]()*]|->)*\w\([^{]*\);"
ASSIGNMENT = r"[\w.\[\]>*-]+ (?:[+*|&-])?= [^{]*;"
CHECK = r"if \(.*\) (?:throw|return|continue|break)\b[^{]*;"
STATEMENT = re.compile(
    rf"^ +(?!return\b|throw\b|using\b|static_assert\b|delete\b)({CALL}|{ASSIGNMENT}|{CHECK})$"
)
# Lines that change nothing at run time.
IGNORED = re.compile(
    r"^\s*(#|using |namespace |static_assert|template )|\breserve\(|static_cast<void>|\bprefetch"
)


@dataclass(frozen=True)
class Mutation:
    file: str
    line: int  # from 0
    kind: str
    text: str  # of the line after it

    def made_in(self, lines: list[str]) -> list[str]:
        return [*lines[: self.line], self.text, *lines[self.line + 1 :]]


def code_of(line: str) -> str:
    """The line with blanks for comments and string contents, so that columns stay the same."""
    line = re.sub(
        r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)+'",
        lambda found: '"' + " " * (len(found.group()) - 2) + '"',
        line,
    )
    return re.sub(r"//.*", lambda found: " " * len(found.group()), line)


def mutations_of(file: str, lines: list[str]) -> Iterator[Mutation]:
    """All mutations of a file, in the order of its lines."""
    ended = True  # the line before ends a statement or opens a block
    for number, line in enumerate(lines):
        code = code_of(line)
        bare = code.rstrip()
        if not bare:
            continue
        if not IGNORED.search(code) and line.startswith("  "):
            for kind, pattern, other in SWAPS:
                if kind in ("sign", "sum") and '"' in code:
                    continue  # concatenates strings
                for found in re.finditer(pattern, code):
                    begin, end = found.span(1)
                    yield Mutation(
                        file, number, kind, line[:begin] + other[found.group(1)] + line[end:]
                    )
            if ended and STATEMENT.match(bare):
                yield Mutation(file, number, "drop", re.match(r" *", line).group() + ";")
        ended = bare.endswith((";", "{", "}", ":"))
