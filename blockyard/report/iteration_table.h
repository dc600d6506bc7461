// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::report {

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

 private:
  void add_line(std::string_view line);
  void end_row();

  std::function<void(std::string_view)> print_;
  std::string rest_;  ///< a line that has no end yet
  std::vector<std::string> head_;
  std::vector<std::string> names_;  ///< of the row under way
  std::vector<double> values_;      ///< of the row under way
};

}  // namespace blockyard::report
