// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::lsp {

/// A text in lines, to go between columns in bytes and in UTF-16 units, in which the protocol
/// counts. Lines and columns from 0. Bytes that are no UTF-8 count as one unit each.
class Lines {
 public:
  explicit Lines(std::string_view text);
  [[nodiscard]] std::size_t count() const noexcept { return lines_.size(); }
  /// Columns past the end of the line are its end; lines past the end are empty.
  [[nodiscard]] std::size_t units(std::size_t line, std::size_t bytes) const;
  [[nodiscard]] std::size_t bytes(std::size_t line, std::size_t units) const;
  /// The line without its end; empty past the end of the text. Valid as long as this.
  [[nodiscard]] std::string_view text(std::size_t line) const noexcept { return this->line(line); }

 private:
  [[nodiscard]] std::string_view line(std::size_t number) const noexcept;
  std::vector<std::string> lines_;
};

/// "/a b.sial" of "file:///a%20b.sial"; anything but a file URI is returned unchanged.
[[nodiscard]] std::string path_of(std::string_view uri);
/// The reverse of `path_of`: a text that has no file yet ("untitled:Untitled-1") keeps its URI.
[[nodiscard]] std::string uri_of(std::string_view path);

}  // namespace blockyard::lsp
