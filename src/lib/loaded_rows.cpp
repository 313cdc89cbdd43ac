// The public LoadedRows: files and generators, loaded as the program loads them.
#include <memory>
#include <utility>

#include "comm/require_same.hpp"
#include "core/value_types.hpp"
#include "lib/context.hpp"
#include "lib/translate.hpp"
#include "load/load_rows.hpp"

namespace spmv::lib {
namespace {

template <class T>
struct LoadedRowsState {
  Shape shape;
  RowBlock<T> block;
};

/// Loads the source that find(communicator, name) returns. Collective.
template <class T, class Find>
spmv_dist::LoadedRows<T> load(const spmv_dist::Context& context, const std::string& name, const Find& find) {
  using spmv_dist::internal::Access;
  return spmv_dist::internal::translated([&] {
    const auto state = Access::state<ContextState>(context);
    const Communicator& all = state->communicator;
    const Scope scope(*state->place.backend, state->place.threads);
    require_same(all, {{"the matrix", name}, {"the value type", value_name<T>()}});
    const MatrixSource source = find(all, name);
    all.together([&] {
      if (source.complex && !is_complex<T>)
        throw Error(ExitCode::usage, source.name + " has complex values: load it as std::complex");
    });
    const RowPartition rows = RowPartition::even(source.shape.rows, all.size());
    auto loaded = std::make_shared<LoadedRowsState<T>>();
    loaded->shape = source.shape;
    loaded->block = load_rows<T>(all, source, rows);
    return Access::make_loaded<T>(std::move(loaded));
  });
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;

template <class T>
LoadedRows<T> LoadedRows<T>::read(const Context& context, const std::string& path) {
  return spmv::lib::load<T>(context, path, spmv::find_file);
}

template <class T>
LoadedRows<T> LoadedRows<T>::generate(const Context& context, const std::string& specification) {
  return spmv::lib::load<T>(context, specification, spmv::find_generator);
}

template <class T>
Rows<T> LoadedRows<T>::view() const {
  return translated([&] {
    const auto state = Access::state<spmv::lib::LoadedRowsState<T>>(*this);
    const spmv::RowBlock<T>& block = state->block;
    Rows<T> rows;
    rows.global_rows = state->shape.rows;
    rows.global_cols = state->shape.cols;
    rows.rows = block.rows();
    rows.first_row = block.first_row;
    rows.row_ptr = block.row_ptr.data();
    rows.columns = block.col.data();
    rows.values = block.value.data();
    rows.elements = block.nonzeros();
    rows.where = Where::host;
    return rows;
  });
}

SPMV_INSTANTIATE_CLASS(LoadedRows);

}  // namespace spmv_dist
