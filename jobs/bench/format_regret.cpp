// The cost of leaving the format to auto: its regret, for a list of matrices and numbers of products.
//   format_regret --backend host stencil27:96,96,96 matrix.mtx.gz ... [--products 100,1000] [--calibrate] [--csv FILE]
// The regret for N products is a / b. a: auto's time (analysis, trials, build of its choice) and N products
// of its choice. b: the least time of any format for its build and N products, which only foresight could
// reach. Products of all formats take turns, in several rounds of one batch for each of several builds.
// Medians count, or with --least the least. Auto chooses several times, and remembers nothing. A batch begins
// with the caches full of another format, so on a host it should have about fifty products (--batch-ms). A
// GPU's short products are replayed from a capture, as in mode device: queued one by one, each would take
// the time of a launch.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench_main.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "core/statistics.hpp"
#include "format_measure.hpp"
#include "kernels/tune/calibration.hpp"
#include "kernels/tune/candidates.hpp"
#include "kernels/tune/product_timer.hpp"
#include "whole_matrix.hpp"

namespace {

using namespace spmv;

struct Settings {
  std::string backend = "host";
  std::vector<std::string> matrices;
  std::vector<double> products = {100, 1000, 1e4, 1e6};
  std::string csv_file;
  Rounds rounds;
  int choices = 3;  // of auto, for each number of products
  bool calibrate = false;
  bool least = false;  // of all rounds and choices, instead of the median: for busy machines

  double typical(const std::vector<double>& sample) const { return quantile(sample, least ? 0 : 0.5); }
};

/// A format with options, and its times to build and multiply.
struct Variant {
  std::string format;
  FormatOptions options;
  std::vector<double> build_s;
  std::vector<double> product_s;
  std::unique_ptr<LocalOperator<double>> op;  // nullptr: the format refuses the matrix
  int batch = 1;
  std::unique_ptr<Capture> capture;  // of captured_products products; nullptr: none, products are long
};

/// One choice of auto for a number of products.
struct AutoChoice {
  double products = 0;
  double seconds = 0;  // until it could multiply
  double spent_s = 0;  // of these, on trials
  std::size_t variant = 0;
};

/// The bandwidth for predictions of a matrix with `nonzeros`: on a host that of copies as large as the
/// matrix, on a GPU that of copies far larger than its caches.
double working_set_rate(Stopwatch& watch, const Rounds& rounds, double nonzeros) {
  if (!watch.backend()->runs_host_code()) return watch.copy_rate(rounds);
  constexpr double least = 8 << 20, most = 256 << 20;
  const double bytes = nonzeros * (sizeof(double) + sizeof(lidx)) / 2;
  return watch.copy_rate(rounds, static_cast<std::size_t>(std::clamp(bytes, least, most)));
}

class Matrix {
  static constexpr double replay_below_s = ProductTimer<double>::replay_below_s;
  static constexpr int captured_products = ProductTimer<double>::captured_products;

 public:
  Matrix(const Settings& settings, Stopwatch& watch, std::shared_ptr<const Calibration> calibration,
         const std::string& name)
      : settings_(settings),
        watch_(watch),
        calibration_(std::move(calibration)),
        name_(name),
        block_(as_one_block(load_whole<double>(name), whole_columns(name), name)),
        square_(block_.rows == block_.cols),
        copy_rate_(working_set_rate(watch, settings.rounds, static_cast<double>(block_.nonzeros()))) {}

  /// Measures everything; prints a line of the table for each number of products.
  void run(std::ofstream& csv) {
    list_variants();
    build_and_choose();
    multiply();
    report(csv);
  }

 private:
  std::size_t variant_of(const std::string& format, const FormatOptions& options) {
    for (std::size_t i = 0; i < variants_.size(); ++i)
      if (variants_[i].format == format && describe(variants_[i].options) == describe(options)) return i;
    variants_.push_back({});
    variants_.back().format = format;
    variants_.back().options = options;
    return variants_.size() - 1;
  }

  /// All formats with default options, and with the options that auto considers.
  void list_variants() {
    const Analysis analysis = analyze(block_);
    for (const Candidate& c :
         make_candidates<double>(analysis, {}, *watch_.backend(), device_of(*watch_.backend(), copy_rate_)))
      variant_of(c.format, c.options);
    for (const Format<double>& format : formats<double>()) {
      // On a host they equal csr: the best of three measurements would be unfairly low.
      const bool is_csr = watch_.backend()->runs_host_code() && (format.name == std::string("csr_scalar") ||
                                                                 format.name == std::string("csr_vector"));
      if (!is_csr && why_unusable(format, *watch_.backend()).empty()) variant_of(format.name, {});
    }
  }

  /// Times builds and choices in turns. Before each, csr is built and kept until the end, so that all find
  /// the block in the caches and the memory that earlier builds freed. The numbers of products take turns in
  /// coming first, because everything is slower after the many trials for 10^6 products.
  void build_and_choose() {
    for (int i = 0; i < settings_.choices; ++i) {
      for (Variant& v : variants_) time_build(v);
      for (std::size_t turn = 0; turn < settings_.products.size(); ++turn)
        choose(settings_.products[(turn + static_cast<std::size_t>(i)) % settings_.products.size()]);
    }
    // Options that only a choice of auto has.
    for (Variant& v : variants_)
      for (auto builds = static_cast<int>(v.build_s.size()); builds < settings_.choices; ++builds)
        time_build(v);
  }

  void time_build(Variant& v) {
    const auto before = built("csr", {});
    if (const auto seconds = build(v)) v.build_s.push_back(*seconds);
    v.op.reset();
  }

  void choose(double products) {
    TuneRequest request;
    request.products = products;
    request.bandwidth = copy_rate_;
    request.calibration = calibration_;
    const auto before = built("csr", {});
    const auto start = std::chrono::steady_clock::now();
    const Choice<double> choice =
        choose_format<double>({block_, {}, {}, watch_.backend(), square_}, request, {});
    const double seconds = seconds_since(start);
    choices_.push_back({products, seconds, choice.decision.spent_s,
                        variant_of(choice.decision.format, choice.decision.options)});
  }

  OrderedOperator<double> built(const std::string& format, const FormatOptions& options) const {
    return make_ordered<double>(pick(formats<double>(), format, "format"),
                                {block_, {}, options, watch_.backend(), square_});
  }

  /// Seconds to build it; nothing if the format refuses the block.
  std::optional<double> build(Variant& v) const {
    try {
      const auto start = std::chrono::steady_clock::now();
      v.op = built(v.format, v.options).op;
      return seconds_since(start);
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      return std::nullopt;
    }
  }

  /// Times products of several builds of each variant: an operator's address changes its time by as much as
  /// formats differ.
  void multiply() {
    const std::vector<double> ones(static_cast<std::size_t>(block_.cols), 1.0);
    const Buffer<double> x = upload(watch_.backend(), ones.data(), ones.size());
    Buffer<double> y(watch_.backend(), static_cast<std::size_t>(block_.rows), Memory::device);
    std::vector<Variant*> variants;
    for (Variant& v : variants_) variants.push_back(&v);
    for (int i = 0; i < settings_.choices; ++i) {
      for (Variant& v : variants_) {
        v.capture.reset();
        v.op.reset();
      }
      // In a different order each time, because allocators reuse addresses.
      std::rotate(variants.begin(),
                  variants.begin() + static_cast<std::ptrdiff_t>(variants.size()) / settings_.choices,
                  variants.end());
      for (Variant* v : variants) build(*v);
      multiply_all(x.data(), y.data());
    }
  }

  void multiply_all(const double* x, double* y) {
    const auto product = [&](const Variant& v) {
      return [&, x, y] { v.op->apply(watch_.queue(), x, y, Update::assign); };
    };
    for (Variant& v : variants_) {
      if (!v.op) continue;
      v.batch = watch_.calls_for(settings_.rounds.batch_ms, product(v));
      if (!watch_.queue().takes_cuda_kernels() || v.batch * replay_below_s < settings_.rounds.batch_ms * 1e-3)
        continue;
      v.capture = watch_.queue().capture_work([&] {
        for (int i = 0; i < captured_products; ++i) product(v)();
      });
      v.batch = std::max(1, v.batch / captured_products);
    }
    for (int round = 0; round < settings_.rounds.count; ++round)
      for (Variant& v : variants_) {
        if (!v.op) continue;
        const auto replay = [&] { watch_.queue().replay(*v.capture); };
        const auto measure = [&](int calls) {
          return v.capture ? watch_.batch(calls, replay) / captured_products
                           : watch_.batch(calls, product(v));
        };
        measure(1);
        v.product_s.push_back(measure(v.batch));
      }
  }

  double product_s(const Variant& v) const { return settings_.typical(v.product_s); }
  double total(const Variant& v, double products) const {
    return settings_.typical(v.build_s) + products * product_s(v);
  }

  static std::string label(const Variant& v) {
    const std::string options = describe(v.options);
    return options.empty() ? v.format : fmt::format("{} ({})", v.format, options);
  }

  void report(std::ofstream& csv) const {
    for (const double products : settings_.products) {
      const Variant* best = nullptr;
      for (const Variant& v : variants_)
        if (v.op && (best == nullptr || total(v, products) < total(*best, products))) best = &v;
      std::vector<double> regrets;
      std::string chosen;
      for (const AutoChoice& c : choices_) {
        if (c.products != products) continue;
        const Variant& v = variants_[c.variant];
        regrets.push_back((c.seconds + products * product_s(v)) / total(*best, products));
        if (chosen.find(label(v)) == std::string::npos) chosen += (chosen.empty() ? "" : ", ") + label(v);
        if (csv.is_open())
          csv << fmt::format("{},{},{:g},regret,{},{},{:.6g},{:.6g},{:.6g},{:.4f},{}\n", field(name_),
                             block_.nonzeros(), products, v.format, field(describe(v.options)), c.seconds,
                             c.spent_s, product_s(v), regrets.back(), field(label(*best)));
      }
      fmt::print("{:<36}{:>9g}{:>9.3f}{:>9.3f}{:>11.1f}{:>11.1f}  {} | {}\n", shown(name_), products,
                 settings_.typical(regrets), quantile(regrets, 1), median(of_choices(products)) * 1e6,
                 product_s(*best) * 1e6, chosen, label(*best));
    }
    std::fflush(stdout);
    for (const Variant& v : variants_)
      if (csv.is_open() && v.op)
        csv << fmt::format("{},{},,format,{},{},{:.6g},,{:.6g},,\n", field(name_), block_.nonzeros(),
                           v.format, field(describe(v.options)), settings_.typical(v.build_s), product_s(v));
    csv.flush();
  }

  std::vector<double> of_choices(double products) const {
    std::vector<double> seconds;
    for (const AutoChoice& c : choices_)
      if (c.products == products) seconds.push_back(product_s(variants_[c.variant]));
    return seconds;
  }

  static std::string field(const std::string& text) { return '"' + text + '"'; }
  /// The last part of a path, or a generator's specification unchanged.
  static std::string shown(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

  const Settings& settings_;
  Stopwatch& watch_;
  std::shared_ptr<const Calibration> calibration_;
  std::string name_;
  Csr<double> block_;
  bool square_;
  double copy_rate_;
  std::vector<Variant> variants_;
  std::vector<AutoChoice> choices_;
};

ExitCode run(const Settings& settings) {
  Stopwatch watch(settings.backend);
  std::shared_ptr<const Calibration> calibration;
  if (settings.calibrate)
    calibration = std::make_shared<const Calibration>(calibrate(watch.backend(), [&](double bytes) {
      return working_set_rate(watch, settings.rounds, bytes / (sizeof(double) + sizeof(lidx)));
    }));
  std::ofstream csv;
  if (!settings.csv_file.empty()) {
    csv.open(settings.csv_file);
    csv << "matrix,nonzeros,products,kind,format,options,build_s,trials_s,product_s,regret,best\n";
    if (!csv) throw Error(ExitCode::usage, "--csv: cannot write " + settings.csv_file);
  }
  fmt::print("{}, {}; {} of {} choices and {} rounds\n", watch.backend()->identity(),
             settings.calibrate ? "calibrated" : "not calibrated", settings.least ? "least" : "medians",
             settings.choices, settings.rounds.count);
  fmt::print("{:<36}{:>9}{:>9}{:>9}{:>11}{:>11}  {}\n", "matrix", "products", "regret", "worst", "chosen us",
             "best us", "chosen | best of all");
  ExitCode code = ExitCode::ok;
  for (const std::string& name : settings.matrices) {
    try {
      Matrix(settings, watch, calibration, name).run(csv);
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      fmt::print(stderr, "format_regret: {}\n", error.what());
      if (code == ExitCode::ok) code = error.code();
    }
  }
  return code;
}

void declare(CLI::App& app, Settings& s) {
  app.add_option("matrices", s.matrices, "Matrix Market files (.mtx, .mtx.gz) and generators' specifications")
      ->required();
  app.add_option("--backend", s.backend, "device: host, cuda, debug")->capture_default_str();
  // One word, split here: an option of several words would take the matrices after it, too.
  app.add_option_function<std::string>(
      "--products",
      [&s](const std::string& list) {
        s.products.clear();
        std::istringstream in(list);
        for (std::string word; std::getline(in, word, ',');) {
          const auto number = number_in<double>(word);
          if (!number) throw Error(ExitCode::usage, fmt::format("--products: '{}' is not a number", word));
          s.products.push_back(*number);
        }
      },
      "comma-separated (default: 100,1000,1e4,1e6)");
  app.add_flag("--calibrate", s.calibrate, "measure this machine first, as spmv_dist calibrate does");
  app.add_flag("--least", s.least,
               "the least of all rounds instead of the median, for a machine that is not idle");
  app.add_option("--csv", s.csv_file, "a line for every choice, and for every format of every matrix");
  app.add_option("--choices", s.choices,
                 "how often auto chooses, formats are built, and a build's products are measured")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  declare_rounds(app, s.rounds);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("The regret of format auto on one device", "format_regret");
  declare(app, settings);
  return bench_main(app, argc, argv, [&] { return run(settings); });
}
