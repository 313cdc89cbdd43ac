#!/usr/bin/env bash
# all.sh BUILD-FOLDER [host|cuda [RESULTS]]: plants every kind of fault at every call site. Prints a line for each kind; exit code 1 if
# anything failed. `cuda`: only CUDA and NCCL.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?name the build folder}" && pwd)
backend=${2:-host}
results=${3:-$build/faults}
mkdir -p "$results"
failed=0

# sweep NAME ARGUMENTS...
sweep() {
  python3 "$here/faults.py" --backend "$backend" --program "$build/bin/spmv_dist" --plant "$build/tests/faults/libspmv_planted_faults.so" "${@:2}" \
    >"$results/$1.txt" 2>&1 || failed=1
  echo "$1: $(tail -1 "$results/$1.txt")"
}

if [ "$backend" = cuda ]; then
  sweep cuda --calls 'cuda*'
  sweep cuda_memory_error --calls 'cuda*' --action cudaErrorECCUncorrectable
  sweep cuda_device_lost --calls 'cuda*' --action cudaErrorUnknown
  sweep cuda_2 --ranks 2 --calls 'cuda*' --option=--transport=p2p --jobs 5
  sweep nccl_2 --ranks 2 --calls 'nccl*' --option=--transport=nccl --jobs 5
  exit $failed
fi
files=open,read,pread,write,close,fsync,rename,ftruncate,fchmod,fstat,mkostemp
sweep memory --calls new,posix_memalign,mmap,memfd_create
sweep files --calls $files
sweep disk_full --calls write,fsync,ftruncate,mkostemp --action ENOSPC
sweep interrupted --action EINTR --calls open,read,pread,write
sweep short --action short --calls read,pread,write
sweep threads --calls "pthread_create,pipe2,posix_spawn,sched_setaffinity,hwloc*,METIS*"
sweep mpi --calls "MPI_*"
sweep terminated --action SIGTERM --sample 300
sweep interrupted_by_user --action SIGINT --sample 100
sweep killed --action SIGKILL --sample 100
sweep memory_2 --ranks 2 --calls new,posix_memalign,mmap,memfd_create --sample 800
sweep files_2 --ranks 2 --calls $files
sweep threads_2 --ranks 2 --calls "pthread_create,pipe2,posix_spawn,sched_setaffinity,hwloc*,METIS*"
sweep mpi_2 --ranks 2 --calls "MPI_*"
sweep terminated_2 --ranks 2 --action SIGTERM --sample 100
sweep killed_2 --ranks 2 --action SIGKILL --sample 150
sweep stopped_2 --ranks 2 --action SIGSTOP --sample 60
exit $failed
