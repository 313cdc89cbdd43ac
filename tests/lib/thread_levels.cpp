// The library under each of MPI's thread levels, and with handles that outlive MPI.
//
//   thread_levels single|funneled|serialized|multiple
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <spmv_dist/spmv_dist.hpp>

namespace {

struct Everything {
  spmv_dist::Context context;
  spmv_dist::Matrix<double> A;
  spmv_dist::Vector<double> x, y;
};

std::unique_ptr<Everything> make(const char* transport) {
  const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", "host"}});
  const std::int64_t n = 4 * context.size(), first = 4 * context.rank();
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> values;
  for (std::int64_t row = first; row < first + 4; ++row) {
    columns.insert(columns.end(), {row, (row + 1) % n});
    values.insert(values.end(), {1, 1});
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  spmv_dist::Matrix<double> A(context, spmv_dist::rows_from(n, n, first, row_ptr, columns, values),
                              {{"mode", "task"}, {"transport", transport}});
  return std::unique_ptr<Everything>(new Everything{context, A, A.make_x(), A.make_y()});
}

/// Whether the product is correct and the mode is the one that this level allows.
bool right(Everything& all, int level) {
  all.x.set({1, 1, 1, 1});
  multiply(all.A, all.x, all.y);
  const bool product = all.y.get() == std::vector<double>{2, 2, 2, 2};
  const bool may_task = level >= MPI_THREAD_SERIALIZED;
  const bool mode = all.A.mode() == (may_task ? "task" : "vector");
  const bool says_why =
      may_task || all.A.describe().find("mode task needs MPI_THREAD_SERIALIZED") != std::string::npos;
  if (!product || !mode || !says_why) std::fprintf(stderr, "%s", all.A.describe().c_str());
  return product && mode && says_why;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const names[] = {"single", "funneled", "serialized", "multiple"};
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int asked = MPI_THREAD_SINGLE, provided = 0;
  for (int i = 0; i < 4; ++i)
    if (argc > 1 && std::strcmp(argv[1], names[i]) == 0) asked = levels[i];
  MPI_Init_thread(&argc, &argv, asked, &provided);
  bool all_right = true;
  std::vector<std::unique_ptr<Everything>> outlive;
  for (const char* transport : {"auto", "staged", "shm", "shm_copy"}) {
    outlive.push_back(make(transport));
    all_right = right(*outlive.back(), provided) && all_right;
  }
  MPI_Finalize();
  outlive.clear();  // after MPI's end, in any order
  try {
    make("staged");
    all_right = false;
  } catch (const spmv_dist::Error& error) {
    all_right = all_right && std::string(error.what()).find("MPI is not running") != std::string::npos;
  }
  return all_right ? 0 : 1;
}
