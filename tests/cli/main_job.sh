#!/usr/bin/env bash
# The README's first example on a smaller matrix: every mode is reported, and every product is
# correct.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

expect 0 2 --generate "holstein-hubbard:4,2,2,3" --mode all --format pjds --partition metis --json "$folder/run.json" "${quick[@]}"
for mode in vector naive task device; do has "$folder/out" "$mode"; done
python3 - "$folder/run.json" >"$folder/wrong" <<'P' || fail "modes, and whether their products are correct: $(cat "$folder/wrong")"
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    modes = json.load(file)["modes"]
right = {mode["mode"]: mode["verified"] and mode["rows_wrong"] == 0 for mode in modes}
print(right)
sys.exit(right != dict.fromkeys(["vector", "naive", "task", "device"], True))
P
finish
