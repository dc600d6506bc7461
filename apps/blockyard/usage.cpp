// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "apps/blockyard/help.h"
#include "blockyard/base/text.h"

namespace blockyard::app {

namespace {

/// An argument with what it is on the command line.
struct Word {
  enum class Kind { command, option, value, plain };
  std::string text;
  Kind kind = Kind::plain;
  const CLI::App* command = nullptr;    // that it belongs to
  const CLI::Option* option = nullptr;  // that it names or is the value of; null: unknown
};

/// "--memory" of "--memory=4G", "-w" of "-w4".
std::string name_of(std::string_view argument) {
  return std::string(argument.starts_with("--") ? argument.substr(0, argument.find('='))
                                                : argument.substr(0, 2));
}

/// Of a command or of those that it belongs to, as CLI11 looks for them; null if there is none.
const CLI::Option* find_option(const CLI::App* command, std::string_view argument) {
  const std::string name = name_of(argument);
  for (; command != nullptr; command = command->get_parent())
    if (const CLI::Option* found = command->get_option_no_throw(name)) return found;
  return nullptr;
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* find_command(const CLI::App& within, const std::string& name) {
  const auto all = commands_of(within);
  const auto found =
      std::ranges::find_if(all, [&](const CLI::App* one) { return one->check_name(name); });
  return found == all.end() ? nullptr : *found;
}

/// True if the value of `option` is the next argument.
bool takes_next(const CLI::Option& option, std::string_view argument) {
  const bool has_value =
      argument.starts_with("--") ? argument.find('=') != argument.npos : argument.size() > 2;
  return option.get_type_size() != 0 && option.get_items_expected_max() > 0 && !has_value;
}

std::vector<Word> words_of(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<Word> words;
  const CLI::App* command = &app;
  bool is_value = false;
  bool is_rest = false;
  for (const std::string& text : arguments) {
    Word word{text, Word::Kind::plain, command, nullptr};
    if (is_value) {
      word.kind = Word::Kind::value;
      word.option = words.back().option;
      is_value = false;
    } else if (!is_rest && text.size() > 1 && text[0] == '-') {
      is_rest = text == "--";
      word.kind = is_rest ? Word::Kind::plain : Word::Kind::option;
      word.option = is_rest ? nullptr : find_option(command, text);
      is_value = word.option != nullptr && takes_next(*word.option, text);
    } else if (!is_rest && !commands_of(*command).empty()) {
      word.kind = Word::Kind::command;
      if (const CLI::App* inner = find_command(*command, text))
        command = inner;
      else
        is_rest = true;
    } else {
      is_rest = is_rest || command->get_positionals_at_end();
    }
    words.push_back(std::move(word));
  }
  return words;
}

/// "blockyard run".
std::string title_of(const CLI::App* command) {
  const CLI::App* parent = command->get_parent();
  return (parent == nullptr ? "" : title_of(parent) + " ") + command->get_name();
}

std::string with_help(std::string_view error, const CLI::App* command) {
  return fmt::format("error: {}\nSee '{} --help'.\n", base::showable(error), title_of(command));
}

/// The nearest of the names, or the only one that begins with `name`; "" if there is none.
std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  const std::string found = base::nearest_name(name, names);
  if (!found.empty()) return found;
  const auto begins = [&](const std::string& one) { return one.starts_with(name); };
  return std::ranges::count_if(names, begins) == 1 ? *std::ranges::find_if(names, begins) : "";
}

std::string unknown_option(const CLI::App* command, const std::string& argument) {
  std::vector<std::string> names;
  for (const CLI::App* owner = command; owner != nullptr; owner = owner->get_parent())
    for (const CLI::Option* option : owner->get_options())
      if (!option->get_group().empty())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string name = name_of(argument);
  const std::string near = nearest(name.starts_with("--") ? name : "-" + name, names);
  std::string text = fmt::format("{} has no option {}", title_of(command), name);
  if (!near.empty()) text += fmt::format("; did you mean {}?", near);
  return with_help(text, command);
}

std::string unknown_command(const CLI::App* within, const std::string& argument) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(*within)) names.push_back(command->get_name());
  std::error_code ignored;
  std::string text = fmt::format("'{}' is not a command", argument);
  if (argument == "help")
    text += "; did you mean '--help'?";
  else if (const std::string near = nearest(argument, names); !near.empty())
    text += fmt::format("; did you mean '{}'?", near);
  else if (within->get_parent() == nullptr && std::filesystem::exists(argument, ignored))
    text += fmt::format("; to run it: blockyard run {}", argument);
  return with_help(text, within);
}

bool is_pair(const std::string& argument) {
  const std::size_t at = argument.find('=');
  std::error_code ignored;
  return at != std::string::npos && at > 0 &&
         argument.substr(0, at).find('/') == std::string::npos &&
         !std::filesystem::exists(argument, ignored);
}

/// The option whose name stands in the text of CLI11's error; null if there is none.
const CLI::Option* option_in(const CLI::App* command, std::string_view text) {
  const CLI::Option* found = nullptr;
  std::size_t longest = 0;
  for (; command != nullptr; command = command->get_parent())
    for (const CLI::Option* option : command->get_options()) {
      const std::string name = option->get_name();
      if (name.size() <= longest || text.find(name) == text.npos) continue;
      found = option;
      longest = name.size();
    }
  return found;
}

std::string needs_value(const CLI::Option& option) {
  const Wanted wanted = wanted_by(option);
  return fmt::format("{} needs a value, {}: {}", option.get_name(),
                     wanted.sentence.empty() ? wanted.placeholder : wanted.sentence,
                     option.get_description());
}

/// Whether an empty value of the option means something: no options of a device, or no servers,
/// whatever the environment says.
bool may_be_empty(const Word& word) {
  const std::string name = word.option->get_name();
  return name == "--device-options" ||
         (name == "--server" && title_of(word.command) == "blockyard offload run");
}

std::string refusal_of(const CLI::Option& option, bool is_missing) {
  const Wanted wanted = wanted_by(option);
  const std::string name = option.get_name();
  if (is_missing && !option.get_positional())
    return fmt::format("{} {} is missing: {}", name, wanted.placeholder, option.get_description());
  if (option.results().size() > 1 && option.get_items_expected_max() == 1)
    return fmt::format("{} is given more than once: {}", name, fmt::join(option.results(), ", "));
  if (option.results().empty())
    return option.get_positional()
               ? fmt::format("missing argument '{}': {}", name, option.get_description())
               : needs_value(option);
  std::string text = fmt::format("{} {}: ", name, fmt::join(option.results(), " "));
  if (wanted.sentence.empty()) return text + option.get_description();
  text += "must be " + wanted.sentence;
  const std::string near = nearest(option.results().back(), wanted.words);
  return near.empty() ? text : text + fmt::format("; did you mean {}?", near);
}

}  // namespace

std::vector<std::string> spread_pairs(const CLI::App& app,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> spread;
  const CLI::Option* pairs = nullptr;
  for (const Word& word : words_of(app, arguments)) {
    if (word.option != nullptr)
      pairs = wanted_by(*word.option).placeholder.find('=') != std::string::npos ? word.option
                                                                                 : nullptr;
    else if (pairs != nullptr && is_pair(word.text))
      spread.push_back(pairs->get_name());
    else
      pairs = nullptr;
    spread.push_back(word.text);
  }
  return spread;
}

std::string find_unknown_name(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (const Word& word : words_of(app, arguments)) {
    if (word.kind == Word::Kind::option && word.option == nullptr)
      return unknown_option(word.command, word.text);
    if (word.kind == Word::Kind::command && find_command(*word.command, word.text) == nullptr)
      return unknown_command(word.command, word.text);
  }
  return "";
}

std::string find_empty_value(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<Word> words = words_of(app, arguments);
  for (const Word& word : words) {
    if (word.option == nullptr || may_be_empty(word)) continue;
    const bool is_empty =
        word.kind == Word::Kind::value
            ? word.text.empty()
            : word.text.starts_with("--") && word.text.find('=') == word.text.size() - 1;
    if (is_empty) return with_help(needs_value(*word.option), word.command);
  }
  if (words.empty()) return "";
  const Word& last = words.back();
  const bool lacks_value = last.kind == Word::Kind::option && last.option != nullptr &&
                           last.option->get_items_expected_min() > 0 &&
                           takes_next(*last.option, last.text);
  return lacks_value ? with_help(needs_value(*last.option), last.command) : "";
}

std::string describe_refusal(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  for (auto inner = app.get_subcommands(); !inner.empty(); inner = command->get_subcommands())
    command = inner.front();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return with_help(
        fmt::format("unexpected argument '{}'", fmt::join(app.remaining(true), "', '")), command);
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_missing && !commands_of(*command).empty())
    return with_help(title_of(command) + " needs a command", command);
  const CLI::Option* option = option_in(command, error.what());
  const bool is_value = dynamic_cast<const CLI::ExcludesError*>(&error) == nullptr;
  return with_help(option != nullptr && is_value ? refusal_of(*option, is_missing) : error.what(),
                   command);
}

}  // namespace blockyard::app
