// The report in 80 columns.
#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "app/report/report.hpp"
#include "app/report/wrap.hpp"
#include "support/example_report.hpp"

namespace spmv::test {
namespace {

/// A report in which everything has its maximum length.
RunReport wide() {
  RunReport report = example();
  report.matrix =
      "/scratch/a/very/long/path/with/many/folders/in/it/that/leads/to/the_matrix_of_somebody_who_likes_names.mtx";
  report.shape = {9223372036854775807, 9223372036854775807};
  report.value = "complex_double";
  report.ranks = 123456;
  report.nodes = 12345;
  report.backend = "cuda";
  report.on_host = false;
  report.partitioner = "metis_groups";
  report.partition.nonzeros = 9223372036854775807;
  report.partition.halo_total = report.partition.halo_largest = 9223372036854775807;
  report.partition.most_neighbours = 123456;
  report.format =
      "sell_packed (3 of 4 ranks), csr (1), a_format_that_has_a_name_without_any_blank_in_it_and_goes_on_and_on_for_ever";
  report.transport_choice = {
      "node_aware", "7 work; within 10 % of the fastest and usable inside kernels", {}};
  report.queued_exchange_choice = {"node_aware", "the only one that works and can be queued as a whole", {}};
  report.left_out = {
      {"", "nccl",
       "transport nccl: this build has no NCCL: configure with -DSPMV_CUDA=ON -DSPMV_NCCL=ON, and so on"},
      {"device", "", "does not fit: the device has 79.1 GiB, and 123.4 GiB are needed by this layout",
       "parted"}};
  const std::vector<std::string> hosts(5, "a_host_whose_name_is_rather_long.cluster.example.org");
  report.environment.shared_gpus = {{"GPU-0", {0, 1}, hosts, false}, {"GPU-1", {2, 3}, hosts, true}};
  report.environment.shared_cores = {{hosts, {0, 1}, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}}};
  report.turns = {{"merged"}, {"split", "parted"}};
  report.incomplete =
      "ended by SIGTERM while setting up transport node_aware for mode device in layout parted";
  ModeResult device = report.modes[1];
  device.mode = "device";
  report.modes.push_back(device);
  for (ModeResult& mode : report.modes) {
    mode.transport = "node_aware";
    mode.chosen = true;
    mode.layout = "parted";
    mode.rows_wrong = 9223372036854775807;
    mode.worst_row = 9223372036854775806;
    mode.worst_ratio = 1e300;
    mode.median_s = 99999.9e-6;
    mode.median_low_s = 12345.6e-6;
    mode.median_high_s = 99999.94e-6;
    mode.gbytes_per_s = 123456;
    mode.hidden_share = 1;
    mode.marks = {"unsettled", "noisy", "bimodal", "disturbed"};
    mode.marks_cause = "clocks, or other users of memory and network";
  }
  report.modes[0].marks_cause = "more threads than cores";
  return report;
}

TEST(Report, EveryLineOfTheShortReportFits80Columns) {
  RunReport report = wide();
  RunReport several = report;
  several.modes.push_back(several.modes[2]);
  RunReport slow = report;
  for (ModeResult& mode : slow.modes) mode.median_s = mode.median_low_s = mode.median_high_s = 12345.678;
  for (const RunReport& each : {example(), report, several, slow}) {
    std::istringstream lines(to_text(each));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(columns_of(line), 80u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
    }
  }
}

TEST(Report, TheShortTable) {
  RunReport report = example();
  for (ModeResult& mode : report.modes) mode.rows_wrong = 0;
  report.modes[0].median_s = 80.04e-6;
  report.modes[0].median_low_s = 79.5e-6;
  report.modes[0].median_high_s = 81.25e-6;
  report.modes[1].median_s = report.modes[1].median_low_s = report.modes[1].median_high_s = 40e-6;
  report.modes[1].gbytes_per_s = 6447.2;
  report.modes[1].hidden_share = 0.5;
  report.modes[1].layout = "parted";
  report.modes[1].verified = false;
  report.modes[0].halo_alone_s = 1e-6;  // less than the width of the interval
  report.modes[1].halo_alone_s = 1e-6;
  const std::string text = to_text(report);
  EXPECT_NE(text.find("mode         us   95 % interval        GB/s hidden  layout result    time\n"
                      "vector    80.04     79.50-81.25           -      -  merged correct   ###########\n"
                      "task      40.00     40.00-40.00        6447   50 %  parted unchecked #####\n"),
            std::string::npos)
      << text;
}

TEST(Report, TimesAreInTheUnitThatSuitsThem) {
  RunReport report = example();
  const auto set = [&](double seconds) {
    for (ModeResult& mode : report.modes) mode.median_s = mode.median_low_s = mode.median_high_s = seconds;
    return to_text(report);
  };
  EXPECT_NE(set(46.3e-6).find("\nvector    46.30     46.30-46.30"), std::string::npos);
  EXPECT_NE(set(0.0999).find("\nvector    99900     99900-99900"), std::string::npos);
  EXPECT_NE(set(0.25).find("mode         ms "), std::string::npos);
  EXPECT_NE(set(0.25).find("\nvector    250.0     250.0-250.0"), std::string::npos);
  EXPECT_NE(set(250).find("mode          s "), std::string::npos);
}

TEST(Report, AHostRunSpeaksOfNoDevice) {
  RunReport report = example();
  report.vectors = "device";
  report.tuning.automatic = true;
  report.transport_choice = {"shm", "fastest", {{"shm", "", true, 9.1e-6, 11.2e9, 38.4e-6, false}}};
  for (const std::string& text : {to_text(report), to_verbose_text(report)})
    for (const char* word : {"PCI", "on the device", "to device", "nonlocal"})
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in\n" << text;
  report.on_host = false;
  report.model.t_mvm_best = 1;
  report.model.nonzero_bytes = 12;
  report.footprint = {33, 33, 33, 400};
  EXPECT_NE(to_text(report).find("x and y on the device"), std::string::npos);
  for (const char* word : {"T_PCI", "over PCIe", "vectors on the device", "to device"})
    EXPECT_NE(to_verbose_text(report).find(word), std::string::npos) << word;
}

TEST(Report, SeveralTransportsInTheShortTable) {
  RunReport report = example();
  report.modes.push_back(report.modes[1]);
  report.modes[1].transport = "shm";
  report.modes[1].chosen = true;
  report.modes[2].transport = "staged";
  const std::string text = to_text(report);
  EXPECT_NE(text.find(" transport\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" *shm\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" staged\n"), std::string::npos) << text;
  EXPECT_NE(text.find("* chosen by --transport auto\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('#'), std::string::npos) << "no room for bars\n" << text;
}

}  // namespace
}  // namespace spmv::test
