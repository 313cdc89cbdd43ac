#include "app/commands.hpp"

#include "app/commands/analyze.hpp"
#include "app/commands/calibrate.hpp"
#include "app/commands/convert.hpp"
#include "app/commands/doctor.hpp"
#include "app/commands/generate.hpp"
#include "app/commands/info.hpp"
#include "app/commands/model.hpp"
#include "app/commands/multiply.hpp"
#include "app/commands/partition.hpp"
#include "app/commands/plan.hpp"

namespace spmv {

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> table = {
      {"", "Distributed sparse matrix-vector product: mpirun -np N spmv_dist matrix.mtx", Ranks::any,
       command<MultiplyOptions, run_multiply>},
      {"analyze", "what the matrix looks like to storage formats, and what each would cost; on one rank",
       Ranks::one, command<AnalyzeOptions, run_analyze>},
      {"doctor",
       "examines this launch: launcher, MPI, cores, GPUs, and every transport; on the ranks that you will use",
       Ranks::any, command<DoctorOptions, run_doctor>},
      {"convert",
       "writes a matrix as a .spmv file, which is read at the speed of the disk, or as PETSc's (NAME.petsc); on any number of ranks",
       Ranks::any, command<ConvertOptions, run_convert>},
      {"generate", "writes a matrix from a formula to a Matrix Market file; on any number of ranks",
       Ranks::any, command<GenerateOptions, run_generate>},
      {"info", "how much memory a run would need on every rank, without loading the matrix; on one rank",
       Ranks::one, command<InfoOptions, run_info>,
       "; give the number of ranks to estimate for with --ranks N"},
      {"model",
       "whether a matrix is worth a GPU by the model of its bytes, without running products; on one rank",
       Ranks::one, command<ModelOptions, run_model>},
      {"plan",
       "what a matrix would be on other numbers of ranks and another machine: balance, halo, predicted times",
       Ranks::any, command<PlanOptions, run_plan>},
      {"partition",
       "what every partitioner makes of a matrix: time, balance, halo, predicted and, if wanted, measured products",
       Ranks::any, command<ComparisonOptions, run_partition>},
      {"calibrate",
       "measures how fast formats are on this machine, for format auto: some seconds, on as many ranks as runs will have",
       Ranks::any, command<CalibrateOptions, run_calibrate>},
  };
  return table;
}

}  // namespace spmv
