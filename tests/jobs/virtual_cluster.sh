#!/usr/bin/env bash
# A real Slurm on virtual nodes of this machine, to test job scripts without a cluster.
#   virtual_cluster.sh check                     exit 0 if it can run here, else print why not and exit 77
#   virtual_cluster.sh up FOLDER NODES GPUS SHARED...    start NODES nodes with GPUS fake GPUs each, state in FOLDER
#   virtual_cluster.sh innode FOLDER NODE COMMAND...     run a command on a node
#   virtual_cluster.sh run FOLDER COMMAND...     run a command (sbatch, squeue ...) on the login node
#   virtual_cluster.sh down FOLDER               end the cluster
# The nodes are those of jobs/virtual_nodes.sh. The machine's own munge and Slurm stay untouched. For fake GPUs Slurm only
# sets CUDA_VISIBLE_DEVICES. Every node has all cores of the machine.
# Needs root, and Debian's or Ubuntu's slurm-wlm munge iproute2.
set -euo pipefail

self=$(readlink -f "$0")
# shellcheck source=jobs/virtual_nodes.sh
source "$(dirname "$self")/../../jobs/virtual_nodes.sh"

check() {
  check_nodes
  need "slurm-wlm munge" slurmctld slurmd munged sbatch
  srun_plugins | grep -q pmix || refuse "this Slurm has no PMIx plugin (slurm-wlm-mpi-plugins has it on newer releases)"
}

srun_plugins() { find /usr/lib /usr/lib64 -path '*slurm*' -name 'mpi_pmix*.so' 2>/dev/null; }

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

start_daemons() {  # FOLDER NODES
  local base=$1 i
  head -c 128 /dev/urandom >"$base/munge/key"
  chmod 400 "$base/munge/key"
  # FOLDER is visible on all nodes, their /tmp is not.
  munged --force --key-file="$base/munge/key" --socket="$base/munge/socket" --pid-file="$base/munge/pid" \
    --log-file="$base/munge/log" --seed-file="$base/munge/seed" 2>/dev/null
  setsid "$self" innode "$base" login slurmctld -D -f "$base/slurm.conf" >"$base/log/slurmctld.out" 2>&1 &
  for i in $(seq "$2"); do
    setsid "$self" innode "$base" "n$i" slurmd -D -N "n$i" -f "$base/slurm.conf" >"$base/log/n$i.out" 2>&1 &
  done
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

down_all() {  # FOLDER
  [ ! -e "$1/munge/pid" ] || kill "$(cat "$1/munge/pid")" 2>/dev/null || true
  down "$1"
}

command=${1:-help}
[ $# = 0 ] || shift
case $command in
  check) check ;;
  up) up "$@" ;;
  down) down_all "$@" ;;
  innode | run) SLURM_CONF=$(readlink -f "$1")/slurm.conf "$command" "$@" ;;
  *) sed -n '2,11s/^# \?//p' "$0" ;;
esac
