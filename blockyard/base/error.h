// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace blockyard::base {

/// The kind of error, for callers to act on. The text says the rest.
enum class Errc { bad_input, no_memory, io, comm, device, internal };

/// The only exception of this project. The text says where, why and what to do.
class Error : public std::runtime_error {
 public:
  Error(Errc code, std::string_view message,
        std::source_location at = std::source_location::current())
      : std::runtime_error(std::string(message)), code_(code), at_(at) {}
  [[nodiscard]] Errc code() const noexcept { return code_; }
  /// Where in our source it was thrown: useful for Errc::internal only.
  [[nodiscard]] const std::source_location& at() const noexcept { return at_; }

 private:
  Errc code_;
  std::source_location at_;
};

/// Throws Error{internal} unless `holds`. For promises only a bug can break.
inline void require(bool holds, std::string_view promise,
                    std::source_location at = std::source_location::current()) {
  if (!holds) throw Error(Errc::internal, promise, at);
}

}  // namespace blockyard::base
