#!/usr/bin/env bash
# Predicts other numbers of ranks: the counts equal those of real runs.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# of FILE EXPRESSION: evaluates it on the file's JSON object `r`.
of() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

for partition in rows nonzeros metis; do
  expect 0 2 plan --generate powerlaw:3000,6,200 --ranks 1,3,4 --partition "$partition" --json "$folder/plan.json"
  has "$folder/out" "$partition"
  for ranks in 3 4; do
    expect 0 "$ranks" --generate powerlaw:3000,6,200 --partition "$partition" --format csr --mode vector --backend host \
      --json "$folder/run.json" "${quick[@]}"
    planned=$(of "$folder/plan.json" "[(max(s['nonzeros'] for s in o['shares']), sum(s['halo'] for s in o['shares']),
      max(s['halo'] for s in o['shares']), max(s['neighbours'] for s in o['shares']), round(o['nonzero_balance'], 9))
      for o in r['outlooks'] if o['ranks'] == $ranks][0]")
    real=$(of "$folder/run.json" "(round(r['partition']['nonzero_balance'] * r['matrix']['nonzeros'] / $ranks),
      r['partition']['halo_total'], r['partition']['halo_largest'], r['partition']['neighbours_most'],
      round(r['partition']['nonzero_balance'], 9))")
    [ "$planned" = "$real" ] || fail "$partition on $ranks ranks: planned $planned, counted by the run $real"
  done
done

# Machines from the table, and from a file.
cat >"$folder/machine.json" <<'M'
{"name": "mine", "description": "<b>two</b>", "ranks_per_node": 2, "memory_bytes_per_s": 1e12, "near_bytes_per_s": 1e11,
 "near_message_s": 0, "far_bytes_per_s": 1e9, "far_message_s": 1e-6, "product_s": 0, "thread_s": 0}
M
expect 0 1 plan --generate stencil7:20,20,20 --ranks 2,4 --partition rows --machine "$folder/machine.json" --json "$folder/plan.json"
has "$folder/out" "mine: <b>two</b>; 2 ranks a node"
refuses 2 "machine.json,--machine" 1 plan --generate stencil7:5,5,5 --machine "$folder/machine.json" --json "$folder/machine.json"
refuses 2 "machine.json,--machine" 1 model --generate stencil7:5,5,5 --machine "$folder/machine.json" --json "$folder/machine.json"
# 2 ranks per node. Two ranks have no halo from another node; of four, the outer ones have one neighbour, the inner ones one on
# their node and one elsewhere.
[ "$(of "$folder/plan.json" "[sum(s['near_neighbours'] for s in o['shares']) for o in r['outlooks']]")" = "[2, 4]" ] || fail "near neighbours"
[ "$(of "$folder/plan.json" "[sum(s['halo'] - s['near_halo'] for s in o['shares']) for o in r['outlooks']]")" = "[0, 800]" ] || fail "far halo"

# Iterations: a sum within the two nodes costs nothing here, and one step between them 1 us; vectors have 5000 of 10000 rows.
expect 0 1 plan --generate stencil7:25,20,20 --ranks 2,4 --partition rows --machine "$folder/machine.json" --solver cg_classical --json "$folder/plan.json"
has "$folder/out" "Iterations of cg_classical"
[ "$(of "$folder/plan.json" "[round(o['iteration']['sums_s'] * 1e6, 6) for o in r['outlooks']]")" = "[0.0, 2.0]" ] || fail "sums of an iteration"
[ "$(of "$folder/plan.json" "[round(o['iteration']['vectors_s'] * 1e6, 6) for o in r['outlooks']]")" = "[0.32, 0.16]" ] || fail "vectors of an iteration"
[ "$(of "$folder/plan.json" "all(abs(o['iteration']['products_s'] / min(o['predicted'].values()) - 1) < 1e-9 for o in r['outlooks'])")" = True ] || fail "products"

refuses 2 "h200-nvlink,no such machine" 2 plan --generate stencil7:9,9,9 --machine nowhere
echo '{"ranks_per_node": 2}' >"$folder/machine.json"
refuses 4 "memory_bytes_per_s" 2 plan --generate stencil7:9,9,9 --machine "$folder/machine.json"
echo '{"ranks_per_node": 2' >"$folder/machine.json"
refuses 4 "no JSON" 1 plan --generate stencil7:9,9,9 --machine "$folder/machine.json"
refuses 2 "unknown solver" 1 plan --generate stencil7:9,9,9 --solver sor
refuses 2 "--ranks" 1 plan --generate stencil7:9,9,9 --ranks 0
refuses 2 "plan ... --partition" 1 --partition rows plan --generate stencil7:9,9,9
finish
