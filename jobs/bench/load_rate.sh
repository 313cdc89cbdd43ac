#!/usr/bin/env bash
# How fast a Matrix Market file with 17 digits per value, and the same matrix as .spmv, become a distributed CSR matrix, in GB/s and
# GB/s per core, and the share of parsing; beside a plain reader with fscanf, and scipy's mmread if it is installed.
#   jobs/bench/load_rate.sh [MEGABYTES]      default: 500; the files are made in TMPDIR and deleted at the end
# SPMV_PROGRAM=FILE     the program to measure, beside parse_rate (default: build/bin/spmv_dist, built first)
# SPMV_RANKS=N,...      numbers of ranks (default: 1,2)
# The files are in the page cache during measurements; every rank has one core. Reports the fastest of three runs.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/../common.sh"

megabytes=${1:-500}
cd "$SPMV_ROOT"
program=${SPMV_PROGRAM:-build/bin/spmv_dist}
if [ -z "${SPMV_PROGRAM:-}" ]; then
  ensure_packages program python
  configure build
  build build spmv_dist
  build build parse_rate
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say "writing about $megabytes MB below $folder"
python3 - "$folder/rate.mtx" "$megabytes" <<'P'
import random
import sys

path, megabytes = sys.argv[1], int(sys.argv[2])
random.seed(1)
values = ["%.17g" % random.uniform(-1, 1) for _ in range(10007)]  # too many for branch prediction to learn
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
mpi_settings 2
export OMP_NUM_THREADS=1
"$program" convert "$folder/rate.mtx" "$folder/rate.spmv" >"$folder/log" 2>&1 || {
  cat "$folder/log" >&2
  fail 1 "the program failed; its messages are above"
}

# rate WHAT BYTES SECONDS CORES
rate() {
  awk -v what="$1" -v b="$2" -v s="$3" -v n="$4" \
    'BEGIN {printf "%-22s %4.0f MB in %6.3f s: %.3f GB/s, %.3f GB/s per core\n", what, b / 1e6, s, b / s / 1e9, b / s / 1e9 / n}'
}

# least COMMAND...: the fastest of three runs; the command prints seconds.
least() {
  for _ in 1 2 3; do "$@"; done | sort -g | head -n 1
}

# load RANKS FILE
load() {
  mpirun -np "$1" "$program" "$2" --backend host --mode vector --format csr --partition rows \
    --no-verify --max-seconds 0.1 --min-repetitions 1 --json "$folder/rate.json" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    fail 1 "the program failed; its messages are above"
  }
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["setup"]["load_s"])' "$folder/rate.json"
}

for file in rate.mtx rate.spmv; do
  cat "$folder/$file" >/dev/null
  for ranks in $(tr , ' ' <<<"${SPMV_RANKS:-1,2}"); do
    rate "$file, $ranks rank$([ "$ranks" = 1 ] || echo s)" "$(stat -c %s "$folder/$file")" "$(least load "$ranks" "$folder/$file")" "$ranks"
  done
done

bytes=$(stat -c %s "$folder/rate.mtx")
rate "rate.mtx, parsing" "$bytes" "$(least "$(dirname "$program")/parse_rate" "$folder/rate.mtx")" 1
cc -O2 -o "$folder/fscanf" jobs/bench/fscanf_reader.c
rate "fscanf" "$bytes" "$(least "$folder/fscanf" "$folder/rate.mtx")" 1
if python3 -c 'import scipy.io' 2>/dev/null; then
  with_scipy() {
    python3 -W ignore -c 'import sys, time, scipy.io
begin = time.perf_counter()
scipy.io.mmread(sys.argv[1]).tocsr()
print(time.perf_counter() - begin)' "$folder/rate.mtx"
  }
  rate "scipy mmread, tocsr" "$bytes" "$(least with_scipy)" "$(env -u OMP_NUM_THREADS nproc)"
else
  say "there is no scipy to compare with"
fi
