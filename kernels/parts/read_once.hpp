// What a product reads once and the next product reads again: values and columns. A GPU's cache keeps some of them until
// then, if it is told which. read_once.cuh tells it.
#pragma once

#include <type_traits>

namespace spmv {

/// The share of `matrix_bytes`, which every product reads once, that a cache of `cache_bytes` can keep from one product to
/// the next while x and y, `vector_bytes`, go through it, too. Sixteenths, 0 to 1. Pure.
///
/// Lines that nobody speaks for replace each other in turn, so that of a matrix a little larger than the cache none is
/// left when it is read again; lines to be evicted first are gone at once, even where all would find room. A fixed part
/// that is kept, while the rest passes by, hits with every product. On an H100, whose cache has 52 MB, reading 30 MB takes
/// 6.3 us in this way and 12.3 with all lines evicted first; 60 MB 14.3 and 21.7 (22.4 with no word to the cache);
/// 120 MB 34.3 and 40.9.
///
/// It is one operator's share: two large ones in turns, such as an interior and a boundary of equal size, keep more than
/// finds room, and gain less.
float share_to_keep(double cache_bytes, double matrix_bytes, double vector_bytes);

/// Whether kernels for this View keep a share of what they read once: its kept_share.
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
