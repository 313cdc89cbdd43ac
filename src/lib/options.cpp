// Options, Error and version of the public interface.
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "lib/translate.hpp"

namespace spmv_dist {

const char* version() noexcept {
  return SPMV_DIST_VERSION_STRING;
}

Error::Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
Error::~Error() = default;

struct Options::State {
  std::map<std::string, std::string> value;
};

Options::Options() : state_(std::make_unique<State>()) {}
Options::Options(std::initializer_list<Setting> settings) : Options() {
  for (const Setting& setting : settings) set(setting.name, setting.value);
}
Options::Options(const Options& other) : state_(std::make_unique<State>(*other.state_)) {}
Options& Options::operator=(const Options& other) {
  *state_ = *other.state_;
  return *this;
}
Options::~Options() = default;

Options Options::parse(const std::string& text) {
  constexpr const char* between = " ,\t\n";
  Options options;
  for (std::size_t begin = text.find_first_not_of(between); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
    const std::string setting = text.substr(begin, end - begin);
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw Error(Code::usage, "option '" + setting + "' has no name and value: write name=value");
    options.set(setting.substr(0, equals), setting.substr(equals + 1));
    begin = text.find_first_not_of(between, end);
  }
  return options;
}

Options& Options::set(const std::string& name, const std::string& value) {
  state_->value[name] = value;
  return *this;
}

std::string Options::text() const {
  std::string text;
  for (const auto& [name, value] : state_->value)
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

const std::map<std::string, std::string>& internal::Access::settings(const Options& options) {
  return options.state_->value;
}

}  // namespace spmv_dist
