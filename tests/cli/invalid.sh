#!/usr/bin/env bash
# Every file in data/invalid gives exit code 4 and one message with its name.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

count=0
for file in "$data"/invalid/*; do
  refuses 4 "$(basename "$file")" 1 "$file" "${quick[@]}"
  count=$((count + 1))
  # Another rank may read the faulty line.
  if [ $((count % 12)) = 0 ]; then refuses 4 "$(basename "$file")" 3 "$file" "${quick[@]}"; fi
done
[ "$count" -gt 20 ] || fail "only $count files in $data/invalid"
finish
