// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "blockyard/job/job.h"

namespace blockyard::app {

/// A line on the terminal that says what is going on, where standard error is a terminal and a
/// program takes longer than two seconds. Any thread: mutex_ guards all.
class Progress {
 public:
  Progress(const job::Job& job, bool quiet);
  void begin_step(std::size_t step);
  /// Draws the line anew. Cheap: does nothing where there is nothing to draw.
  void draw();
  /// Removes the line, so that text can be printed in its place.
  void clear();

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
  bool is_wanted_ = false;
  bool is_drawn_ = false;
  std::size_t step_ = 0;
  double step_began_ = 0;
};

}  // namespace blockyard::app
