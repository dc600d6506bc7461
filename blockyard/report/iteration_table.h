// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blockyard::report {

/// What an iterative program printed: the line before its first row, and rows of names and values.
struct Iterations {
  std::string title;
  std::vector<std::vector<std::pair<std::string, double>>> rows;
  friend bool operator==(const Iterations&, const Iterations&) = default;
};

/// Makes a table of the output of our iterative programs. The lines of SIAL's `print name`,
/// "LINE:  name = value", from one called `iteration` to the next become a row with the names as
/// its head; all other lines pass. The first row is complete when the second begins; later ones
/// come as soon as they have as many values. One call at a time.
class IterationTable {
 public:
  explicit IterationTable(std::function<void(std::string_view)> print) : print_(std::move(print)) {}
  /// Text of whole lines, or of parts of lines, as programs print it.
  void add(std::string_view text);
  /// Prints the rest of a row or a line.
  void end();
  /// The rows of all tables so far.
  [[nodiscard]] const std::vector<Iterations>& iterations() const noexcept { return iterations_; }

 private:
  void add_line(std::string_view line);
  void end_row();
  void keep_row();

  std::function<void(std::string_view)> print_;
  std::string rest_;  ///< a line that has no end yet
  std::vector<std::string> head_;
  std::vector<std::string> names_;  ///< of the row under way
  std::vector<double> values_;      ///< of the row under way
  std::string title_;               ///< the last line that was no value
  bool is_new_ = true;              ///< the next row begins a table
  std::vector<Iterations> iterations_;
};

}  // namespace blockyard::report
