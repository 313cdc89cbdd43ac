#!/usr/bin/env bash
# Ranks that get different arguments, as from "mpirun ... : ..." or a wrapper: one message names the difference, with both values
# and ranks, and all ranks end as for any wrong option.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# The program in a wrapper: the last of three ranks gets its own arguments, one per line of
# $folder/others.
cat >"$folder/wrapper" <<END
#!/usr/bin/env bash
if [ "\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" = 2 ]; then mapfile -t words <"$folder/others" && set -- "\${words[@]}"; fi
exec "$program" "\$@"
END
chmod +x "$folder/wrapper"
program=$folder/wrapper

# differ WORDS FIRST OTHERS: arguments of the first ranks and of the last one, blank-separated; both also get "${quick[@]}".
differ() {
  local words=$1 first others
  read -ra first <<<"$2"
  read -ra others <<<"$3"
  printf '%s\n' "${others[@]}" "${last[@]}" >"$folder/others"
  refuses 2 "$words" 3 "${first[@]}" "${last[@]}"
}
last=("${quick[@]}" --backend host --tune-cache off --timeout 60)
m="--generate stencil5:9,9"
differ "option --generate is 'stencil5:9,9' on rank 0 and 'stencil5:8,8' on rank 2" "$m" "--generate stencil5:8,8"
differ "option --mode is 'task' on rank 0 and 'vector' on rank 2" "$m --mode task" "$m --mode vector"
differ "option --value is nothing on rank 0 and 'float' on rank 2" "$m" "$m --value float"
differ "option --partition is 'rows' on rank 0 and 'metis' on rank 2" "$m --partition rows" "$m --partition metis"
differ "option --verify is nothing on rank 0 and 'false' on rank 2" "$m" "$m --no-verify"
differ "option --json is,a.json' on rank 0,b.json' on rank 2" "$m --json $folder/a.json" "$m --json $folder/b.json"
differ "operand matrix is 'a.mtx' on rank 0 and 'b.mtx' on rank 2" "a.mtx" "b.mtx"
differ "the command line,--frobnicate" "$m" "$m --frobnicate"
differ "the command line,--frobnicate" "$m --frobnicate" "$m"
differ "option --verbose is 'true' on rank 0 and nothing on rank 2" "$m --verbose" "$m"
[ ! -e "$folder/a.json" ] || fail "a file was written"
last=(--timeout 60)
differ "command is 'plan' on rank 0 and 'partition' on rank 2" "plan $m" "partition $m"
differ "option --help" "$m" "$m --help"
differ "option --seed is '3' on rank 0 and '4' on rank 2" "plan $m --seed 3" "plan $m --seed 4"
differ "operand files is 'a.mtx' 'a.spmv' on rank 0 and 'a.mtx' 'b.spmv' on rank 2" "convert a.mtx a.spmv" "convert a.mtx b.spmv"
last=()
differ "command is nothing on rank 0 and 'doctor' on rank 2" "$m" "doctor"
differ "command is 'doctor' on rank 0 and nothing on rank 2" "doctor" "$m"
differ "the command line,report" "$m" "report a.json"  # report is a Python tool
# Different spellings of the same arguments on all ranks are fine.
# shellcheck disable=SC2086  # words
printf '%s\n' $m --mode=vector "${quick[@]}" --backend=host >"$folder/others"
# shellcheck disable=SC2086  # words
expect 0 3 --backend host "${quick[@]}" --mode vector $m
finish
