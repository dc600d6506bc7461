// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/input/spec.h"

namespace blockyard::aces {

/// A ZMAT input as a job.
struct ZmatJob {
  input::Spec spec;
  std::vector<std::string> warnings;  ///< keywords that are not known or change nothing here
};

/// Whether a file is a ZMAT by its name: ZMAT, ZMAT.h2o, ZMAT_h2o, h2o.zmat (any case).
[[nodiscard]] bool is_zmat_name(const std::string& path);

/// Reads the input file of ACES II, ACES III and CFOUR: a title; Cartesian or internal coordinates,
/// with variables; `*ACES2(...)` keywords; a `*SIP` section. docs/how_to/zmat.md has the keywords.
/// Programs of the section that end in .siox or .sialx are looked for in the folders `programs` and
/// those in them, or, without any, next to the input; also as the SIAL source of that name.
/// Throws Error{io}, and Error{bad_input} that begins with "file:line:" for what is malformed, or
/// asks for something that we do not have.
[[nodiscard]] ZmatJob read_zmat_file(const std::string& path,
                                     const std::vector<std::string>& programs = {});

/// Parses a text; `path` names it in errors, its files are relative to `folder`.
[[nodiscard]] ZmatJob parse_zmat(std::string_view text, const std::string& path,
                                 const std::string& folder,
                                 const std::vector<std::string>& programs = {});

}  // namespace blockyard::aces
