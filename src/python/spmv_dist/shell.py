"""Words of a command line as a shell would have to read them, and text as a file can have it.

Bytes that are not UTF-8 are in text as Python has them: surrogates from U+DC80 to U+DCFF.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
# A plain word may hold = after an option's name; anywhere else that would be an assignment.
_PLAIN = re.compile(r"[a-zA-Z0-9_@%+:,./-]+|--[a-zA-Z0-9_@%+:,./=-]*", re.ASCII)


def valid_utf8(text: str) -> str:
    """Bytes that are not UTF-8 appear as \\xe9, all else stays."""
    return _NOT_UTF8.sub(lambda match: f"\\x{ord(match.group()) - 0xDC00:02x}", text)


def shell_word(word: str) -> str:
    """The word so that bash takes it for exactly this word, on one line: as it is where that is safe."""
    if _PLAIN.fullmatch(word):
        return word
    if not _CONTROL.search(word):
        return "'" + word.replace("'", "'\\''") + "'"
    quoted = re.sub(r"['\\]", lambda match: "\\" + match.group(), word)
    return "$'" + _CONTROL.sub(lambda match: f"\\{ord(match.group()):03o}", quoted) + "'"


def shell_words(words: Iterable[str]) -> str:
    """Several of them, with blanks between."""
    return " ".join(shell_word(word) for word in words)
