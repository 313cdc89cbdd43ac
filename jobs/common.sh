# Sourced by the scripts of this folder: set-up, build, and MPI's settings on small machines.
# shellcheck shell=bash
#
# Environment that users may set:
#   SPMV_NO_INSTALL=1   never install; list missing packages and stop with exit code 5
#   SPMV_BUILD_JOBS=N   compile N files at once (default: by cores and memory)
#   CC, CXX, CMAKE_PREFIX_PATH, CUDACXX   as CMake reads them

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

# ---- What is missing -------------------------------------------------------------------------------------------

at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }  # NEEDED FOUND

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p'; }

compiles_cxx20() {
  printf '#include <concepts>\nstatic_assert(__cplusplus > 201703L);\nint main() {}\n' |
    "${CXX:-c++}" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1
}

# The Debian or Ubuntu package for each library that the probe reports as missing.
package_of() {
  case $1 in
    MPI) echo libopenmpi-dev ;;
    OpenMP) echo libomp-dev ;;  # only compilers other than g++ need it
    METIS) echo libmetis-dev ;;
    ZLIB) echo zlib1g-dev ;;
    fmt) echo libfmt-dev ;;
    nlohmann_json) echo nlohmann-json3-dev ;;
    CLI11) echo libcli11-dev ;;
    GTest) echo libgtest-dev ;;
  esac
}

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Fills `missing` with packages. Arguments: what the caller needs (program, tests, python).
find_missing() {
  missing=()
  local tools=yes name folder tests=OFF
  [[ " $* " != *" tests "* ]] || tests=ON
  at_least 3.24 "$(cmake_version)" || { missing+=(cmake); tools=no; }
  compiles_cxx20 || { missing+=(g++); tools=no; }
  command -v make >/dev/null || { missing+=(make); tools=no; }
  command -v mpirun >/dev/null || missing+=(openmpi-bin)
  if [[ " $* " == *" python "* ]]; then command -v python3 >/dev/null || missing+=(python3); fi
  if [ "$tools" = yes ]; then
    folder=$(mktemp -d)
    if ! cmake -S "$SPMV_ROOT/jobs/probe" -B "$folder" -DSPMV_PROBE_TESTS=$tests >"$folder/log" 2>&1; then
      cat "$folder/log" >&2
      rm -rf "$folder"
      fail $exit_environment "CMake cannot set up the smallest project here (above): fix the compiler or CMake first"
    fi
    while read -r name; do
      missing+=("$(package_of "$name")")
    done < <(sed -n 's/^-- spmv-missing //p' "$folder/log")
    rm -rf "$folder"
  else  # without a compiler and CMake, ask the package list
    local all=(MPI METIS ZLIB fmt nlohmann_json CLI11)
    [ $tests = OFF ] || all+=(GTest)
    for name in "${all[@]}"; do
      installed "$(package_of "$name")" || missing+=("$(package_of "$name")")
    done
  fi
}

# ---- Installing ------------------------------------------------------------------------------------------------

# Prints the words to put before apt-get; fails if this user may not install.
may_install() {
  [ "${SPMV_NO_INSTALL:-0}" = 0 ] && command -v apt-get >/dev/null || return 1
  if [ "$(id -u)" = 0 ]; then echo env; else
    sudo -n true 2>/dev/null && echo "sudo -n env"
  fi
}

apt_get() {  # PREFIX ARGUMENT...; prints its output only if it fails
  local prefix=$1 log status=0
  shift
  log=$(mktemp)
  # shellcheck disable=SC2086  # the prefix is words
  $prefix DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "$@" >"$log" 2>&1 || status=1
  [ $status = 0 ] || tail -n 20 "$log" >&2
  rm -f "$log"
  return $status
}

apt_install() {  # PREFIX PACKAGE...
  apt_get "$1" update && apt_get "$1" install -y --no-install-recommends "${@:2}"
}

# Installs missing packages, or stops with their list. Arguments: see find_missing.
ensure_packages() {
  local prefix
  say "looking for compilers and libraries"
  find_missing "$@"
  if [ ${#missing[@]} -eq 0 ]; then
    say "everything needed is there"
    return
  fi
  if prefix=$(may_install); then
    say "installing with apt-get: ${missing[*]}"
    apt_install "$prefix" "${missing[@]}" ||
      fail $exit_environment "apt-get could not install: ${missing[*]} (its last lines are above); install them and start again"
    find_missing "$@"
    [ ${#missing[@]} -gt 0 ] || return 0
    fail $exit_environment "still missing after the installation: ${missing[*]}. Found: cmake $(cmake_version)" \
      "(3.24 or later is needed), C++ compiler '${CXX:-c++}' (C++20 is needed). Where the distribution is older than" \
      "that, install a newer one and name it in PATH, CXX or CMAKE_PREFIX_PATH."
  fi
  printf '%s\n' "Missing (names of Debian and Ubuntu packages):" >&2
  printf '  %s\n' "${missing[@]}" >&2
  fail $exit_environment "cannot install them here (no root, no password-free sudo, no apt-get, or SPMV_NO_INSTALL=1)." \
    "On Debian or Ubuntu: sudo apt-get update && sudo apt-get install -y ${missing[*]}" \
    "-- elsewhere load modules with the same contents and set CMAKE_PREFIX_PATH."
}

# Packages that only enable more tests: installed if this is root (a container), otherwise listed. Never fails; skips names that
# this release does not have.
offer_packages() {
  local wanted=() known=() package
  for package in "$@"; do installed "$package" || wanted+=("$package"); done
  [ ${#wanted[@]} -gt 0 ] || return 0
  if [ "$(id -u)" = 0 ] && may_install >/dev/null && apt_get env update; then
    for package in "${wanted[@]}"; do
      ! apt-cache show "$package" >/dev/null 2>&1 || known+=("$package")
    done
    [ ${#known[@]} -gt 0 ] || return 0
    say "installing with apt-get, for tests that would be skipped otherwise: ${known[*]}"
    apt_install env "${known[@]}" || say "could not install them; their tests will be skipped"
  else
    say "not installed, so some tests will be skipped: ${wanted[*]}"
  fi
}

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

# find_python MODULE...: sets spmv_python to a python3 with these packages: from PATH, or the one that jobs/test.sh makes. Fails if
# neither has them.
find_python() {
  local modules="$*"
  for spmv_python in python3 "$SPMV_ROOT/build/python/bin/python3"; do
    ! "$spmv_python" -c "import ${modules// /, }" 2>/dev/null || return 0
  done
  unset spmv_python
  return 1
}
readonly spmv_packages="altair jinja2 scipy vl_convert"
readonly how_to_get_packages="python3 has not all of $spmv_packages: pip install '${SPMV_ROOT}[report]'"

# make_report PAGE FILE...: makes a page of figures from these results if the packages are
# installed, and prints its path.
make_report() {
  # shellcheck disable=SC2086  # words
  if find_python $spmv_packages; then
    python_tool report "${@:2}" -o "$1" && say "page of figures: $1"
  else
    say "no page of figures: $how_to_get_packages, then python3 -m spmv_dist.report ${*:2} -o $1"
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
