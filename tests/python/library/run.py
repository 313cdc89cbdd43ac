"""Runs pytest on this folder, or ends with 77, which ctest takes for skipped, and the reason."""

import importlib.util
import sys
from pathlib import Path

needed = ("mpi4py", "numpy", "scipy", "hypothesis", "pytest")
missing = [name for name in needed if importlib.util.find_spec(name) is None]
if missing:
    print("skipped, because this Python lacks " + ", ".join(missing))
    sys.exit(77)

import pytest

here = str(Path(__file__).parent)
sys.exit(pytest.main(["-x", "-q", "--tb=short", "-p", "no:cacheprovider", here, *sys.argv[1:]]))
