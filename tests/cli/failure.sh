#!/usr/bin/env bash
# A call that fails on one rank during a product, in any thread, ends all ranks at once with its message and one exit code:
# SCRIPT PROGRAM MPIRUN DATA PLANTED_FAULTS.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
planted=$4

for mode in vector naive task; do
  for ranks in 2 4; do
    timeout "$at_most" "$mpirun" -np $ranks env LD_PRELOAD="$planted${LD_PRELOAD:+:$LD_PRELOAD}" SPMV_PLANT="1 MPI_Startall 200 fail" "$program" --generate stencil7:12,12,12 --mode $mode \
      --backend host --transport staged --partition rows --min-repetitions 2000000000 --max-repetitions 2000000000 \
      >"$folder/out" 2>"$folder/err" </dev/null
    code=$?
    [ "$code" = 1 ] || { fail "mode $mode on $ranks ranks: exit code $code instead of 1" && show; }
    [ "$(grep -c '^spmv_dist: ' "$folder/err")" = 1 ] || { fail "mode $mode on $ranks ranks: not one message" && show; }
    has "$folder/err" "spmv_dist: rank 1: MPI failed to start the halo's messages"
  done
done

# One rank cannot write the file: there is one message, the old file stays, and no other is left.
mkdir "$folder/files"
echo old >"$folder/files/m.spmv"
for call in MPI_File_open MPI_File_write_at MPI_File_sync MPI_Get_count; do
  timeout "$at_most" "$mpirun" -np 3 env LD_PRELOAD="$planted${LD_PRELOAD:+:$LD_PRELOAD}" SPMV_PLANT="1 $call 1 fail" "$program" convert --generate stencil7:60,60,60 \
    "$folder/files/m.spmv" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  { [ "$code" = 5 ] || { [ "$code" = 1 ] && [ "$call" = MPI_Get_count ]; }; } || { fail "$call: exit code $code" && show; }
  [ "$(grep -c '^spmv_dist: ' "$folder/err")" = 1 ] || { fail "$call: not one message" && show; }
  [ "$(ls -A "$folder/files")" = m.spmv ] || fail "$call: left behind: $(ls -A "$folder/files")"
  has "$folder/files/m.spmv" old
done
finish
