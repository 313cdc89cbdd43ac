"""Wrong changes to the product's code, each of which some test must catch.

`old` occurs exactly once in its file and `new` takes its place; `--check` of sabotage.py verifies that. A change
compiles without a new warning, and is a mistake from which a user would suffer: none leaves the program as it was.
"""

from .dist import DIST
from .prepare import PREPARE
from .comm import COMM
from .kernels import KERNELS
from .tune import TUNE
from .core import CORE
from .io import IO
from .app import APP
from .studies import STUDIES

CHANGES = DIST + PREPARE + COMM + KERNELS + TUNE + CORE + IO + APP + STUDIES
