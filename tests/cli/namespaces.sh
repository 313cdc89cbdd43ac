#!/usr/bin/env bash
# Ranks in separate namespaces, as containers start them: over each transport the product is correct, or the transport is refused
# with the reason; nothing hangs. SCRIPT PROGRAM MPIRUN DATA ONE_PRODUCT (tests/lib/one_product.cpp).
#
#   SPMV_THOROUGH=1         all rows: single namespaces and pairs of them, and each transport in a run of its own
#   SPMV_BACKENDS="cuda"    backends to test; default "host", with SPMV_THOROUGH "host debug"
#
# MPI runs over TCP: Open MPI's own shared memory fails in PID namespaces.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
one_product=$4
PATH=$PATH:/usr/sbin:/sbin
nodes=$(cd "$(dirname "$0")/../.." && pwd)/jobs/virtual_nodes.sh
thorough=${SPMV_THOROUGH:-}
read -ra backends <<<"${SPMV_BACKENDS:-host${thorough:+ debug}}"
names=(staged shm shm_copy p2p mpi gpu_aware nccl node_aware)
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp
quick+=(--generate "stencil5:30,30" --tune-cache off --verbose)

skip() {
  echo "skipped: $*"
  exit 77
}
is_open_mpi || skip "the launcher is not Open MPI's, whose ranks can be made to use TCP alone"
unshare --user --map-root-user --pid --fork --kill-child --mount-proc --ipc true 2>/dev/null ||
  skip "this machine allows no new namespaces (unshare)"

# Separate networks need root and iproute2. A rank's network reaches only the other ranks and the launcher.
networks=
echo "$nodes is missing" >"$folder/why"
if [ -e "$nodes" ] && bash "$nodes" check >"$folder/why" 2>&1 && mkdir "$folder/net" && bash "$nodes" nodes "$folder/net" 2 2>"$folder/why"; then
  networks=$(cat "$folder/net/id")
  trap 'bash "$nodes" down "$folder/net"; rm -rf "$folder"' EXIT
else
  echo "without network namespaces: $(tail -1 "$folder/why")"
fi

# apart NAMESPACES: writes $folder/apart, which starts a rank in its own namespaces. "outer_proc": a PID namespace that still has
# the outer /proc.
apart() {
  local kind enter=() options=()
  for kind in $1; do
    case $kind in
      user) options+=(--user --map-root-user) ;;
      pid) options+=(--pid --fork --kill-child --mount-proc) ;;
      outer_proc) options+=(--pid --fork --kill-child) ;;
      net) enter=(nsenter "--net=/run/netns/${networks}n\$((OMPI_COMM_WORLD_RANK + 1))") ;;
      *) options+=("--$kind") ;;
    esac
  done
  {
    echo '#!/bin/bash'
    echo "exec ${enter[*]} ${options:+unshare ${options[*]}} \"\$@\""
  } >"$folder/apart"
  chmod +x "$folder/apart"
}

# start COMMAND...: like `run` of common.sh, on two ranks in separate namespaces, by
# "${launcher[@]}".
start() {
  timeout -k 10 "$at_most" "${launcher[@]}" "$mpirun" -np 2 "$folder/apart" "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  ! grep -q WRONG "$folder/out" || fail "a wrong y in '$row': $*: $(grep WRONG "$folder/out" | head -3)"
}

# Whether ranks can access each other's host memory in this row.
reach() { ! [[ $row =~ user|pid|outer_proc|711 ]]; }

# came_of TRANSPORT: its result in the program's output of --transport all: "right", "refused", "late" (a trial that timed out, as
# may happen on a busy machine) or "nothing".
came_of() {
  if grep -qE "^every +$1 +left out: no answer within" "$folder/out"; then
    echo late
  elif grep -qE "^(vector|every) +$1 .*(left out|refused)" "$folder/out"; then
    echo refused
  elif grep -qE "^vector +(auto: )?$1 .* correct" "$folder/out"; then
    echo right
  else
    echo nothing
  fi
}

# judge WHO TRANSPORT right|refused|late|nothing: fails if the result must be another. A GPU's
# memory may be shared by its driver.
judge() {
  local wanted
  case "$backend $2" in
    *" staged" | *" node_aware" | *" auto" | host\ mpi) wanted=right ;;
    *" mpi") wanted=refused ;;
    cuda\ p2p | *" gpu_aware" | *" nccl") wanted='right|refused' ;;
    *) wanted=$(reach && echo right || echo refused) ;;
  esac
  [ "$wanted" = refused ] || wanted+='|late'
  [[ $3 =~ ^($wanted)$ ]] ||
    { fail "$1, backend $backend, in '$row': $3, not $wanted, over $2" && show && grep -E "refused|left out|right|correct" "$folder/out"; }
  summary+=" $2:$3"
}

# CUDA finds no GPU if /proc belongs to another PID namespace.
without_gpu() { [[ "$backend $row" = cuda\ *outer_proc* ]]; }

# Whether the last command ended with exit code 5 and a message about the GPU.
refused_gpu() {
  [ "$code" = 5 ] && grep -qh "no usable GPU" "$folder/out" "$folder/err" && return
  fail "exit code $code of $1 in '$row', where CUDA finds no GPU" && show
}

by_the_program() {
  local name
  summary="program:"
  start "$program" "${quick[@]}" --backend "$backend" --mode vector --transport all --partition auto --order auto
  ! without_gpu || { refused_gpu "the program" && echo "$backend, $row: program: no GPU"; return; }
  [ "$code" = 0 ] || { fail "exit code $code in '$row' over all transports" && show && return; }
  for name in "${names[@]}"; do
    [ "$backend $name" = "host gpu_aware" ] || judge "the program" "$name" "$(came_of "$name")"  # that is mpi
  done
  grep -qE "^vector +auto: .* correct" "$folder/out" || fail "auto's product is wrong in '$row'"
  # --verbose prints the reason.
  reach || grep -qE "^  transport shm +refused: .*rank [0-9]+ does not reach the memory of rank [0-9]+: " "$folder/out" ||
    fail "no reason for shm in '$row'"
  echo "$backend, $row: $summary"
}

by_the_library() {
  local name
  summary="library:"
  start "$one_product" "$backend" auto "${names[@]}"
  ! without_gpu || { refused_gpu "the library" && echo "$backend, $row: library: no GPU"; return; }
  [ "$code" = 0 ] || { fail "exit code $code of the library in '$row'" && show && return; }
  for name in auto "${names[@]}"; do
    judge "the library" "$name" "$(sed -n "s/^$name: \(right\|refused\).*/\1/p" "$folder/out" | grep . || echo nothing)"
  done
  echo "$backend, $row: $summary"
}

# A transport that is named must be right, or refused with one message and exit code 5.
by_name() {
  local name
  for name in "${names[@]}"; do
    start "$program" "${quick[@]}" --backend "$backend" --mode vector --transport "$name"
    [ "$code" = 0 ] && grep -q ' correct' "$folder/out" && continue
    [ "$code" = 5 ] && [ "$(grep -c '^spmv_dist: ' "$folder/err")" = 1 ] && continue
    fail "exit code $code in '$row' over $name" && show
  done
  for mode in device task; do
    start "$program" "${quick[@]}" --backend "$backend" --mode "$mode"
    [ "$code" = 0 ] || { [ "$code $mode" = "5 device" ] && ! reach; } || { fail "exit code $code of mode $mode in '$row'" && show; }
  done
}

rows=("user" "pid" "user net" "ipc mount")
if [ -n "$thorough" ]; then
  rows=("" user pid outer_proc ipc net mount uts
    "user pid" "user ipc" "user net" "user mount" "pid ipc" "pid net" "pid mount" "ipc net" "ipc mount" "net mount" "outer_proc net"
    "user pid ipc net mount uts")
fi
may_unshare() { unshare --pid --fork --mount-proc true 2>/dev/null; }
for row in "${rows[@]}"; do
  # Without root, other namespaces need a user namespace.
  if ! may_unshare && ! [[ $row = *user* || -z $row ]]; then row="user $row"; fi
  if [[ $row = *net* ]] && [ -z "$networks" ]; then row=${row/net/}; fi
  apart "$row"
  launcher=()
  [[ $row = *net* ]] && launcher=(nsenter "--net=/run/netns/${networks}login" env PMIX_MCA_ptl_base_if_include=bridge)
  for backend in "${backends[@]}"; do
    by_the_program
    by_the_library
    [ -z "$thorough" ] || without_gpu || by_name
  done
done

# A program that its user may execute but not read: the system hides its /proc files from the user's other processes.
row="mode 711"
launcher=(setpriv --reuid=65534 --regid=65534 --clear-groups env -u LD_PRELOAD "HOME=$folder/home" "TMPDIR=$folder/home")
chmod 711 "$folder"
if [ "$(id -u)" = 0 ] && mkdir "$folder/home" && chown 65534:65534 "$folder/home" && "${launcher[@]}" "$mpirun" --version >/dev/null 2>&1; then
  apart ""
  for copy in "$program" "$one_product"; do install -m 711 "$copy" "$folder/copy_of_$(basename "$copy")"; done
  program=$folder/copy_of_$(basename "$program")
  one_product=$folder/copy_of_$(basename "$one_product")
  backend=host
  by_the_program
  by_the_library
else
  echo "without a program of mode 711: needs root, setpriv, and an MPI that everybody may use"
fi
finish
