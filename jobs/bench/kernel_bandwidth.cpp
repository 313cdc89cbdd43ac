// Effective bandwidth of every format's product on one device, beside the device's copy bandwidth.
//   kernel_bandwidth <backend> <generator specification, such as stencil27:128,128,128> [batches]
// Values are double. Effective bytes are those of the smallest CSR product, the same for every format:
// 12 nnz + 4 n + 8 n + 8 m. A batch is several products between two events; reported are the median and the
// best.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/buffer.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "io/generate/generator.hpp"
#include "kernels/local_operator.hpp"

namespace {

using namespace spmv;

/// The whole matrix as one block.
Csr<double> generate(const std::string& specification) {
  const auto source = make_generator(specification);
  const Shape shape = source->shape();
  if (std::max(shape.rows, shape.cols) > std::numeric_limits<lidx>::max())
    throw Error(ExitCode::usage, specification + " is too large for one device");
  RowBlock<double> whole = generate_rows<double>(*source, 0, shape.rows);
  return {static_cast<lidx>(shape.rows), static_cast<lidx>(shape.cols), std::move(whole.row_ptr),
          std::vector<lidx>(whole.col.begin(), whole.col.end()), std::move(whole.value)};
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

/// Seconds of one call.
struct Timing {
  double median = 0;
  double best = 0;
};

/// Queues a copy of `count` elements in device memory. It moves 16 * count bytes.
void queue_copy(Queue& queue, double* to, const double* from, std::size_t count) {
  if (queue.stream() != nullptr) return queue.copy(to, from, count * sizeof(double), Copy::on_device);
  queue.run([=] {  // a host queue copies in one thread, the kernels run in all
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  });
}

/// `work` queues something.
Timing measure(Backend& backend, Queue& queue, int batches, const std::function<void()>& work) {
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
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front()};
}

void run(const std::string& backend_name, const std::string& specification, int batches) {
  const std::shared_ptr<Backend> backend = pick(backends(), backend_name, "backend").make(DeviceRequest{});
  const auto queue = backend->make_queue(Priority::normal);
  const Csr<double> a = generate(specification);
  const double bytes = 12.0 * a.nonzeros() + 4.0 * a.rows + 8.0 * a.rows + 8.0 * a.cols;

  const std::size_t count = std::size_t{1} << 27;  // 1 GiB a side: far beyond any cache
  Buffer<double> from(backend, count, Memory::device);
  Buffer<double> to(backend, count, Memory::device);
  queue->fill(from.data(), 1, from.bytes());
  queue->fill(to.data(), 2, to.bytes());
  const Timing copy =
      measure(*backend, *queue, batches, [&] { queue_copy(*queue, to.data(), from.data(), count); });
  const double copy_rate = 16.0 * count / copy.median;

  std::vector<double> x_host(a.cols);
  for (lidx i = 0; i < a.cols; ++i) x_host[i] = x_value<double>(i, 0);
  const Buffer<double> x = upload(backend, x_host.data(), x_host.size());
  Buffer<double> y(backend, a.rows, Memory::device);
  fmt::print("{}, {}: {} rows, {} nonzeros\n", backend->describe(), specification, a.rows, a.nonzeros());
  fmt::print("copy {:.0f} GB/s; effective bytes 12 nnz + 4 n + 8 n + 8 m\n", copy_rate * 1e-9);
  fmt::print("{:<12}{:>12}{:>12}{:>12}{:>10}\n", "format", "median us", "best us", "GB/s", "of copy");
  std::string json_lines;
  for (const Format<double>& format : formats<double>()) {
    try {
      const auto op =
          format.make(permuted(a, format.row_order(a, FormatOptions{})), {}, FormatOptions{}, backend);
      const Timing product =
          measure(*backend, *queue, batches, [&] { op->apply(*queue, x.data(), y.data(), Update::assign); });
      const double rate = bytes / product.median;
      fmt::print("{:<12}{:>12.1f}{:>12.1f}{:>12.1f}{:>10.3f}\n", format.name, product.median * 1e6,
                 product.best * 1e6, rate * 1e-9, rate / copy_rate);
      const nlohmann::json line = {{"device", backend->describe()},
                                   {"matrix", specification},
                                   {"rows", a.rows},
                                   {"nonzeros", a.nonzeros()},
                                   {"format", format.name},
                                   {"median_us", product.median * 1e6},
                                   {"best_us", product.best * 1e6},
                                   {"effective_GB_s", rate * 1e-9},
                                   {"copy_GB_s", copy_rate * 1e-9},
                                   {"ratio", rate / copy_rate}};
      json_lines += line.dump() + "\n";
    } catch (const Error& error) {
      if (error.code() != ExitCode::memory) throw;
      fmt::print("{:<12}{}\n", format.name, error.what());
    }
  }
  fmt::print("{}", json_lines);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3 || argc > 4) {
    fmt::print(stderr, "usage: kernel_bandwidth <host|debug|cuda> <generator specification> [batches]\n");
    return static_cast<int>(ExitCode::usage);
  }
  run(argv[1], argv[2], argc > 3 ? std::stoi(argv[3]) : 20);
} catch (const spmv::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(error.code());
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(spmv::ExitCode::usage);
}
