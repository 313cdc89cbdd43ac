// What a product reads once and the next product reads again: values and columns. A GPU's cache keeps some of them until
// then, if it is told which. read_once.cuh tells it.
#pragma once

namespace spmv {

/// The share of `matrix_bytes`, which every product reads once, that a cache of `cache_bytes` can keep from one product to
/// the next while x and y, `vector_bytes`, go through it, too. Sixteenths, 0 to 1. Pure.
///
/// Lines that nobody speaks for replace each other in turn, so that of a matrix a little larger than the cache none is
/// left when it is read again; lines to be evicted first are gone at once, even where all would find room. A fixed part
/// that is kept, while the rest passes by, hits with every product. On an H100, whose cache has 50 MB, reading 30 MB takes
/// 6.5 us in this way and 12.4 with all lines evicted first; 60 MB 14.4 and 21.8 (22.7 with no word to the cache);
/// 120 MB 34.5 and 40.9.
float share_to_keep(double cache_bytes, double matrix_bytes, double vector_bytes);

}  // namespace spmv
