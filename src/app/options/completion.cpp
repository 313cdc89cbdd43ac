#include "app/options/completion.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options/option_names.hpp"
#include "dist/partitioner.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {
namespace {

template <class Row>
std::vector<std::string> words(const std::vector<Row>& table) {
  std::vector<std::string> all;
  all.reserve(table.size());
  for (const Row& row : table) all.emplace_back(row.name);
  return all;
}

/// An option that takes one of some words, or several with commas between them.
struct WordsOf {
  const char* option;
  std::vector<std::string> (*words)();
};

constexpr WordsOf known_words[] = {
    {"--generate", generator_words},
    {"--value", [] { return words(value_types()); }},
    {"--mode", [] { return words(mode_names()); }},
    {"--format", [] { return words(format_names()); }},
    {"--nonlocal-format", [] { return words(format_names()); }},
    {"--partition", [] { return words(partitioners()); }},
    {"--order", [] { return words(order_names()); }},
    {"--transport", [] { return words(transport_names()); }},
    {"--layout", [] { return words(layout_names()); }},
    {"--backend", [] { return words(backend_names()); }},
    {"--vectors", [] { return words(vector_places()); }},
    {"--hint", [] { return words(hints()); }},
};

/// The names of an option as they are typed.
std::vector<std::string> typed(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::vector<const CLI::App*> with_commands(const CLI::App& app) {
  std::vector<const CLI::App*> all{&app};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(command);
  return all;
}

/// What may stand at the place of an option's name: of the program itself its commands as well.
std::string names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string> more = typed(*option);
    names.insert(names.end(), more.begin(), more.end());
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

/// Options that take a value, and whether it is text, by every name they have in any command.
struct ValueOptions {
  std::vector<std::string> text;
  std::vector<std::string> number;
};
ValueOptions value_options(const CLI::App& app) {
  ValueOptions found;
  for (const CLI::App* command : with_commands(app)) {
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() == 0) continue;
      std::vector<std::string>& into = option->get_type_name() == "TEXT" ? found.text : found.number;
      for (const std::string& name : typed(*option))
        if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(name);
    }
  }
  return found;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string cases;
  for (const WordsOf& row : known_words)
    cases += fmt::format("    {}) words='{}' ;;\n", row.option, fmt::join(row.words(), " "));
  std::string commands;
  for (const CLI::App* command : with_commands(app))
    if (command != &app)
      commands += fmt::format("    {}) names='{}' ;;\n", command->get_name(), names_of(*command));
  const ValueOptions values = value_options(app);
  return fmt::format(
      R"(# Completion of spmv_dist in bash, made by spmv_dist --bash-completion.
_spmv_dist() {{
  local line=${{COMP_LINE:0:COMP_POINT}} current previous= names words= list= offered word
  local -a typed
  read -r -a typed < <(printf '%s\n' "$line")
  # What is being typed, with colons, equal signs and commas, at which bash itself cuts words.
  if [[ $line == *[[:space:]] ]]; then current=; else current=${{typed[-1]}}; unset 'typed[-1]'; fi
  [ "${{#typed[@]}}" -lt 2 ] || previous=${{typed[-1]}}
  names='{0}'
  case ${{typed[1]:-}} in
{1}  esac
  case $previous in
{2}    {3}) COMPREPLY=(); return ;;
    {4}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
  esac
  if [ -n "$words" ]; then
    case $previous in --mode | --transport) list=${{current%"${{current##*,}}"}} ;; esac
  elif [[ $current == -* || ${{#typed[@]}} == 1 ]]; then
    words=$names
  fi
  if [ -z "$words" ] || {{ [[ $current != -* ]] && [ "$words" = "$names" ] && ! compgen -W "$words" -- "$current" >/dev/null; }}; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{current#"$list"}}")
  # bash puts what is offered in the place of the part after the last character at which it cuts.
  offered=$list
  for word in ':' '='; do
    [[ $COMP_WORDBREAKS != *"$word"* || $offered != *"$word"* ]] || offered=${{offered##*"$word"}}
  done
  COMPREPLY=("${{COMPREPLY[@]/#/$offered}}")
  if [ "${{#COMPREPLY[@]}}" = 1 ] && [[ ${{COMPREPLY[0]}} == *: ]]; then compopt -o nospace; fi
}}
complete -F _spmv_dist spmv_dist
)",
      names_of(app), commands, cases, fmt::join(values.number, " | "), fmt::join(values.text, " | "));
}

}  // namespace spmv
