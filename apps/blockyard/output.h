// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blockyard::app {

/// Where a run prints. One call at a time. Throws Error{io} if the stream fails: a full disk.
class Output {
 public:
  explicit Output(std::FILE* stream) : stream_(stream) {}
  /// Prints at once, so that a reader sees iterations as they happen.
  void print(std::string_view text);
  /// Writes a whole file or nothing; "-" is standard output. Throws Error{io}.
  void write_file(const std::string& path, std::string_view text);

 private:
  std::FILE* stream_;
};

/// Prints on standard output at once. Throws Error{io} if that fails: a full disk.
void print_text_out(std::string_view text);
template <class... Args>
void print_out(fmt::format_string<Args...> format, Args&&... args) {
  print_text_out(fmt::format(format, std::forward<Args>(args)...));
}

/// Prints on standard error. There is nowhere to tell that this failed.
void print_text_error(std::string_view text) noexcept;
template <class... Args>
void print_error(fmt::format_string<Args...> format, Args&&... args) {
  print_text_error(fmt::format(format, std::forward<Args>(args)...));
}

/// With a line end; indent -1: in one line. What is not UTF-8, as a path may be, is replaced.
[[nodiscard]] std::string print_json(const nlohmann::ordered_json& json, int indent);

/// Throws Error{io} if no file could be written there, so that a run does not end in vain.
void check_writable(const std::string& path);

/// Whether one of these files is "-": then text for people goes elsewhere.
[[nodiscard]] bool is_output_taken(const std::vector<std::string>& files);

/// Opens what the caller closed of standard input, output and error, so that no file of ours gets
/// their numbers. Writing to such an output fails; errors written to such a stream are lost.
void open_missing_streams() noexcept;

}  // namespace blockyard::app
