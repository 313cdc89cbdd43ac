#!/usr/bin/env bash
# Ranks in namespaces of their own, as containers start them: over every transport a product is right, or the transport is refused with
# the reason; nothing hangs. SCRIPT PROGRAM MPIRUN DATA ONE_PRODUCT (tests/lib/one_product.cpp).
#
#   SPMV_THOROUGH=1         all rows: single namespaces and pairs of them, each transport in a run of its own as well
#   SPMV_BACKENDS="cuda"    backends to try; "host" by default, with SPMV_THOROUGH "host debug"
#
# MPI runs over TCP: Open MPI's own shared memory fails in PID namespaces.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
one_product=$4
PATH=$PATH:/usr/sbin:/sbin
cluster=$(cd "$(dirname "$0")" && pwd)/../jobs/virtual_cluster.sh
thorough=${SPMV_THOROUGH:-}
read -ra backends <<<"${SPMV_BACKENDS:-host${thorough:+ debug}}"
names=(staged shm shm_copy p2p gpu_aware nccl node_aware)
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp
quick+=(--generate "stencil5:30,30" --tune-cache off --mode vector --verbose)

skip() {
  echo "skipped: $*"
  exit 77
}
is_open_mpi || skip "the launcher is not Open MPI's, whose ranks can be made to use TCP alone"
unshare --user --map-root-user --pid --fork --kill-child --mount-proc --ipc true 2>/dev/null ||
  skip "this machine allows no new namespaces (unshare)"

# Networks of their own need root and iproute2. A rank's has a way to the others and to the launcher, no more.
networks=
if [ -e "$cluster" ] && bash "$cluster" check_nodes >"$folder/why" 2>&1 && mkdir "$folder/net" && bash "$cluster" nodes "$folder/net" 2 2>"$folder/why"; then
  networks=$(cat "$folder/net/id")
  trap 'bash "$cluster" down "$folder/net"; rm -rf "$folder"' EXIT
else
  echo "without network namespaces: $(tail -1 "$folder/why")"
fi

# apart NAMESPACES: writes $folder/apart, which starts a rank in namespaces of its own. "proc": with another /proc, which is empty.
apart() {
  local kind enter=() options=() inside=
  for kind in $1; do
    case $kind in
      user) options+=(--user --map-root-user) ;;
      pid) options+=(--pid --fork --kill-child --mount-proc) ;;
      outer_proc) options+=(--pid --fork --kill-child) ;;
      net) enter=(nsenter "--net=/run/netns/${networks}n\$((OMPI_COMM_WORLD_RANK + 1))") ;;
      proc) options+=(--mount) inside='mount -t tmpfs tmpfs /proc && ' ;;
      *) options+=("--$kind") ;;
    esac
  done
  {
    echo '#!/bin/bash'
    # shellcheck disable=SC2016  # expanded when a rank starts
    echo "exec ${enter[*]} ${options:+unshare ${options[*]}} bash -c '${inside}exec \"\$@\"' _ \"\$@\""
  } >"$folder/apart"
  chmod +x "$folder/apart"
}

# start COMMAND...: on two ranks apart from each other; as run of common.sh.
start() {
  local launcher=()
  [[ $row = *net* ]] && launcher=(nsenter "--net=/run/netns/${networks}login" env PMIX_MCA_ptl_base_if_include=bridge)
  timeout -k 10 "$at_most" "${launcher[@]}" "$mpirun" -np 2 "$folder/apart" "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  ! grep -q WRONG "$folder/out" || fail "a wrong y in '$row': $*: $(grep WRONG "$folder/out" | head -3)"
}

# Whether ranks reach each other's host memory in this row.
reach() { ! [[ $row =~ user|pid|proc ]]; }

# came_of TRANSPORT: "right", "refused", or "nothing", by what the program has printed of --transport all.
came_of() {
  if grep -qE "^(vector|every) +$1 .*(left out|refused)" "$folder/out"; then
    echo refused
  elif grep -qE "^vector +(auto: )?$1 .* correct" "$folder/out"; then
    echo right
  else
    echo nothing
  fi
}

# What must have come of a transport, on a backend whose memory is the host's: judge WHO TRANSPORT right|refused|nothing
judge() {
  local wanted
  case $2 in
    staged | node_aware | auto) wanted=right ;;
    shm | shm_copy | p2p) if reach || [ "$backend $2" = "cuda p2p" ]; then wanted=right; else wanted=refused; fi ;;
    *) wanted=refused ;;
  esac
  if [ "$backend" = cuda ] && [[ $2 =~ p2p|gpu_aware|nccl ]]; then wanted="right|refused"; fi
  [[ $3 =~ ^($wanted)$ ]] || { fail "$1, backend $backend, in '$row': $3, not $wanted, over $2" && sed 's/^/    /' "$folder/out" "$folder/err" | head -40; }
  summary+=" $2:$3"
}

by_the_program() {
  local name
  summary="program:"
  start "$program" "${quick[@]}" --backend "$backend" --transport all --partition auto --order auto
  [ "$code" = 0 ] || { fail "exit code $code in '$row' over all transports" && show; }
  for name in "${names[@]}"; do judge "the program" "$name" "$(came_of "$name")"; done
  grep -qE "^vector +auto: .* correct" "$folder/out" || fail "auto is not right in '$row'"
  # The reason stands in --verbose.
  reach || grep -qE "^  transport shm +refused: .*rank [0-9]+ does not reach the memory of rank [0-9]+: " "$folder/out" ||
    fail "no reason for shm in '$row'"
  echo "$backend, $row: $summary"
}

by_the_library() {
  local name
  summary="library:"
  start "$one_product" "$backend" auto "${names[@]}"
  [ "$code" = 0 ] || { fail "exit code $code of the library in '$row'" && show; }
  for name in auto "${names[@]}"; do
    judge "the library" "$name" "$(sed -n "s/^$name: \(right\|refused\).*/\1/p" "$folder/out" | grep . || echo nothing)"
  done
  echo "$backend, $row: $summary"
}

# Every transport by its name alone is refused with one message and exit code 5, or right.
by_name() {
  local name
  for name in "${names[@]}"; do
    start "$program" "${quick[@]}" --backend "$backend" --transport "$name"
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
  rows=("" user pid outer_proc proc ipc net mount uts
    "user pid" "user ipc" "user net" "user mount" "pid ipc" "pid net" "pid mount" "ipc net" "ipc mount" "net mount" "outer_proc net"
    "user pid ipc net mount uts")
fi
may_unshare() { unshare --pid --fork --mount-proc true 2>/dev/null; }
for row in "${rows[@]}"; do
  # Without root only a user namespace allows the others.
  if ! may_unshare && ! [[ $row = *user* || -z $row ]]; then row="user $row"; fi
  if [[ $row = *net* ]] && [ -z "$networks" ]; then row=${row/net/}; fi
  apart "$row"
  for backend in "${backends[@]}"; do
    by_the_program
    by_the_library
    [ -z "$thorough" ] || by_name
  done
done

# A program that its user may execute but not read: the system hides its files from other processes of the same user.
row="mode 711"
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env -u LD_PRELOAD HOME="$folder/home" TMPDIR="$folder/home")
if [ "$(id -u)" = 0 ] && mkdir "$folder/home" && chown 65534:65534 "$folder/home" && chmod 711 "$folder" && "${as_nobody[@]}" "$mpirun" --version >/dev/null 2>&1; then
  for copy in "$program" "$one_product"; do
    cp "$copy" "$folder/$(basename "$copy")"
    chmod 711 "$folder/$(basename "$copy")"
  done
  backend=host
  timeout -k 10 "$at_most" "${as_nobody[@]}" "$mpirun" -np 2 "$folder/$(basename "$program")" "${quick[@]}" --backend host --transport all \
    >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" = 0 ] || { fail "exit code $code of a program of mode 711" && show; }
  ! grep -q WRONG "$folder/out" || fail "a wrong y of a program of mode 711"
  summary="program:"
  for name in staged node_aware; do [ "$(came_of $name)" = right ] || fail "$name is not right for a program of mode 711"; done
  for name in shm shm_copy p2p; do [ "$(came_of $name)" = refused ] || fail "$name is not refused for a program of mode 711"; done
  grep -qE "^  transport shm +refused: .*may be executed but not read" "$folder/out" || fail "no reason for shm in mode 711"
  timeout -k 10 "$at_most" "${as_nobody[@]}" "$mpirun" -np 2 "$folder/$(basename "$one_product")" host auto "${names[@]}" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" = 0 ] || { fail "exit code $code of the library in mode 711" && show; }
  [ "$(grep -c ': right, over' "$folder/out")" = 3 ] || { fail "the library in mode 711" && cat "$folder/out"; }
else
  echo "without a program of mode 711: needs root, setpriv, and an MPI that nobody may use"
fi
finish
