// The host product of one row. For host compilers only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/types.hpp"
#include "core/value_type.hpp"
#include "kernels/parts/row_lanes.hpp"
#include "kernels/parts/x_loads.hpp"

namespace spmv {

/// Rows follow each other in memory. While one is multiplied, the elements so far ahead are prefetched: the processor's own
/// prefetcher stops where a page ends.
inline constexpr offset elements_ahead = 64;

/// Prefetches the elements that come elements_ahead after `place`. Prefetching beyond the end of the array does
/// nothing.
template <class Element>
void prefetch_ahead(const Element* place) {
  __builtin_prefetch(place + elements_ahead);
}

/// The sum of a row's four sums, in the order that all products of rows add them up in.
template <class T>
T added_up(const T& first, const T& second, const T& third, const T& fourth) {
  return (first + third) + (second + fourth);
}

/// sum over j < length of value(j) * x[col(j)]; value, col and prefetch are functors, and prefetch(j) asks for
/// what comes elements_ahead after element j. Four sums, so that no addition waits for the last one, added up
/// in an order that depends on nothing but `length`. No gather instructions: rows are too short for them on
/// every processor that was tried.
template <class T, class Value, class Col, class Prefetch>
T row_product(offset length, Value value, Col col, Prefetch prefetch, const T* x) {
  constexpr int lanes = 4;
  RowLanes<T, lanes> sums;
  const auto add = [&](int lane, offset j) { sums.add(lane, value(j), load_alone(x, col(j))); };
  // The end is looked for after every element: so a core is surprised by it once, where whole batches and what is left
  // after them surprised it twice, in rows of many lengths.
  for (offset j = 0; j < length;) {
    prefetch(j);
    add(0, j);
    if (++j == length) break;
    add(1, j);
    if (++j == length) break;
    add(2, j);
    if (++j == length) break;
    add(3, j);
    ++j;
  }
  return added_up(sums.get(0), sums.get(1), sums.get(2), sums.get(3));
}

/// The same for a row whose elements stand side by side.
template <class T>
T row_product(const T* value, const lidx* col, offset length, const T* x) {
  return row_product<T>(
      length, [value](offset j) { return value[j]; }, [col](offset j) { return col[j]; },
      [value, col](offset j) {
        prefetch_ahead(value + j);
        prefetch_ahead(col + j);
      },
      x);
}

/// Four sums, of one row or of four rows, added to together: real ones are the lanes of one register, which a compiler that is
/// left to itself fills by way of memory. Four elements are given by reference: how vectors are given by value is another
/// matter for every width of instructions.
template <class T, bool = is_complex<T>>
class FourLanes {
  using Number = std::conditional_t<sizeof(T) == sizeof(std::int64_t), std::int64_t, std::int32_t>;

 public:
  // NOLINTBEGIN(modernize-use-using): compilers ignore the attribute in a using.
  typedef T Elements __attribute__((vector_size(4 * sizeof(T))));
  typedef Number Numbers __attribute__((vector_size(4 * sizeof(T))));
  // NOLINTEND(modernize-use-using)

  static void load(const lidx* from, Numbers& to) { to = Numbers{from[0], from[1], from[2], from[3]}; }
  static void load(const T* from, Elements& to) { std::memcpy(&to, from, sizeof to); }

  /// Adds to every sum, by its number, values[number] * x[number].
  void add(const Elements& values, const Elements& x) { sum_ += values * x; }
  /// The same to those sums only whose number in `more` is more than `than`. The others get +0, which changes no bit of a sum
  /// that began with +0; their values and elements of x may be anything.
  void add_where(const Numbers& more, lidx than, const Elements& values, const Elements& x) {
    const Elements zeros = {};
    const auto added = more > static_cast<Number>(than);
    sum_ += (added ? values : zeros) * (added ? x : zeros);
  }
  void add_one(int number, T value, T x) { sum_[number] += value * x; }
  T get(int number) const { return sum_[number]; }

 private:
  Elements sum_ = {};
};
template <class T>
class FourLanes<T, true> {
 public:
  using Elements = std::array<T, 4>;
  using Numbers = std::array<lidx, 4>;

  static void load(const lidx* from, Numbers& to) { std::copy_n(from, 4, to.begin()); }
  static void load(const T* from, Elements& to) { std::copy_n(from, 4, to.begin()); }

  void add(const Elements& values, const Elements& x) {
    for (int i = 0; i < 4; ++i) sums_.add(i, values[i], x[i]);
  }
  void add_where(const Numbers& more, lidx than, const Elements& values, const Elements& x) {
    for (int i = 0; i < 4; ++i)
      if (more[i] > than) sums_.add(i, values[i], x[i]);
  }
  void add_one(int number, T value, T x) { sums_.add(number, value, x); }
  T get(int number) const { return sums_.get(number); }

 private:
  RowLanes<T, 4> sums_;
};

/// The sum of a row whose four sums these are.
template <class T>
T added_up(const FourLanes<T>& sums) {
  return added_up<T>(sums.get(0), sums.get(1), sums.get(2), sums.get(3));
}

/// The elements of x that belong to four columns.
template <class T, class Elements>
void load_four(const T* x, const lidx* col, Elements& elements) {
  // A compiler for processors in general inserts the four one after the other. Into zeros, because otherwise they would wait for
  // what the loop's last pass left there.
  elements = Elements{};
  elements =
      Elements{load_alone(x, col[0]), load_alone(x, col[1]), load_alone(x, col[2]), load_alone(x, col[3])};
}

/// The sum of a row with the bits of row_product(), by four elements at once. `readable`: how many elements there are from
/// `value` and `col` on, this row's and those after it, whose columns x must have, too: they are loaded with the row's last
/// ones and not counted. So a core mispredicts one branch at the row's end, whatever its length. Faster than row_product()
/// where x is near and rows are long or of many lengths. Columns are not prefetched: they are a third of the bytes, and the
/// prefetch takes as long as it saves.
template <class T>
T row_product_by_fours(const T* value, const lidx* col, offset length, offset readable, const T* x) {
  constexpr offset together = 4;
  const offset loaded = std::max<offset>((length + together - 1) / together, 1) * together;
  if (readable < loaded) return row_product(value, col, length, x);
  FourLanes<T> sums;
  offset j = 0;
  for (; j + together < length; j += together) {
    prefetch_ahead(value + j);
    typename FourLanes<T>::Elements values = {}, elements = {};
    sums.load(value + j, values);
    load_four(x, col + j, elements);
    sums.add(values, elements);
  }
  prefetch_ahead(value + j);
  typename FourLanes<T>::Elements values = {}, elements = {};
  sums.load(value + j, values);
  load_four(x, col + j, elements);
  constexpr lidx after_first[together] = {0, -1, -2, -3};
  typename FourLanes<T>::Numbers left = {};
  sums.load(after_first, left);
  sums.add_where(left, static_cast<lidx>(j - length), values, elements);
  return added_up(sums);
}

/// The sums of `rows` rows that follow each other and have the same columns: result[r] has the bits of a row_product() of
/// its own. Columns and x are loaded once for all of them. `value`: those of the first row, the other rows' after them.
template <class T, int rows>
void alike_rows_product(const T* value, const lidx* col, offset length, const T* x, T (&result)[rows]) {
  constexpr int together = 4;
  // The rows are read side by side, but prefetched in the order of memory, which a processor recognises.
  constexpr offset values_ahead = 512;
  const offset columns_ahead = std::max<offset>(rows * length, elements_ahead);
  FourLanes<T> sums[rows];
  offset j = 0;
  for (; j + together <= length; j += together) {
    typename FourLanes<T>::Elements values = {}, elements = {};
    load_four(x, col + j, elements);
    __builtin_prefetch(col + j + columns_ahead);
    for (int r = 0; r < rows; ++r) {
      __builtin_prefetch(value + rows * j + r * together + values_ahead);
      sums[r].load(value + r * length + j, values);
      sums[r].add(values, elements);
    }
  }
  for (int left = 0; j + left < length; ++left) {
    const T element = load_alone(x, col[j + left]);
    for (int r = 0; r < rows; ++r) sums[r].add_one(left, value[r * length + j + left], element);
  }
  for (int r = 0; r < rows; ++r) result[r] = added_up(sums[r]);
}

}  // namespace spmv
