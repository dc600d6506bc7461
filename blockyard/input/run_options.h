// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/input/spec.h"

namespace blockyard::input {

/// The kind of an option's value: how it is written in a job file.
enum class ValueForm : std::uint8_t {
  count,  ///< an integer
  truth,  ///< true or false; on the command line a flag
  text,
  time,           ///< a text such as 10m; in Python also a number of seconds
  path,           ///< a text; in a job file relative to its folder
  paths,          ///< a list of them; on the command line given several times
  count_or_text,  ///< an integer or a text
};

/// The subject of an option, which decides where else it exists.
enum class OptionGroup : std::uint8_t {
  files,    ///< what is read and written; not of a Session of Python
  ranks,    ///< ranks, memory, loops; of a Session too
  device,   ///< also of `blockyard resume`
  testing,  ///< for measurements and tests
};

/// An option of a run. A row of run_options() is all there is to write: the job file,
/// `convert`, the command line with its page, and the keywords of Python take it from there.
struct RunOption {
  /// Key in [run] and keyword of Python; on the command line with dashes.
  std::string_view key{};
  OptionGroup group = OptionGroup::ranks;
  ValueForm form = ValueForm::text;
  std::string_view value{};  ///< of the help: FILE, DIR, INT, TEXT; "" for a flag
  std::string_view help{};
  std::string_view usual{};   ///< the default as text; "": none
  std::int64_t least = 0;     ///< of a count
  std::int64_t most = 0;      ///< of a count; 0: no limit
  bool is_of_resume = false;  ///< `blockyard resume` has it too
  std::string_view letter{};  ///< short form on the command line
  /// Puts a value in, as a user writes it. Throws Error{bad_input}; `name` is that of the option
  /// where the user wrote it.
  void (*read)(RunSpec& run, std::string_view value, std::string_view name) = nullptr;
  /// The texts from which `read` makes this value; several for a list. Empty: the default.
  std::vector<std::string> (*print)(const RunSpec& run) = nullptr;
};

/// In the order in which they are written; `device` before its options.
[[nodiscard]] std::span<const RunOption> run_options() noexcept;

/// Null if the key is unknown.
[[nodiscard]] const RunOption* find_run_option(std::string_view key) noexcept;

/// A run that takes checkpoints and does not say where: FILE.checkpoint in the current folder, by
/// the name of the first file without folder and ending; job.checkpoint for "-", standard input.
void name_checkpoints(RunSpec& run, std::string_view first_file);

}  // namespace blockyard::input
