#!/usr/bin/env bash
# Modes with several layouts are measured in each; the result is that of the fastest, in the order
# in which modes were named.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77
any='(split|parted|merged)' # of mode task
whole='(parted|merged)'      # of mode device
small=(--generate "stencil7:8,8,8" --backend host --verbose "${quick[@]}")

# results MODES LAYOUTS MEASURED: modes and layouts of the results, and the number of slower layouts
# that they list.
results() {
  local modes layouts
  sed -n '/^  "modes": \[/,/^  \]/p' "$folder/r.json" >"$folder/modes"
  modes=$(sed -n 's/^      "mode": "\(.*\)",$/\1/p' "$folder/modes" | xargs)
  layouts=$(sed -n 's/^      "layout": "\(.*\)",$/\1/p' "$folder/modes" | xargs)
  [ "$modes" = "$1" ] || fail "modes '$modes' instead of '$1'"
  [[ $layouts =~ ^$2$ ]] || fail "layouts '$layouts' instead of '$2'"
  [ "$(grep -c '^          "layout":' "$folder/modes")" = "$3" ] || fail "not $3 slower layouts"
}

for ranks in 2 3; do
  expect 0 $ranks "${small[@]}" --mode device,task,vector,naive --transport p2p --json "$folder/r.json"
  results "device task vector naive" "$whole $any merged split" 3
  grep -qE "^task .* $any +correct$" "$folder/out" || fail "the table has no layout on $ranks ranks"
  grep -qE "^  task +$any [0-9.]+ us, $any [0-9.]+ us, $any [0-9.]+ us$" "$folder/out" ||
    fail "not all layouts on $ranks ranks"
  grep -qE "^  device +$whole [0-9.]+ us, $whole [0-9.]+ us$" "$folder/out" || fail "not all layouts of device on $ranks ranks"
done
expect 0 2 "${small[@]}" --mode vector,task --transport shm,staged --json "$folder/r.json"
results "vector vector task task" "merged merged $any $any" 4
transports=$(sed -n 's/^      "transport": "\(.*\)",$/\1/p' "$folder/modes" | xargs)
[ "$transports" = "shm staged shm staged" ] || fail "transports '$transports'"

# A named layout; modes that lack it use their own.
for layout in split parted merged; do
  expect 0 2 "${small[@]}" --mode task,naive --layout $layout --json "$folder/r.json"
  results "task naive" "$layout split" 0
  expect 0 1 "${small[@]}" --mode task --layout $layout --json "$folder/r.json"
  results "task" "$layout" 0
done
refuses 2 "'square',auto,merged,split,parted" 2 "${small[@]}" --layout square

# Without a halo all layouts are the same: on one rank, and for a block diagonal matrix.
expect 0 1 "${small[@]}" --json "$folder/r.json"
results "vector naive task device" "merged split split parted" 0
{
  printf '%%%%MatrixMarket matrix coordinate pattern general\n40 40 40\n'
  seq 40 | sed 's/\(.*\)/\1 \1/'
} >"$folder/diagonal.mtx"
expect 0 3 "$folder/diagonal.mtx" --backend host "${quick[@]}" --mode task --json "$folder/r.json"
results "task" "split" 0

# A halo on one of three ranks is enough.
sed 's/40 40 40/40 40 41/; $a1 40' "$folder/diagonal.mtx" >"$folder/corner.mtx"
expect 0 3 "$folder/corner.mtx" --backend host "${quick[@]}" --mode task --partition rows --json "$folder/r.json"
results "task" "$any" 2

# A layout that needs too much memory is skipped if the mode has another: the merged rows, one of
# which is very long.
awk 'BEGIN {
  n = 1000000; half = n / 2
  print "%%MatrixMarket matrix coordinate pattern general"
  print n, n, 2 * half
  for (i = 1; i <= half; ++i) print i, half + i
  for (i = 1; i <= half; ++i) print half, half + i - (i == half)
}' >"$folder/long.mtx"
long=("$folder/long.mtx" --backend host --verbose "${quick[@]}" --partition rows --transport shm --format ellpack --nonlocal-format csr --no-verify)
expect 0 2 "${long[@]}" --mode task --json "$folder/r.json"
results "task" "split" 0
for layout in parted merged; do
  grep -qE "^task +layout $layout +left out: .*format ellpack needs .* GiB" "$folder/out" || fail "$layout was not skipped"
done
# Commands that solve time products in all layouts of a mode, and take the fastest. trials COMMAND-FIELD EXPRESSION: evaluates
# it on the modes of r.json, `of` gives the trials of one by layout.
trials() {
  python3 - "$@" <<P || fail "not true: $2: $(cut -c 1-1500 "$folder/r.json")"
import json, sys
modes = {one["mode"]: one for one in json.load(open("$folder/r.json"))[sys.argv[1]]}
of = lambda mode: {t["layout"]: t.get("product_s") for t in modes[mode]["layout_trials"]}
fastest = lambda mode: min((s, l) for l, s in of(mode).items() if s is not None)[1]
sys.exit(eval(sys.argv[2]) is not True)
P
}
spectral=(--generate "stencil7:12,12,12" --backend host --tune-cache off --transport p2p)
for command in "solve solvers --times 1" "eigen searches --count 1 --max-restarts 1000" "dos modes --moments 8 --vectors 1"; do
  read -r name field more <<<"$command"
  # shellcheck disable=SC2086  # the options are several words
  for ranks in 2 3; do
    expect 0 $ranks "$name" "${spectral[@]}" $more --mode device,task,vector,naive --json "$folder/r.json"
    trials "$field" 'set(of("task")) == {"split", "parted", "merged"} and set(of("device")) == {"parted", "merged"}'
    trials "$field" 'of("vector") == {} == of("naive") and modes["vector"]["layout"] == "merged" and modes["naive"]["layout"] == "split"'
    trials "$field" 'all(s > 0 for mode in ("task", "device") for s in of(mode).values())'
    trials "$field" 'all(modes[mode]["layout"] == fastest(mode) for mode in ("task", "device"))'
  done
  # shellcheck disable=SC2086
  expect 0 2 "$name" "${spectral[@]}" $more --json "$folder/r.json"
  python3 - "$field" <<P || fail "mode auto did not take the fastest: $(cut -c 1-1500 "$folder/r.json")"
import json, sys
one, = json.load(open("$folder/r.json"))[sys.argv[1]]
trials = {(t["mode"], t["layout"]): t["product_s"] for t in one["layout_trials"]}
assert {mode for mode, _ in trials} == {"device", "task", "vector"} and len(trials) == 6, trials
assert min(trials, key=trials.get) == (one["mode"], one["layout"]), trials
P
  # shellcheck disable=SC2086
  expect 0 2 "$name" "${spectral[@]}" $more --mode task --layout split --json "$folder/r.json"
  trials "$field" 'of("task") == {} and modes["task"]["layout"] == "split"'
  # shellcheck disable=SC2086
  expect 0 1 "$name" "${spectral[@]}" $more --mode task --json "$folder/r.json"
  trials "$field" 'of("task") == {} and modes["task"]["layout"] == "split"'
done
# No layout can be built.
refuses 8 "format ellpack needs" 2 solve "$folder/long.mtx" --solver bicgstab --backend host --tune-cache off --partition rows --transport shm --format ellpack --mode task

refuses 8 "format ellpack needs" 2 "${long[@]}" --mode task --layout parted
refuses 8 "format ellpack needs" 2 "${long[@]}" --mode task,vector
finish
