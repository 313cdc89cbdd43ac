#!/usr/bin/env bash
# The command calibrate: predictions use its measurements, and remembered choices stay.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME=$folder/cache
cache=$XDG_CACHE_HOME/spmv_dist/tuning.json
matrix=(--generate "stencil27:12,12,12")
auto=("${matrix[@]}" "${quick[@]}" --format auto --backend host --products 1e6 --verbose)

expect 0 2 "${auto[@]}"
sed -i -E 's/"measured_s": [^,]+/"measured_s": 1e-12/' "$cache"  # too short for any measurement here to contradict it
expect 0 1 doctor --backend host
grep -qE '^note +calibration +none is kept' "$folder/out" || fail "the doctor does not report the missing calibration"
expect 0 1 "${matrix[@]}" "${quick[@]}" --format auto --backend host --products 1 --verbose
has "$folder/out" "built-in paces"
expect 0 1 calibrate --backend host
has "$folder/out" "kept in      $cache"
grep -qE '^sell_packed +[0-9.]+' "$folder/out" || fail "no speeds of sell_packed"
has "$cache" '"calibrations"'
has "$cache" '"signature"'
expect 0 2 "${auto[@]}"
has "$folder/out" ": remembered"
expect 0 1 "${matrix[@]}" "${quick[@]}" --format auto --backend host --products 1 --verbose
has "$folder/out" "calibrated on this machine"
expect 0 1 doctor --backend host
grep -qE '^ok +calibration' "$folder/out" || fail "the doctor does not see the calibration"
sed -i 's/spmv_dist [0-9.]*, compiler/spmv_dist 0.0.1, compiler/' "$cache"
expect 0 1 doctor --backend host
grep -qE '^note +calibration +that in' "$folder/out" || fail "the doctor accepts another build's calibration"
refuses 2 "no file to write" 1 calibrate --backend host --tune-cache off
refuses 5 "/proc/no/such/file.json" 1 calibrate --backend host --tune-cache /proc/no/such/file.json
finish
