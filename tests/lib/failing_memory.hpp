#pragma once

namespace spmv::test {

/// Which of this thread's next large allocations by `new` fails, counted from 1; 0: none.
int& failing_allocation();

}  // namespace spmv::test
