#!/usr/bin/env bash
# Options: unknown names are refused with a list of the known ones, and every rank has the same exit
# code.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

for ranks in 1 2 4; do
  refuses 2 "'fast',vector,naive,task" $ranks --mode fast --generate stencil7:3,3,3
done
refuses 2 "'crs',csr,ellpack_r,pjds,cusparse_csr" 2 --format crs --generate stencil7:3,3,3
refuses 2 "'best',rows,nonzeros,metis" 1 --partition best --generate stencil7:3,3,3
refuses 2 "'pigeon',staged" 1 --transport pigeon --generate stencil7:3,3,3
refuses 2 "'gpu',host,cuda,debug" 1 --backend gpu --generate stencil7:3,3,3
refuses 2 "'half',float,double,complex_float,complex_double" 1 --value half --generate stencil7:3,3,3
refuses 2 "'cube',stencil7,stencil27,holstein-hubbard" 1 --generate cube:3
for ranks in 1 2; do
  refuses 2 "'soup',fem,graph,banded" $ranks --format auto --hint soup --generate stencil7:3,3,3
done
refuses 2 "--chunk-rows,33" 1 --chunk-rows 33 --generate stencil7:3,3,3
refuses 2 "analyze,one rank" 2 analyze --generate stencil7:3,3,3
refuses 2 "'crs',auto,csr" 2 --format crs --generate stencil7:3,3,3
refuses 2 "--frobnicate,--help" 2 --frobnicate
refuses 2 "--generate" 1

# A format for another backend is refused before anything is loaded.
for ranks in 1 3; do
  refuses 5 "cusparse_csr,cuda backend only,--backend cuda" $ranks --format cusparse_csr --backend host --generate stencil7:3,3,3
done
refuses 5 "cusparse_bsr,cuda backend only" 2 --nonlocal-format cusparse_bsr --backend debug --generate stencil7:3,3,3

# Unexpected words are listed in their order.
refuses 2 "not expected: a b --c d;" 1 --generate stencil7:3,3,3 m.mtx a b --c d
refuses 2 "not expected: a b c;" 2 plan --generate stencil7:3,3,3 m.mtx a b c

# Without our check the OpenMP runtime would end the process with its own message.
matrix=(--generate "stencil7:3,3,3" --mode vector --backend host "${quick[@]}")
for size in 16 "64 k" 100000B 8000000G; do
  OMP_NUM_THREADS=2 OMP_STACKSIZE=$size refuses 8 "OMP_STACKSIZE=$size" 2 "${matrix[@]}"
done
OMP_NUM_THREADS=2 GOMP_STACKSIZE=20 refuses 8 "GOMP_STACKSIZE=20" 1 "${matrix[@]}"
OMP_NUM_THREADS=2 OMP_STACKSIZE=16 refuses 8 "OMP_STACKSIZE=16" 2 generate stencil7:3,3,3 -o "$folder/m.mtx"
OMP_NUM_THREADS=100000 refuses 2 "OMP_NUM_THREADS=100000" 2 generate stencil7:3,3,3 -o "$folder/m.mtx"
OMP_NUM_THREADS=99999999999999999999 refuses 2 "OMP_NUM_THREADS=99999999999999999999" 1 "${matrix[@]}"
for size in 1M "512 K" 16 nonsense; do
  threads=2
  [ "$size" = 16 ] && threads=1  # so the runtime starts no other threads
  OMP_NUM_THREADS=$threads OMP_STACKSIZE=$size expect 0 1 "${matrix[@]}"
done
OMP_NUM_THREADS=2147483647 refuses 2 "OMP_NUM_THREADS=2147483647,at most" 1 --generate stencil7:3,3,3
refuses 2 "--json,analyze,after" 1 --json "$folder/a.json" analyze --generate stencil7:3,3,3
expect 0 2 --help
[ "$(grep -c 'Exit codes' "$folder/out")" = 1 ] || fail "two ranks do not print --help once"
expect 0 1 --version
has "$folder/out" "METIS"
has "$folder/out" "MPI"
expect 0 1 --list
for name in pjds cusparse_sell task staged metis holstein-hubbard; do has "$folder/out" $name; done
finish
