#!/usr/bin/env bash
# Job scripts: what a batch system is asked for, and that no name is more than a word.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$folder" || exit 1
PATH=$(dirname "$(command -v "$mpirun")"):$PATH
export PATH

# job SITE ARGUMENT...: writes the script to job.sh and looks whether a shell can read it.
job() {
  local site=$1
  shift
  run 1 jobscript --site="$site" -o job.sh "$@"
  [ "$code" = 0 ] || { fail "exit code $code: jobscript --site=$site $*"; show; }
  bash -n job.sh || fail "the script of $site is none"
}
has_line() { grep -qxF -- "$1" job.sh || { fail "no line '$1'"; cat job.sh; }; }

# shellcheck disable=SC2054  # commas of a specification
large=(--nodes=4 --gpus-per-node=4 --cores-per-rank=8 --time=01:30:00 --account=my-project --queue=gpu --module=openmpi/4.1 --generate=stencil7:8,8,8)
job slurm "${large[@]}"
for line in --nodes=4 --ntasks-per-node=4 --cpus-per-task=8 --gpus-per-node=4 --time=01:30:00 --account=my-project --partition=gpu --signal=B:TERM@60 --exclusive; do
  has_line "#SBATCH $line"
done
has_line "module load openmpi/4.1"
grep -q '^exec .* scale --ranks=16,8,4,2,1 .*--launcher=srun --ranks-per-node=4 --cores-per-rank=8' job.sh || fail "the study is not started by srun"
job pbs "${large[@]}"
has_line "#PBS -l select=4:ncpus=32:mpiprocs=4:ngpus=4"
has_line "#PBS -l walltime=01:30:00"
# shellcheck disable=SC2016  # of the script
has_line 'cd -- "$PBS_O_WORKDIR"'
grep -q -- '--launcher=mpirun' job.sh || fail "no launcher"
job lsf "${large[@]}"
has_line "#BSUB -n 16"
has_line '#BSUB -R "span[ptile=4] affinity[core(8)]"'
has_line "#BSUB -W 01:30"
# Without a file it is printed.
run 1 jobscript --site=lsf "${large[@]}"
cmp -s out job.sh || fail "what is printed is another script"

# The local one does what it says, with names that a shell would obey; every site writes the same words.
name=$'-a b\'"$(touch oops)`touch oops`#\n#SBATCH --nodes=9\n\x1b[31m<script>&=cmd()\xc3\xa9\\;*.mtx'
results=$'r #\'/r \'"$(touch oops)#.jsonl'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 1\n' >"./$name"
hostile=("--results=$results" --mode=vector --format=csr --partition=rows --ranks=1 --cores-per-rank=1 -- "$name" --backend=host --warmup=0 --min-repetitions=6 --max-repetitions=6)
for site in slurm pbs lsf local; do
  job "$site" "${hostile[@]}"
  [ "$(grep -c '^#SBATCH --nodes=9' job.sh)" = 0 ] || fail "a name is a line for the batch system"
  [ "$(tail -n +2 job.sh | grep -cE '^(#|set|cd|exec|module|mkdir)')" = "$(($(wc -l <job.sh) - 1))" ] || fail "a name has lines of its own in the script of $site"
  # What the shell makes of the last line.
  printf 'exec() { printf "%%s\\0" "$@"; }\n%s\n' "$(tail -n 1 job.sh)" >words.sh
  bash words.sh | tr '\n\0' '\001\n' >words
  for word in "--results=$results" "$name" --backend=host; do
    grep -qxF -- "$(printf '%s' "$word" | tr '\n' '\001')" words || { fail "the shell reads another word than $word"; cat words; }
  done
done
for points in 1 1; do
  bash job.sh >out 2>err </dev/null || { fail "the local script ends with $?"; show; }
  [ "$(wc -l <"$results")" = "$points" ] || fail "the local script has no point"
done
[ -e oops ] && fail "a name was executed"
# Its exit code is that of the run that fails.
run 1 jobscript --site=local -o job.sh --results=bad.jsonl --ranks=1 -- none.mtx
bash job.sh >out 2>err </dev/null
code=$?
[ "$code" = 4 ] || fail "the script of a study that fails ends with $code"

# A batch system reads no quotes: what would need them is refused.
# shellcheck disable=SC2016  # not to be expanded
for text in $'a\n#SBATCH --nodes=9' 'a b' '-a' "a'" '$(a)' 'a#' 'é'; do
  refuses 2 "--name,no dash" 1 jobscript --site=slurm --generate=stencil7:4,4,4 "--name=$text"
  refuses 2 "--account,no dash" 1 jobscript --site=pbs --generate=stencil7:4,4,4 "--account=$text"
  refuses 2 "--module,no dash" 1 jobscript --site=lsf --generate=stencil7:4,4,4 "--module=$text"
done
for text in 1 1:2 00:00:00 1:60:00 1:00:00:00 -1:00:00 a:b:c; do
  refuses 2 "--time,01:30:00" 1 jobscript --site=slurm --generate=stencil7:4,4,4 "--time=$text"
done
refuses 2 "'sge',slurm,pbs,lsf,local" 1 jobscript --site=sge --generate=stencil7:4,4,4
refuses 2 "--ranks 9,room for 8" 1 jobscript --site=slurm --generate=stencil7:4,4,4 --nodes=2 --ranks-per-node=4 --ranks=9
refuses 2 "--site" 1 jobscript --generate=stencil7:4,4,4
finish
