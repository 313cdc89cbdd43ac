#!/usr/bin/env bash
# The doctor examines its own launch; its exit code says whether it found a problem.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# says VERDICT SUBJECT TEXT
says() { grep -qE "^$1 +$2 +.*$3" "$folder/out" || { fail "no '$1 $2 $3'" && cat "$folder/out"; }; }

for ranks in 1 2 4; do
  expect 0 $ranks doctor --backend host
  says ok MPI MPI
  says ok nodes "1 node, $ranks rank"
  says '(ok|warning)' binding '(core|turns)'
  says ok bandwidth 'to host [0-9.]+ GB/s'
  grep -qE '^0 problems, [0-9]+ warnings$' "$folder/out" || fail "no last line on $ranks ranks"
done
for transport in staged shm shm_copy; do says ok $transport '8 B in [0-9.]+ us, 1 MiB to every neighbour in [0-9.]+ us'; done
says note nccl 'refused: '
says ok launcher 'Open MPI|MPICH|srun'
expect 0 2 doctor --backend debug
says note gpu_aware 'refused: .*debug'

if is_open_mpi; then
  timeout "$at_most" "$mpirun" --bind-to none -np 2 "$program" doctor --backend host >"$folder/out" 2>"$folder/err" </dev/null ||
    { fail "exit code $? without binding" && show; }
  [ "$(nproc --all)" -lt 4 ] || says ok binding 'of cores that they share'
fi

# OMP_PROC_BIND binds threads; the process keeps all its cores.
expect 0 1 doctor --backend host
free=$(grep -E '^[a-z]+ +binding' "$folder/out")
for how in true spread; do
  OMP_PROC_BIND=$how expect 0 1 doctor --backend host
  [ "$(grep -E '^[a-z]+ +binding' "$folder/out")" = "$free" ] || { fail "the cores differ with OMP_PROC_BIND=$how" && cat "$folder/out"; }
done

# Copies of a one-rank program, as a launcher of another MPI starts them.
OMPI_COMM_WORLD_SIZE=4 run 1 doctor --backend host
[ "$code" = 5 ] || { fail "exit code $code instead of 5 for one of four separate ranks" && show; }
says problem launcher 'started 4 tasks .* MPI sees 1'
grep -qE '^ +fix: use the mpirun of' "$folder/out" || fail "no fix"
refuses 2 "pigeon" 1 doctor pigeon
expect 0 1 doctor --help
finish
