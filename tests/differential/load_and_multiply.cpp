// load_and_multiply LIST OUT: loads every Matrix Market file of LIST (one path per line) through the library
// on all ranks, multiplies, and writes one record per file to OUT.RANK for differential.py:
//   int64   error code (0: none), bytes of its message, rows, columns, elements e, elements of y n
//   message, int64 row[e], column[e], complex128 value[e], int64 id[n], complex128 y[n]
#include <complex>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "spmv_dist/spmv_dist.hpp"

namespace {

using Complex = std::complex<double>;
using Ids = std::vector<std::int64_t>;

struct Record {
  std::int64_t code = 0;
  std::string message;
  std::int64_t rows = 0, cols = 0;
  Ids row, col;
  std::vector<Complex> value;
  Ids id;
  std::vector<Complex> y;
};

template <class V>
void put(std::ofstream& out, const V* values, std::size_t count) {
  out.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(V)));
}

void write(std::ofstream& out, const Record& r) {
  const std::int64_t sizes[] = {
      r.code, static_cast<std::int64_t>(r.message.size()), r.rows,
      r.cols, static_cast<std::int64_t>(r.row.size()),     static_cast<std::int64_t>(r.id.size())};
  put(out, sizes, 6);
  put(out, r.message.data(), r.message.size());
  put(out, r.row.data(), r.row.size());
  put(out, r.col.data(), r.col.size());
  put(out, r.value.data(), r.value.size());
  put(out, r.id.data(), r.id.size());
  put(out, r.y.data(), r.y.size());
}

/// Element `id` of x; differential.py computes the same.
template <class T>
T x_of(std::int64_t id) {
  const double real = 1 + static_cast<double>(id * 7 % 13) / 8,
               imag = static_cast<double>(id * 5 % 11) / 8 - 0.5;
  if constexpr (std::is_same_v<T, Complex>) {
    return {real, imag};
  } else {
    static_cast<void>(imag);
    return real;
  }
}

/// Formats and modes take turns.
spmv_dist::Options options(std::size_t turn) {
  const char* const formats[] = {"csr", "sell", "pjds", "csr_packed", "coo"};
  const char* const modes[] = {"vector", "naive", "task"};
  return {{"format", formats[turn % 5]}, {"mode", modes[turn % 3]}, {"transport", "staged"}};
}

template <class T>
Record run(const spmv_dist::Context& context, const std::string& path, std::size_t turn) {
  Record r;
  const auto loaded = spmv_dist::LoadedRows<T>::read(context, path);
  const auto rows = loaded.view();
  r.rows = rows.global_rows;
  r.cols = rows.global_cols;
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
      r.row.push_back(rows.first_row + i);
      r.col.push_back(rows.columns[k]);
      r.value.emplace_back(rows.values[k]);
    }
  spmv_dist::Matrix<T> A(context, rows, options(turn));
  auto x = A.make_x(), y = A.make_y();
  std::vector<T> mine;
  for (const std::int64_t id : A.ids(spmv_dist::Side::x)) mine.push_back(x_of<T>(id));
  x.set(mine);
  multiply(A, x, y);
  r.id = A.ids(spmv_dist::Side::y);
  for (const T& value : y.get()) r.y.emplace_back(value);
  return r;
}

/// Reads as real numbers if the file is real, otherwise as complex ones.
Record record(const spmv_dist::Context& context, const std::string& path, std::size_t turn) {
  try {
    try {
      return run<double>(context, path, turn);
    } catch (const spmv_dist::Error& error) {
      if (error.code() != spmv_dist::Code::usage) throw;
      return run<Complex>(context, path, turn);
    }
  } catch (const spmv_dist::Error& error) {
    Record r;
    r.code = static_cast<std::int64_t>(error.code());
    r.message = error.what();
    return r;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: load_and_multiply LIST OUT\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  bool written = false;
  {
    const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", "host"}});
    std::ofstream out(argv[2] + ("." + std::to_string(context.rank())), std::ios::binary);
    std::ifstream list(argv[1]);
    std::size_t turn = 0;
    for (std::string path; std::getline(list, path); ++turn) write(out, record(context, path, turn));
    out.close();
    written = !out.fail() && turn > 0;
  }
  MPI_Finalize();
  return written ? 0 : 1;
}
