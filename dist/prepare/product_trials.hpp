// Which mode in which layout multiplies a matrix fastest: by trial, in the program's commands that solve and in the library.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "dist/modes.hpp"

namespace spmv {

/// A product in one mode and layout, on the slowest rank. For a solver it is Workspace::multiply_and_change().
struct ProductTrial {
  std::string mode;
  std::string layout;
  double product_s = 0;
  std::string left_out = {};  // why it could not be built; empty: it was
};

/// The trial with the shortest product; of equal ones the first. nullptr: none could be built. Pure.
const ProductTrial* fastest(const std::vector<ProductTrial>& trials);

/// The modes that are tried, or taken in turn, where the user names none: the one with the highest rank first. Pure.
template <class T>
std::vector<const Mode<T>*> modes_by_rank();

/// In which of its `layouts`, the standard one first, a mode is measured. `asked`: a layout, or auto_layout for all of them; a
/// mode without that layout is measured in its standard one, and so is any mode without a `halo`, since all layouts are
/// the same then. Pure.
std::vector<std::string> layouts_to_measure(const std::vector<std::string>& layouts, const std::string& asked,
                                            bool halo);

/// Seconds of work() that queues something, on the slowest rank: the least of batches that are queued one after the other, of as
/// many as fit into some milliseconds. Collective if work() is.
double time_queued(const Communicator& communicator, Queue& queue, const std::function<void()>& work);

/// Work that queues one product on the queue.
struct TriedProduct {
  Queue& queue;
  std::function<void()> multiply;
};

/// Times a product of every mode in each of its layouts, one layout after the other, so that each is built once. `set_up`
/// brings the matrix into a layout, with a transport for the mode; what it throws, but for errors of code internal, leaves this
/// pair out. Collective; throws the last AgreedError if nothing could be set up.
template <class T>
std::vector<ProductTrial> time_products(
    const Communicator& communicator, const std::vector<const Mode<T>*>& modes, const std::string& layout,
    const std::function<TriedProduct(const Mode<T>& mode, const std::string& layout)>& set_up);

}  // namespace spmv
