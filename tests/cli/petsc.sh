#!/usr/bin/env bash
# PETSc's binary files: written and read in PETSc's format, on any number of ranks; invalid ones are
# refused.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

cat >"$folder/small.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
4 4 5
1 1 1.5
2 2 -2
4 3 1e3
1 4 2
1 4 0.5
END
printf '%%%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 -4\n' >"$folder/complex.mtx"

# petsc FILE WIDTH KIND HEADER LENGTHS COLUMNS VALUES: writes a file by PETSc's manual. WIDTH: integers i or q, KIND: values f or d.
petsc() {
  python3 - "$@" <<'P'
import struct
import sys

path, width, kind = sys.argv[1:4]
header, lengths, columns = ([int(n) for n in a.split()] for a in sys.argv[4:7])
values = [float(v) for v in sys.argv[7].split()]
integers = [1211216] + header + lengths + columns
with open(path, "wb") as file:
    file.write(struct.pack(f">{len(integers)}{width}", *integers) + struct.pack(f">{len(values)}{kind}", *values))
P
}

# Any number of ranks writes the same bytes as PETSc.
petsc "$folder/expected" i d "4 4 4" "2 1 0 1" "0 3 1 2" "1.5 2.5 -2 1000"
petsc "$folder/complex" i d "2 1 2" "1 1" "0 0" "1 2 3 -4"
expect 0 1 convert "$folder/small.mtx" "$folder/small.spmv"
expect 0 1 convert "$folder/complex.mtx" "$folder/complex.spmv"
for ranks in 1 2 3 5; do
  expect 0 $ranks convert "$folder/small.mtx" "$folder/$ranks.petsc"
  has "$folder/out" "4 x 4, 4 nonzeros, double, 32-bit columns"
  cmp -s "$folder/expected" "$folder/$ranks.petsc" || fail "the file of $ranks ranks differs from PETSc's"
  expect 0 $ranks convert "$folder/complex.mtx" "$folder/c$ranks.petsc"
  cmp -s "$folder/complex" "$folder/c$ranks.petsc" || fail "the complex file of $ranks ranks differs from PETSc's"
  # Any number of ranks reads it, under any name.
  expect 0 $ranks convert "$folder/expected" "$folder/back.spmv"
  cmp -s "$folder/small.spmv" "$folder/back.spmv" || fail "$ranks ranks read another matrix"
  expect 0 $ranks convert "$folder/complex" "$folder/back.spmv"
  cmp -s "$folder/complex.spmv" "$folder/back.spmv" || fail "$ranks ranks read other complex values"
done
expect 0 3 "$folder/expected" "${quick[@]}" --verbose --json "$folder/run.json"
has "$folder/out" "PETSc binary file"
has "$folder/run.json" '"nonzeros": 4,'

# Other integer widths, and unsorted columns.
petsc "$folder/wide" q d "4 4 4" "2 1 0 1" "3 0 1 2" "2.5 1.5 -2 1000"
petsc "$folder/float" i f "4 4 4" "2 1 0 1" "3 0 1 2" "2.5 1.5 -2 1000"
petsc "$folder/empty" i d "3 2 0" "0 0 0" "" ""
for name in wide float; do
  expect 0 2 convert "$folder/$name" "$folder/back.spmv" --value double
  cmp -s "$folder/small.spmv" "$folder/back.spmv" || fail "a $name file gives another matrix"
done
expect 0 2 "$folder/float" "${quick[@]}" --mode vector --json "$folder/run.json"
has "$folder/run.json" '"value": "float"'
expect 0 2 "$folder/empty" "${quick[@]}" --mode vector
expect 0 1 convert "$folder/float" "$folder/float.petsc"
cmp -s "$folder/expected" "$folder/float.petsc" || fail "floats are not written as doubles"

# Objects after the matrix (vectors, such as b of A x = b, and matrices) are not read, as with MatLoad; one warning says so.
# behind MATRIX WORDS: appends stdin.
behind() {
  cat "$folder/$1" - >"$folder/more"
  for ranks in 1 3; do
    expect 0 $ranks convert "$folder/more" "$folder/back.spmv" --value "${3:-double}"
    cmp -s "$folder/${4:-small}.spmv" "$folder/back.spmv" || fail "$1 gives another matrix when $2 follows"
    [ "$(grep -c "^warning: .*more: $2 follows the matrix in the file, and is not read" "$folder/err")" = 1 ] || { fail "no single warning about $2" && show; }
  done
}
vector='\0\022\173\116\0\0\0\1\100\0\0\0\0\0\0\0'
for name in expected float; do printf %b "$vector" | behind $name "a vector"; done
printf '\0\0\0\0\0\022\173\116\0\0\0\0\0\0\0\1\100\0\0\0\0\0\0\0' | behind wide "a vector"
printf %b "$vector$vector" | behind complex "a vector" complex_double complex
behind expected "another matrix" <"$folder/complex"
printf '\0\022\173\122\0\0\0\0' | behind expected "an index set"

# PETSc's own reader and writer, if installed.
io=$(find /usr/lib/petscdir /usr/share/petsc -name PetscBinaryIO.py 2>/dev/null | sort | head -n 1)
if [ -n "$io" ] && python3 -c 'import numpy, scipy' 2>/dev/null; then
  expect 0 3 convert --generate powerlaw:300,6,80 "$folder/network.petsc"
  PETSC_DIR=$(dirname "$(dirname "$(dirname "$(dirname "$io")")")") PYTHONPATH=$(dirname "$io") python3 - "$folder" <<'P' || fail "PETSc reads another matrix"
import sys

import PetscBinaryIO

folder = sys.argv[1]
io = PetscBinaryIO.PetscBinaryIO(precision="double", indices="32bit", complexscalars=False)
(shape, (starts, columns, values)), = io.readBinaryFile(folder + "/1.petsc")
assert tuple(shape) == (4, 4) and list(starts) == [0, 2, 3, 3, 4] and list(columns) == [0, 3, 1, 2], (shape, starts, columns)
assert list(values) == [1.5, 2.5, -2, 1000], values
(network,) = io.readBinaryFile(folder + "/network.petsc", mattype="scipy.sparse")
with open(folder + "/written", "wb") as file:
    io.writeMatSciPy(file, network)
P
  cmp -s "$folder/network.petsc" "$folder/written" || fail "PETSc writes another file"
else
  echo "skipped: PETSc's own reader (PetscBinaryIO.py with numpy and scipy) is not installed"
fi

# refused WORDS: the last file of petsc() must be refused.
refused() { refuses 4 "$1" 2 "$folder/bad" "${quick[@]}"; }
petsc "$folder/bad" i d "4 4 4" "2 1 0 1" "0 4 1 2" "1 2 3 4" && refused "row 1 has column 5"
petsc "$folder/bad" i d "4 4 4" "2 1 0 1" "0 -1 1 2" "1 2 3 4" && refused "row 1 has column 0"
petsc "$folder/bad" i d "4 4 4" "2 1 0 1" "3 3 1 2" "1 2 3 4" && refused "row 1 has column 4 twice"
petsc "$folder/bad" i d "4 4 4" "2 1 0 2" "0 3 1 2" "1 2 3 4" && refused "damaged"
petsc "$folder/bad" i d "4 4 4" "2 1 0 0" "0 3 1 2" "1 2 3 4" && refused "its rows have 3 nonzeros and its header names 4"
petsc "$folder/bad" i d "4 4 4" "5 -1 0 0" "0 3 1 2" "1 2 3 4" && refused "row 1 has 5 nonzeros in 4 columns"
petsc "$folder/bad" i d "4 4 4" "-1 1 2 2" "0 3 1 2" "1 2 3 4" && refused "damaged"
petsc "$folder/bad" i d "4 4 4" "2 1 0 1" "0 3 1 2" "1 2 nan 4" && refused "no number"
petsc "$folder/bad" i d "4 -4 4" "2 1 0 1" "0 3 1 2" "1 2 3 4" && refused "size -4"
petsc "$folder/bad" i d "2 2 -1" "" "" "1 2 3 4" && refused "dense"
petsc "$folder/bad" i d "4 4 4" "2 1 0 1" "0 3 1 2" "1 2 3 4 5" && refused "something that is not PETSc's follows the matrix"
for bytes in 7 15 20 60 79; do
  head -c $bytes "$folder/expected" >"$folder/bad"
  refused "truncated"
done
refuses 2 "complex" 2 "$folder/complex" "${quick[@]}" --value double
finish
