#include "app/commands.hpp"

namespace spmv {

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> table = {
      {"", "Distributed sparse matrix-vector product: mpirun -np N spmv_dist matrix.mtx", Ranks::any,
       declare_multiply},
      {"analyze", "what the matrix looks like to storage formats, and what each would cost; on one rank",
       Ranks::one, declare_analyze},
      {"doctor",
       "examines this launch: launcher, MPI, cores, GPUs, and every transport; on the ranks that you will use",
       Ranks::any, declare_doctor},
      {"convert",
       "writes a matrix as a .spmv file, which is read at the speed of the disk, or as PETSc's (NAME.petsc); on any number of ranks",
       Ranks::any, declare_convert},
      {"generate", "writes a matrix from a formula to a Matrix Market file; on any number of ranks",
       Ranks::any, declare_generate},
      {"info", "how much memory a run would need on every rank, without loading the matrix; on one rank",
       Ranks::one, declare_info, "; give the number of ranks to estimate for with --ranks N"},
      {"model",
       "whether a matrix is worth a GPU by the model of its bytes, without running products; on one rank",
       Ranks::one, declare_model},
      {"plan",
       "what a matrix would be on other numbers of ranks and another machine: balance, halo, predicted times",
       Ranks::any, declare_plan},
      {"partition",
       "what every partitioner makes of a matrix: time, balance, halo, predicted and, if wanted, measured products",
       Ranks::any, declare_partition},
      {"solve",
       "A x = b: solvers, modes and transports side by side, with the time of an iteration; on any number of ranks",
       Ranks::any, declare_solve},
      {"eigen",
       "a few of the lowest or highest eigenvalues of a hermitian matrix, by Lanczos; on any number of ranks",
       Ranks::any, declare_eigen},
      {"dos",
       "the density of states of a hermitian matrix, by Chebyshev moments: two a product; on any number of ranks",
       Ranks::any, declare_dos},
      {"calibrate",
       "measures how fast formats are on this machine, for format auto: some seconds, on as many ranks as runs will have",
       Ranks::any, declare_calibrate},
  };
  return table;
}

}  // namespace spmv
