#!/usr/bin/env bash
# What a run writes: the table, JSON, CSV and a trace; and refused launches.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

matrix=(--generate "stencil27:4,5,6")
expect 0 3 "${matrix[@]}" "${quick[@]}" --layout split --verbose --json "$folder/r.json" --csv "$folder/r.csv" --trace "$folder/r.trace"
for mode in vector naive task; do
  grep -qE "^$mode .*correct" "$folder/out" || fail "no line for mode $mode in the table"
  has "$folder/r.json" "\"mode\": \"$mode\""
  has "$folder/r.csv" ",$mode,"
  grep -qE "^  $mode +(auto: [a-z_0-9]+ +)?(no overlap|MPI|gather|D2H|H2D|the wait|nothing)" "$folder/out" || fail "mode $mode: the table does not say what limited it"
done
has "$folder/r.trace" "rank 2"
has "$folder/r.json" '"limited_by": "no overlap by design'
# Every slice is in a named thread of a named rank, and modes do not overlap in time.
if command -v python3 >/dev/null; then
  python3 - "$folder/r.trace" <<'P' || fail "the trace is invalid"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
ranks = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
assert ranks == {i: f"rank {i}" for i in range(3)}, ranks
slices = [e for e in events if e["ph"] == "X"]
where = {(e["cat"], e["name"]): names[e["pid"], e["tid"]] for e in slices}
assert where["vector", "mpi"] == where["naive", "mpi"] == "MPI (main thread)", where
assert where["task", "mpi"] == "MPI (communication thread)", where
assert {where["task", p] for p in ("interior", "boundary")} == {"kernels"}, where
assert all(e["dur"] >= 0 for e in slices)
ends = [max(e["ts"] + e["dur"] for e in slices if e["cat"] == mode) for mode in ("vector", "naive", "task")]
begins = [min(e["ts"] for e in slices if e["cat"] == mode) for mode in ("vector", "naive", "task")]
assert ends[0] < begins[1] < ends[1] < begins[2] < ends[2], (begins, ends)
P
fi
has "$folder/r.json" '"median_s":'
has "$folder/r.json" '"command_line":'
[ "$(head -1 "$folder/r.csv" | cut -d, -f1)" = matrix ] || fail "the CSV file has no header"
if grep -qvE '^(spmv_dist|backend|warning|note):' "$folder/err"; then fail "other text on stderr" && show; fi

# Without --verbose the table fits 80 columns, for any matrix name and any skipped results.
long_name=$folder/$(printf 'a_rather_long_name_%.0s' 1 2 3 4 5 6).mtx
expect 0 1 generate stencil7:6,6,6 -o "$long_name"
for arguments in "--mode all" "--mode vector,task --transport all" "--mode all --backend debug --format csr"; do
  # shellcheck disable=SC2086  # words
  expect 0 2 "$long_name" "${quick[@]}" $arguments
  long=$(grep -E '.{81}' "$folder/out")
  [ -z "$long" ] || fail "more than 80 columns with $arguments: $long"
  grep -qE '^task +[0-9.]+ +[0-9.]+-[0-9.]+ .* correct +[#*a-z]' "$folder/out" || fail "no line of the table with $arguments"
  if grep -q $'\x1b' "$folder/out"; then fail "colours without a terminal"; fi
done
# No impossible advice: the node has no second core for each rank.
cores=$(getconf _NPROCESSORS_ONLN)
if [ "$cores" -gt 1 ] && [ "$cores" -le 4 ]; then
  expect 0 "$cores" "${matrix[@]}" "${quick[@]}" --mode task
  if grep -q 'one core only' "$folder/err"; then fail "advice to use cores that do not exist"; fi
fi
expect 0 2 "${matrix[@]}" "${quick[@]}" --backend host
if grep -qE 'PCI|on the device|nonlocal' "$folder/out"; then fail "the table of a run on the host mentions devices"; fi

# Each value type, and vectors on the host.
for value in float complex_double; do
  expect 0 2 "${matrix[@]}" "${quick[@]}" --value $value --vectors host --mode task --json "$folder/v.json"
  has "$folder/v.json" "\"value\": \"$value\""
done
expect 0 2 "${matrix[@]}" "${quick[@]}" --backend debug --format csr --nonlocal-format pjds --mode naive,task

# Files are written before the table, and exist even if it cannot be printed. Outputs must differ from the matrix and each other.
for ranks in 1 2; do
  if [ -w /dev/full ]; then
    start=()
    [ $ranks = 1 ] || start=("$mpirun" -np "$ranks")
    rm -f "$folder/f.json"
    timeout "$at_most" "${start[@]}" sh -c 'exec "$@" >/dev/full' sh "$program" "${matrix[@]}" "${quick[@]}" --mode vector \
      --json "$folder/f.json" 2>"$folder/err" </dev/null
    code=$?
    [ "$code" = 5 ] || fail "exit code $code instead of 5 on $ranks ranks when the table cannot be printed"
    [ "$(grep -c '^spmv_dist: .*standard output' "$folder/err")" = 1 ] || { fail "not one message" && show; }
    has "$folder/f.json" '"median_s":'
  fi
done
"$program" "${matrix[@]}" "${quick[@]}" --mode vector --csv "$folder/p.csv" 2>/dev/null </dev/null | true
has "$folder/p.csv" ",vector,"
refuses 2 "--csv,--json,same file" 2 "${matrix[@]}" "${quick[@]}" --json "$folder/s" --csv "$folder/s"
mkfifo "$folder/pipe"
refuses 2 "--tune-cache,pipe,not a regular file" 1 "${matrix[@]}" "${quick[@]}" --tune-cache "$folder/pipe"

refuses 5 "/no/such/folder/r.json" 2 "${matrix[@]}" "${quick[@]}" --mode vector --json /no/such/folder/r.json
for ranks in 1 2 4; do
  CUDA_VISIBLE_DEVICES="" refuses 5 "CUDA" $ranks "${matrix[@]}" "${quick[@]}" --backend cuda
done
# A launcher of another MPI starts four separate programs of one rank.
PMI_SIZE=4 refuses 5 "4 tasks,PMI_SIZE,mpirun" 1 "${matrix[@]}" "${quick[@]}"
finish
