// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

namespace blockyard::lsp {

using Json = nlohmann::json;

/// The next message: headers with Content-Length, an empty line, that many bytes of JSON. Nothing
/// at the end of the stream. Throws base::Error{bad_input} if a frame is broken, after which no
/// other can be found; a body that is not JSON comes as a discarded value.
[[nodiscard]] std::optional<Json> read_message(std::istream& in);

void write_message(std::ostream& out, const Json& message);

}  // namespace blockyard::lsp
