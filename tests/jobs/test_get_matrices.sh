#!/usr/bin/env bash
# jobs/get_matrices.sh against a local server that breaks off, sends wrong data, and lacks files.
#   test_get_matrices.sh SOURCE_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/jobs/checks.sh
source "$here/checks.sh"
script=$1/jobs/get_matrices.sh
for tool in curl python3 sha256sum; do
  command -v $tool >/dev/null || {
    echo "skipped: $tool is not installed"
    exit 77
  }
done
export SPMV_RETRY_SECONDS=0.1
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

# pack GROUP NAME: a matrix of the collection with a companion file, as many have.
pack() {
  mkdir -p "$work/made/$2" "$work/served/$1"
  {
    echo '%%MatrixMarket matrix coordinate real general'
    echo '% a comment'
    echo '300 300 300'
    for i in $(seq 300); do echo "$i $i $RANDOM.5"; done
  } >"$work/made/$2/$2.mtx"
  echo companion >"$work/made/$2/$2_b.mtx"
  tar -czf "$work/served/$1/$2.tar.gz" -C "$work/made" "$2"
}
pack Group one
pack Group two-2
pack Other other
tar -czf "$work/served/Other/empty.tar.gz" -C "$work/made/one" one_b.mtx
python3 "$here/flaky_server.py" "$work/served" "$work/port" >"$work/requests" &
server=$!
until [ -s "$work/port" ]; do kill -0 "$server" || exit 1; sleep 0.1; done
url=http://127.0.0.1:$(cat "$work/port")

get() {  # DIR NAME...: prints the exit code
  local code=0
  "$script" --to "$work/$1" --from "$url" "${@:2}" >"$work/log" 2>&1 || code=$?
  echo $code
}

say_case "an interrupted download is resumed"
expect "exit code" 0 "$(get a Group/one Group/two-2)"
expect "the first matrix" "$(sha256sum <"$work/made/one/one.mtx")" "$(sha256sum <"$work/a/one.mtx")"
expect "the second" "$(sha256sum <"$work/made/two-2/two-2.mtx")" "$(sha256sum <"$work/a/two-2.mtx")"
half=$(($(stat -c %s "$work/served/Group/one.tar.gz") / 2))
expect "the second request" "/Group/one.tar.gz from $half" "$(grep one "$work/requests" | sed -n 2p)"
expect "files" "SHA256SUMS one.mtx two-2.mtx" "$(cd "$work/a" && find . -mindepth 1 -printf '%P\n' | sort | xargs)"

say_case "existing matrices are not fetched again"
before=$(wc -l <"$work/requests")
expect "exit code" 0 "$(get a Group/one)"
expect "requests" "$before" "$(wc -l <"$work/requests")"

say_case "a file that differs from the first download"
rm "$work/a/one.mtx"
pack Group one
expect "exit code" 4 "$(get a Group/one)"
expect "the matrix" no "$([ -e "$work/a/one.mtx" ] && echo yes || echo no)"
expect "words" 1 "$(grep -c "SHA256SUMS expects" "$work/log")"

say_case "a checksum from another user"
mkdir "$work/b"
(cd "$work/served/Other" && sha256sum other.tar.gz | sed 's/  other/  Other_other/') >"$work/b/SHA256SUMS"
expect "exit code" 0 "$(get b Other/other)"
expect "lines of SHA256SUMS" 1 "$(wc -l <"$work/b/SHA256SUMS")"

say_case "no matrix in the archive, no such file, invalid names"
expect "exit code" 4 "$(get c Other/empty)"
expect "files" "Other_empty.tar.gz.refused" "$(ls -A "$work/c")"
expect "exit code" 5 "$(get c Other/none)"
for name in one ../x/y Group/../one "Group/o ne" -x/y; do expect "exit code for '$name'" 2 "$(get c "$name")"; done
passed
