import sys

from spmv_dist.scale.study import scale
from spmv_dist.tool import run

if __name__ == "__main__":
    sys.exit(run("spmv_dist.scale", scale))
