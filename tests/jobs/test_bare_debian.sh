#!/usr/bin/env bash
# jobs/quickstart.sh in a bare Debian 12: every package that a build needs is asked for. Then what only such a machine lacks.
#   test_bare_debian.sh ROOT      exit 77 without root, mmdebstrap, namespaces or a mirror of Debian
# Needs 2 GB in TMPDIR, and ten minutes on 2 cores. This machine's packages and files stay as they are.
set -euo pipefail
root=$(readlink -f "$1")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
skip() {
  echo "skipped: $*"
  exit 77
}

[ "$(id -u)" = 0 ] || skip "a Debian of its own needs root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is missing; on Debian or Ubuntu: apt-get install mmdebstrap"
unshare --mount --pid --fork true 2>/dev/null || skip "this container may not make namespaces (CAP_SYS_ADMIN)"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
debian=$folder/debian
mmdebstrap --quiet --variant=apt bookworm "$debian" "deb http://deb.debian.org/debian bookworm main" 2>"$folder/log" ||
  skip "mmdebstrap made no Debian (a mirror out of reach, or its keys): $(tail -n 3 "$folder/log")"
cp /etc/resolv.conf /etc/hosts "$debian/etc"
[ ! -d /etc/apt/apt.conf.d ] || cp -r /etc/apt/apt.conf.d/. "$debian/etc/apt/apt.conf.d"  # a proxy, perhaps
mkdir "$debian/project"
tar -C "$root" --exclude=.git --exclude='./build*' --exclude=./jobs/results/raw -c . | tar -C "$debian/project" -x

# inside COMMAND...: runs it in the project's folder there; mounts and processes end with it.
inside() {
  # shellcheck disable=SC2016  # expanded by the shell in the namespace
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin SPMV_BUILD_JOBS="${SPMV_BUILD_JOBS:-$(nproc)}" \
      bash -c "cd /project && \"\$@\"" bash "${@:2}"' _ "$debian" "$@"
}

say_case "quickstart.sh, started by sh"
status=0
inside sh jobs/quickstart.sh >"$folder/log" 2>&1 || status=$?
expect "exit code" 0 "$status"
[ "$status" = 0 ] || show_log "$folder/log" "quickstart.sh in a bare Debian"
expect "nothing was there" 1 "$(grep -c 'installing with apt-get: .*cmake g++' "$folder/log")"
for mode in vector naive task; do
  grep -qE "^ *$mode .* [0-9]" "$folder/log" || show_log "$folder/log" "mode $mode was not measured"
done
expect "why there is no page of figures" 1 "$(grep -c 'no page of figures: .* -m venv ' "$folder/log")"

say_case "a virtual environment, for which Debian's python3 needs a package"
inside bash -c 'source jobs/common.sh
ensure_packages program python
has_venv && echo "python3 has venv already"
ensure_packages program python venv
python3 -m venv /root/made && /root/made/bin/python3 -c "print(1 + 1)"' >"$folder/log" 2>&1 || show_log "$folder/log" "no virtual environment"
expect "it was missing" 0 "$(grep -c 'has venv already' "$folder/log")"
expect "what is installed" "python3 python3-venv" "$(sed -n 's/^== installing with apt-get: //p' "$folder/log" | xargs)"
expect "its Python" 2 "$(tail -n 1 "$folder/log")"

say_case "solve without Boost's headers"
inside env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1 \
  bash tests/cli/solve.sh /project/build/bin/spmv_dist mpirun /project/tests/data >"$folder/log" 2>&1 || show_log "$folder/log" "cli.solve fails"
expect "what is not tested" 1 "$(grep -c 'without --order rcm' "$folder/log")"
passed
