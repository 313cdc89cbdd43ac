#!/usr/bin/env bash
# How fast a Matrix Market file with 17 digits a value becomes a distributed CSR matrix, in GB/s per core.
#   jobs/bench/load_rate.sh [MEGABYTES]      default: 500; the file is made in TMPDIR and deleted at the end
# SPMV_PROGRAM=FILE   the program to measure (default: build/bin/spmv_dist, built first)
# The file is in the page cache when it is measured; every rank is one core. Fastest of three runs.
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$0")/../common.sh"

megabytes=${1:-500}
cd "$SPMV_ROOT"
ensure_packages program python
program=${SPMV_PROGRAM:-build/bin/spmv_dist}
if [ -z "${SPMV_PROGRAM:-}" ]; then
  configure build
  build build spmv_dist
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say "writing about $megabytes MB below $folder"
python3 - "$folder/rate.mtx" "$megabytes" <<'P'
import random
import sys

path, megabytes = sys.argv[1], int(sys.argv[2])
random.seed(1)
values = ["%.17g" % random.uniform(-1, 1) for _ in range(10007)]  # as many as no processor remembers
per_row, line = 27, 37.0
rows = int(megabytes * 1e6 / line / per_row)
with open(path, "w", encoding="ascii") as file:
    file.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (rows, rows, rows * per_row))
    at = 0
    for row in range(1, rows + 1):
        entries = []
        for k in range(per_row):
            at = (at + 7919) % len(values)
            column = (row + k * k * 131) % rows + 1
            entries.append("%d %d %s\n" % (row, column, values[at]))
        file.write("".join(entries))
P
bytes=$(stat -c %s "$folder/rate.mtx")
cat "$folder/rate.mtx" >/dev/null
mpi_settings 2
export OMP_NUM_THREADS=1
for ranks in 1 2; do
  best=''
  for _ in 1 2 3; do
    mpirun -np "$ranks" "$program" "$folder/rate.mtx" --backend host --mode vector --format csr --partition rows \
      --no-verify --max-seconds 0.1 --min-repetitions 1 --json "$folder/rate.json" >"$folder/log" 2>&1 || {
      cat "$folder/log" >&2
      fail 1 "the program failed; its messages are above"
    }
    seconds=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["setup"]["load_s"])' "$folder/rate.json")
    best=$(printf "%s\n" ${best:+"$best"} "$seconds" | sort -g | head -n 1)
  done
  awk -v b="$bytes" -v s="$best" -v n="$ranks" \
    'BEGIN {printf "%d rank%s  %.0f MB in %.3f s: %.3f GB/s, %.3f GB/s per core\n", n, (n > 1 ? "s" : " "), b / 1e6, s, b / s / 1e9, b / s / 1e9 / n}'
done
