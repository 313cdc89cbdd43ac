"""Imported first by tests that need more than the standard library: skips them if something is
missing."""

from __future__ import annotations

import importlib.util
import sys


def need(*modules: str) -> None:
    """Exits with code 77 unless all of these can be imported."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {sys.executable} has no {', '.join(missing)}; jobs/test.sh installs them")
        sys.exit(77)
