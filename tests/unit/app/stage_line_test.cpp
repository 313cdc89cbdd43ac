#include "app/launch/stage_line.hpp"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

constexpr int wide_terminal = 200;

TEST(StageLine, SaysWhatIsKnownAndNothingElse) {
  EXPECT_EQ(stage_line({"partitioning", 12.4}, wide_terminal), "partitioning: 12 s elapsed");
  EXPECT_EQ(stage_line({"reading m.mtx", 12, 0.429}, wide_terminal),
            "reading m.mtx: 42 % done, 12 s elapsed");
  EXPECT_EQ(stage_line({"reading m.mtx", 12, 0.42, 16.6}, wide_terminal),
            "reading m.mtx: 42 % done, 12 s elapsed, about 17 s left");
  EXPECT_EQ(stage_line({"partitioning with metis", 12, 0, 0, 30}, wide_terminal),
            "partitioning with metis: 12 s elapsed of about 30 s predicted");
  EXPECT_EQ(stage_line({"a\nb", 1}, wide_terminal), "a\\x0ab: 1 s elapsed");
}

TEST(StageLine, NotesAreSentences) {
  EXPECT_EQ(stage_note({"partitioning", 20}), "partitioning has taken 20 s so far");
  EXPECT_EQ(stage_note({"reading m.mtx", 20, 0.42}), "reading m.mtx has taken 20 s so far; 42 % is done");
  EXPECT_EQ(stage_note({"reading m.mtx", 20, 0.42, 28}),
            "reading m.mtx has taken 20 s so far; 42 % is done, and about 28 s are left");
  EXPECT_EQ(stage_note({"partitioning with metis", 10, 0, 0, 200}),
            "partitioning with metis has taken 10 s so far; about 3 min 20 s were predicted");
}

TEST(StageLine, LongTimesAreInMinutesAndHours) {
  EXPECT_EQ(stage_line({"a", 119.4}, wide_terminal), "a: 119 s elapsed");
  EXPECT_EQ(stage_line({"a", 119.6}, wide_terminal), "a: 2 min 0 s elapsed");
  EXPECT_EQ(stage_line({"a", 7199}, wide_terminal), "a: 119 min 59 s elapsed");
  EXPECT_EQ(stage_line({"a", 7260}, wide_terminal), "a: 2 h 1 min elapsed");
}

TEST(StageLine, IsShorterThanTheTerminal) {
  const StageSoFar stage{"reading a matrix.mtx", 5, 0.5, 5};
  EXPECT_EQ(stage_line(stage, 61), "reading a matrix.mtx: 50 % done, 5 s elapsed, about 5 s left");
  EXPECT_EQ(stage_line(stage, 60), "reading a matrix...: 50 % done, 5 s elapsed, about 5 s left");
  EXPECT_EQ(stage_line(stage, 48), "read...: 50 % done, 5 s elapsed, about 5 s left");
  EXPECT_EQ(stage_line(stage, 11), "...: 50 % ");
  EXPECT_EQ(stage_line(stage, 1), "");
}

TEST(StageLine, CharactersStayWholeAndMayBeWide) {
  const StageSoFar stage{"\xc3\xa4\xe8\xa1\x8c\xc3\xa4\xe8\xa1\x8c",
                         5};  // 4 characters of 2 columns, then 10
  EXPECT_EQ(stage_line(stage, 22), "\xc3\xa4\xe8\xa1\x8c\xc3\xa4\xe8\xa1\x8c: 5 s elapsed");
  EXPECT_EQ(stage_line(stage, 21), "\xc3\xa4\xe8\xa1\x8c...: 5 s elapsed");
  EXPECT_EQ(stage_line(stage, 20), "\xc3\xa4...: 5 s elapsed");
}

TEST(StageLine, TimeLeftIsByWhatWasDoneSinceTheBegin) {
  EXPECT_DOUBLE_EQ(left_seconds(10, 0, 0.25), 30);
  EXPECT_DOUBLE_EQ(left_seconds(10, 0.25, 0.5), 20);
  EXPECT_EQ(left_seconds(10, 0, 0), 0) << "unknown";
  EXPECT_EQ(left_seconds(10, 0.25, 0.25), 0) << "unknown";
  EXPECT_EQ(left_seconds(10, 0, 1), 0);
  EXPECT_EQ(left_seconds(10, 0, 1.5), 0);
}

TEST(StageLine, ATerminalIsShownItSoonAndALogRarely) {
  EXPECT_EQ(next_shown_s(0, true), 1);
  EXPECT_EQ(next_shown_s(0.99, true), 1);
  EXPECT_EQ(next_shown_s(1, true), 1.25);
  EXPECT_EQ(next_shown_s(100, true), 100.25);
  EXPECT_EQ(next_shown_s(0, false), 10);
  EXPECT_EQ(next_shown_s(9.99, false), 10);
  EXPECT_EQ(next_shown_s(10, false), 20);
  EXPECT_EQ(next_shown_s(20.3, false), 40);
  EXPECT_EQ(next_shown_s(79, false), 80);
  EXPECT_EQ(next_shown_s(1000, false), 1280) << "after a suspension: one note, not all those missed";
}

constexpr StageLine::Clock::time_point never = StageLine::Clock::time_point::max();

TEST(StageLine, IsDueForWhatIsNotQuiet) {
  StageLine line;
  const auto before = StageLine::Clock::now();
  line.stage("reading", {});
  EXPECT_EQ(line.due(), never) << "not started";
  line.start(true);
  EXPECT_GE(line.due(), before + std::chrono::seconds(1));
  EXPECT_LE(line.due(), StageLine::Clock::now() + std::chrono::seconds(1));
  line.stage("measuring", {.quiet = true});
  EXPECT_EQ(line.due(), never);
  line.stage("writing", {});
  EXPECT_NE(line.due(), never);
  line.end();
  EXPECT_EQ(line.due(), never);
}

TEST(StageLine, AStageThatGoesOnIsDueWhenItWas) {
  StageLine line;
  line.start(false);
  line.stage("reading", {.share = 0.1});
  const auto due = line.due();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  line.stage("reading", {.share = 0.2});
  EXPECT_EQ(line.due(), due);
  const std::string note = line.show();
  EXPECT_NE(note.find("; 20 % is done, and about "), std::string::npos) << note;
  line.stage("reading", {.share = 0.3, .detail = "fast"});
  EXPECT_EQ(line.show().rfind("reading (fast) has taken ", 0), 0U);
  line.stage("sending", {});
  EXPECT_GT(line.due(), due);
  EXPECT_EQ(line.show().find('%'), std::string::npos);
}

}  // namespace
}  // namespace spmv::test
