#!/usr/bin/env bash
# stdout contains only results, whatever libraries print.
#
#   printing.sh PROGRAM MPIRUN DATA PRINTING_MPI
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
printing=$4

# is_json: stdout must be only JSON, and the table on stderr.
is_json() {
  python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$folder/out" 2>/dev/null || fail "stdout is not only JSON: $(head -3 "$folder/out")"
  grep -qE '^vector .* correct' "$folder/err" || fail "no table on stderr"
}

# METIS prints when bisections leave parts without vertices, as with a row heavier than a part.
{
  echo "%%MatrixMarket matrix coordinate pattern general"
  echo "10 10 19"
  for i in $(seq 10); do echo "1 $i"; [ "$i" = 1 ] || echo "$i $i"; done
} >"$folder/star.mtx"
expect 0 1 convert "$folder/star.mtx" "$folder/star.spmv" --partition metis --parts 8
if cat "$folder/out" "$folder/err" | grep -F '***'; then fail "METIS prints"; fi

own_preload=${LD_PRELOAD-}
export LD_PRELOAD="$printing${own_preload:+:$own_preload}"
expect 0 2 --generate stencil5:30,30 "${quick[@]}" --backend host --mode vector --json /dev/stdout
is_json
export LD_PRELOAD="$own_preload"
for line in "in C" "in C, too" "in C++" "at the end"; do has "$folder/err" "$line"; done
finish
