#!/usr/bin/env bash
# Virtual nodes on this machine: with their own host names, networks, /tmp and /dev/shm, joined by a bridge, for MPI over a
# real network stack without a cluster. Sourced for its functions, or started:
#   virtual_nodes.sh check                       exit 0 if it can run here, else print why not and exit 77
#   virtual_nodes.sh nodes FOLDER NODES SHARED...     make nodes n1, n2 ... and a login node, state in FOLDER
#   virtual_nodes.sh start_with FOLDER NODE WORDS...  put these words before all commands of a node, such as taskset -c 0
#   virtual_nodes.sh rate FOLDER RATE            limit what every node sends, in tc's notation: 4gbit
#   virtual_nodes.sh cut FOLDER NODE             cut this node off the network, in both directions
#   virtual_nodes.sh innode FOLDER NODE COMMAND...    run a command on a node
#   virtual_nodes.sh run FOLDER COMMAND...       run a command, such as mpirun, on the login node
#   virtual_nodes.sh down FOLDER                 end and remove all nodes
# All nodes see the SHARED folders. FOLDER/agent replaces ssh: mpirun --mca plm rsh --mca plm_rsh_agent FOLDER/agent --host
# n1,n2. The machine's own network stays untouched. Every node has all of the machine's cores, memory and GPUs: give each its
# share with start_with. Needs root, and ip and tc from PATH (iproute2).
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail

virtual_nodes=$(readlink -f "${BASH_SOURCE[0]}")
net=10.77.0

refuse() {
  echo "virtual nodes cannot be made here: $*"
  exit 77
}

need() {  # PACKAGES TOOL...
  local packages=$1 tool
  shift
  for tool in "$@"; do
    command -v "$tool" >/dev/null || refuse "$tool is missing; on Debian or Ubuntu: apt-get install $packages"
  done
}

check_nodes() {
  [ "$(id -u)" = 0 ] || refuse "it needs root"
  need "iproute2 util-linux" ip tc unshare nsenter taskset
  unshare --net --uts --mount true 2>/dev/null || refuse "this container may not make namespaces (CAP_SYS_ADMIN)"
  unshare --net ip link add probe type bridge 2>/dev/null || refuse "this kernel has no network bridges"
}

# Runs a command inside a node. Shared folders are moved to /mnt meanwhile, because they may lie in /tmp, which is replaced by the
# node's own.
innode() {  # FOLDER NODE COMMAND...
  local base=$1 node=$2
  shift 2
  # shellcheck disable=SC2016  # expanded by the shell inside
  exec nsenter --net="/run/netns/$(cat "$base/id")$node" unshare --uts --mount bash -c '
    set -e
    base=$1 node=$2
    shift 2
    hostname "$node"
    mount --bind "$base/hosts" /etc/hosts
    mapfile -t folders <"$base/shared"
    mount -t tmpfs tmpfs /mnt
    for i in "${!folders[@]}"; do
      mkdir "/mnt/$i"
      mount --bind "${folders[i]}" "/mnt/$i"
    done
    mount --bind "$base/node/$node/tmp" /tmp
    mount -t tmpfs tmpfs /dev/shm
    for i in "${!folders[@]}"; do
      mkdir -p "${folders[i]}"
      mount --bind "/mnt/$i" "${folders[i]}"
    done
    cd "${VIRTUAL_NODES_CWD:-/}"
    mapfile -t first <"$base/node/$node/start_with"
    exec "${first[@]}" "$@"' _ "$base" "$node" "$@"
}

make_network() {  # FOLDER NODES
  local id i
  id=$(cat "$1/id")
  ip netns add "${id}login"
  ip -n "${id}login" link add bridge type bridge
  ip -n "${id}login" addr add $net.1/24 dev bridge
  ip -n "${id}login" link set bridge up
  ip -n "${id}login" link set lo up
  for i in $(seq "$2"); do
    ip netns add "${id}n$i"
    ip -n "${id}login" link add "port$i" type veth peer name eth0 netns "${id}n$i"
    ip -n "${id}login" link set "port$i" master bridge up
    ip -n "${id}n$i" addr add "$net.$((10 + i))/24" dev eth0
    ip -n "${id}n$i" link set eth0 up
    ip -n "${id}n$i" link set lo up
  done
}

nodes() {  # FOLDER NODES SHARED...
  local base nodes=$2 i
  base=$(readlink -f "$1")
  echo "vn$$-" >"$base/id"
  for i in login $(seq -f n%g "$nodes"); do
    mkdir -p "$base/node/$i/tmp"
    : >"$base/node/$i/start_with"
  done
  printf '%s\n' "$base" "${@:3}" >"$base/shared"
  {
    echo "127.0.0.1 localhost"
    echo "$net.1 login"
    for i in $(seq "$nodes"); do echo "$net.$((10 + i)) n$i"; done
  } >"$base/hosts"
  cat >"$base/agent" <<A
#!/usr/bin/env bash
node=\$1
shift
exec "$virtual_nodes" innode "$base" "\$node" bash -c "\$*"
A
  chmod +x "$base/agent"
  make_network "$base" "$nodes"
}

start_with() {  # FOLDER NODE WORDS...
  printf '%s\n' "${@:3}" >"$1/node/$2/start_with"
}

rate() {  # FOLDER BITS
  local base id name
  base=$(readlink -f "$1")
  id=$(cat "$base/id")
  for name in $(ip netns list | awk -v id="${id}n" 'index($1, id) == 1 {print $1}'); do
    tc -n "$name" qdisc replace dev eth0 root tbf rate "$2" burst 64kb latency 100ms ||
      refuse "this kernel limits no rates (tbf), or $2 is no rate of tc"
  done
}

cut() {  # FOLDER NODE
  local base
  base=$(readlink -f "$1")
  ip -n "$(cat "$base/id")login" link set "port${2#n}" down
}

run() {  # FOLDER COMMAND...
  local base
  base=$(readlink -f "$1")
  shift
  VIRTUAL_NODES_CWD=$PWD innode "$base" login "$@"
}

down() {  # FOLDER
  local base id name pids
  base=$(readlink -f "$1")
  [ -e "$base/id" ] || return 0
  id=$(cat "$base/id")
  for name in $(ip netns list | awk -v id="$id" 'index($1, id) == 1 {print $1}'); do
    pids=$(ip netns pids "$name")
    # shellcheck disable=SC2086  # a list of process ids
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
    ip netns del "$name"
  done
  rm -f "$base/id"
}

start() {  # COMMAND ARGUMENTS...
  local command=${1:-help}
  [ $# = 0 ] || shift
  case $command in
    check) check_nodes ;;
    nodes | start_with | rate | cut | innode | run | down) "$command" "$@" ;;
    *) sed -n '2,16s/^# \?//p' "$virtual_nodes" ;;
  esac
}

PATH=$PATH:/usr/sbin:/sbin
[ "${BASH_SOURCE[0]}" != "$0" ] || start "$@"
