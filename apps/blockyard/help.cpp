// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <span>

#include "blockyard/base/split.h"
#include "blockyard/base/table.h"

namespace blockyard::app {

namespace {

/// Where the texts of options begin.
std::size_t text_column(std::size_t width) {
  constexpr std::size_t usual = 26;
  return std::min(usual, width / 3);
}

/// "-w, --workers" of CLI11's "-w,--workers"; a flag's value, "{false}", is left out.
std::string names_of(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : base::split(option.get_name(false, true), ','))
    text += (text.empty() ? "" : ", ") + name.substr(0, name.find('{'));
  return text;
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width), column_(text_column(width)) {}

  std::string make_description(const CLI::App* app) const override {
    return base::wrap(app->get_description(), width_, 0) + "\n";
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = "Usage: " + name + " [options]";
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* one) { return one->get_positional(); }))
      text += " " + make_option_usage(option);
    if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) text += " command ...";
    return base::wrap(text, width_, 8) + "\n";
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = is_positional ? option->get_name(true, false) : names_of(*option);
    if (!is_positional && option->get_type_size() != 0)
      name += " " + wanted_by(*option).placeholder;
    const bool is_repeated = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    if (is_repeated) name += is_positional ? "..." : " ...";
    return row(name, option->get_description());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_name(), command->get_description());
  }

  std::string make_footer(const CLI::App* app) const override {
    return app->get_footer().empty() ? "" : base::wrap(app->get_footer(), width_, 0) + "\n";
  }

 private:
  [[nodiscard]] std::string row(const std::string& name, const std::string& text) const {
    std::string line = "  " + name;
    if (line.size() + 2 > column_)
      line += "\n" + std::string(column_, ' ');
    else
      line.resize(column_, ' ');
    const std::string wrapped =
        base::wrap(std::string(column_, ' ') + text, width_, column_).substr(column_);
    return line + wrapped + "\n";
  }

  std::size_t width_;
  std::size_t column_;
};

}  // namespace

std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  std::size_t width = 0;
  if (const char* given = std::getenv("COLUMNS")) {
    const char* const end = given + std::strlen(given);
    if (std::from_chars(given, end, width).ptr != end) width = 0;
  }
  winsize size{};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width == 0 ? usual : std::clamp<std::size_t>(width, 40, 120);
}

std::shared_ptr<CLI::Formatter> make_help_formatter(std::size_t width) {
  auto formatter = std::make_shared<HelpFormatter>(width);
  formatter->label("Positionals", "Arguments");
  return formatter;
}

Wanted wanted_by(const CLI::Option& option) {
  // CLI11 writes "INT:INT in [1 - 64]" and "TEXT:{auto,loopback,mpi}".
  const std::string all = option.get_type_name();
  const std::string type = all.substr(0, all.find(':'));
  const std::string check = type.size() < all.size() ? all.substr(type.size() + 1) : "";
  if (check.starts_with('{')) {
    const std::vector<std::string> words = base::split(check.substr(1, check.find('}') - 1), ',');
    const std::span most = std::span(words).first(words.size() - 1);
    return {fmt::format("{}", fmt::join(words, "|")),
            fmt::format("{}{}{}", fmt::join(most, ", "), most.empty() ? "" : " or ", words.back()),
            words};
  }
  const bool is_whole = type == "INT" || type == "UINT";
  if (!is_whole && type != "FLOAT") return {type, "", {}};
  std::string sentence = is_whole ? "a whole number" : "a number";
  if (const std::size_t at = check.find('['); at != std::string::npos) {
    const std::string range = check.substr(at + 1, check.find(']') - at - 1);
    const std::size_t dash = range.find(" - ");
    if (dash != std::string::npos)
      sentence += " from " + range.substr(0, dash) + " to " + range.substr(dash + 3);
  } else if (check == "POSITIVE") {
    sentence += " above 0";
  } else if (type == "UINT" || check == "NONNEGATIVE") {
    sentence += ", 0 or more";
  }
  return {is_whole ? "N" : "X", sentence, {}};
}

}  // namespace blockyard::app
