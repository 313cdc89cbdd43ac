"""Runs pytest on this folder, or ends with 77, which ctest takes for skipped, and the reason."""

import importlib
import sys
from pathlib import Path

missing = []
for name in ("mpi4py", "numpy", "scipy", "hypothesis", "pytest"):
    try:
        importlib.import_module(name)
    except ImportError as error:
        missing.append(f"{name} ({error})")
if missing:
    print("skipped, because this Python lacks " + ", ".join(missing))
    sys.exit(77)

import pytest

here = str(Path(__file__).parent)
sys.exit(pytest.main(["-x", "-q", "--tb=short", "-p", "no:cacheprovider", here, *sys.argv[1:]]))
