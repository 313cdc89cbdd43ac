#!/usr/bin/env bash
# Format auto and analyze: what they print and remember, and invalid caches. (Calibrations:
# calibrate.sh.)
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME=$folder/cache
cache=$XDG_CACHE_HOME/spmv_dist/tuning.json
matrix=(--generate "stencil27:12,12,12")
auto=("${matrix[@]}" "${quick[@]}" --format auto --backend host --products 1e6 --verbose)

# On two ranks, in every mode, and again from the remembered choice.
expect 0 2 "${auto[@]}" --json "$folder/r.json" --csv "$folder/r.csv"
for mode in vector naive task; do
  grep -qE "^$mode .*correct" "$folder/out" || fail "no line for mode $mode in the table"
done
grep -qE '^chosen +[a-z_]+.* measured' "$folder/out" || fail "no measured choice in the report"
has "$folder/out" "tuned in"
has "$folder/r.json" '"automatic": true'
has "$folder/r.json" '"trials": ['
has_column "$folder/r.csv" tuned true
has_column "$folder/r.csv" verified true
[ -s "$cache" ] || fail "nothing was remembered in $cache"
sed -i -E 's/"measured_s": [^,]+/"measured_s": 1e-12/' "$cache"  # too short for any measurement here to contradict it
expect 0 2 "${auto[@]}"
has "$folder/out" ": remembered"
expect 0 2 "${auto[@]}" --columns 4
has "$folder/out" "products of 4 columns"
has "$cache" " columns=4"

# Switched off, the cache is neither read nor written.
cp "$cache" "$folder/before"
expect 0 2 "${auto[@]}" --tune-cache off
if grep -q "remembered" "$folder/out"; then fail "a choice was remembered although the cache is off"; fi
cmp -s "$cache" "$folder/before" || fail "the cache was written although it is off"

# An invalid cache: one warning, and the run continues.
echo '{ no JSON' >"$cache"
expect 0 2 "${auto[@]}"
[ "$(grep -c 'warning: the file of remembered formats' "$folder/err")" = 1 ] || fail "not one warning about a corrupt cache"
expect 0 1 "${auto[@]}" --tune-cache "$folder/other/file.json"
[ -s "$folder/other/file.json" ] || fail "--tune-cache: no file"
expect 0 1 "${auto[@]}" --tune-cache /proc/no/such/file.json
has "$folder/err" "warning: the file of remembered formats /proc/no/such/file.json"

# For one product auto chooses csr; fixed options stay.
expect 0 1 "${matrix[@]}" "${quick[@]}" --format auto --products 1 --tune-cache off --verbose
has "$folder/out" "1 product is not worth another format"
expect 0 2 "${matrix[@]}" "${quick[@]}" --format sell --sigma 64 --chunk-rows 8 --mode vector --json "$folder/s.json" --csv "$folder/s.csv"
has "$folder/s.json" '"sigma": 64'
has_column "$folder/s.csv" tuned false

expect 0 1 analyze "${matrix[@]}" --backend host --products 1e6 --json "$folder/a.json"
for text in "Av " "N_iter " "row lengths" "sell_packed " "bytes/nnz" "auto  "; do has "$folder/out" "$text"; done
has "$folder/out" "cuda backend only"
for field in rows_of_length block_covers predicted_s choice trials; do has "$folder/a.json" "\"$field\""; done
printf '%%%%MatrixMarket matrix coordinate real general\n3 5 2\n1 5 2.5\n3 1 -1\n' >"$folder/m.mtx"
expect 0 1 analyze "$folder/m.mtx" --backend host
has "$folder/out" "3 x 5, 2 nonzeros"
refuses 4 "no.mtx" 1 analyze "$folder/no.mtx"
refuses 5 "/no/such/folder/a.json" 1 analyze "${matrix[@]}" --json /no/such/folder/a.json
finish
