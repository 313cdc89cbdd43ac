#!/usr/bin/env bash
# Downloads matrices of the SuiteSparse collection: DIR/NAME.mtx for every GROUP/NAME.
#   jobs/get_matrices.sh [--to DIR] [--from URL] GROUP/NAME...      such as Schenk_AFE/af_shell10; default DIR: .
# Resumes interrupted downloads, and skips existing matrices. DIR/SHA256SUMS has the checksum of every packed file, written at the first
# download; if a later download, even another user's, has another checksum, nothing is unpacked (exit code 4). Five attempts,
# SPMV_RETRY_SECONDS apart (default: 2). Exit codes: 2 usage, 4 wrong file, 5 download failed. Needs curl, tar and sha256sum.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,6s/^# \?//p' "$0"
  exit 0
fi
to=. from=https://sparse.tamu.edu/MM
names=()
while [ $# -gt 0 ]; do
  case $1 in
    --to | --from)
      [ $# -gt 1 ] || fail 2 "$1 takes a value"
      if [ "$1" = --to ]; then to=$2; else from=${2%/}; fi
      shift 2
      ;;
    *)
      [[ $1 =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*$ ]] || fail 2 "'$1' is no GROUP/NAME, such as Schenk_AFE/af_shell10"
      names+=("$1")
      shift
      ;;
  esac
done
[ ${#names[@]} -gt 0 ] || fail 2 "name matrices as GROUP/NAME, such as Schenk_AFE/af_shell10; see $(basename "$0") --help"
for tool in curl tar sha256sum; do
  command -v $tool >/dev/null || fail $exit_environment "$tool is missing: install it and start again"
done
mkdir -p "$to"
sums=$to/SHA256SUMS

# known PACKED: its checksum in SHA256SUMS, or nothing.
known() { [ ! -f "$sums" ] || awk -v name="$1" '$2 == name || $2 == "*" name {print $1; exit}' "$sums"; }

for full in "${names[@]}"; do
  name=${full#*/} packed=${full//\//_}.tar.gz
  if [ -f "$to/$name.mtx" ]; then
    say "$to/$name.mtx is there"
    continue
  fi
  part=$to/.$packed.part
  say "fetching $from/$full.tar.gz"
  # curl's own --retry would start again from the beginning.
  for attempt in 1 2 3 4 5; do
    curl --fail --location --silent --show-error --continue-at - --output "$part" "$from/$full.tar.gz" && break
    [ $attempt -lt 5 ] ||
      fail $exit_environment "could not fetch $from/$full.tar.gz (curl's message is above); start the same command again to go on from $(stat -c %s "$part" 2>/dev/null || echo 0) bytes"
    sleep "${SPMV_RETRY_SECONDS:-2}"
  done
  sum=$(sha256sum "$part" | cut -d' ' -f1)
  expected=$(known "$packed")
  if [ -n "$expected" ] && [ "$sum" != "$expected" ]; then
    mv "$part" "$to/$packed.refused"
    fail 4 "$packed has the checksum $sum, but $sums expects $expected: it is kept as $to/$packed.refused; remove it, or the line if the collection has changed the matrix"
  fi
  unpacked=$(mktemp -d "$to/.unpack.XXXXXX")
  trap 'rm -rf "$unpacked"' EXIT
  tar -xzf "$part" -C "$unpacked" --no-same-owner "$name/$name.mtx" 2>"$unpacked/log" || {
    cat "$unpacked/log" >&2
    mv "$part" "$to/$packed.refused"
    fail 4 "$packed has no $name/$name.mtx that can be unpacked: it is kept as $to/$packed.refused"
  }
  [ -n "$expected" ] || printf '%s  %s\n' "$sum" "$packed" >>"$sums"
  mv "$unpacked/$name/$name.mtx" "$to/$name.mtx"
  rm -rf "$unpacked" "$part"
  say "$to/$name.mtx: $(sed -n '/^[^%]/{p;q}' "$to/$name.mtx")"
done
