// Texts of kernels, their compiler and the files that keep what it makes.
#include <array>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "kernels/combine/kept_code.hpp"
#include "kernels/combine/kernel_text.hpp"
#include "kernels/combine/nvrtc.hpp"
#include "support/random_combinations.hpp"
#include "support/temporary_folder.hpp"

namespace spmv::test {
namespace {

class KeptCodeFile : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  KeptCode kept_{folder_.path("not/there/yet")};
  const std::string code_ = std::string("code") + '\0' + "more";
};

TEST_F(KeptCodeFile, KeepsWhatBelongsToATextAndHowItWasCompiled) {
  EXPECT_FALSE(kept_.find("text", "sm_90"));
  kept_.keep("text", "sm_90", code_);
  EXPECT_EQ(kept_.find("text", "sm_90"), code_);
  EXPECT_FALSE(kept_.find("text", "sm_80"));
  EXPECT_FALSE(kept_.find("texts", "sm_90"));
  kept_.keep("text", "sm_90", "newer");
  EXPECT_EQ(kept_.find("text", "sm_90"), "newer");
}

TEST_F(KeptCodeFile, IsNothingWhereItIsDamaged) {
  kept_.keep("text", "sm_90", code_);
  const std::string path = kept_.path("text", "sm_90"), whole = contents(path);
  ASSERT_GT(whole.size(), code_.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_FALSE(kept_.find("text", "sm_90")) << "byte " << i << " changed";
    std::ofstream(path, std::ios::binary) << whole.substr(0, i);
    EXPECT_FALSE(kept_.find("text", "sm_90")) << "cut to " << i << " bytes";
  }
  kept_.keep("text", "sm_90", code_);
  EXPECT_EQ(kept_.find("text", "sm_90"), code_);
}

/// A file of another text under this one's name, as if their hashes were the same.
TEST_F(KeptCodeFile, IsNotTakenForThatOfAnotherText) {
  kept_.keep("text", "sm_90", code_);
  std::ofstream(kept_.path("other", "sm_90"), std::ios::binary) << contents(kept_.path("text", "sm_90"));
  EXPECT_FALSE(kept_.find("other", "sm_90"));
}

TEST_F(KeptCodeFile, MayBeImpossibleToWrite) {
  std::ofstream(folder_.path("file")) << "no folder";
  for (const std::string& folder : {std::string(), folder_.path("file")}) {
    const KeptCode nowhere(folder);
    EXPECT_NO_THROW(nowhere.keep("text", "sm_90", code_));
    EXPECT_FALSE(nowhere.find("text", "sm_90"));
  }
}

TEST(NvrtcLibrary, SaysWhichFileItMisses) {
  try {
    const Nvrtc missing(1, nullptr);
    FAIL() << "there is no libnvrtc.so.1";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("libnvrtc.so.1"), std::string::npos) << error.what();
  }
}

template <class T>
class KernelTexts : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const int major : {13, 12}) try {
        nvrtc_.emplace(major, nullptr);
        return;
      } catch (const Error& error) {
        if (error.code() != ExitCode::environment) throw;
        reason_ += error.what();
      }
    GTEST_SKIP() << reason_;
  }
  std::optional<Nvrtc> nvrtc_;
  std::string reason_;
};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(KernelTexts, ValueTypes);

/// Also without a GPU; tests/cuda runs them.
TYPED_TEST(KernelTexts, Compile) {
  using T = TypeParam;
  const auto backend = make_host_backend(DeviceRequest{});
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const RandomCombination from(seed);
    DeviceVectors<T> memory(backend, 1, from.vectors);
    Combination<T> c;
    build(c, from, memory);
    c.require(root(slot(1)) < imaginary(2));
    c.record(2, conjugate(where(slot(0), slot(1) / slot(2))));
    c.store(9, slot(3));
    Structure structure = structure_of(c.data());
    constexpr std::array<std::int8_t, 5> columns{1, 8, 3, 32, 1};
    structure.columns = columns[seed - 1];
    const std::string text = kernel_text<T>(structure);
    for (const int chip : {80, 90})
      EXPECT_TRUE(this->nvrtc_->compile(text, chip)
                      .starts_with("\x7f"
                                   "ELF"));
  }
  try {
    this->nvrtc_->compile("no text of a kernel", 90);
    FAIL() << "that cannot be compiled";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("combination.cu(1)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spmv::test
