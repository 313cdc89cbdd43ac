#!/usr/bin/env bash
# Files from outside this repository, if SPMV_TEST_MATRICES names a folder with edge/manifest.tsv. It says which must be accepted,
# which must be refused with exit code 4, and which may be either. Only a sample: the unit tests read all of them, and the
# library's tests multiply them, in one process.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

if [ -z "${SPMV_TEST_MATRICES:-}" ]; then
  echo "SPMV_TEST_MATRICES does not name a folder with edge/: nothing to test"
  exit 77
fi
edge=$SPMV_TEST_MATRICES/edge
quick+=(--mode vector)

# check RANKS FILE EXPECTED ROWS COLS NONZEROS: nonzeros includes duplicates, so fewer may be
# stored.
check() {
  local ranks=$1 file=$2 expected=$3 rows=$4 cols=$5 nonzeros=$6
  run "$ranks" "$edge/$file" "${quick[@]}" --json "$folder/edge.json"
  case $expected in
    accept) [ "$code" = 0 ] || { fail "$file, $ranks ranks: exit code $code instead of 0" && show; } ;;
    reject) [ "$code" = 4 ] || { fail "$file, $ranks ranks: exit code $code instead of 4" && show; } ;;
    *) [[ $code = [048] ]] || { fail "$file, $ranks ranks: exit code $code" && show; } ;;
  esac
  if [ "$code" != 0 ]; then
    [ "$(grep -c '^spmv_dist: ' "$folder/err")" = 1 ] || { fail "$file: not one message" && show; }
  elif [ -n "$rows" ]; then
    has "$folder/edge.json" "\"rows\": $rows,"
    has "$folder/edge.json" "\"cols\": $cols,"
    local stored
    stored=$(sed -n 's/.*"nonzeros": \([0-9]*\),.*/\1/p' "$folder/edge.json" | head -1)
    [ "$stored" -le "$nonzeros" ] || fail "$file: $stored nonzeros of $nonzeros"
    # A file with both triangles of a symmetric matrix may be refused or summed. Accepted files have
    # a note about duplicates.
    [ "$stored" = "$nonzeros" ] || [ "$expected" = either ] || grep -qi duplicate <<<"$7" ||
      fail "$file: $stored nonzeros, not $nonzeros"
  fi
}

count=0
while IFS=$'\x1f' read -r file expected rows cols _ nonzeros _ _ _ _ note; do
  count=$((count + 1))
  [ $((count % 12)) = 0 ] || continue
  check 1 "$file" "$expected" "$rows" "$cols" "$nonzeros" "$file $note"
  if [ $((count % 36)) = 0 ]; then check 3 "$file" "$expected" "$rows" "$cols" "$nonzeros" "$file $note"; fi
done < <(tail -n +2 "$edge/manifest.tsv" | tr '\t' '\037')
[ "$count" -gt 0 ] || fail "$edge/manifest.tsv lists nothing"
finish
