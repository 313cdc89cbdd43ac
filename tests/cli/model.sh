#!/usr/bin/env bash
# Predicts from the model alone whether a matrix is worth a GPU.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

expect 0 1 model --generate stencil7:30,30,30 --json "$folder/m.json"
for words in "27000 x 27000" "N_nzr 6.80" "T_MVM" "Eq. 3" "Eq. 4" "orth a GPU"; do has "$folder/out" "$words"; done
if grep -qE '.{81}' "$folder/out"; then fail "more than 80 columns"; fi
has "$folder/m.json" '"verdict"'
# A cache with room for all of x loads each element once; without a cache each access loads a line.
expect 0 1 model --generate stencil7:30,30,30 --gpu-cache 1000
grep -qE '^GPU .* MB +0\.1[45][0-9] ' "$folder/out" || fail "alpha is not 1 / N_nzr: $(grep '^GPU' "$folder/out")"
expect 0 1 model --generate random:20000,20000,5 --gpu-cache 0 --value complex_double
grep -qE '^GPU .* MB +[12]\.[0-9]+ ' "$folder/out" || fail "alpha without a cache: $(grep '^GPU' "$folder/out")"
refuses 2 "one rank" 2 model --generate stencil7:5,5,5
refuses 2 "no/such/machine" 1 model --generate stencil7:5,5,5 --machine no/such/machine
refuses 2 "--pcie" 1 model --generate stencil7:5,5,5 --pcie 0
finish
