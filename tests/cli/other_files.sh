#!/usr/bin/env bash
# Files of other formats: the message says what the file is, and the command in the message makes a readable file. The Python tool
# market does so with texts, if it is told what they are. Archives with one matrix are read.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
mkdir "$folder/made"
PYTHONPATH=$(cd "$(dirname "$0")/../../src/python" && pwd)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1

cat >"$folder/a.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
3 3 5
1 1 1.5
2 2 -2
3 3 1000
1 3 2
3 1 2
END
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 7\n2 1 7\n2 3 9\n3 2 9\n' >"$folder/graph.mtx"
printf '%%%%MatrixMarket matrix array real general\n2 1\n0.5\n-3\n' >"$folder/vector.mtx"
for name in a graph vector; do expect 0 1 convert "$folder/$name.mtx" "$folder/$name.spmv"; done

# reads RANKS FILE [MATRIX]: FILE must give the same matrix as MATRIX.
reads() {
  expect 0 "$1" convert "$2" "$folder/back.spmv"
  cmp -s "$folder/${3:-a}.spmv" "$folder/back.spmv" || fail "$2 gives another matrix on $1 ranks"
  rm -f "$folder/back.spmv"
}

# helps FILE WORDS MADE [MATRIX]: FILE is refused with these words; the command after them must make the readable file MADE.
helps() {
  refuses 4 "$1: is $2" 1 "$folder/$1" "${quick[@]}"
  local command
  command=$(grep -oE '(python3 -m|xz -dc|bzip2 -dc|zstd -dc|gzip -dc|iconv|tail -c|unzip|tar -xf) .*' "$folder/err" | head -n 1)
  (cd "$folder/made" && bash -c "$command" >"$folder/said" 2>&1) || { fail "$1: this fails: $command" && cat "$folder/said"; }
  reads 1 "$folder/made/$3" "${4:-a}"
}

# makes KIND FILE [MATRIX]: the tool market reads the text FILE, of this kind.
makes() {
  python3 -m spmv_dist.market "$folder/$2" --text "$1" -o "$folder/made/$2.mtx" || fail "$2 is not read"
  reads 1 "$folder/made/$2.mtx" "${3:-a}"
}

# Files that Python's standard library can make.
python3 - "$folder" <<'P'
import os
import struct
import sys

os.chdir(sys.argv[1])
lines = ["title".ljust(72) + "key".ljust(8), ("%14d" * 5) % (3, 1, 1, 1, 0), "RSA" + " " * 11 + ("%14d" * 4) % (3, 3, 4, 0),
         "(4I3)".ljust(16) + "(4I3)".ljust(16) + "(4D8.1)".ljust(20), "  1  3  4  5", "  1  3  2  3", " 1.5D+00 2.0D+00-2.0D+00 1.0D+03"]
open("a.rsa", "w").write("\n".join(lines) + "\n")
matrix = open("a.mtx").read()
open("wide.mtx", "wb").write(matrix.encode("utf-16"))
open("marked.mtx", "wb").write(b"\xef\xbb\xbf" + matrix.encode())
open("a b's.graph", "w").write("3 2 001\n2 7\n1 7 3 9\n2 9\n")
integers = [1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2]
for name, order in (("low", "<"), ("a", ">")):
    open(f"{name}.petsc", "wb").write(struct.pack(f"{order}{len(integers)}i5d", *integers, 1.5, 2, -2, 2, 1000))
P
refuses 4 "a PETSc matrix with the lowest byte first" 1 "$folder/low.petsc" "${quick[@]}"
gzip -k "$folder/a.petsc"
helps a.petsc.gz "a PETSc matrix inside gzip" a.petsc.gz.unpacked
helps wide.mtx "text in UTF-16" wide.mtx.mtx
helps marked.mtx "text with a byte order mark" marked.mtx.mtx
for text in a.rsa "a b's.graph"; do refuses 4 "python3 -m spmv_dist.market" 1 "$folder/$text" "${quick[@]}"; done
for packer in xz bzip2 zstd; do
  if ! command -v $packer >/dev/null; then echo "skipped: $packer is not installed" && continue; fi
  $packer -c "$folder/a.mtx" >"$folder/packed"
  helps packed "packed by $packer" packed.unpacked
done

# Files of scipy, h5py and others.
if python3 -c 'import scipy.io' 2>/dev/null; then
  python3 - "$folder" <<'P'
import os
import sys

import numpy
import scipy.io
import scipy.sparse

os.chdir(sys.argv[1])
a = scipy.sparse.csr_matrix(numpy.array([[1.5, 0, 2], [0, -2, 0], [2, 0, 1000]]))
scipy.sparse.save_npz("csr.npz", a)
scipy.sparse.save_npz("coo.npz", a.tocoo())
numpy.savez("own.npz", data=a.data, indices=a.indices, indptr=a.indptr, shape=a.shape)
numpy.savez("dense.npz", a.toarray())
numpy.save("dense.npy", a.toarray())
scipy.io.savemat("a.mat", {"b": numpy.ones(3), "A": a})
scipy.io.savemat("problem.mat", {"Problem": {"name": "x", "A": a}})
scipy.io.savemat("old.mat", {"A": a}, format="4")
numpy.savetxt("table.txt", a.toarray())
coo = a.tocoo()
for name, mark, first in (("from_0.csv", ",", 0), ("from_1.txt", " ", 1)):
    numpy.savetxt(name, numpy.column_stack([coo.row + first, coo.col + first, coo.data]), fmt=["%d", "%d", "%g"], delimiter=mark)
open("titled.csv", "w").write("row,column,value\n" + open("from_0.csv").read())
numpy.savetxt("table.csv", numpy.hstack([a.toarray(), numpy.zeros((3, 1))])[:, :3], delimiter=";")
numbers = numpy.array([0.5, -3])
for name, integer, number in (("v", ">i4", ">f8"), ("v64", ">i8", ">f8"), ("v32", ">i4", ">f4")):
    open(name, "wb").write(numpy.array([1211214, 2]).astype(integer).tobytes() + numbers.astype(number).tobytes())
P
  for name in csr coo own dense; do helps $name.npz "a NumPy archive" $name.npz.mtx; done
  helps dense.npy "a NumPy array" dense.npy.mtx
    for name in a problem; do helps $name.mat "a MATLAB file" $name.mat.mtx; done
  python3 -m spmv_dist.market "$folder/old.mat" -o "$folder/made/old.mtx"
  reads 1 "$folder/made/old.mtx"
  for name in from_0.csv titled.csv from_1.txt; do makes entries $name; done
  for name in table.txt table.csv; do makes table $name; done
  makes harwell-boeing a.rsa
  makes metis "a b's.graph" graph
  for name in v v64 v32; do helps $name "a PETSc vector" $name.mtx vector; done
  for name in table.txt v dense.npz; do
    head -c 15 "$folder/$name" >"$folder/cut"
    code=0
    python3 -m spmv_dist.market "$folder/cut" -o "$folder/cut.mtx" 2>"$folder/err" || code=$?
    { [ $code = 4 ] && [ "$(wc -l <"$folder/err")" = 1 ]; } || fail "exit code $code of market for the beginning of $name"
    [ ! -e "$folder/cut.mtx" ] || fail "$name has become a matrix"
  done
  if python3 -c 'import h5py' 2>/dev/null; then
    python3 - "$folder" <<'P'
import os
import sys

import h5py

os.chdir(sys.argv[1])
with h5py.File("new.mat", "w", userblock_size=512) as file:
    a = file.create_group("A")
    a.attrs["MATLAB_sparse"] = 3
    a["data"], a["ir"], a["jc"] = [1.5, 2, -2, 2, 1000.0], [0, 2, 1, 0, 2], [0, 2, 3, 5]
with open("new.mat", "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(128))
with h5py.File("a.h5", "w") as file:
    file["m/data"], file["m/indices"], file["m/indptr"] = [1.5, 2, -2, 2, 1000.0], [0, 2, 1, 0, 2], [0, 2, 3, 5]
P
    helps new.mat "a MATLAB file" new.mat.mtx
    helps a.h5 "an HDF5 file" a.h5.mtx
  else
    echo "skipped: commands for HDF5 (no h5py)"
  fi
else
  echo "skipped: commands for files of NumPy, MATLAB, PETSc's vectors and lists of entries (no scipy)"
fi
refuses 4 "$folder,is a directory" 2 "$folder" "${quick[@]}"
refuses 4 "is a program or shared library" 3 "$program" "${quick[@]}"

# A tar archive with one Matrix Market file is read like that file, by any number of ranks and every
# command.
mkdir "$folder/q"
cp "$folder/a.mtx" "$folder/q/q.mtx"
cp "$folder/vector.mtx" "$folder/q/q_b.mtx"
echo words >"$folder/q/README"
in_q() { tar -C "$folder" "$@"; }
in_q -czf "$folder/q.tar.gz" q/README q/q.mtx
in_q -cf "$folder/q.tar" q/q.mtx q/README
for ranks in 1 2 3 5; do
  reads $ranks "$folder/q.tar.gz"
  reads $ranks "$folder/q.tar"
done
expect 0 2 "$folder/q.tar.gz" "${quick[@]}" --mode vector --cache "$folder/cache"
expect 0 2 "$folder/q.tar.gz" "${quick[@]}" --mode vector --cache "$folder/cache"
has "$folder/err" "is read from its copy"
expect 0 1 info "$folder/q.tar.gz"
has "$folder/out" "q.tar.gz: 3 x 3"

# An archive with several files is refused by every command; the suggested command extracts the file
# with the folder's name.
in_q -czf "$folder/two.tar.gz" q/q_b.mtx q/q.mtx
for ranks in 1 3; do
  refuses 4 "two.tar.gz: is a tar archive,2 .mtx files are in it: q/q_b.mtx" $ranks "$folder/two.tar.gz" "${quick[@]}"
done
refuses 4 "two.tar.gz: is a tar archive,tar -xf" 1 info "$folder/two.tar.gz"
helps two.tar.gz "a tar archive" q/q.mtx
in_q -czf "$folder/none.tar.gz" q/README
refuses 4 "none.tar.gz: is a tar archive,no .mtx file,q/README" 2 "$folder/none.tar.gz" "${quick[@]}"
# Truncated archives and gzip data. Errors name the line within the member.
head -c 700 "$folder/q.tar" >"$folder/short.tar"
gzip -k "$folder/short.tar"
head -c 100 "$folder/q.tar.gz" >"$folder/short.tar.gz.part"
sed -i 's/^2 2 -2$/2 9 -2/' "$folder/q/q.mtx"
in_q -czf "$folder/wrong.tar.gz" q/q.mtx
head -c 520 "$folder/q.tar" >"$folder/cut.tar"
for ranks in 1 3; do
  refuses 4 "cut.tar: is a tar archive,truncated" $ranks "$folder/cut.tar" "${quick[@]}"
  refuses 4 "short.tar.gz: is a tar archive,truncated" $ranks "$folder/short.tar.gz" "${quick[@]}"
  refuses 4 "short.tar.gz.part: the gzip data ends too early" $ranks "$folder/short.tar.gz.part" "${quick[@]}"
  refuses 4 "wrong.tar.gz:q/q.mtx:4: column 9" $ranks "$folder/wrong.tar.gz" "${quick[@]}"
done
finish
