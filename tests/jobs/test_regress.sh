#!/usr/bin/env bash
# jobs/regress.sh: the first run becomes the baseline, repeats pass, slower runs fail and can be
# accepted.
#   test_regress.sh ROOT PROGRAM
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# A fake spmv_dist.scale: its times are multiplied by the number in the file `factor`, with noise.
# shellcheck disable=SC2094  # one is a name in the folder, the other the real program
mkdir bin
cat >bin/python3 <<P
#!/usr/bin/env bash
[ "\$2" = spmv_dist.scale ] || exec "$(command -v python3)" "\$@"
echo "\$*" >>"$folder/studies"
if [ -s "$folder/factors" ]; then  # one for each of the next measurements
  head -1 "$folder/factors" >"$folder/factor"
  sed -i 1d "$folder/factors"
fi
for word in "\$@"; do case \$word in --results=*) results=\${word#--results=} ;; esac; done
awk -v factor="\$(cat "$folder/factor")" -v seed="\$(wc -l <"$folder/studies")" 'BEGIN {
  srand(seed)
  for (i = 0; i < 40; ++i)
    list = list (i ? "," : "") sprintf("%.9e", 5e-5 * factor * exp(0.02 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())) * (rand() < 0.05 ? 2 : 1))
  printf "{\"matrix\":\"m\",\"ranks\":1,\"partition\":\"rows\",\"format\":\"csr\",\"transport\":\"auto\",\"mode\":\"vector\",\"median_s\":5e-5,\"measured\":{\"mode\":\"vector\",\"samples_s\":[%s]},\"environment\":{}}\n", list
}' >>"\$results"
P
chmod +x bin/python3
PATH=$folder/bin:$PATH
regress() { "$root/jobs/regress.sh" --program "$program" --folder "$folder/kept" --machine here "$@" >log 2>&1; }

say_case "the first run is the baseline"
echo 1 >factor
regress || show_log log "no baseline"
expect "baseline" "regress_usual.jsonl" "$(ls kept/here)"

say_case "ten repeats pass, ten runs that are 10 % slower fail"
for i in $(seq 10); do
  echo 1 >factor
  status=0
  regress || status=$?
  echo 1.1 >factor
  slow=0
  regress || slow=$?
  expect "exit codes $i" "0 6" "$status $slow"
done
expect "how to accept it" 1 "$(grep -c -- '--accept --name usual --machine here' log)"

say_case "a slower run is measured a second time"
found=
echo 1 >factor
for factors in '1.2\n1\n' '1.2\n1.2\n' '1\n1.2\n'; do
  printf '%b' "$factors" >factors
  : >studies
  status=0
  regress || status=$?
  found+="$status after $(wc -l <studies); "
done
expect "exit codes and measurements" "0 after 2; 6 after 2; 0 after 1; " "$found"
rm factors
echo 1.1 >factor
regress || true

say_case "an accepted run becomes the baseline"
regress --accept || show_log log "not accepted"
status=0
regress || status=$?
expect "exit code" 0 "$status"
regress --accept
status=0
regress --accept || status=$?
expect "nothing to accept" 4 "$status"

say_case "another study, and a looser limit"
echo 1 >factor
regress --name other -- --generate=stencil7:4,4,4 || show_log log "no second study"
expect "its arguments" 1 "$(grep -c -- '--generate=stencil7:4,4,4$' studies)"
echo 1.1 >factor
status=0
regress --name other --min-ratio 0.8 -- --generate=stencil7:4,4,4 || status=$?
expect "exit code" 0 "$status"

say_case "invalid names"
for words in "--machine ../x" "--name a/b" "--frobnicate 1" "--name"; do
  status=0
  # shellcheck disable=SC2086  # words on purpose
  regress $words || status=$?
  expect "exit code of $words" 2 "$status"
done
passed
