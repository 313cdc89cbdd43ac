#!/usr/bin/env bash
# What a run leaves behind: the table, JSON, CSV and a trace, and environments that do not fit.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

matrix=(--generate "stencil27:4,5,6")
expect 0 3 "${matrix[@]}" "${quick[@]}" --json "$folder/r.json" --csv "$folder/r.csv" --trace "$folder/r.trace"
for mode in vector naive task; do
  grep -qE "^$mode .*correct" "$folder/out" || fail "no line for mode $mode in the table"
  has "$folder/r.json" "\"mode\": \"$mode\""
  has "$folder/r.csv" ",$mode,"
  has "$folder/r.trace" "$mode rank 2"
done
has "$folder/r.json" '"median_s":'
has "$folder/r.json" '"command_line":'
[ "$(head -1 "$folder/r.csv" | cut -d, -f1)" = matrix ] || fail "the CSV file has no header"
if grep -qvE '^(spmv_dist|backend|warning):' "$folder/err"; then fail "other text on stderr" && show; fi

# Each value type, and vectors that live on the host.
for value in float complex_double; do
  expect 0 2 "${matrix[@]}" "${quick[@]}" --value $value --vectors host --mode task --json "$folder/v.json"
  has "$folder/v.json" "\"value\": \"$value\""
done
expect 0 2 "${matrix[@]}" "${quick[@]}" --backend debug --format csr --nonlocal-format pjds --mode naive,task

refuses 5 "/no/such/folder/r.json" 2 "${matrix[@]}" "${quick[@]}" --mode vector --json /no/such/folder/r.json
for ranks in 1 2 4; do
  CUDA_VISIBLE_DEVICES="" refuses 5 "CUDA" $ranks "${matrix[@]}" "${quick[@]}" --backend cuda
done
# A launcher of another MPI starts four programs of one rank each.
PMI_SIZE=4 refuses 5 "4 tasks,PMI_SIZE,mpirun" 1 "${matrix[@]}" "${quick[@]}"
finish
