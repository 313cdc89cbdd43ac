#!/usr/bin/env bash
# Converts to .spmv files: they give the same matrix as the text, and invalid files are refused.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

cat >"$folder/small.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
3 4 5
1 1 1.5
2 2 -2
3 3 1e3
1 4 2
1 4 0.5
END
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n' >"$folder/pattern.mtx"
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n2 1\n' >"$folder/twice.mtx"
printf '%%%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 -4\n' >"$folder/complex.mtx"
gzip -k "$folder/small.mtx"

# Number of unfinished files in the folder.
drafts() { find "$folder" -name '.spmv_dist-*' | wc -l; }

# Any number of ranks writes the same bytes, also from packed text and from .spmv files; any number
# reads them.
for ranks in 1 2 3 5; do
  expect 0 $ranks convert "$folder/small.mtx" "$folder/$ranks.spmv"
  has "$folder/out" "3 x 4, 4 nonzeros, double, 32-bit columns"
  cmp -s "$folder/1.spmv" "$folder/$ranks.spmv" || fail "the file of $ranks ranks differs from that of one"
  expect 0 $ranks "$folder/1.spmv" "${quick[@]}" --json "$folder/small.json"
  has "$folder/small.json" '"rows": 3,'
  has "$folder/small.json" '"cols": 4,'
  has "$folder/small.json" '"nonzeros": 4,'
  has "$folder/small.json" '"value": "double"'
done
expect 0 2 convert "$folder/small.mtx.gz" "$folder/gz.spmv"
cmp -s "$folder/1.spmv" "$folder/gz.spmv" || fail "packed text gives another file"
expect 0 2 convert "$folder/1.spmv" "$folder/again.spmv"
cmp -s "$folder/1.spmv" "$folder/again.spmv" || fail "a .spmv file gives another file"
cp "$folder/1.spmv" "$folder/any name.mtx"
expect 0 1 analyze "$folder/any name.mtx"

# Value types: the file's own, or the requested one.
expect 0 2 convert "$folder/pattern.mtx" "$folder/p.spmv"
has "$folder/out" "3 nonzeros, pattern"
expect 0 2 "$folder/p.spmv" "${quick[@]}" --mode vector --json "$folder/p.json"
has "$folder/p.json" '"value": "double"'
expect 0 1 convert "$folder/p.spmv" "$folder/p2.spmv"
cmp -s "$folder/p.spmv" "$folder/p2.spmv" || fail "a pattern is not stored as one"
expect 0 1 convert "$folder/pattern.mtx" "$folder/pf.spmv" --value float
has "$folder/out" "3 nonzeros, float"
expect 0 1 "$folder/pf.spmv" "${quick[@]}" --mode vector --json "$folder/pf.json"
has "$folder/pf.json" '"value": "float"'
expect 0 2 convert "$folder/twice.mtx" "$folder/twice.spmv"
has "$folder/out" "1 nonzeros, double"
has "$folder/err" "more than once"
expect 0 3 convert "$folder/complex.mtx" "$folder/c.spmv"
expect 0 2 "$folder/c.spmv" "${quick[@]}" --mode vector --json "$folder/c.json"
has "$folder/c.json" '"value": "complex_double"'
refuses 2 "complex" 2 "$folder/c.spmv" "${quick[@]}" --value double
expect 0 4 convert --generate stencil7:20,20,20 "$folder/g.spmv"
expect 0 2 "$folder/g.spmv" "${quick[@]}" --mode task
# An empty matrix.
printf '%%%%MatrixMarket matrix coordinate real general\n4 4 0\n' >"$folder/empty.mtx"
expect 0 3 convert "$folder/empty.mtx" "$folder/empty.spmv"
expect 0 2 "$folder/empty.spmv" "${quick[@]}" --mode vector

# Partitions: any number of ranks stores the same ones, once per number of parts. Without partitions
# the file has version 1.
expect 0 1 generate powerlaw:900,6,80 -o "$folder/m.mtx"
version() { od -An -tu4 -j8 -N4 "$1" | tr -d ' '; }
expect 0 2 convert "$folder/m.mtx" "$folder/none.spmv"
[ "$(version "$folder/none.spmv")" = 1 ] || fail "version $(version "$folder/none.spmv") without partitions"
for ranks in 1 2 4; do
  expect 0 $ranks convert "$folder/m.mtx" "$folder/stored$ranks.spmv" --partition metis --parts 2,3,2 --parts 3,64
  has "$folder/out" "3 partitions"
  cmp -s "$folder/stored1.spmv" "$folder/stored$ranks.spmv" || fail "the partitions of $ranks ranks differ from those of one"
done
[ "$(version "$folder/stored1.spmv")" = 2 ] || fail "version $(version "$folder/stored1.spmv") with partitions"
cmp -s <(tail -c +4097 "$folder/none.spmv" | head -c 40000) <(tail -c +4097 "$folder/stored1.spmv" | head -c 40000) ||
  fail "the matrix is stored differently in a file with partitions"
# product RANKS FILE ARGUMENTS...: runs; prints "yes" if every row is correct, and facts about the
# partition.
product() {
  local ranks=$1 file=$2
  shift 2
  expect 0 "$ranks" "$file" "${quick[@]}" --mode vector --backend host --verbose --json "$folder/run.json" "$@" >&2
  python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); p = r["partition"]; right = all(m["rows_wrong"] == 0 for m in r["modes"]); print("yes" if right else "no", p["partitioner"], p["halo_total"], p["edge_cut"], p["nonzero_balance"])' "$folder/run.json"
}
taken() { grep -q "^chosen .*read from .*\.spmv" "$folder/out"; }
for ranks in 2 3; do
  made=$(product $ranks "$folder/m.mtx" --partition metis)
  taken && fail "a partition was read from a file without any"
  read=$(product $ranks "$folder/stored1.spmv" --partition metis)
  has "$folder/out" "chosen       metis: read from $folder/stored1.spmv"
  [[ "$made" = "$read" && "$made" = "yes "* ]] || fail "made: $made, stored: $read"
done
# Without a stored partition for this seed, partitioner and number of ranks, the run computes one.
product 3 "$folder/stored1.spmv" --partition metis --seed 5 >/dev/null
taken && fail "another seed's partition was used"
product 3 "$folder/stored1.spmv" --partition metis_groups >/dev/null
taken && fail "another partitioner's partition was used"
product 4 "$folder/stored1.spmv" --partition metis >/dev/null
taken && fail "a partition for another number of ranks was used"
# auto considers the stored partition, and prints its choice and the predicted time of the other
# one.
product 3 "$folder/stored1.spmv" --products 1 >/dev/null
grep -qE '^chosen .*; (metis|rows) [0-9.e+]+ us' "$folder/out" || fail "auto does not consider the stored partition: $(grep '^chosen' "$folder/out")"
# Conversion keeps the stored partitions and adds new ones.
expect 0 2 convert "$folder/stored1.spmv" "$folder/again.spmv"
cmp -s "$folder/stored1.spmv" "$folder/again.spmv" || fail "conversion lost the partitions"
expect 0 2 convert "$folder/stored1.spmv" "$folder/more.spmv" --partition metis_groups --parts 3
has "$folder/out" "4 partitions"
expect 0 2 convert "$folder/stored1.spmv" "$folder/more.spmv" --partition metis --parts 2,4 --seed 7
has "$folder/out" "5 partitions"
expect 0 2 convert "$folder/stored1.spmv" "$folder/less.petsc"
product 4 "$folder/more.spmv" --partition metis --seed 7 >/dev/null
taken || fail "the added partition was not used"
# Rectangular, empty, fewer rows than ranks, one rank.
for matrix in small empty; do
  expect 0 2 convert "$folder/$matrix.mtx" "$folder/few.spmv" --partition metis --parts 1,3,1048576
  for ranks in 1 3; do
    product $ranks "$folder/few.spmv" --partition metis >/dev/null
    taken || fail "the stored partition of $matrix for $ranks ranks was not used"
  done
done
# Damage in a partition only fails runs that read it.
size=$(stat -c %s "$folder/stored1.spmv")
cp "$folder/stored1.spmv" "$folder/damaged.spmv"
printf '\xff' | dd of="$folder/damaged.spmv" bs=1 seek=$((size / 4096 * 4096 - 6000)) conv=notrunc 2>/dev/null
refuses 4 "damaged.spmv,partitions are damaged" 2 plan "$folder/damaged.spmv" --ranks 3 --partition metis
refuses 4 "damaged.spmv,partitions are damaged" 3 "$folder/damaged.spmv" "${quick[@]}" --partition metis
refuses 4 "damaged.spmv,partitions are damaged" 3 "$folder/damaged.spmv" "${quick[@]}"
refuses 4 "damaged.spmv,partitions are damaged" 2 convert "$folder/damaged.spmv" "$folder/kept_out.spmv"
[ ! -e "$folder/kept_out.spmv" ] || fail "a damaged file was converted"
product 3 "$folder/damaged.spmv" --partition rows >/dev/null
head -c $((size - 5000)) "$folder/stored1.spmv" >"$folder/cut.spmv"
refuses 4 "cut.spmv,truncated" 2 "$folder/cut.spmv" "${quick[@]}"
# Requests that cannot be stored, and partitions not worth storing.
refuses 2 "out.petsc,only a .spmv file has room for partitions" 2 convert "$folder/m.mtx" "$folder/out.petsc" --partition metis --parts 2
refuses 2 "out.mtx,only a .spmv file has room for partitions" 2 convert "$folder/m.mtx" "$folder/out.mtx" --partition metis --parts 2
refuses 2 "--partition auto,metis" 1 convert "$folder/m.mtx" "$folder/out.spmv" --parts 2
refuses 2 "--partition rows,metis" 1 convert "$folder/m.mtx" "$folder/out.spmv" --parts 2 --partition rows
refuses 2 "unknown partitioner" 1 convert "$folder/m.mtx" "$folder/out.spmv" --parts 2 --partition metro
refuses 2 "--partition,--parts" 1 convert "$folder/m.mtx" "$folder/out.spmv" --partition metis
for parts in 0 -1 1048577 many; do refuses 2 "--parts" 1 convert "$folder/m.mtx" "$folder/out.spmv" --partition metis --parts $parts; done
refuses 2 "room for 62,63" 2 convert "$folder/m.mtx" "$folder/out.spmv" --partition metis --parts "$(seq -s, 63)"
[ "$(find "$folder" -name 'out.*' | wc -l)" = 0 ] || fail "a refused conversion left a file"

# Every kind of damage; with several ranks only some of them read it.
printf '\x01' | dd of="$folder/g.spmv" bs=1 seek=300000 conv=notrunc 2>/dev/null
for ranks in 1 2 4; do refuses 4 "g.spmv,damaged,convert the matrix again" $ranks "$folder/g.spmv" "${quick[@]}"; done
for size in 3 100 4096 5000 12000; do
  head -c $size "$folder/1.spmv" >"$folder/cut.spmv"
  for ranks in 1 3; do refuses 4 "cut.spmv,truncated" $ranks "$folder/cut.spmv" "${quick[@]}"; done
done
{ cat "$folder/1.spmv"; echo more; } >"$folder/long.spmv"
refuses 4 "long.spmv,follows its end" 2 "$folder/long.spmv" "${quick[@]}"
tr -d '\r' <"$folder/1.spmv" >"$folder/text.spmv"
refuses 4 "text.spmv,transfer as text" 2 "$folder/text.spmv" "${quick[@]}"

# The old file stays until the new one is complete; nothing else is left behind.
refuses 2 "1.spmv,same file" 2 convert "$folder/1.spmv" "$folder/1.spmv"
ln -s 1.spmv "$folder/link.spmv"
refuses 2 "link.spmv,same file" 1 convert "$folder/1.spmv" "$folder/link.spmv"
cp "$folder/1.spmv" "$folder/kept.spmv"
refuses 4 "cut.spmv" 2 convert "$folder/cut.spmv" "$folder/kept.spmv"
cmp -s "$folder/1.spmv" "$folder/kept.spmv" || fail "the old file was lost although the new one could not be read"
for ranks in 1 2; do
  (ulimit -f 20000 && refuses 5 "kept.spmv,cannot write" $ranks convert --generate stencil7:70,70,70 "$folder/kept.spmv"; exit "$failures") ||
    fail "exceeding the file size limit on $ranks ranks"
  cmp -s "$folder/1.spmv" "$folder/kept.spmv" || fail "the old file was lost although the new one could not be written"
done
refuses 5 "no/such/m.spmv" 2 convert "$folder/small.mtx" "$folder/no/such/m.spmv"
refuses 5 "/dev/null,regular file" 2 convert "$folder/small.mtx" /dev/null
refuses 2 "two files" 1 convert "$folder/small.mtx"
refuses 2 "one file with --generate" 2 convert --generate stencil7:3,3,3 "$folder/a.spmv" "$folder/b.spmv"
# SIGTERM during writing leaves everything as it was.
"$program" convert --generate stencil27:80,80,80 "$folder/kept.spmv" >"$folder/out" 2>"$folder/err" </dev/null &
process=$!
while kill -0 $process 2>/dev/null && [ "$(drafts)" = 0 ]; do sleep 0.01; done
kill -TERM $process 2>/dev/null
wait $process
code=$?
# It may have finished before the signal.
if [ "$code" != 0 ]; then
  [ "$code" = 143 ] || { fail "exit code $code instead of 143" && show; }
  has "$folder/err" "ended by SIGTERM while"
  cmp -s "$folder/1.spmv" "$folder/kept.spmv" || fail "the old file was lost although the new one was not written"
fi
[ "$(drafts)" = 0 ] || fail "$(drafts) files are left behind"
finish
