#!/usr/bin/env bash
# Transports are chosen by trials: one that hangs or delivers wrong data costs a message, not the run.
# SCRIPT PROGRAM MPIRUN DATA SILENT_MPI CORRUPTING_MPI.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
silent=$4
corrupting=$5
small=(--generate "stencil7:8,8,8" --backend host --verbose "${quick[@]}")

# Every transport is listed with its result, and one that works is chosen.
for ranks in 2 3; do
  expect 0 $ranks "${small[@]}" --json "$folder/trials.json" --csv "$folder/trials.csv"
  grep -qE '^format .*, transport (staged|shm|shm_copy|p2p|mpi|node_aware)$' "$folder/out" || fail "no transport on $ranks ranks"
  grep -qE '^transport +[a-z_0-9]+ \((the fastest for this halo of [0-9]+ that work|[0-9]+ work; (within 10 % of|less than twice as slow as) the fastest and .*)\)(; for queued products .*)?$' "$folder/out" || fail "no reason on $ranks ranks"
  for transport in staged shm; do
    grep -qE "^  transport $transport +latency [0-9.]+ us.* us for this halo(; not for .*)?$" "$folder/out" || fail "no transport $transport on $ranks ranks"
  done
  grep -qE '^  transport nccl +refused: .*(NCCL|backend host)' "$folder/out" || fail "nccl is not refused on $ranks ranks"
  has "$folder/trials.json" '"exchange_s"'
  has "$folder/trials.csv" ' work'
done
# One rank needs no transport; a named transport is used as it is.
expect 0 1 "${small[@]}"
grep -q 'transport staged$' "$folder/out" || fail "one rank has no transport"
! grep -q '^  transport' "$folder/out" || fail "one rank tries transports"
expect 0 2 "${small[@]}" --transport staged
! grep -q '^  transport' "$folder/out" || fail "a named transport is tried"
# Modes that may use any transport share the trials with mode device, whichever comes first: a transport that suits both was
# measured once, and one whose host waits is refused for mode device alone.
for modes in vector,device device,vector all; do
  expect 0 2 "${small[@]}" --mode $modes
  [ "$(grep -cE '^  transport p2p +latency' "$folder/out")" = 1 ] || fail "p2p is not listed once, --mode $modes"
  grep -qE '^  transport p2p .*; not for' "$folder/out" && fail "p2p does not serve both choices of --mode $modes"
  grep -qE '^  transport staged +latency .*; not for queued products: its host has to wait: it cannot be queued as a whole$' "$folder/out" ||
    fail "staged is not refused for mode device alone, --mode $modes"
  [ "$(grep -c '^transport ' "$folder/out")" = 1 ] || fail "the choices are not in one line, --mode $modes"
done
# Several transports take turns; those that cannot work are skipped, unless none remains.
expect 0 2 "${small[@]}" --mode vector,task --transport all --json "$folder/all.json"
for name in "auto: [a-z_0-9]+" staged shm; do
  [ "$(grep -cE "^(vector|task) +$name +[0-9].* correct$" "$folder/out")" = 2 ] || fail "not two modes over $name"
done
grep -qE '^every +nccl +left out: .*(NCCL|backend host)' "$folder/out" || fail "nccl was not skipped"
has "$folder/all.json" '"transport_chosen": true'
expect 0 3 "${small[@]}" --mode task --transport nccl,shm
[ "$(grep -c ' correct$' "$folder/out")" = 1 ] || fail "not one result over shm alone"
refuses 5 "transport nccl" 2 "${small[@]}" --transport nccl
refuses 5 "none of the transports,nccl" 2 "${small[@]}" --transport nccl,nccl
refuses 2 "'pigeon',auto,staged,shm" 2 "${small[@]}" --transport pigeon
# Without a GPU plain MPI has a name that says so; the name that it has with one is understood, too.
for names in gpu_aware mpi mpi,gpu_aware; do
  expect 0 2 --generate stencil7:8,8,8 "${quick[@]}" --backend host --mode vector --transport $names --json "$folder/named.json"
  has "$folder/named.json" '"transport": "mpi"'
  if grep -rq gpu_aware "$folder/out" || [ "$(grep -c '^vector .* correct' "$folder/out")" != 1 ]; then fail "--transport $names: $(cat "$folder/out")"; fi
done
expect 0 2 solve --generate stencil7:8,8,8 --backend host --tune-cache off --mode vector --transport all
[ "$(grep -cE '^cg +vector +mpi ' "$folder/out")" = 1 ] || fail "not once over mpi: $(cat "$folder/out")"
refuses 5 "transport mpi,host memory" 2 --generate stencil7:8,8,8 --backend debug --transport mpi
refuses 5 "gpu_aware,--backend host or cuda" 2 --generate stencil7:8,8,8 --backend debug --transport gpu_aware

# with MPI RANKS ARGUMENTS...: like `run`, with another MPI preloaded.
with() {
  local mpi=$1 ranks=$2
  shift 2
  timeout "$at_most" "$mpirun" -np "$ranks" env LD_PRELOAD="$mpi${LD_PRELOAD:+:$LD_PRELOAD}" "$program" "${small[@]}" "$@" \
    >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
}

for ranks in 2 4; do
  with "$silent" $ranks --timeout 60  # each transport gets a tenth of it
  [ "$code" = 0 ] || { fail "exit code $code on $ranks ranks with an MPI that delivers nothing" && show; }
  grep -qE '^  transport staged +refused: no answer within 6 s: rank 0 waits for messages from rank' "$folder/out" ||
    { fail "staged is not refused on $ranks ranks" && cat "$folder/out"; }
  grep -qE '^format .*, transport (shm|shm_copy|p2p|node_aware)$' "$folder/out" || fail "no working transport was chosen on $ranks ranks"
  grep -q 'correct$' "$folder/out" || fail "no result on $ranks ranks"
done
with "$corrupting" 2
[ "$code" = 0 ] || { fail "exit code $code with an MPI that corrupts data" && show; }
grep -qE '^  transport staged +refused: brought wrong data to rank 0: byte 0 of [0-9]+ from rank 1$' "$folder/out" ||
  fail "staged is not refused for wrong data"

# Trials in a child process: a transport that works, and one that accesses memory that MPI cannot
# access.
expect 0 1 --try-transport staged debug
ulimit -c 0
run 1 --try-transport gpu_aware debug
[ "$code" -gt 128 ] || fail "exit code $code instead of a signal of the trial"
expect 2 1 --try-transport pigeon debug
finish
