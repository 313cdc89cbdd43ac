#!/usr/bin/env bash
# Compares all partitioners on a matrix.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# of EXPRESSION: evaluates it on the JSON object `r`, with its partitions in `p` by name.
of() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); p = {o["partitioner"]: o for o in r["partitions"]}; print(eval(sys.argv[2]))' "$folder/partitions.json" "$1"; }

expect 0 3 partition --generate stencil7:12,12,12 --backend host --json "$folder/partitions.json"
for name in rows nonzeros metis metis_groups auto scotch; do has "$folder/out" "$name"; done
[ "$(of "(p['rows']['halo_total'], p['rows']['halo_largest'], p['rows']['neighbours_most'])")" = "(576, 288, 2)" ] || fail "halo of rows: $(of p)"
[ "$(of "all(o['predicted_s'] > 0 and o['measured_s'] == 0 for o in r['partitions'] if not o['refused'])")" = True ] || fail "predictions"
# auto's choice depends on rates that it has just measured; its counts must be those of the chosen
# partitioner.
taken=$(sed -nE 's/^ *auto: ([a-z_]+): .*/\1/p' "$folder/out")
[ -n "$taken" ] || fail "auto does not print its choice"
shares='halo_total halo_largest neighbours_most'
[ "$(of "[p['auto'][k] for k in '$shares'.split()] == [p['$taken'][k] for k in '$shares'.split()]")" = True ] || fail "auto says $taken: $(of p)"

# The counts equal those of real runs; measured times are positive.
expect 0 2 partition --generate powerlaw:2000,6,100 --backend host --measure --max-seconds 0.05 --products 1e5 --json "$folder/partitions.json"
has "$folder/out" "For 100000 products $(of "r['best']") is the fastest"
[ "$(of "all(o['measured_s'] > 0 and o['rows_wrong'] == 0 and o['mode'] for o in r['partitions'] if not o['refused'])")" = True ] || fail "measured: $(of p)"
[ "$(of "min((o['total_s'], o['partitioner']) for o in r['partitions'] if not o['refused'])[1] == r['best']")" = True ] || fail "best: $(of p)"
for partition in nonzeros metis; do
  expect 0 2 --generate powerlaw:2000,6,100 --partition $partition --format csr --mode vector --backend host --json "$folder/run.json" "${quick[@]}"
  real=$(python3 -c 'import json, sys; q = json.load(open(sys.argv[1]))["partition"]; print(q["halo_total"], q["halo_largest"], q["neighbours_most"])' "$folder/run.json")
  compared=$(of "' '.join(str(p['$partition'][k]) for k in ('halo_total', 'halo_largest', 'neighbours_most'))")
  [ "$real" = "$compared" ] || fail "$partition: $compared, counted by the run $real"
done

refuses 2 "partition has no --partition" 1 --partition rows partition --generate stencil7:9,9,9
refuses 2 "--measure" 1 partition --generate stencil7:9,9,9 --measure=sometimes
finish
