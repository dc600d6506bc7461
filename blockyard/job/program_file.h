// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blockyard/input/places.h"
#include "blockyard/program/program.h"
#include "blockyard/sial/diagnostic.h"
#include "blockyard/sial/source.h"

namespace blockyard::job {

/// The usual end of the names of compiled programs.
inline constexpr std::string_view compiled_ending = ".byx";

/// By its name, or by how it begins; all other files are SIAL sources.
[[nodiscard]] bool is_compiled(const std::string& path);

/// A program, unless `found` has an error.
struct LoadedProgram {
  std::optional<program::Program> program;
  std::vector<sial::Diagnostic> found;
};

/// Compiles a source, or reads and verifies a compiled program.
/// Throws Error{io} if the file is unreadable, Error{bad_input} for an invalid compiled program.
[[nodiscard]] LoadedProgram load_program(const std::string& path, const input::Places& places);

/// The files that load_program reads, as far as they are there: a source with what it imports.
[[nodiscard]] std::vector<std::string> program_files(const std::string& path,
                                                     const input::Places& places);

/// Finds imports next to the importing file, in the folders of the user, and among our programs.
[[nodiscard]] sial::FileLoader source_loader(const input::Places& places);

}  // namespace blockyard::job
