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
for tool in bash env dirname basename readlink cat sed sort head tail grep mktemp rm nproc awk id; do
  ln -s "$(command -v "$tool")" "$folder/bin/$tool"
done
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/dpkg-query"
chmod +x "$folder/bin/dpkg-query"

say_case "nothing is installed, and installing is not allowed"
status=0
env -u CXX PATH="$folder/bin" SPMV_NO_INSTALL=1 "$folder/jobs/quickstart.sh" >"$folder/log" 2>&1 || status=$?
expect "exit code" 5 "$status"
expect "the list" "cmake g++ make openmpi-bin libopenmpi-dev libmetis-dev liblapack-dev zlib1g-dev libfmt-dev nlohmann-json3-dev libcli11-dev" \
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
# refused WORDS NAME=VALUE...: quickstart.sh, which may not install, must end with exit code 5 and name all of these words, which
# are separated by commas.
refused() {
  local status=0 word
  env "${@:2}" SPMV_NO_INSTALL=1 "$root/jobs/quickstart.sh" >"$folder/log" 2>&1 || status=$?
  expect "exit code" 5 "$status"
  while IFS= read -r -d, word; do
    grep -qF -- "$word" "$folder/log" || show_log "$folder/log" "no '$word' in the message"
  done <<<"$1,"
  [[ $1 == *"apt-get install -y"* ]] || ! grep -q "apt-get install -y" "$folder/log" ||
    show_log "$folder/log" "apt-get is named, which has nothing newer"
}
say_case "tools are there and too old"
mkdir "$folder/old"
printf '#!/bin/sh\necho "cmake version 3.22.1"\n' >"$folder/old/cmake"
cat >"$folder/old/g++-10" <<'S'
#!/bin/sh
[ "$1" != --version ] || { echo "g++ (Debian 10.2.1-6) 10.2.1" && exit 0; }
! grep -q std::bit_cast
S
chmod +x "$folder/old/cmake" "$folder/old/g++-10"
refused "cmake 3.22.1 ($folder/old/cmake) is too old,3.24 or later,bin/pip install cmake" "PATH=$folder/old:$PATH"
refused "10.2.1) cannot compile,g++ 11,gcc-toolset,CXX=" "CXX=$folder/old/g++-10"
refused "$folder/none (,No such file,CXX=" "CXX=$folder/none"
refused "cmake 3.22.1,10.2.1) cannot compile" "PATH=$folder/old:$PATH" "CXX=$folder/old/g++-10"
mkdir "$folder/no_make"
ln -s "$folder/bin/"* "$(command -v c++)" "$folder/old/cmake" "$folder/no_make"
refused "cmake 3.22.1,3.24 or later,apt-get install -y make" "PATH=$folder/no_make" CXX=

say_case "python3 cannot make virtual environments, as Debian's without python3-venv"
mkdir "$folder/root"
for tool in cmake ctest mpirun make c++; do printf '#!/bin/sh\necho "cmake version 3.30.0"\n' >"$folder/root/$tool"; done
printf '#!/bin/sh\necho 0\n' >"$folder/root/id"
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$folder/installed" >"$folder/root/apt-get"
printf '#!/bin/sh\nexit 0\n' >"$folder/root/apt-cache"
# shellcheck disable=SC2016  # expanded by that script
printf '#!/bin/sh\n[ "$1" != -m ] || echo "ensurepip is not available"\nexit 1\n' >"$folder/root/python3"
chmod +x "$folder"/root/*
ln -s "$folder/bin/"{bash,env,dirname,basename,readlink,cat,sed,sort,head,tail,grep,mktemp,rm,nproc,awk,dpkg-query} "$folder/root"
status=0
env -u CXX -u SPMV_NO_INSTALL PATH="$folder/root" "$folder/jobs/test.sh" >"$folder/log" 2>&1 || status=$?
expect "exit code" 0 "$status"
expect "what is installed" 1 "$(grep -c ' install .* python3-venv' "$folder/installed")"
expect "the reason" 1 "$(grep -c 'ensurepip is not available' "$folder/log")"
expect "what it means" 1 "$(grep -c 'tests that need them will be skipped' "$folder/log")"
env -u CXX SPMV_NO_INSTALL=1 PATH="$folder/root" "$folder/jobs/test.sh" >"$folder/log" 2>&1
expect "the reason where nothing may be installed" 1 "$(grep -c 'not installed, so some tests will be skipped: .*python3-venv' "$folder/log")"

say_case "every script runs by sh, too, and by a symbolic link"
ln -s "$root/jobs" "$folder/linked"
while read -r script; do
  grep -q -- '--help' "$root/jobs/$script" || continue
  ln -sf "$root/jobs/$script" "$folder/link"
  usage=$("$root/jobs/$script" --help | cksum)
  expect "$script by sh" "$usage" "$(cd "$root/jobs" && sh "$script" --help 2>&1 | cksum)"
  expect "$script by bash as sh" "$usage" "$(bash --posix "$root/jobs/$script" --help 2>&1 | cksum)"
  expect "$script by a link" "$usage" "$("$folder/link" --help 2>&1 | cksum)"
  expect "$script by a link to its folder" "$usage" "$(sh "$folder/linked/$script" --help 2>&1 | cksum)"
done < <(cd "$root/jobs" && find . -name '*.sh' ! -name common.sh ! -name packages.sh ! -path ./site/man_pages.sh)
expect "bash's own words where sh is bash" "" "$(bash --posix -c 'source "$1/jobs/common.sh"; shopt -qo posix && echo "sh has not all"' _ "$root")"
cp -r "$root/jobs" "$folder/without/build_less" && rm -rf "$folder/without/jobs" && mv "$folder/without/build_less" "$folder/without/jobs"
ln -sf "$folder/without/jobs" "$folder/linked_to_one"
expect "the program beside a linked folder" 1 \
  "$(sh "$folder/linked_to_one/strong_scaling.sh" --generate stencil5:4,4 2>&1 | grep -c "no program $(readlink -f "$folder")/without/build/bin/spmv_dist")"
passed
