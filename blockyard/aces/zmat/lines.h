// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::aces::zmat {

/// A line of a ZMAT without its comment.
struct Line {
  std::size_t number = 0;  ///< from 1
  std::string text;        ///< without blanks at its ends
};

/// The parts of a ZMAT.
struct Parts {
  std::string path;  ///< for errors
  std::string title;
  std::vector<Line> atoms;      ///< up to the first blank line
  std::vector<Line> variables;  ///< `NAME = value`
  std::vector<Line> keywords;   ///< inside of *ACES2( ), the brackets taken off
  std::vector<Line> basis;      ///< `ATOM:BASIS`, after the keywords
  std::vector<Line> sip;        ///< of the section *SIP
  std::vector<Line> fragments;  ///< of the section *FRAGLIST

  [[nodiscard]] base::Error error(const Line& line, std::string_view what) const;
};

/// Throws Error{bad_input} if there are no atoms or no keywords, or the brackets do not close.
[[nodiscard]] Parts split_parts(std::string_view text, const std::string& path);

[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace blockyard::aces::zmat
