#include "dist/machine/tuning_cache.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cache_folder.hpp"
#include "core/error.hpp"
#include "core/output_file.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

using Json = nlohmann::ordered_json;

constexpr int cache_version = 9;
constexpr std::size_t most_entries = 1000;

Json entry_json(const CacheEntry& entry) {
  Json options = Json::object();
  for (const OptionField& field : option_fields())
    if (field.get(entry.choice.options) != field.get({}))
      options[field.name] = field.get(entry.choice.options);
  return {{"device", entry.device},
          {"signature", entry.choice.signature},
          {"format", entry.choice.format},
          {"options", options},
          {"measured_s", entry.choice.measured_s},
          {"products", entry.choice.products},
          {"columns_apart", entry.choice.columns_apart}};
}

/// A finite number above 0.
double positive(const Json& json) {
  const double number = json.get<double>();
  if (!(number > 0 && std::isfinite(number)))
    throw Error(ExitCode::input, fmt::format("{} is not a number above 0", number));
  return number;
}

int allowed_value(const OptionField& field, const Json& json) {
  if (!json.is_number_integer() || !is_allowed(field, json.get<std::int64_t>()))
    throw Error(ExitCode::input, fmt::format("option {} cannot be {}", field.name, json.dump()));
  return json.get<int>();
}

/// Table row: a member of Speeds, and its name in the file.
struct SpeedField {
  const char* name;
  double Speeds::*member;
};
constexpr SpeedField speed_fields[] = {
    {"streaming", &Speeds::streaming}, {"iteration_ns", &Speeds::iteration_ns},
    {"fast_ns", &Speeds::fast_ns},     {"uneven_ns", &Speeds::uneven_ns},
    {"row_ns", &Speeds::row_ns},       {"scattered_ns", &Speeds::scattered_ns},
    {"build_ns", &Speeds::build_ns},   {"build_row_ns", &Speeds::build_row_ns},
    {"sort_ns", &Speeds::sort_ns},
};

Json speeds_json(const Speeds& speeds) {
  Json json = Json::object();
  for (const SpeedField& field : speed_fields) json[field.name] = speeds.*field.member;
  json["deviations"] = Json::array();
  for (const Deviation& known : speeds.deviations)
    json["deviations"].push_back({{"shape", known.shape}, {"factor", known.factor}});
  return json;
}

Speeds parsed_speeds(const Json& json) {
  Speeds speeds;
  for (const SpeedField& field : speed_fields) {
    const double number = json.at(field.name).get<double>();
    if (!(number >= 0 && std::isfinite(number)))
      throw Error(ExitCode::input, fmt::format("speed {} cannot be {}", field.name, number));
    speeds.*field.member = number;
  }
  const Json& deviations = json.at("deviations");
  if (!deviations.is_array()) throw Error(ExitCode::input, "deviations must be a list");
  for (const Json& known : deviations) {
    const Json& shape = known.at("shape");
    Deviation deviation{{}, positive(known.at("factor"))};
    if (shape.size() != deviation.shape.size())
      throw Error(ExitCode::input,
                  fmt::format("a shape has {} numbers, not {}", deviation.shape.size(), shape.size()));
    for (std::size_t i = 0; i < deviation.shape.size(); ++i) {
      deviation.shape[i] = shape.at(i).get<double>();
      if (!std::isfinite(deviation.shape[i]))
        throw Error(ExitCode::input, "a shape has a number that is not finite");
    }
    speeds.deviations.push_back(deviation);
  }
  return speeds;
}

Json calibration_json(const CachedCalibration& kept) {
  Json formats = Json::object();
  for (const auto& [format, speeds] : kept.calibration) formats[format] = speeds_json(speeds);
  return {{"device", kept.device}, {"formats", formats}};
}

CachedCalibration calibration_of(const Json& json) {
  CachedCalibration kept;
  kept.device = json.at("device").get<std::string>();
  for (const auto& [format, numbers] : json.at("formats").items()) {
    kept.calibration[pick(formats<double>(), format, "format").name] = parsed_speeds(numbers);
  }
  return kept;
}

CacheEntry entry_of(const Json& json) {
  CacheEntry entry;
  entry.device = json.at("device").get<std::string>();
  RememberedChoice& choice = entry.choice;
  choice.signature = json.at("signature").get<std::string>();
  choice.format = json.at("format").get<std::string>();
  choice.measured_s = positive(json.at("measured_s"));
  choice.products = positive(json.at("products"));
  choice.columns_apart = json.value("columns_apart", false);
  pick(formats<double>(), choice.format, "format");
  if (choice.signature.empty()) throw Error(ExitCode::input, "an entry has no signature");
  for (const auto& [name, value] : json.at("options").items()) {
    const OptionField& field = pick(option_fields(), name, "option");
    field.set(choice.options, allowed_value(field, value));
  }
  return entry;
}

/// Empty if there is no such file, or it is /dev/null.
std::string read_text(const std::string& path) {
  if (!std::filesystem::exists(path) || is_null_device(path)) return {};
  if (is_special_file(path)) throw Error(ExitCode::environment, "it is not a regular file");
  if (belongs_to_another_user(path)) throw Error(ExitCode::environment, "it belongs to another user");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(ExitCode::environment, "cannot be read");
  return text.str();
}

}  // namespace

std::string default_tuning_cache() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : folder + "/tuning.json";
}

CacheContents parse_tuning_cache(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("version") != Json(cache_version))
      throw Error(ExitCode::input, "another version of the program wrote it");
    CacheContents contents;
    for (const Json& entry : json.at("entries")) contents.entries.push_back(entry_of(entry));
    if (json.contains("calibrations"))
      for (const Json& kept : json.at("calibrations")) contents.calibrations.push_back(calibration_of(kept));
    return contents;
  } catch (const Json::exception& error) {
    throw Error(ExitCode::input, error.what());
  } catch (const Error& error) {
    throw Error(ExitCode::input, error.what());
  }
}

std::string tuning_cache_text(const CacheContents& contents) {
  std::vector<const CacheEntry*> kept;
  const std::vector<CacheEntry>& entries = contents.entries;
  for (auto entry = entries.rbegin(); entry != entries.rend() && kept.size() < most_entries; ++entry)
    if (std::none_of(kept.begin(), kept.end(), [&](const CacheEntry* later) {
          return later->device == entry->device && later->choice.signature == entry->choice.signature;
        }))
      kept.push_back(&*entry);
  Json json = {{"version", cache_version}, {"entries", Json::array()}};
  std::reverse(kept.begin(), kept.end());
  for (const CacheEntry* entry : kept) json["entries"].push_back(entry_json(*entry));
  std::map<std::string, Json> by_device;  // the last of each device
  for (const CachedCalibration& c : contents.calibrations) by_device[c.device] = calibration_json(c);
  if (!by_device.empty()) json["calibrations"] = Json::array();
  for (const auto& [device, calibration] : by_device) json["calibrations"].push_back(calibration);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cache_device(const Backend& backend, int threads, const std::string& program_version) {
  return fmt::format("{}, {} threads, spmv_dist {}, compiler {}", backend.identity(), threads,
                     program_version, __VERSION__);
}

TuningCache::TuningCache(std::string path, std::string device, Warn warn)
    : path_(std::move(path)), device_(std::move(device)), warn_(std::move(warn)) {}

void TuningCache::warn(const std::string& reason) const {
  if (warn_) warn_(fmt::format("the file of remembered formats {} is ignored: {}", path_, reason));
}

CacheContents TuningCache::read() const {
  const std::string text = read_text(path_);
  return text.empty() ? CacheContents{} : parse_tuning_cache(text);
}

CacheContents TuningCache::recall(const Communicator& communicator) const {
  if (path_.empty()) return {};
  CacheContents contents;
  if (communicator.rank() == 0) {
    try {
      contents = read();
    } catch (const std::exception& error) {
      warn(error.what());
    }
  }
  return parse_tuning_cache(communicator.broadcast(tuning_cache_text(contents)));
}

RememberedTuning TuningCache::remembered(const Communicator& communicator) const {
  const CacheContents contents = recall(communicator);
  RememberedTuning mine;
  for (const CacheEntry& entry : contents.entries)
    if (entry.device == device_) mine.choices.push_back(entry.choice);
  mine.calibrations_of_others = !contents.calibrations.empty();
  for (const CachedCalibration& kept : contents.calibrations)
    if (kept.device == device_) mine.calibration = std::make_shared<const Calibration>(kept.calibration);
  return mine;
}

void TuningCache::add(const std::vector<std::string>& texts) const {
  if (is_special_file(path_)) return;  // a pipe would wait for somebody who reads it
  if (belongs_to_another_user(path_)) return;
  CacheContents contents;
  try {
    contents = read();
  } catch (const std::exception&) {  // recall() has warned; what is no cache is written anew
  }
  bool anything = false;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    const CacheContents more = parse_tuning_cache(text);
    contents.entries.insert(contents.entries.end(), more.entries.begin(), more.entries.end());
    contents.calibrations.insert(contents.calibrations.end(), more.calibrations.begin(),
                                 more.calibrations.end());
    anything = true;
  }
  if (!anything) return;
  try {
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder);
    OutputFile(path_).write(tuning_cache_text(contents));
  } catch (const std::exception& error) {
    warn(error.what());
  }
}

void TuningCache::add_of_all(const Communicator& communicator, const std::string& mine) const {
  const std::vector<std::string> all = communicator.gather(mine);
  communicator.together([&] {
    if (communicator.rank() == 0) add(all);
  });
}

void TuningCache::remember(const Communicator& communicator, const Decision& decision,
                           double products) const {
  if (path_.empty()) return;
  std::string mine;
  if (decision.measured_s > 0 && !decision.remembered) {
    RememberedChoice choice{decision.signature, decision.format, decision.options, decision.measured_s,
                            products};
    choice.columns_apart = decision.columns_apart;
    mine = tuning_cache_text({{{device_, choice}}, {}});
  }
  add_of_all(communicator, mine);
}

void TuningCache::remember(const Communicator& communicator, const Calibration& calibration) const {
  if (path_.empty()) return;
  add_of_all(communicator, tuning_cache_text({{}, {{device_, calibration}}}));
}

}  // namespace spmv
