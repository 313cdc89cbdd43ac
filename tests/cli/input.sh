#!/usr/bin/env bash
# Valid files, missing files, and invalid ones.
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
gzip -k "$folder/small.mtx"
cat >"$folder/array.mtx" <<'END'
%%MatrixMarket matrix array complex general
2 1
1 2
3 -4
END
cat >"$folder/huge.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
300000000000 300000000000 1
1 1 1
END
cat >"$folder/large.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
2000000000 2000000000 1
1 1 1
END
head -c 60 "$folder/small.mtx.gz" >"$folder/broken.mtx.gz"
head -c 80 "$folder/small.mtx" >"$folder/truncated.mtx"

# More ranks than rows; duplicates are summed.
for ranks in 1 5; do
  expect 0 $ranks "$folder/small.mtx" "${quick[@]}" --json "$folder/small.json"
  has "$folder/small.json" '"rows": 3,'
  has "$folder/small.json" '"cols": 4,'
  has "$folder/small.json" '"nonzeros": 4,'
done
expect 0 2 "$folder/small.mtx.gz" "${quick[@]}" --mode task --json "$folder/gz.json"
has "$folder/gz.json" '"nonzeros": 4,'
expect 0 3 "$folder/array.mtx" "${quick[@]}" --mode vector --json "$folder/array.json"
has "$folder/array.json" '"value": "complex_double"'
refuses 2 "array.mtx,complex" 1 "$folder/array.mtx" "${quick[@]}" --value double

for ranks in 1 2 4; do refuses 4 "$folder/none.mtx" $ranks "$folder/none.mtx" "${quick[@]}"; done
refuses 4 "stencil7:4 4 4,--generate" 2 "stencil7:4 4 4" "${quick[@]}"
refuses 4 "$folder" 2 "$folder" "${quick[@]}"
refuses 4 "broken.mtx.gz" 2 "$folder/broken.mtx.gz" "${quick[@]}"
for ranks in 1 2 4; do refuses 4 "truncated.mtx" $ranks "$folder/truncated.mtx" "${quick[@]}"; done
# Symmetric files with an entry and its mirror image; duplicates whose sum overflows a double; integers that lose digits.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n3 1 1\n1 3 1\n' >"$folder/twice.mtx"
for ranks in 1 2; do refuses 4 "twice.mtx,both there" $ranks "$folder/twice.mtx" "${quick[@]}"; done
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 1e308\n2 1 1.5e308\n' >"$folder/beyond.mtx"
refuses 4 "1 row has,range of double,first row 2,scale" 2 "$folder/beyond.mtx" "${quick[@]}"
printf '%%%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n' >"$folder/whole.mtx"
expect 0 1 "$folder/whole.mtx" "${quick[@]}"
[ "$(grep -c 'warning: .*1 whole value is beyond 2^53' "$folder/err")" = 1 ] || fail "no warning about rounding"
# Refused for its predicted memory, before any allocation. Needs a limit, because some machine has
# room for any matrix.
for ranks in 1 2 4; do
  (ulimit -v 12000000 || exit 1; refuses 8 "GiB,ulimit" $ranks "$folder/large.mtx" --backend host "${quick[@]}"; exit "$failures") ||
    fail "the limit of the address space is ignored"
  refuses 8 "at least 140 ranks" $ranks "$folder/huge.mtx" "${quick[@]}"
done
finish
