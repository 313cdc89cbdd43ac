// What a product reads once and the next product reads again: values and columns. A GPU's cache keeps a part of them until
// then if the loads say which part (read_once.cuh).
#pragma once

#include <type_traits>

namespace spmv {

/// The share of `matrix_bytes`, which every product reads once, that a cache of `cache_bytes` can keep from one product to
/// the next while x and y, `vector_bytes`, go through it, too. Sixteenths, 0 to 1. Pure.
///
/// By default lines replace each other in turn, so that nothing of a matrix a little larger than the cache is left when it is
/// read again. Lines that are marked to be evicted first leave at once, even where all would find room. If a fixed part is
/// kept while the rest passes through, every product finds this part in the cache.
///
/// The share is for one operator alone: two large ones in turns, such as an interior and a boundary of equal size, try to
/// keep more than there is room for, and gain less.
float share_to_keep(double cache_bytes, double matrix_bytes, double vector_bytes);

/// Whether kernels for this View keep a share (its kept_share) of what they read once.
template <class View, class = void>
inline constexpr bool has_kept_share = false;
template <class View>
inline constexpr bool has_kept_share<View, std::void_t<decltype(View::kept_share)>> = true;

/// The view with its kept_share, if it has one. Pure.
template <class View>
View keep_share(View view, double cache_bytes, double matrix_bytes, double vector_bytes) {
  if constexpr (has_kept_share<View>)
    view.kept_share = share_to_keep(cache_bytes, matrix_bytes, vector_bytes);
  return view;
}

}  // namespace spmv
