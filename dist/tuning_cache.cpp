#include "dist/tuning_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/output_file.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

using Json = nlohmann::ordered_json;

constexpr int cache_version = 1;
constexpr std::size_t most_entries = 1000;

Json entry_json(const CacheEntry& entry) {
  Json options = Json::object();
  for (const OptionField& field : option_fields())
    if (field.get(entry.choice.options) != field.get({}))
      options[field.name] = field.get(entry.choice.options);
  return {
      {"device", entry.device}, {"signature", entry.choice.signature},   {"format", entry.choice.format},
      {"options", options},     {"measured_s", entry.choice.measured_s}, {"products", entry.choice.products}};
}

/// A finite number above 0.
double positive(const Json& json) {
  const double number = json.get<double>();
  if (!(number > 0 && std::isfinite(number)))
    throw Error(ExitCode::input, fmt::format("{} where a number above 0 must be", number));
  return number;
}

int allowed_value(const OptionField& field, const Json& json) {
  if (!json.is_number_integer() || !is_allowed(field, json.get<std::int64_t>()))
    throw Error(ExitCode::input, fmt::format("option {} cannot be {}", field.name, json.dump()));
  return json.get<int>();
}

CacheEntry entry_of(const Json& json) {
  CacheEntry entry;
  entry.device = json.at("device").get<std::string>();
  RememberedChoice& choice = entry.choice;
  choice.signature = json.at("signature").get<std::string>();
  choice.format = json.at("format").get<std::string>();
  choice.measured_s = positive(json.at("measured_s"));
  choice.products = positive(json.at("products"));
  pick(formats<double>(), choice.format, "format");
  if (choice.signature.empty()) throw Error(ExitCode::input, "an entry without a signature");
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
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/spmv_dist/tuning.json";
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : home + "/.cache/spmv_dist/tuning.json";
}

std::vector<CacheEntry> parse_tuning_cache(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("version") != Json(cache_version))
      throw Error(ExitCode::input, "it is of another version of the program");
    std::vector<CacheEntry> entries;
    for (const Json& entry : json.at("entries")) entries.push_back(entry_of(entry));
    return entries;
  } catch (const Json::exception& error) {
    throw Error(ExitCode::input, error.what());
  } catch (const Error& error) {
    throw Error(ExitCode::input, error.what());
  }
}

std::string tuning_cache_text(const std::vector<CacheEntry>& entries) {
  std::vector<const CacheEntry*> kept;
  for (auto entry = entries.rbegin(); entry != entries.rend() && kept.size() < most_entries; ++entry)
    if (std::none_of(kept.begin(), kept.end(), [&](const CacheEntry* later) {
          return later->device == entry->device && later->choice.signature == entry->choice.signature;
        }))
      kept.push_back(&*entry);
  Json json = {{"version", cache_version}, {"entries", Json::array()}};
  std::reverse(kept.begin(), kept.end());
  for (const CacheEntry* entry : kept) json["entries"].push_back(entry_json(*entry));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cache_device(const Backend& backend, int threads, const std::string& program_version) {
  const std::string device = std::regex_replace(backend.describe(), std::regex("device [0-9]+, "), "");
  return fmt::format("{}, {} threads, spmv_dist {}", device, threads, program_version);
}

TuningCache::TuningCache(std::string path, std::string device, Warn warn)
    : path_(std::move(path)), device_(std::move(device)), warn_(std::move(warn)) {}

void TuningCache::warn(const std::string& reason) const {
  if (warn_) warn_(fmt::format("the file of remembered formats {} is ignored: {}", path_, reason));
}

std::vector<CacheEntry> TuningCache::read() const {
  const std::string text = read_text(path_);
  return text.empty() ? std::vector<CacheEntry>{} : parse_tuning_cache(text);
}

std::vector<RememberedChoice> TuningCache::recall(const Communicator& communicator) const {
  std::vector<RememberedChoice> remembered;
  if (path_.empty()) return remembered;
  std::vector<CacheEntry> entries;
  if (communicator.rank() == 0) {
    try {
      entries = read();
    } catch (const std::exception& error) {
      warn(error.what());
    }
  }
  for (const CacheEntry& entry : parse_tuning_cache(communicator.broadcast(tuning_cache_text(entries))))
    if (entry.device == device_) remembered.push_back(entry.choice);
  return remembered;
}

void TuningCache::add(const std::vector<std::string>& texts) const {
  if (is_special_file(path_)) return;  // a pipe would wait for somebody who reads it
  if (belongs_to_another_user(path_)) return;
  std::vector<CacheEntry> entries;
  try {
    entries = read();
  } catch (const std::exception&) {  // recall() has warned; what is no cache is written anew
  }
  const std::size_t before = entries.size();
  for (const std::string& text : texts)
    if (!text.empty()) entries.push_back(parse_tuning_cache(text).at(0));
  if (entries.size() == before) return;
  try {
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder);
    OutputFile(path_).write(tuning_cache_text(entries));
  } catch (const std::exception& error) {
    warn(error.what());
  }
}

void TuningCache::remember(const Communicator& communicator, const Decision& decision,
                           double products) const {
  if (path_.empty()) return;
  std::string mine;
  if (decision.measured_s > 0 && !decision.remembered)
    mine = tuning_cache_text(
        {{device_, {decision.signature, decision.format, decision.options, decision.measured_s, products}}});
  const std::vector<std::string> all = communicator.gather(mine);
  communicator.together([&] {
    if (communicator.rank() == 0) add(all);
  });
}

}  // namespace spmv
