#!/usr/bin/env bash
# A real Slurm over virtual nodes on this machine, to test job scripts without a cluster; or the nodes alone.
#   virtual_cluster.sh check                     exit 0 if it can run here, else say why not and exit 77
#   virtual_cluster.sh check_nodes               the same for nodes without Slurm
#   virtual_cluster.sh up FOLDER NODES GPUS SHARED...    start NODES nodes with GPUS GPU stand-ins each, state in FOLDER
#   virtual_cluster.sh nodes FOLDER NODES SHARED...      the nodes without Slurm
#   virtual_cluster.sh rate FOLDER BITS          from now on every node sends at most so many bits a second
#   virtual_cluster.sh cut FOLDER NODE                   from now on nothing reaches this node, and nothing leaves it
#   virtual_cluster.sh innode FOLDER NODE COMMAND...     run a command on a node
#   virtual_cluster.sh run FOLDER COMMAND...     run a command (sbatch, squeue ...) on the cluster's login node
#   virtual_cluster.sh down FOLDER               end all of it
# Every node and the login node have their own host name, network, /tmp and /dev/shm; SHARED folders look the same on
# all. Nothing touches the machine's own network, munge or Slurm. GPU stand-ins make Slurm set CUDA_VISIBLE_DEVICES,
# no more. Every node has all the machine's cores.
# Needs root and Debian's or Ubuntu's slurm-wlm munge iproute2.
set -euo pipefail

self=$(readlink -f "$0")
net=10.77.0

refuse() {
  echo "no virtual cluster here: $*"
  exit 77
}

need() {  # TOOL...
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || refuse "$tool is missing; on Debian or Ubuntu: apt-get install slurm-wlm munge iproute2"
  done
}

check() {
  check_nodes
  need slurmctld slurmd munged sbatch
  srun_plugins | grep -q pmix || refuse "this Slurm has no PMIx plugin (slurm-wlm-mpi-plugins has it on newer releases)"
}

check_nodes() {
  [ "$(id -u)" = 0 ] || refuse "it needs root"
  need ip tc unshare nsenter
  unshare --net --uts --mount true 2>/dev/null || refuse "this container may not make namespaces (CAP_SYS_ADMIN)"
  unshare --net ip link add probe type bridge 2>/dev/null || refuse "this kernel has no network bridges"
}

srun_plugins() { find /usr/lib /usr/lib64 -path '*slurm*' -name 'mpi_pmix*.so' 2>/dev/null; }

# Runs a command inside a node. Shared folders are held in /mnt meanwhile: they may lie in /tmp, which becomes the
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
    cd "${VIRTUAL_CLUSTER_CWD:-/}"
    exec "$@"' _ "$base" "$node" "$@"
}

write_configuration() {  # FOLDER NODES GPUS
  local base=$1 nodes=$2 gpus=$3 i cores memory
  cores=$(nproc)
  memory=$(awk '/^MemTotal:/ {print int($2 / 2048)}' /proc/meminfo)
  cat >"$base/slurm.conf" <<C
ClusterName=virtual
SlurmctldHost=login($net.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$base/munge/socket
CredType=cred/munge
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool/%n
SlurmctldPidFile=$base/slurmctld.pid
SlurmdPidFile=$base/slurmd.%n.pid
SlurmctldLogFile=$base/log/slurmctld.log
SlurmdLogFile=$base/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
EnforcePartLimits=ALL
SchedulerParameters=batch_sched_delay=0,sched_min_interval=50000
MailProg=/bin/true
ReturnToService=2
GresTypes=gpu
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
  for i in $(seq "$nodes"); do
    echo "NodeName=n$i NodeAddr=$net.$((10 + i)) CPUs=$cores SocketsPerBoard=1 CoresPerSocket=$cores" \
      "ThreadsPerCore=1 RealMemory=$memory Gres=gpu:$gpus"
  done >>"$base/slurm.conf"
  for i in $(seq 0 $((gpus - 1))); do mknod "$base/gpu$i" c 1 3; done
  echo "NodeName=n[1-$nodes] Name=gpu File=$base/gpu[0-$((gpus - 1))]" >"$base/gres.conf"
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
  # Who sends to a node that is lost learns so after thirteen seconds, not after a quarter of an hour.
  for i in login $(seq -f n%g "$2"); do ip netns exec "$id$i" sysctl --quiet --write net.ipv4.tcp_retries2=5; done
}

start_daemons() {  # FOLDER NODES
  local base=$1 i
  head -c 128 /dev/urandom >"$base/munge/key"
  chmod 400 "$base/munge/key"
  # Outside every namespace's /tmp, so its files lie in FOLDER, which all nodes see.
  munged --force --key-file="$base/munge/key" --socket="$base/munge/socket" --pid-file="$base/munge/pid" \
    --log-file="$base/munge/log" --seed-file="$base/munge/seed" 2>/dev/null
  setsid "$self" innode "$base" login slurmctld -D -f "$base/slurm.conf" >"$base/log/slurmctld.out" 2>&1 &
  for i in $(seq "$2"); do
    setsid "$self" innode "$base" "n$i" slurmd -D -N "n$i" -f "$base/slurm.conf" >"$base/log/n$i.out" 2>&1 &
  done
}

nodes() {  # FOLDER NODES SHARED...
  local base nodes=$2 i
  base=$(readlink -f "$1")
  echo "vc$$-" >"$base/id"
  for i in login $(seq -f n%g "$nodes"); do mkdir -p "$base/node/$i/tmp"; done
  printf '%s\n' "$base" "${@:3}" >"$base/shared"
  {
    echo "127.0.0.1 localhost"
    echo "$net.1 login"
    for i in $(seq "$nodes"); do echo "$net.$((10 + i)) n$i"; done
  } >"$base/hosts"
  make_network "$base" "$nodes"
}

rate() {  # FOLDER BITS
  local base id name
  base=$(readlink -f "$1")
  id=$(cat "$base/id")
  for name in $(ip netns list | awk -v id="${id}n" 'index($1, id) == 1 {print $1}'); do
    tc -n "$name" qdisc replace dev eth0 root tbf rate "$2"bit burst 64kb latency 100ms
  done
}

cut() {  # FOLDER NODE
  local base
  base=$(readlink -f "$1")
  ip -n "$(cat "$base/id")login" link set "port${2#n}" down
}

up() {  # FOLDER NODES GPUS SHARED...
  local base nodes=$2 gpus=$3 i ready
  base=$(readlink -f "$1")
  mkdir -p "$base"/{state,spool,log,munge}
  chmod 755 "$base" "$base/munge"
  for i in login $(seq -f n%g "$nodes"); do mkdir -p "$base/spool/$i"; done
  write_configuration "$base" "$nodes" "$gpus"
  nodes "$base" "$nodes" "${@:4}"
  start_daemons "$base" "$nodes"
  for _ in $(seq 1200); do
    ready=$("$self" run "$base" sinfo -h -t idle -o %D 2>/dev/null || true)
    if [ "$ready" = "$nodes" ]; then return; fi
    sleep 0.5
  done
  tail -n 5 "$base"/log/* >&2
  echo "virtual_cluster.sh: the nodes did not come up within ten minutes; their logs are above" >&2
  exit 1
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
  [ ! -e "$base/munge/pid" ] || kill "$(cat "$base/munge/pid")" 2>/dev/null || true
  rm -f "$base/id"
}

PATH=$PATH:/usr/sbin:/sbin
command=${1:-help}
[ $# = 0 ] || shift
case $command in
  check | check_nodes) "$command" ;;
  nodes) nodes "$@" ;;
  rate) rate "$@" ;;
  cut) cut "$@" ;;
  up) up "$@" ;;
  down) down "$@" ;;
  innode) SLURM_CONF=$1/slurm.conf innode "$@" ;;
  run)
    base=$(readlink -f "$1")
    shift
    export SLURM_CONF=$base/slurm.conf VIRTUAL_CLUSTER_CWD=$PWD
    innode "$base" login "$@"
    ;;
  *) sed -n '2,16s/^# \?//p' "$0" ;;
esac
