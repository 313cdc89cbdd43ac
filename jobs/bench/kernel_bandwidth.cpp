// Effective bandwidth of every format's product on one device, beside the device's copy bandwidth.
//   kernel_bandwidth <backend> <stencil7|stencil27> <N> [batches]
// The matrix is an N^3 grid in double. Effective bytes are those of the smallest CSR product, the same for
// every format: 12 nnz + 4 n + 8 n + 8 m. A batch is several products between two events; reported are
// medians.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/buffer.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "kernels/local_operator.hpp"

namespace {

using namespace spmv;

/// Every grid point with its neighbours at most one step away: in all 26 directions, or along the axes only.
Csr<double> stencil(int n, bool axes_only) {
  Csr<double> a;
  a.rows = a.cols = static_cast<lidx>(n) * n * n;
  const auto inside = [n](int i) { return i >= 0 && i < n; };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              const int steps = dx * dx + dy * dy + dz * dz;
              if ((axes_only && steps > 1) || !inside(x + dx) || !inside(y + dy) || !inside(z + dz)) continue;
              a.col.push_back(((z + dz) * n + y + dy) * n + x + dx);
              a.value.push_back(steps == 0 ? 26.5 : -1.0 / steps);
            }
        a.row_ptr.push_back(static_cast<offset>(a.col.size()));
      }
  return a;
}

/// The rows of a square block, and its columns, in the order that a format wants.
Csr<double> permuted(const Csr<double>& a, const std::vector<lidx>& order) {
  if (order.empty()) return a;
  std::vector<lidx> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<lidx>(i);
  Csr<double> b;
  b.rows = a.rows;
  b.cols = a.cols;
  for (const lidx row : order) {
    for (offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      b.col.push_back(place[a.col[k]]);
      b.value.push_back(a.value[k]);
    }
    b.row_ptr.push_back(static_cast<offset>(b.col.size()));
  }
  return b;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Queues a copy of `count` elements in device memory. It moves 16 * count bytes.
void queue_copy(Queue& queue, double* to, const double* from, std::size_t count) {
  if (queue.stream() != nullptr) return queue.copy(to, from, count * sizeof(double), Copy::on_device);
  queue.run([=] {  // a host queue copies in one thread, the kernels run in all
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  });
}

/// Median seconds of one call of `work`, which queues something.
double measure(Backend& backend, Queue& queue, int batches, const std::function<void()>& work) {
  const auto begin = backend.make_event();
  const auto end = backend.make_event();
  const auto batch = [&](int calls) {
    queue.record(*begin);
    for (int i = 0; i < calls; ++i) work();
    queue.record(*end);
    end->synchronize();
    return end->seconds_since(*begin) / calls;
  };
  batch(3);
  const double once = batch(3);
  const int calls = std::clamp(static_cast<int>(5e-3 / once), 1, 100);  // batches of 5 ms at least
  std::vector<double> seconds;
  for (int i = 0; i < batches; ++i) seconds.push_back(batch(calls));
  return median(seconds);
}

void run(const std::string& backend_name, const std::string& matrix, int n, int batches) {
  const std::shared_ptr<Backend> backend = pick(backends(), backend_name, "backend").make(DeviceRequest{});
  const auto queue = backend->make_queue(Priority::normal);
  if (matrix != "stencil7" && matrix != "stencil27")
    throw Error(ExitCode::usage, "unknown matrix '" + matrix + "'; known are: stencil7, stencil27");
  const Csr<double> a = stencil(n, matrix == "stencil7");
  const double bytes = 12.0 * a.nonzeros() + 4.0 * a.rows + 8.0 * a.rows + 8.0 * a.cols;

  const std::size_t count = std::size_t{1} << 27;  // 1 GiB a side: far beyond any cache
  Buffer<double> from(backend, count, Memory::device);
  Buffer<double> to(backend, count, Memory::device);
  queue->fill(from.data(), 1, from.bytes());
  queue->fill(to.data(), 2, to.bytes());
  const double copy_rate = 16.0 * count / measure(*backend, *queue, batches, [&] {
                             queue_copy(*queue, to.data(), from.data(), count);
                           });

  const std::vector<double> ones(a.cols, 1.0);
  const Buffer<double> x = upload(backend, ones.data(), ones.size());
  Buffer<double> y(backend, a.rows, Memory::device);
  fmt::print("{}, {} N={}: {} rows, {} nonzeros\n", backend->describe(), matrix, n, a.rows, a.nonzeros());
  fmt::print("copy {:.0f} GB/s; effective bytes 12 nnz + 4 n + 8 n + 8 m\n", copy_rate * 1e-9);
  fmt::print("{:<12}{:>12}{:>12}{:>10}\n", "format", "us", "GB/s", "of copy");
  std::string json_lines;
  for (const Format<double>& format : formats<double>()) {
    const auto op =
        format.make(permuted(a, format.row_order(a, FormatOptions{})), {}, FormatOptions{}, backend);
    const double seconds =
        measure(*backend, *queue, batches, [&] { op->apply(*queue, x.data(), y.data(), Update::assign); });
    const double rate = bytes / seconds;
    fmt::print("{:<12}{:>12.1f}{:>12.1f}{:>10.3f}\n", format.name, seconds * 1e6, rate * 1e-9,
               rate / copy_rate);
    const nlohmann::json line = {{"device", backend->describe()},
                                 {"matrix", matrix},
                                 {"n", n},
                                 {"rows", a.rows},
                                 {"nonzeros", a.nonzeros()},
                                 {"format", format.name},
                                 {"median_us", seconds * 1e6},
                                 {"effective_GB_s", rate * 1e-9},
                                 {"copy_GB_s", copy_rate * 1e-9},
                                 {"ratio", rate / copy_rate}};
    json_lines += line.dump() + "\n";
  }
  fmt::print("{}", json_lines);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4 || argc > 5) {
    fmt::print(stderr, "usage: kernel_bandwidth <host|debug|cuda> <stencil7|stencil27> <N> [batches]\n");
    return static_cast<int>(ExitCode::usage);
  }
  run(argv[1], argv[2], std::stoi(argv[3]), argc > 4 ? std::stoi(argv[4]) : 20);
} catch (const spmv::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(error.code());
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(spmv::ExitCode::usage);
}
