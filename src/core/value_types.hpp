// The list of value types, and the one way to instantiate templates for all of them.
#pragma once

#include <complex>
#include <tuple>

#include "core/value_type.hpp"

namespace spmv {

/// Everything that is a template on a value type is compiled for these and for no others.
using ValueTypes = std::tuple<float, double, std::complex<float>, std::complex<double>>;

template <int index>
using ValueType = std::tuple_element_t<index, ValueTypes>;

/// What for_each_value_type() hands to its function: a value type as an argument.
template <class T>
struct ValueTypeTag {
  using Type = T;
};

/// Calls function(ValueTypeTag<T>{}) for every value type T, in the order of the list.
template <class Function>
constexpr void for_each_value_type(Function function) {
  std::apply([&](auto... zero) { (function(ValueTypeTag<decltype(zero)>{}), ...); }, ValueTypes{});
}

namespace value_types_detail {

template <class T>
using Itself = T;

static_assert(std::tuple_size_v<ValueTypes> == 4, "the macros below name every value type by its number");

}  // namespace value_types_detail

}  // namespace spmv

// Templates whose definitions stand in a .cpp or .cu file are instantiated at its end, inside namespace spmv
// and after the definitions. Only a macro can do that: an explicit instantiation is a declaration of its own
// for each type, and no template can make one. A function is given by its name, without its parameters.
//
//   SPMV_INSTANTIATE(analyze);                      analyze<T>
//   SPMV_INSTANTIATE_WITH(launch_cuda, CsrView);    launch_cuda<CsrView<T>>
//   SPMV_INSTANTIATE_CLASS(Gather);                 class Gather<T>

// NOLINTBEGIN(bugprone-macro-parentheses): names of templates and types cannot stand in parentheses.
/// Instantiates the function template `function` for Argument<T>, T being every value type in turn.
#define SPMV_INSTANTIATE_WITH(function, Argument)                                                       \
  template decltype(function<Argument<::spmv::ValueType<0>>>) function<Argument<::spmv::ValueType<0>>>; \
  template decltype(function<Argument<::spmv::ValueType<1>>>) function<Argument<::spmv::ValueType<1>>>; \
  template decltype(function<Argument<::spmv::ValueType<2>>>) function<Argument<::spmv::ValueType<2>>>; \
  template decltype(function<Argument<::spmv::ValueType<3>>>) function<Argument<::spmv::ValueType<3>>>

/// Instantiates the function template `function` for every value type.
#define SPMV_INSTANTIATE(function) SPMV_INSTANTIATE_WITH(function, ::spmv::value_types_detail::Itself)

/// Instantiates the class template `name` for every value type.
#define SPMV_INSTANTIATE_CLASS(name)         \
  template class name<::spmv::ValueType<0>>; \
  template class name<::spmv::ValueType<1>>; \
  template class name<::spmv::ValueType<2>>; \
  template class name<::spmv::ValueType<3>>
// NOLINTEND(bugprone-macro-parentheses)
