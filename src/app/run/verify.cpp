#include "app/run/verify.hpp"

#include <vector>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
void verify(const Communicator& communicator, Product<T>& product, const Mode<T>& mode,
            const Problem<T>& problem, OldData old_data, ModeResult& result) {
  for (unsigned number = 0; number < distinct_x; ++number) {
    if (old_data == OldData::poisoned) product.poison(number);
    product.run(mode, number, nullptr);
    const std::vector<T> y = product.y();
    const Mismatch mismatch = compare(y.data(), problem.reference[number]);
    const gidx wrong = communicator.sum(mismatch.rows_wrong);
    result.verified = true;
    if (wrong <= result.rows_wrong) continue;
    result.rows_wrong = wrong;
    result.worst_ratio = communicator.max(mismatch.worst_ratio);
    const bool mine = mismatch.worst_row >= 0 && mismatch.worst_ratio == result.worst_ratio;
    result.worst_row = communicator.max(
        mine ? problem.rows.original_row[static_cast<std::size_t>(mismatch.worst_row)] : gidx{-1});
  }
}

SPMV_INSTANTIATE(verify);

}  // namespace spmv
