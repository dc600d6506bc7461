// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/setting.h"
#include "blockyard/worker/detail/transfers.h"

namespace blockyard::worker::detail {

/// Begin and end of a program: values from the job and from earlier programs, and what is kept for
/// later ones. One thread.
class Persistence {
 public:
  Persistence(const Setting& setting, Blocks& blocks, Transfers& transfers, Variables& variables)
      : setting_(setting), blocks_(blocks), transfers_(transfers), variables_(variables) {}

  /// Arrays that the job gives. Returns warnings.
  [[nodiscard]] std::vector<std::string> take_predefined();
  /// Of set_persistent: kept at the end of the program under a text of it.
  void mark_array(std::int32_t array, std::int32_t label) {
    marked_arrays_.push_back({array, &setting_.text(label)});
  }
  void mark_scalar(std::int32_t scalar, std::int32_t label) {
    marked_scalars_.push_back({scalar, &setting_.text(label)});
  }
  /// Collective, but for static arrays.
  void restore_array(std::int32_t array, const std::string& label);
  void restore_scalar(std::int32_t scalar, const std::string& label);
  /// Collective: an implied barrier; then labels are set, and the arrays of the program go from the
  /// servers.
  void end_program();
  /// The values of the program at its end, which predefined arrays hand on to later programs.
  [[nodiscard]] Outcome outcome();

  void save(ProgramState& state) const;
  void load(const ProgramState& state);

 private:
  struct Mark {
    std::int32_t id;
    const std::string* label;
  };
  void keep_marked();
  [[nodiscard]] std::vector<std::vector<Extent>> extents_of(std::int32_t array) const;
  [[nodiscard]] DenseArray dense_copy(std::int32_t array);
  void load_static(std::int32_t array, DenseArray& from, std::string_view what);
  void restore_blocks(std::int32_t array, const std::string& label);
  void restore_part(std::int32_t array, const std::string& label,
                    const std::vector<std::vector<Extent>>& kept,
                    const std::vector<std::int64_t>& before);
  void hand_on(std::int32_t array, const DenseArray& values);

  const Setting& setting_;
  Blocks& blocks_;
  Transfers& transfers_;
  Variables& variables_;
  std::vector<Mark> marked_arrays_;
  std::vector<Mark> marked_scalars_;
};

}  // namespace blockyard::worker::detail
