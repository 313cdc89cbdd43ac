#!/usr/bin/env python3
"""Converts the kept corpus (one text file per harness, one input per line) to and from libFuzzer's folders.

    corpus.py unpack SEEDS.txt FOLDER       a file in FOLDER for every line
    corpus.py pack FOLDER... > SEEDS.txt    a line for every file

In a line, a backslash and every byte that is not printable ASCII are written as \\xNN, a newline as \\n.
"""

import hashlib
import pathlib
import re
import sys


def escaped(data: bytes) -> str:
    text = "".join(chr(b) if 0x20 <= b < 0x7F and b != 0x5C else f"\\x{b:02x}" for b in data)
    return text.replace("\\x0a", "\\n")


def unescaped(line: str) -> bytes:
    found = re.sub(r"\\(?:n|x([0-9a-f]{2}))", lambda m: chr(int(m[1], 16)) if m[1] else "\n", line)
    return found.encode("latin-1")


def unpack(seeds: pathlib.Path, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for line in seeds.read_text(encoding="ascii").splitlines():
        data = unescaped(line)
        (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


def pack(folders: list) -> None:
    inputs = {
        path.read_bytes()
        for folder in folders
        for path in pathlib.Path(folder).iterdir()
        if path.is_file()
    }
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        print(escaped(data))


if __name__ == "__main__":
    what, arguments = sys.argv[1:2], sys.argv[2:]
    if what == ["unpack"] and len(arguments) == 2:
        unpack(*map(pathlib.Path, arguments))
    elif what == ["pack"] and arguments:
        pack(arguments)
    else:
        sys.exit(__doc__)
