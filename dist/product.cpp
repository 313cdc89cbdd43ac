#include "dist/product.hpp"

#include <algorithm>
#include <vector>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
std::vector<T> columns_of_x(const std::function<std::vector<T>(unsigned)>& x_of, unsigned number,
                            int columns) {
  if (columns == 1) return x_of(number);
  std::array<std::vector<T>, distinct_x> x;
  for (unsigned i = 0; i < distinct_x; ++i) x[i] = x_of(i);
  std::vector<T> all;
  all.reserve(x[0].size() * static_cast<std::size_t>(columns));
  for (std::size_t row = 0; row < x[0].size(); ++row)
    for (int j = 0; j < columns; ++j) {
      const ColumnOfX column = column_of_x(number, j);
      all.push_back(times_power_of_two(x[column.number][row], column.exponent));
    }
  return all;
}

template <class T>
Product<T>::Product(DistMatrix<T>& matrix, const std::vector<gidx>& original_col, bool vectors_on_host)
    : Product(
          matrix,
          [&](unsigned number) {
            std::vector<T> natural;
            natural.reserve(original_col.size());
            for (const gidx col : original_col) natural.push_back(x_value<T>(col, number));
            return natural;
          },
          vectors_on_host) {}

template <class T>
Product<T>::Product(DistMatrix<T>& matrix, const std::function<std::vector<T>(unsigned)>& x_of,
                    bool vectors_on_host)
    : matrix_(matrix), vectors_on_host_(vectors_on_host), y_(matrix.make_y()) {
  const auto owned = static_cast<std::size_t>(matrix.owned()) * static_cast<std::size_t>(matrix.columns());
  const auto queue = matrix.backend()->make_queue(Priority::normal);
  for (unsigned number = 0; number < distinct_x; ++number) {
    const std::vector<T> x = matrix.to_basis(columns_of_x(x_of, number, matrix.columns()));
    x_[number] = matrix.make_x();
    queue->copy(x_[number].data(), x.data(), owned * sizeof(T), Copy::to_device);
    queue->synchronize();
    if (!vectors_on_host) continue;
    host_x_[number] = Buffer<T>(matrix.backend(), owned, Memory::staging);
    std::copy(x.begin(), x.end(), host_x_[number].data());
  }
  if (vectors_on_host) host_y_ = Buffer<T>(matrix.backend(), y_.size(), Memory::staging);
}

template <class T>
void Product<T>::queue(const Mode<T>& mode, unsigned number, PhaseLog* log) {
  Queue& queue = matrix_.compute_queue();
  T* x = x_[number % distinct_x].data();
  if (vectors_on_host_) {
    const DevicePhase phase(log, Phase::upload_x, queue);
    queue.copy(x, host_x_[number % distinct_x].data(), host_x_[number % distinct_x].bytes(), Copy::to_device);
  }
  mode.product(matrix_, x, y_.data(), log);
  if (vectors_on_host_) {
    const DevicePhase phase(log, Phase::download_y, queue);
    queue.copy(host_y_.data(), y_.data(), host_y_.bytes(), Copy::to_host);
  }
}

template <class T>
void Product<T>::exchange_only() {
  T* x = x_[0].data();
  matrix_.gather(x, nullptr);
  matrix_.start_exchange(x, nullptr);
  matrix_.finish_exchange(x, nullptr);
  matrix_.wait_for_halo();
  matrix_.compute_queue().synchronize();
}

template <class T>
void Product<T>::poison(unsigned number) {
  matrix_.poison(x_[number % distinct_x].data(), y_.data());
  if (vectors_on_host_) std::fill_n(reinterpret_cast<unsigned char*>(host_y_.data()), host_y_.bytes(), 0xff);
}

template <class T>
std::vector<std::vector<T>> Product<T>::columns_of_y(unsigned number) const {
  std::vector<T> y(y_.size());
  if (vectors_on_host_)
    std::copy_n(host_y_.data(), y.size(), y.data());
  else
    download(*matrix_.backend(), y.data(), y_.data(), y.size());
  y = matrix_.from_basis(y);
  const auto count = static_cast<std::size_t>(matrix_.columns());
  if (count == 1) return {std::move(y)};
  std::vector<std::vector<T>> columns(count);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int exponent = column_of_x(number, static_cast<int>(i % count)).exponent;
    columns[i % count].push_back(times_power_of_two(y[i], -exponent));
  }
  return columns;
}

SPMV_INSTANTIATE(columns_of_x);
SPMV_INSTANTIATE_CLASS(Product);

}  // namespace spmv
