// A combination on the host as passes over strips of real numbers: what is to be done is found out once, not for every element.
#pragma once

#include "core/types.hpp"
#include "kernels/combine/structure.hpp"

namespace spmv {

/// target = sum of factor[i] times vector from[i]; terms whose coefficient is 0 are dropped.
struct StripForm {
  int target = 0;
  int terms = 0;
  ComplexScalar factor[most_vectors];
  int from[most_vectors] = {};
  int square = -1;  // number of the sum (target, target), if this pass adds it up
  bool real() const {
    for (int t = 0; t < terms; ++t)
      if (factor[t].im != 0) return false;
    return true;
  }
};

struct StripPass {
  enum class Kind {
    multiply,  // target = from[0] times from[1], element by element
    terms,     // a form with complex factors
    real,      // a form with real ones
    two_forms,  // two of these, of which the second one has the target of the first one among its terms, with factor `link`
  };
  Kind kind = Kind::real;
  StripForm form[2];
  double link = 0;
};

/// The whole combination, for all value types: complex numbers are pairs of real ones.
struct StripPlan {
  void* at[most_vectors] = {};      // nullptr: a scratch vector
  bool single = false;              // float in memory
  bool reads_memory_alone = false;  // no pass and no sum reads what another pass has made
  bool pairs = false;               // complex
  int vectors = 0;
  std::uint8_t loaded = 0;
  std::uint8_t stored = 0;
  int passes = 0;
  StripPass pass[most_changes];
  struct Sum {
    int a = 0;
    int b = 0;
    bool in_pass = false;
  };
  int sums = 0;
  Sum sum[most_sums];

  /// `registers`: results of its formula.
  template <class T>
  StripPlan(const CombinationData<T>& data, const ScalarOf<T>* registers);

 private:
  void add(const StripForm& form);
  void add_squares();
  bool reads(int vector, int first_pass) const;
};

/// Changes the elements first to last - 1 and leaves their sums. Local.
void run_strips(const StripPlan& plan, lidx first, lidx last, ComplexScalar* sum);

}  // namespace spmv
