// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "blockyard/input/settings.h"

/// Jobs in QCSchema (https://molssi-qc-schema.readthedocs.io), versions 1 and 2.
namespace blockyard::input {

/// The job of an input with driver "energy" and a basis set by name. `keywords` are keys of
/// [method], or any of a job file with points: "run.memory". `path` names the text in errors.
/// Throws Error{bad_input} for requests that cannot be computed.
[[nodiscard]] Spec parse_qcschema(std::string_view text, const std::string& path,
                                  std::span<const Setting> settings);

/// Whether a text is such an input, and not other JSON. Throws Error{bad_input} for JSON that is
/// nested too deeply to look at.
[[nodiscard]] bool is_qcschema(std::string_view text);

}  // namespace blockyard::input
