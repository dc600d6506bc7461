// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

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

/// Throws Error{io} if no file could be written there, so that a run does not end in vain.
void check_writable(const std::string& path);

}  // namespace blockyard::app
