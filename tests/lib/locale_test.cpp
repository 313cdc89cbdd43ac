// A program with a user interface sets the user's locale, which may have a decimal comma: the library must
// not depend on it.
#include <clocale>
#include <cstdlib>
#include <locale>
#include <string>

#include "callers_rows.hpp"
#include "dist/partitioner.hpp"
#include "support/temporary_folder.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::LoadedRows;
using spmv_dist::Matrix;
using spmv_dist::Side;

/// 1.234,5 in C++ streams, without any locale of the machine.
class Comma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Sets the locale of C++ streams (and, if asked, of the C library) for its lifetime.
class InLocale {
 public:
  InLocale() : before_(std::locale::global(std::locale(std::locale(), new Comma))) {}
  InLocale(const InLocale&) = delete;
  InLocale& operator=(const InLocale&) = delete;
  ~InLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
  }
  /// Tries to give C a decimal comma, too: with a locale of the machine, or one that localedef compiles.
  bool c_has_comma() {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
      if (set(name)) return true;
    const std::string make =
        "localedef -i de_DE -f UTF-8 " + folder_.path("de_DE.UTF-8") + " >" + folder_.path("log") + " 2>&1";
    if (std::system(make.c_str()) != 0) return false;
    setenv("LOCPATH", folder_.path("").c_str(), 1);
    return set("de_DE.UTF-8");
  }

 private:
  static bool set(const char* name) {
    return std::setlocale(LC_ALL, name) != nullptr && std::string(std::localeconv()->decimal_point) == ",";
  }
  TemporaryFolder folder_;
  std::locale before_;
};

/// Everything that parses or prints numbers: options, a generator, files, and the choices.
std::string all_of_it() {
  const TemporaryFolder folder;
  const Context context(world_comm(), {{"backend", "host"}});
  const auto rows = LoadedRows<double>::generate(context, "powerlaw:300,6.5,40,exponent=2.3");
  std::string told;
  for (const char* products : {"1.5e3", "2500.5", "100000"}) {
    Matrix<double> A(context, rows.view(), {{"products", products}, {"format", "sell"}, {"sigma", "1024"}});
    auto x = A.make_x(), y = A.make_y();
    multiply(A, x, y);
    told += A.format() + " " + std::to_string(A.global_elements()) + "\n";
  }
  for (const Partitioner& partitioner : partitioners()) {
    if (partitioner.missing != nullptr) continue;
    const Matrix<double> A(context, rows.view(), {{"partition", partitioner.name}});
    if (partitioner.name == std::string("auto")) continue;  // it chooses by measured times
    told += fmt::format("{}: {}\n", partitioner.name, A.size(Side::x));
  }
  expect_error(Code::usage, "option products=1,5 must be a number from 1 to 1e+15", [&] {
    Matrix<double>(context, rows.view(), {{"products", "1,5"}});
  });
  expect_error(Code::usage, "option products=1.500,5 must", [&] {
    Matrix<double>(context, rows.view(), {{"products", "1.500,5"}});
  });
  const std::string path = folder.write(
      "m.mtx", "%%MatrixMarket matrix coordinate real general\n1000 1000 2\n1 1 1.5\n1000 1000 2.5e-3\n");
  const auto read = LoadedRows<double>::read(Context(MPI_COMM_SELF, {{"backend", "host"}}), path);
  for (std::int64_t i = 0; i < read.view().elements; ++i)
    told += fmt::format("{} {} ", read.view().columns[i], read.view().values[i]);
  return told;
}

TEST(Locale, DoesNotCount) {
  const std::string plain = all_of_it();
  InLocale locale;
  EXPECT_EQ(all_of_it(), plain) << "with C++ streams of another locale";
  const bool comma = locale.c_has_comma();
  if (!world().all_of(comma))
    GTEST_SKIP() << "this machine has no locale with a decimal comma, and localedef makes none";
  EXPECT_EQ(all_of_it(), plain) << "in " << std::setlocale(LC_ALL, nullptr);
}

}  // namespace
}  // namespace spmv::test
