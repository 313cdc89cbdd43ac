#!/usr/bin/env bash
# The set-up of jobs/quickstart.sh without compilers and libraries, where it may not install.
#   test_setup.sh ROOT
set -euo pipefail
root=$(readlink -f "$1")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$root/jobs" "$root/cmake" "$folder"

# A PATH with only the tools that the script itself uses, and an empty package list.
mkdir "$folder/bin"
for tool in bash env dirname basename cat sed sort head tail grep mktemp rm nproc awk id; do
  ln -s "$(command -v "$tool")" "$folder/bin/$tool"
done
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/dpkg-query"
chmod +x "$folder/bin/dpkg-query"

say_case "nothing is installed, and installing is not allowed"
status=0
env -u CXX PATH="$folder/bin" SPMV_NO_INSTALL=1 "$folder/jobs/quickstart.sh" >"$folder/log" 2>&1 || status=$?
expect "exit code" 5 "$status"
expect "the list" "cmake g++ make openmpi-bin libopenmpi-dev libmetis-dev zlib1g-dev libfmt-dev nlohmann-json3-dev libcli11-dev" \
  "$(sed -n 's/^  //p' "$folder/log" | xargs)"
expect "the command" 1 "$(grep -c 'apt-get install -y cmake g++ make' "$folder/log")"

say_case "only a library is missing, and CMake finds that out"
status=0
SPMV_NO_INSTALL=1 CMAKE_PREFIX_PATH='' bash -c "source '$root/jobs/common.sh'; package_of METIS" >"$folder/log"
expect "package of METIS" libmetis-dev "$(cat "$folder/log")"
mkdir "$folder/without"
cp -r "$root/jobs" "$root/cmake" "$folder/without"
echo 'set(METIS_FOUND FALSE)' >"$folder/without/cmake/FindMETIS.cmake"
SPMV_NO_INSTALL=1 "$folder/without/jobs/quickstart.sh" >"$folder/log" 2>&1 || status=$?
expect "exit code" 5 "$status"
expect "the list" libmetis-dev "$(sed -n 's/^  //p' "$folder/log" | xargs)"
passed
