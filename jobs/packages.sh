# Sourced by common.sh: what a build needs, and how it gets here. Uses say() and fail().
# shellcheck shell=bash disable=SC2154  # exit_environment

# ---- What is missing -------------------------------------------------------------------------------------------

at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }  # NEEDED FOUND

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p'; }

compiles_cxx20() {
  printf '%s\n' '#include <bit>' '#include <concepts>' 'enum class E { a };' \
    'int main() { using enum E; return std::bit_cast<int>(1.0f) == int(a); }' |
    "${CXX:-c++}" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1
}

cmake_is_too_old() {
  echo "cmake $(cmake_version) ($(command -v cmake)) is too old: 3.24 or later is needed. Where apt-get has none:" \
    "python3 -m venv ~/cmake && ~/cmake/bin/pip install cmake, then PATH=~/cmake/bin:\$PATH; on a cluster: module avail cmake"
}
compiler_is_too_old() {
  echo "${CXX:-c++} ($("${CXX:-c++}" --version 2>&1 | head -n 1)) cannot compile C++20 as needed: g++ 11, clang 14 or later can." \
    "Where apt-get has no g++-11: on Ubuntu ppa:ubuntu-toolchain-r/test, on RHEL gcc-toolset-12, conda's gxx;" \
    "on a cluster: module avail gcc. Then name it: CC=gcc-11 CXX=g++-11"
}

# The Debian or Ubuntu package for each library that the probe reports as missing.
package_of() {
  case $1 in
    MPI) echo libopenmpi-dev ;;
    OpenMP) echo libomp-dev ;;  # only compilers other than g++ need it
    METIS) echo libmetis-dev ;;
    LAPACK) echo liblapack-dev ;;
    ZLIB) echo zlib1g-dev ;;
    fmt) echo libfmt-dev ;;
    nlohmann_json) echo nlohmann-json3-dev ;;
    CLI11) echo libcli11-dev ;;
    GTest) echo libgtest-dev ;;
  esac
}

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Whether python3 can make virtual environments, which Debian's cannot without a package.
has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Whether the bindings can be compiled for python3.
has_python_headers() {
  python3 -c 'import os, sys, sysconfig
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null
}

# Fills `missing` with packages, `too_old` with the packages of tools that are there and too old, and `reasons` with a line for
# each of these. Arguments: what the caller needs (program, tests, python, venv).
find_missing() {
  missing=() too_old=() reasons=()
  local tools=yes name folder tests=OFF
  [[ " $* " != *" tests "* ]] || tests=ON
  if [ -z "$(cmake_version)" ]; then missing+=(cmake); elif ! at_least 3.24 "$(cmake_version)"; then
    too_old+=(cmake)
    reasons+=("$(cmake_is_too_old)")
  fi
  if [ -z "${CXX:-}" ] && ! command -v c++ >/dev/null; then missing+=(g++); elif ! compiles_cxx20; then
    too_old+=(g++)
    reasons+=("$(compiler_is_too_old)")
  fi
  [ ${#missing[@]} = 0 ] && [ ${#too_old[@]} = 0 ] || tools=no
  command -v make >/dev/null || { missing+=(make); tools=no; }
  command -v mpirun >/dev/null || missing+=(openmpi-bin)
  if [[ " $* " == *" python "* ]]; then command -v python3 >/dev/null || missing+=(python3); fi
  if [[ " $* " == *" venv "* ]]; then has_venv || missing+=(python3-venv); fi
  if [ "$tools" = yes ]; then
    folder=$(mktemp -d)
    if ! cmake -S "$SPMV_ROOT/jobs/probe" -B "$folder" -DSPMV_PROBE_TESTS=$tests >"$folder/log" 2>&1; then
      cat "$folder/log" >&2
      rm -rf "$folder"
      fail "$exit_environment" "CMake cannot set up the smallest project here (above): fix the compiler or CMake first"
    fi
    while read -r name; do
      missing+=("$(package_of "$name")")
    done < <(sed -n 's/^-- spmv-missing //p' "$folder/log")
    rm -rf "$folder"
  else  # without a compiler and CMake, ask the package list
    local all=(MPI METIS LAPACK ZLIB fmt nlohmann_json CLI11)
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

quietly() {  # COMMAND...; prints the last lines of its output only if it fails
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=1
  [ $status = 0 ] || tail -n 20 "$log" >&2
  rm -f "$log"
  return $status
}

apt_get() {  # PREFIX ARGUMENT...
  # shellcheck disable=SC2086  # the prefix is words
  quietly $1 DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "${@:2}"
}

apt_install() {  # PREFIX PACKAGE...
  apt_get "$1" update && apt_get "$1" install -y --no-install-recommends "${@:2}"
}

fail_as_too_old() { fail "$exit_environment" "$(printf '%s\n' "${reasons[@]}")"; }

# Installs missing packages, or stops with their list. Arguments: see find_missing.
ensure_packages() {
  local prefix
  say "looking for compilers and libraries"
  find_missing "$@"
  local wanted=(${missing[0]+"${missing[@]}"} ${too_old[0]+"${too_old[@]}"})
  if [ ${#wanted[@]} -eq 0 ]; then
    say "everything needed is there"
    return
  fi
  if prefix=$(may_install); then
    say "installing with apt-get: ${wanted[*]}"
    apt_install "$prefix" "${wanted[@]}" ||
      fail "$exit_environment" "apt-get could not install: ${wanted[*]} (its last lines are above); install them and start again"
    find_missing "$@"
    [ ${#too_old[@]} = 0 ] || fail_as_too_old
    [ ${#missing[@]} -gt 0 ] || return 0
    fail "$exit_environment" "still missing after the installation: ${missing[*]}. Where they are installed elsewhere, name" \
      "their folders in PATH or CMAKE_PREFIX_PATH."
  fi
  [ ${#missing[@]} -gt 0 ] || fail_as_too_old
  [ ${#too_old[@]} = 0 ] || printf '%s\n' "${reasons[@]}" >&2
  printf '%s\n' "Missing (names of Debian and Ubuntu packages):" >&2
  printf '  %s\n' "${missing[@]}" >&2
  fail "$exit_environment" "cannot install them here (no root, no password-free sudo, no apt-get, or SPMV_NO_INSTALL=1)." \
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
