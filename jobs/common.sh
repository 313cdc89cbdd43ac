# Sourced by the scripts of this folder: set-up, build, and MPI's settings on small machines.
# shellcheck shell=bash
#
# Environment that users may set:
#   SPMV_NO_INSTALL=1   never install; list missing packages and stop with exit code 5
#   SPMV_BUILD_JOBS=N   compile N files at once (default: by cores and memory)
#   CC, CXX, CMAKE_PREFIX_PATH, CUDACXX   as CMake reads them

set +o posix  # which sh sets, where it is bash
# Numbers must have a decimal point, whatever the user's locale.
if [ -n "${LC_ALL:-}" ]; then export LANG=$LC_ALL; unset LC_ALL; fi
export LC_NUMERIC=C

SPMV_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly exit_environment=5

say() { printf '%s\n' "== $*"; }
fail() {  # CODE MESSAGE...
  local code=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# keep_apart OUTPUT... -- FILE...: ends the script where one of the files, which it reads, would be written over. A file may also
# stand after an option, --read-x=FILE.
keep_apart() {
  local outputs=() output file
  while [ "$1" != -- ]; do outputs+=("$1"); shift; done
  for file in "${@:2}"; do
    for output in "${outputs[@]}"; do
      if [ "$file" -ef "$output" ] || [ "${file#*=}" -ef "$output" ]; then
        fail 2 "$output is the same file as $file, which would be destroyed: name another file or folder"
      fi
    done
  done
}

# shellcheck source=jobs/packages.sh
source "$SPMV_ROOT/jobs/packages.sh"

# ---- Building --------------------------------------------------------------------------------------------------

# The number of parallel compilers: limited by this process's cores, and by memory at 1.5 GiB each.
build_jobs() {
  local cores memory limit quota period
  cores=$(nproc)
  if read -r quota period 2>/dev/null </sys/fs/cgroup/cpu.max && [ "$quota" != max ]; then
    quota=$(((quota + period - 1) / period))
    [ "$quota" -ge "$cores" ] || cores=$quota
  fi
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1024)}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  [ "$limit" = max ] || [ $((limit >> 20)) -ge "$memory" ] || memory=$((limit >> 20))
  local by_memory=$((memory / 1536))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo "${SPMV_BUILD_JOBS:-$((cores < by_memory ? cores : by_memory))}"
}

has_gpu() { [ -e /dev/nvidiactl ]; }

# GPU code is compiled if nvcc exists, unless an argument says otherwise, even if the folder was configured without it before.
configure() {  # FOLDER CMAKE-ARGUMENT...
  local folder=$1 log generator=()
  shift
  # Unlike make, Ninja keeps all cores busy to the end. An existing folder keeps its generator.
  if [ ! -e "$folder/CMakeCache.txt" ] && [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  log=$(mktemp)
  say "configuring in $folder"
  if ! cmake -S "$SPMV_ROOT" -B "$folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DSPMV_UNITY=ON -DSPMV_CUDA=AUTO -DSPMV_CUDA_QUICK=OFF "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail $exit_environment "CMake failed; the reason is above. If compiler or libraries have changed, remove $folder first"
  fi
  grep -E '^-- CUDA|Warning' "$log" || true
  rm -f "$log"
}

build() {  # FOLDER [TARGET]
  local jobs
  jobs=$(build_jobs)
  say "building ${2:-everything}, $jobs files at once"
  cmake --build "$1" --parallel "$jobs" ${2:+--target "$2"} || fail 1 "the build failed; the first error is above"
}

# ---- Running ---------------------------------------------------------------------------------------------------

# Sets and prints what Open MPI needs as root and with more ranks than cores. Other MPI libraries
# ignore it.
mpi_settings() {  # RANKS
  say "settings for Open MPI (other MPI libraries ignore them):"
  if [ "$(id -u)" = 0 ]; then
    visibly "this user is root" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  if [ "$1" -gt "$(nproc)" ]; then
    visibly "up to $1 ranks on $(nproc) cores; version 4" OMPI_MCA_rmaps_base_oversubscribe=1
    visibly "the same, version 5" PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  fi
}

# python_tool NAME ARGUMENT...: runs a Python tool that needs only the standard library, such as
# scale.
python_tool() { PYTHONPATH=$SPMV_ROOT/src/python${PYTHONPATH:+:$PYTHONPATH} "${spmv_python:-python3}" -m "spmv_dist.$1" "${@:2}"; }

# install_python FOLDER PACKAGE...: packages of Python's index in a virtual environment; prints the reason if it fails.
install_python() { quietly python3 -m venv "$1" && quietly "$1/bin/pip" install --quiet "${@:2}"; }

# find_python MODULE...: sets spmv_python to a python3 that is new enough and has these packages: from PATH, or the one that
# jobs/test.sh makes. Fails if there is none.
find_python() {
  local modules="spmv_dist $*"
  for spmv_python in python3 "$SPMV_ROOT/build/python/bin/python3"; do
    ! PYTHONPATH=$SPMV_ROOT/src/python "$spmv_python" -c "import ${modules// /, }" 2>/dev/null || return 0
  done
  unset spmv_python
  return 1
}
readonly spmv_packages="altair jinja2 scipy vl_convert"
readonly how_to_get_packages="there is no Python 3.9 or later with $spmv_packages: \
python3 -m venv '$SPMV_ROOT/build/python' && SPMV_TOOLS_ONLY=1 '$SPMV_ROOT/build/python/bin/pip' install '${SPMV_ROOT}[report]'"

# make_report PAGE FILE...: makes a page of figures from these results if the packages are
# installed, and prints its path.
make_report() {
  # shellcheck disable=SC2086  # words
  if find_python $spmv_packages; then
    python_tool report "${@:2}" -o "$1" && say "page of figures: $1"
  else
    say "no page of figures: $how_to_get_packages, then '$SPMV_ROOT/build/python/bin/python3' -m spmv_dist.report ${*:2} -o $1"
  fi
}

physical_cores() {
  local all usable
  all=$(lscpu -p=Core,Socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
  usable=$(nproc)
  echo $((all > 0 && all < usable ? all : usable))
}

# Words for mpirun, one per line, that give every rank its own cores; none if a batch system or another MPI decides.
mpirun_binding() {  # CORES-PER-RANK
  if [ "$1" -ge 1 ] && [ -z "${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}" ] && mpirun --version 2>&1 | grep -q 'Open MPI'; then
    printf '%s\n' --map-by "slot:PE=$1" --bind-to core
  fi
}

visibly() {  # REASON NAME=VALUE...
  local reason=$1 setting
  shift
  for setting in "$@"; do
    export "${setting?}"
    printf '   export %-55s # %s\n' "$setting" "$reason"
  done
}
