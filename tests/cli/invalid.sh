#!/usr/bin/env bash
# Every way to be no matrix in data/invalid: exit code 4 and one message with the file's name.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

count=0
for file in "$data"/invalid/*; do
  refuses 4 "$(basename "$file")" 1 "$file" "${quick[@]}"
  count=$((count + 1))
  # The faulty line may be another rank's.
  if [ $((count % 12)) = 0 ]; then refuses 4 "$(basename "$file")" 3 "$file" "${quick[@]}"; fi
done
[ "$count" -gt 20 ] || fail "only $count files in $data/invalid"
finish
