#!/usr/bin/env bash
# Writes generated matrices to files: the same for every number of ranks, readable by others, and
# complete or absent.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

expect 0 1 generate "random:2000,1500,6" -o "$folder/one.mtx"
has "$folder/err" "2000 x 1500"
for ranks in 2 3 7; do
  expect 0 "$ranks" generate "random:2000,1500,6" -o "$folder/several.mtx"
  cmp -s "$folder/one.mtx" "$folder/several.mtx" || fail "the file of $ranks ranks differs"
  expect 0 "$ranks" generate "random:2000,1500,6" --output "$folder/several.mtx.gz"
  gzip -dc "$folder/several.mtx.gz" | cmp -s - "$folder/one.mtx" || fail "the packed file of $ranks ranks differs"
done
expect 0 1 generate "random:2000,1500,6" -o /dev/stdout
cmp -s "$folder/out" "$folder/one.mtx" || fail "stdout differs from the file"

# The file and the generator give the same product.
expect 0 2 generate dlr1:0.002 -o "$folder/d.mtx" --value complex_float
expect 0 3 "$folder/d.mtx" "${quick[@]}" --mode vector --value complex_float
has "$folder/out" "correct"

# scipy reads the file.
if python3 -c 'import scipy.io' 2>/dev/null; then
  for value in float double complex_float complex_double; do
    expect 0 2 generate "rmat:7,6" --value $value -o "$folder/$value.mtx.gz"
  done
  python3 - "$folder" "$folder/one.mtx" <<'P' || fail "scipy reads another matrix"
import sys
import numpy
import scipy.io
folder, one = sys.argv[1:]
double, single, both, short = (scipy.io.mmread(f"{folder}/{v}.mtx.gz").tocsr() for v in ("double", "float", "complex_double", "complex_float"))
assert double.shape == (128, 128) and double.nnz > 300
assert (both.real != double).nnz == 0 and abs(both.imag).max() == 0
assert (double.astype(numpy.float32) != single.astype(numpy.float32)).nnz == 0
assert (single.astype(numpy.float32) != single).nnz == 0
assert (short.real != single).nnz == 0
lines = [line.split() for line in open(one) if not line.startswith("%")]
read = scipy.io.mmread(one).tocsr()
assert read.shape == (2000, 1500) and read.nnz == int(lines[0][2]) == len(lines) - 1
for row, col, value in lines[1:]:
    assert read[int(row) - 1, int(col) - 1] == float(value)
P
fi

# Impossible requests are refused, and the old file stays.
echo kept >"$folder/kept.mtx"
refuses 2 "--output" 1 generate stencil5:3,3
refuses 2 "stencil5:NX,NY" 2 generate stencil5:3 -o "$folder/kept.mtx"
refuses 2 "matrix" 1 generate -o "$folder/kept.mtx"
refuses 2 "generate has no --mode" 1 --mode task generate stencil5:3,3 -o "$folder/kept.mtx"
refuses 5 "cannot write,folder that exists" 3 generate stencil5:3,3 -o "$folder/none/m.mtx"
refuses 5 "cannot write,it is a folder" 2 generate stencil5:3,3 -o "$folder"
(
  ulimit -f 16384 # KiB; the launcher itself needs some
  run 1 generate stencil27:40,40,40 -o "$folder/kept.mtx"
  exit "$code"
)
[ $? = 5 ] || fail "a file beyond the limit is not exit code 5"
[ "$(cat "$folder/kept.mtx")" = kept ] || fail "the old file was lost"

# A run that is ended early leaves no file.
mkdir "$folder/early"
"$program" generate stencil27:400,400,400 -o "$folder/early/m.mtx" >"$folder/out" 2>"$folder/err" &
writer=$!
# The file may have no name yet, so look at the writer's open files.
bytes_written() { find "/proc/$writer/fd" -lname '*/early/*' -exec stat -Lc %s {} + 2>/dev/null; }
while kill -0 "$writer" 2>/dev/null; do
  [ "$(bytes_written)" -gt 1000000 ] 2>/dev/null && break
  sleep 0.1
done
kill -TERM "$writer" || fail "the writer ended too early"
wait "$writer"
[ $? = 143 ] || fail "not exit code 143 of a writer that got SIGTERM"
grep -q "m.mtx is not written" "$folder/err" || { fail "no message about the unwritten file" && show; }
[ -z "$(ls -A "$folder/early")" ] || fail "a part of the file is left"

finish
