// One kernel for what stands between two products of a solver: up to six vectors are read once, changed in steps, and
// written once; inner products of the results are summed on the way. For example x += alpha p; r -= alpha s; (r, r):
//
//   Program<double> c(rows);
//   const auto x = c.vector(x_data), p = c.vector(p_data), r = c.vector(r_data), s = c.vector(s_data);
//   const auto alpha = c.formula.slot(0);
//   c.set(x, x + alpha * p);
//   c.set(r, r - alpha * s);
//   c.sum(1, r, r);
#pragma once

#include <array>
#include <cstdint>

#include "core/error.hpp"
#include "core/types.hpp"
#include "kernels/combine/formula.hpp"

namespace spmv {

inline constexpr int most_vectors = 6;
inline constexpr int most_changes = 6;
/// Inner products of one kernel.
inline constexpr int most_sums = 4;

/// A vector of a combination, by its number.
struct VectorName {
  int number;
};

/// +- coefficient times vector; no coefficient: 1.
struct ProgramTerm {
  std::int8_t vector = 0;
  std::int8_t coefficient = -1;  // step of the formula
  bool negative = false;
};

/// A sum of terms.
struct ProgramForm {
  std::array<ProgramTerm, most_vectors> term;
  int terms = 0;

  constexpr ProgramForm(VectorName v) {
    add({static_cast<std::int8_t>(v.number)});
  }  // NOLINT(google-explicit-constructor)
  constexpr explicit ProgramForm(ProgramTerm only) { add(only); }
  constexpr void add(ProgramTerm another) {
    if (terms == most_vectors) throw Error(ExitCode::internal, "a combination has too many terms");
    term[static_cast<std::size_t>(terms++)] = another;
  }
};

constexpr ProgramForm operator*(Value coefficient, VectorName v) {
  return ProgramForm(
      ProgramTerm{static_cast<std::int8_t>(v.number), static_cast<std::int8_t>(coefficient.step())});
}
constexpr ProgramForm operator+(ProgramForm a, const ProgramForm& b) {
  for (int i = 0; i < b.terms; ++i) a.add(b.term[static_cast<std::size_t>(i)]);
  return a;
}
constexpr ProgramForm operator-(ProgramForm a, const ProgramForm& b) {
  for (int i = 0; i < b.terms; ++i) {
    ProgramTerm term = b.term[static_cast<std::size_t>(i)];
    term.negative = !term.negative;
    a.add(term);
  }
  return a;
}

/// What a kernel gets by value.
template <class T>
struct CombinationData {
  struct Change {
    std::int8_t target = 0;
    bool multiplies = false;  // target = term[0].vector times term[1].vector, element by element
    std::int8_t terms = 0;
    ProgramTerm term[most_vectors];
  };
  struct Sum {
    std::int8_t slot = 0;
    std::int8_t a = 0;
    std::int8_t b = 0;
    std::int16_t parts_before = 0;  // that the slot has, in case that this combination changes nothing
  };
  lidx count = 0;  // elements of every vector
  int vectors = 0;
  T* at[most_vectors] = {};
  std::uint8_t loaded = 0;  // bit v: vector v is read
  std::uint8_t stored = 0;  // bit v: vector v is written
  int changes = 0;
  Change change[most_changes];
  int sums = 0;
  Sum sum[most_sums];
  Formula formula;
};

/// Builds a CombinationData. Changes happen in order: later ones see what earlier ones made. A vector that a change sets
/// before anything reads it is not loaded. Vectors do not overlap. Throws Error(internal) if something is too many.
template <class T>
class Program {
 public:
  constexpr Program() : formula(data_.formula) {}
  constexpr explicit Program(lidx count) : formula(data_.formula) { data_.count = count; }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// A vector in device memory.
  constexpr VectorName vector(T* at) {
    const VectorName name = scratch();
    data_.at[name.number] = at;
    in_memory_ |= bit(name.number);
    return name;
  }
  /// One of so many elements, as the others have.
  constexpr VectorName vector(T* at, lidx count) {
    if (in_memory_ != 0 && count != data_.count)
      throw Error(ExitCode::internal, "vectors of a combination have different numbers of elements");
    data_.count = count;
    return vector(at);
  }
  /// A vector that is neither read nor written, but lives in registers between two changes.
  constexpr VectorName scratch() {
    if (data_.vectors == most_vectors) throw Error(ExitCode::internal, "a combination has too many vectors");
    const VectorName name{data_.vectors};
    ++data_.vectors;
    return name;
  }
  /// target = form
  constexpr void set(VectorName target, const ProgramForm& form) {
    auto& change = add_change(target);
    change.terms = static_cast<std::int8_t>(form.terms);
    for (int i = 0; i < form.terms; ++i) {
      change.term[i] = form.term[static_cast<std::size_t>(i)];
      read(change.term[i].vector);
    }
    write(target.number);
  }
  /// target = a times b, element by element
  constexpr void multiply(VectorName target, VectorName a, VectorName b) {
    auto& change = add_change(target);
    change.multiplies = true;
    change.terms = 2;
    change.term[0].vector = static_cast<std::int8_t>(a.number);
    change.term[1].vector = static_cast<std::int8_t>(b.number);
    read(a.number);
    read(b.number);
    write(target.number);
  }
  /// Adds conj(a) b, of all elements of this rank, after all changes, as a partial sum for `slot`.
  constexpr void sum(int slot, VectorName a, VectorName b) {
    if (data_.sums == most_sums) throw Error(ExitCode::internal, "a combination has too many sums");
    read(a.number);
    read(b.number);
    data_.sum[data_.sums++] = {static_cast<std::int8_t>(slot), static_cast<std::int8_t>(a.number),
                               static_cast<std::int8_t>(b.number)};
  }
  constexpr const CombinationData<T>& data() const { return data_; }

 private:
  CombinationData<T> data_;

 public:
  Formula& formula;

 private:
  constexpr auto& add_change(VectorName target) {
    if (data_.changes == most_changes) throw Error(ExitCode::internal, "a combination has too many changes");
    auto& change = data_.change[data_.changes++];
    change.target = static_cast<std::int8_t>(target.number);
    return change;
  }
  static constexpr std::uint8_t bit(int vector) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(vector));
  }
  constexpr void read(int vector) {
    data_.loaded |= bit(vector) & in_memory_ & static_cast<std::uint8_t>(~written_);
  }
  constexpr void write(int vector) {
    written_ |= bit(vector);
    data_.stored |= bit(vector) & in_memory_;
  }
  std::uint8_t in_memory_ = 0;
  std::uint8_t written_ = 0;
};

}  // namespace spmv
