#!/usr/bin/env bash
# Predicts a run's memory without loading the matrix, and refuses runs that need too much.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

expect 0 1 info --generate stencil27:9,9,9 --ranks 1,2,3 --format csr --backend host
for words in "1 rank:" "2 ranks:" "3 ranks:" "reference" "formats" "fits"; do has "$folder/out" "$words"; done
grep -q "does not fit" "$folder/out" && fail "a small matrix seems not to fit"
# Per-rank memory must not include the graph (with contiguous rows) and the reference (without
# --verify).
has "$folder/out" "graph of all (rank 0)"
expect 0 1 info --generate stencil27:9,9,9 --ranks 2 --format csr --backend host --partition rows --no-verify
grep -qE "graph|reference [0-9]" "$folder/out" && fail "memory is predicted for parts that are not needed"

# For few rows the nonzeros are counted exactly: 25^3 for the 27-point stencil on 9^3 points.
has "$folder/out" "2 ranks: the fullest has 365 rows"
expect 0 1 info --generate stencil27:9,9,9 --format pjds --backend host
has "$folder/out" "729 rows, 1.562e+04 nonzeros and 0 ghosts"

# A file is judged by its header.
expect 0 1 generate stencil5:40,40 -o "$folder/m.mtx"
expect 0 1 info "$folder/m.mtx" --ranks 2 --format sell --backend host
has "$folder/out" "at most 7840 nonzeros by the header"
has "$folder/out" "entries"

# Too large for any machine, and too many rows per rank.
expect 8 1 info --generate stencil7:2000,2000,2000 --ranks 3,100 --format csr --backend host
has "$folder/out" "3 ranks: too few"
has "$folder/out" "at least 4"
has "$folder/out" "does not fit"
refuses 8 "at least 4 ranks,8000000000 rows" 3 --generate stencil7:2000,2000,2000 --format csr --mode vector --backend host
refuses 8 "host memory,use more nodes" 4 --generate stencil7:2000,2000,2000 --format csr --mode vector --backend host

refuses 2 "info runs on one rank; give the number of ranks to estimate for with --ranks N" 2 info --generate stencil27:9,9,9
refuses 4 "none.mtx" 1 info "$folder/none.mtx"
finish
