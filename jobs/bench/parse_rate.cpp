// Seconds in which one core reads and parses a Matrix Market file into entries, and does nothing else.
#include <chrono>
#include <exception>

#include <fmt/format.h>

#include "io/matrix_market.hpp"

namespace {

/// From opening the file to the last entry.
double parse(const spmv::Text& text) {
  const auto begin = std::chrono::steady_clock::now();
  const spmv::MatrixMarketHeader header = spmv::read_header(text);
  spmv::check_total(text, header, spmv::read_part<double>(text, header, 0, 1, {}).stored);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "parse_rate FILE.mtx: seconds to read and parse it on one core\n");
    return 2;
  }
  try {
    fmt::print("{}\n", parse(spmv::held_open(spmv::Text(argv[1]))));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
