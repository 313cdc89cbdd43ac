#!/usr/bin/env bash
# Files that are read, and files that are not there or not what they say they are.
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
head -c 60 "$folder/small.mtx.gz" >"$folder/broken.mtx.gz"
head -c 80 "$folder/small.mtx" >"$folder/truncated.mtx"

# More ranks than rows; a duplicate is summed.
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
refuses 4 "$folder" 2 "$folder" "${quick[@]}"
refuses 4 "broken.mtx.gz" 2 "$folder/broken.mtx.gz" "${quick[@]}"
for ranks in 1 2 4; do refuses 4 "truncated.mtx" $ranks "$folder/truncated.mtx" "${quick[@]}"; done
# Refused by what it would need, before anything is allocated.
for ranks in 1 2 4; do refuses 8 "GiB" $ranks "$folder/huge.mtx" "${quick[@]}"; done
finish
