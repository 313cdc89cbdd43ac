// Inner products and combinations of blocks of vectors on one backend.
#pragma once

#include <complex>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/dense/block_work.hpp"

namespace spmv::test {

/// Blocks of k columns with known elements, and a guard behind each.
template <class T>
class SampleBlocks {
 public:
  SampleBlocks(const std::shared_ptr<Backend>& backend, int blocks, lidx rows, int k) : rows_(rows), k_(k) {
    for (int b = 0; b < blocks; ++b) {
      std::vector<T> whole = elements(b);
      whole.push_back(guard());
      device_.push_back(upload(backend, whole.data(), whole.size()));
    }
  }
  static T guard() { return T(77); }
  T element(int b, lidx row, int j) const { return x_value<T>(gidx{row} * k_ + j, static_cast<unsigned>(b)); }
  VectorRef<T> block(int b) { return {device_[static_cast<std::size_t>(b)].data(), rows_ * k_}; }
  std::vector<VectorRef<T>> list(int count) {
    std::vector<VectorRef<T>> list;
    for (int b = 0; b < count; ++b) list.push_back(block(b));
    return list;
  }
  std::vector<T> on_host(Backend& backend, int b) {
    std::vector<T> all(static_cast<std::size_t>(rows_ * k_) + 1);
    download(backend, all.data(), block(b).at, all.size());
    return all;
  }

 private:
  std::vector<T> elements(int b) const {
    std::vector<T> all;
    for (lidx row = 0; row < rows_; ++row)
      for (int j = 0; j < k_; ++j) all.push_back(element(b, row, j));
    return all;
  }
  lidx rows_;
  int k_;
  std::vector<Buffer<T>> device_;
};

/// Every element within rounding in double precision, for few and many blocks, rows and columns; nothing beyond the blocks changes.
template <class T>
void check_block_work(const std::shared_ptr<Backend>& backend, int blocks, lidx rows, int k) {
  SCOPED_TRACE(testing::Message() << blocks << " blocks of " << rows << " rows and " << k << " columns");
  using E = DenseElement<T>;
  using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  const auto queue = backend->make_queue(Priority::normal);
  SampleBlocks<T> sample(backend, blocks + 1, rows, k);
  BlockWork<T> work(backend, k);
  const auto at = [&](int b, int i, int j) { return static_cast<std::size_t>((b * k + i) * k + j); };
  const std::vector<E> gram = work.gram(*queue, sample.list(blocks), sample.block(blocks));
  ASSERT_EQ(gram.size(), static_cast<std::size_t>(blocks * k * k));
  const double of_double = 4 * (rows + 1) * std::numeric_limits<double>::epsilon();
  for (int b = 0; b < blocks; b += 7)
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; j += 3) {
        Wide sum = 0;
        for (lidx row = 0; row < rows; ++row) {
          const Wide x(sample.element(b, row, i)), y(sample.element(blocks, row, j));
          if constexpr (is_complex<T>)
            sum += std::conj(x) * y;
          else
            sum += x * y;
        }
        ASSERT_NEAR(static_cast<double>(std::abs(Wide(gram[at(b, i, j)]) - sum)), 0, of_double)
            << b << ' ' << i << ' ' << j;
      }
  std::vector<E> c;
  for (std::size_t e = 0; e < gram.size(); ++e) c.push_back(x_value<E>(static_cast<gidx>(e), 99));
  for (const Update update : {Update::assign, Update::add}) {
    const std::vector<T> before = sample.on_host(*backend, blocks);
    work.combine(*queue, sample.list(blocks), c, sample.block(blocks), update);
    queue->synchronize();
    const std::vector<T> after = sample.on_host(*backend, blocks);
    EXPECT_EQ(after.back(), SampleBlocks<T>::guard());
    const double of_type = 4 * (blocks * k + 1) * (1 + blocks) * std::numeric_limits<RealOf<T>>::epsilon();
    for (lidx row = 0; row < rows; row += 1 + row / 5)
      for (int j = 0; j < k; ++j) {
        const auto e = static_cast<std::size_t>(row * k + j);
        Wide sum = update == Update::add ? Wide(before[e]) : Wide(0);
        for (int b = 0; b < blocks; ++b)
          for (int i = 0; i < k; ++i) sum += Wide(sample.element(b, row, i)) * Wide(c[at(b, i, j)]);
        ASSERT_NEAR(static_cast<double>(std::abs(Wide(after[e]) - sum)), 0, of_type) << row << ' ' << j;
      }
  }
}

template <class T>
void check_block_work(const std::shared_ptr<Backend>& backend) {
  for (const int k : {1, 2, 3, 4, 7, 8, 9, 16, 31, 32})
    for (const lidx rows : {0, 1, 33, 1000}) check_block_work<T>(backend, 3, rows, k);
  for (const int blocks : {1, 32, 33, 70}) check_block_work<T>(backend, blocks, 50, 5);
}

}  // namespace spmv::test
