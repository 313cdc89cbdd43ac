#!/usr/bin/env bash
# The first run of a file stores a binary copy and the partition; the next run starts from them unless the file or they changed.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cache=$folder/made/by/the/run

expect 0 1 generate powerlaw:900,6,80 -o "$folder/m.mtx"
# with RANKS ARGUMENTS...: runs the file with the cache.
with() {
  local ranks=$1
  shift
  expect 0 "$ranks" "$folder/m.mtx" --cache "$cache" --mode vector --backend host --verbose --json "$folder/run.json" "${quick[@]}" "$@"
}
# What the run reports about the matrix and its partition.
told() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); p = r["partition"]; print(r["matrix"]["name"], r["matrix"]["nonzeros"], r["matrix"]["value"], p["partitioner"], p["halo_total"], p["nonzero_balance"], all(m["rows_wrong"] == 0 for m in r["modes"]))' "$folder/run.json"; }
kept() { find "$cache" -type f | wc -l; }
kept_partition_taken() { grep -q "^chosen .*: read from $cache/" "$folder/out" || fail "the partition was not read from the cache"; }
made() { ! grep -q "^chosen .*read from" "$folder/out" || fail "the partition was read from the cache"; }
silent() { ! grep -q "$1" "$folder/err" || fail "it says '$1'"; }

with 3 --partition metis
first=$(told)
[ "$(kept)" = 2 ] || fail "$(kept) files after the first run instead of a copy and a partition"
silent "is read from"
[ "$(find "$cache" -name '.spmv_dist-*' | wc -l)" = 0 ] || fail "an unfinished file is left"
with 3 --partition metis
has "$folder/err" "is read from its copy"
kept_partition_taken
[ "$(told)" = "$first" ] || fail "from the cache: $(told), before: $first"
[ "$(kept)" = 2 ] || fail "another file was stored"
# Another number of ranks, seed or partitioner needs another partition, but the same copy serves.
with 2 --partition metis
has "$folder/err" "is read from its copy"
made
with 3 --partition metis --seed 5
made
with 3 --partition rows
made
[ "$(kept)" = 4 ] || fail "$(kept) files instead of a copy and three partitions"
# The same copy serves another value type.
with 2 --partition metis --value float
has "$folder/err" "is read from its copy"
# auto considers the stored graph partition; its choice depends on rates that it has just measured.
with 2 --partition auto --products 1e9
if [[ $(told) == *" metis "* ]]; then
  grep -q "^chosen .*read from $cache/" "$folder/out" || fail "auto: $(grep '^chosen' "$folder/out")"
fi

# A changed file is read again, under any name.
sed '4,$s/^\([0-9]* [0-9]*\) [-0-9.e]*$/\1 2.5/' "$folder/m.mtx" >"$folder/other.mtx"
cp "$folder/other.mtx" "$folder/m.mtx"
with 3 --partition metis
silent "is read from"
made

# Files are recognised by their bytes: changes with the same time, inode and length must be noticed,
# whether written in place, moved over the old file, or packed.
old=$cache
cache=$folder/by_bytes
second=$(date +%s)
# diagonal VALUE: a matrix whose length does not depend on the value.
diagonal() { printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 %d.0\n2 2 %d.0\n' "$1" "$1"; }
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n1\n' >"$folder/x.mtx"
# y_of VALUE HOW: runs with the current file; y must begin with VALUE.
y_of() {
  local file=$folder/d.mtx
  [ "$2" = packed ] && file=$folder/d.mtx.gz
  touch -d "@$second" "$file"
  expect 0 2 "$file" --cache "$cache" --read-x "$folder/x.mtx" --write-y "$folder/y.mtx" --mode vector --backend host "${quick[@]}"
  [ "$(sed -n 3p "$folder/y.mtx")" = "$1" ] || fail "$2: y begins with $(sed -n 3p "$folder/y.mtx") instead of $1"
}
for value in 1 2 3; do
  diagonal $value >"$folder/d.mtx" && y_of $value "in place"
done
diagonal 4 >"$folder/new.mtx" && touch -d "@$second" "$folder/new.mtx"
cp -p "$folder/new.mtx" "$folder/d.mtx" && y_of 4 "copied"
diagonal 5 >"$folder/new.mtx" && mv "$folder/new.mtx" "$folder/d.mtx" && y_of 5 "moved"
printf 6 | dd of="$folder/d.mtx" bs=1 seek=56 conv=notrunc status=none && y_of 6 "one byte"
for value in 7 8; do
  diagonal $value | gzip -nc >"$folder/d.mtx.gz" && y_of $value packed
done
# A file with known bytes is read from its copy.
diagonal 2 >"$folder/d.mtx" && y_of 2 "as before"
has "$folder/err" "is read from its copy"
cache=$old

# The cache must not store values that a run has converted.
rm -rf "$cache"
with 2 --partition rows --value float
[ "$(kept)" = 0 ] || fail "converted values were stored"
# Damaged files in the cache cause a warning and are made again.
with 3 --partition metis
for file in "$cache"/*; do printf 'x' | dd of="$file" bs=1 seek=5000 conv=notrunc status=none; done
with 3 --partition metis
has "$folder/err" "it is made again"
has "$folder/out" "correct"
with 3 --partition metis
has "$folder/err" "is read from its copy"
kept_partition_taken
silent warning
# If nothing can be stored the run continues.
echo "no folder" >"$folder/file"
cache=$folder/file
with 2
has "$folder/err" "nothing is kept"
has "$folder/out" "correct"
# Generated matrices are not stored.
cache=$folder/none
expect 0 2 --generate stencil7:9,9,9 --cache "$cache" --mode vector "${quick[@]}"
[ ! -e "$cache" ] || fail "a generated matrix got a cache folder"
finish
