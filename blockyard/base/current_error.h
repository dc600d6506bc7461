// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/base/error.h"

namespace blockyard::base {

/// The exception being handled as an Error, with a text for people: memory that the system refuses
/// or a thread is Errc::no_memory; unexpected exceptions are Errc::internal, with its own text.
/// REQUIRES: called within a catch block.
[[nodiscard]] Error current_error();

}  // namespace blockyard::base
