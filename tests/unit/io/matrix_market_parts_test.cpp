// Wherever a file is cut, its parts together give the same entries or the same error.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/line_blocks.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

constexpr int most_parts = 50;

struct Sample {
  std::string name;
  std::string text;
};

std::string coordinate(const std::string& kind, const std::string& sizes, const std::string& data) {
  return "%%MatrixMarket matrix coordinate " + kind + "\n" + sizes + "\n" + data;
}

/// Each hunts a way to lose or duplicate a line at a cut.
std::vector<Sample> samples() {
  std::string crlf, comments, uneven, values;
  std::mt19937 random(7);
  for (int i = 1; i <= 40; ++i) {
    const std::string entry = std::to_string(i) + " " + std::to_string(1 + random() % 40) + " ";
    crlf += entry + std::to_string(i) + ".25\r\n";
    comments += std::string(random() % 3, '\n') + "% 1 1 1\n" + entry + "1\n";
    uneven += std::string(random() % 200, ' ') + entry + "0." + std::string(random() % 300, '3') + "1\n";
  }
  for (int i = 0; i < 210; ++i) values += std::to_string(i) + (i % 3 == 0 ? "\n\n" : ".5\n");
  const std::string long_comment = "%" + std::string(3 * Text::default_block_bytes, '1') + "\n";
  std::string many;
  for (int i = 0; i < 60000; ++i) many += std::to_string(1 + i % 97) + " 3 -0." + std::to_string(i) + "\n";
  return {{"one line", coordinate("real general", "1 1 1", "1 1 2")},
          {"no line", coordinate("real general", "1 1 0", "")},
          {"crlf", coordinate("real general", "40 40 40", crlf)},
          {"comments", coordinate("integer symmetric", "40 40 40", comments)},
          {"uneven lines", coordinate("real general", "40 40 40", uneven)},
          {"no final newline", coordinate("pattern general", "3 3 3", "1 1\n2 2\n3 3")},
          {"lines longer than a block",
           coordinate("real general", "9 9 3",
                      "1 2 3\n" + long_comment + "4 5 6\n" + long_comment +
                          std::string(Text::default_block_bytes + 5, ' ') + "7 8 9\n")},
          {"several blocks", coordinate("real general", "97 3 60000", many)},
          {"array", "%%MatrixMarket matrix array real general\n14 15\n" + values},
          {"triangle of an array", "%%MatrixMarket matrix array real symmetric\n20 20\n" + values}};
}

TEST(MatrixMarketParts, EveryCutGivesTheSameMatrix) {
  const TemporaryFolder folder;
  for (const Sample& sample : samples()) {
    const std::string plain = folder.write("m.mtx", sample.text);
    const std::string packed =
        folder.write("packed", gzipped(sample.text));  // recognised by its bytes, not its name
    const auto whole = read_whole<double>(plain);
    ASSERT_EQ(whole.header.stored == 0, whole.entries.empty()) << sample.name;
    const auto expected = sorted(whole.entries);
    for (int parts = 1; parts <= most_parts; ++parts) {
      EXPECT_TRUE(same(sorted(read_whole<double>(plain, parts).entries), expected))
          << sample.name << " / " << parts;
      if (parts > 7 && sample.text.size() > 100000) continue;
      EXPECT_TRUE(same(sorted(read_whole<double>(packed, parts).entries), expected))
          << sample.name << " gz " << parts;
    }
  }
}

TEST(MatrixMarketParts, EveryCutGivesTheSameDecision) {
  const TemporaryFolder folder;
  std::string data;
  for (int i = 1; i <= 30; ++i) data += (i == 17 ? "% pause\n17 99 1\n" : std::to_string(i) + " 1 1\n");
  const std::string text = coordinate("real general", "30 30 30", data);
  const std::string few = coordinate("real general", "30 30 31", "% none\n1 1 1\n2 2 2\n");
  for (int parts = 1; parts <= most_parts; ++parts) {
    for (bool packed : {false, true}) {
      const std::string path = folder.write("m.mtx", packed ? gzipped(text) : text);
      const Error wrong = error_of([&] { read_whole<double>(path, parts); });
      EXPECT_EQ(wrong.code(), ExitCode::input) << parts;
      EXPECT_NE(std::string(wrong.what()).find("m.mtx:20: column 99 is outside 1..30"), std::string::npos)
          << wrong.what();
      const std::string short_path = folder.write("few.mtx", packed ? gzipped(few) : few);
      EXPECT_EQ(error_of([&] { read_whole<double>(short_path, parts); }).code(), ExitCode::input) << parts;
    }
  }
}

TEST(MatrixMarketParts, NoPartHoldsMoreThanItsShare) {
  const TemporaryFolder folder;
  std::string data;
  for (int i = 0; i < 1000; ++i) data += "1 1 0.5\n";
  const std::string text = coordinate("real general", "1 1 1000", data);
  for (const std::string& path : {folder.write("m.mtx", text), folder.write("m.mtx.gz", gzipped(text))}) {
    for (int part = 0; part < 10; ++part) {
      EXPECT_NEAR(static_cast<double>(read_part<double>(path, read_header(path), part, 10, {}).stored), 100,
                  1);
    }
  }
}

TEST(LineBlocks, CutAnywhereInBlocksOfAnySize) {
  const TemporaryFolder folder;
  const std::string text =
      "first\n\nthird line\n\r\n     \nsixth, which is longer than some blocks\n7\n\nlast";
  const std::string path = folder.write("lines", text);
  for (std::size_t block : {1, 2, 3, 7, 16, 1000}) {
    Text of_file(path);
    of_file.block_bytes = block;
    for (std::uint64_t cut = 0; cut <= text.size(); ++cut) {
      std::string together;
      for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, cut}, {cut, text.size()}}) {
        LineBlocks lines(of_file, begin, end);
        for (auto read = lines.next(); !read.empty(); read = lines.next()) {
          EXPECT_EQ(read.back(), '\n');
          EXPECT_EQ(lines.position(), together.size()) << block << " " << cut;
          together += read;
        }
      }
      EXPECT_EQ(together, text + "\n") << block << " " << cut;
    }
  }
}

TEST(MatrixMarketParts, MemoryIsReadAsAFileIs) {
  const TemporaryFolder folder;
  const std::string good = coordinate("real symmetric", "4 4 3", "1 1 1\n% between\n3 2 5e-1\n4 4 2");
  for (const std::string& text : {good, gzipped(good), good + "\n9 9 9\n", gzipped(good).substr(0, 40),
                                  std::string(), std::string("BZh91")}) {
    const std::string path = folder.write("m.mtx", text);
    Text memory(path, text);
    for (const int parts : {1, 2, 5})
      for (const std::size_t block : {std::size_t{1}, std::size_t{11}, Text::default_block_bytes}) {
        memory.block_bytes = block;
        std::vector<Entry<double>> of_file, of_memory;
        const Error file_error = error_of([&] { of_file = read_whole<double>(path, parts).entries; });
        const Error memory_error = error_of([&] { of_memory = read_whole<double>(memory, parts).entries; });
        EXPECT_STREQ(file_error.what(), memory_error.what()) << parts << " " << block;
        EXPECT_TRUE(same(of_file, of_memory)) << parts << " " << block;
        EXPECT_EQ(of_file.size(), text == good || text == gzipped(good) ? 4 : 0) << file_error.what();
      }
  }
}

TEST(MatrixMarketParts, TheFirstPartThatFailsTellsTheFirstFaultOfADamagedFile) {
  std::string data = "1 1 1\n2 2\n";
  for (int i = 0; i < 200; ++i) data += "% " + std::to_string(i * i * 7919) + "\n";
  const std::string packed = gzipped(coordinate("real general", "2 2 1", data));
  for (std::size_t size = 1; size < packed.size(); ++size) {
    Text truncated("m.mtx.gz", std::string_view(packed).substr(0, size));
    truncated.block_bytes = 16;
    const Error whole = error_of([&] { read_whole<double>(truncated, 1); });
    EXPECT_EQ(whole.code(), ExitCode::input);
    EXPECT_STREQ(error_of([&] { read_whole<double>(truncated, 3); }).what(), whole.what()) << size;
  }
}

TEST(LineBlocks, AnEndlessLineIsRefused) {
  const TemporaryFolder folder;
  const std::string longest(LineBlocks::max_line_bytes, ' ');
  for (int surplus : {0, 1}) {
    const std::string path =
        folder.write("m.mtx", coordinate("real general", "1 1 1", "1 1 1\n") + longest +
                                  std::string(static_cast<std::size_t>(surplus), ' ') + "\n");
    for (int parts : {1, 3, 11}) {
      const Error error = error_of([&] { read_whole<double>(path, parts); });
      EXPECT_EQ(error.code(), surplus == 0 ? ExitCode::internal : ExitCode::input) << parts << error.what();
    }
  }
}

TEST(LineBlocks, ALongLineBehindShortOnesIsNotTakenForAnEndlessOne) {
  const TemporaryFolder folder;
  const std::string text = "1\n2\n" + std::string(LineBlocks::max_line_bytes, '3') + "\n";
  LineBlocks lines(folder.write("lines", text), 1, text.size());
  std::string together;
  for (auto read = lines.next(); !read.empty(); read = lines.next()) together += read;
  EXPECT_EQ(together.size(), text.size() - 2);
}

}  // namespace
}  // namespace spmv::test
