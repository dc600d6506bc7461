// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/input/settings.h"

namespace blockyard::job {

/// A job as read from a file.
struct ReadJob {
  input::Spec spec;
  std::vector<std::string> warnings;  ///< of a ZMAT
};

/// An XYZ file by its name.
[[nodiscard]] bool is_geometry_name(const std::string& file);

/// A QCSchema input; other JSON is not a job.
[[nodiscard]] bool is_schema_file(const std::string& file);

/// Whether a file is a job by its name (.toml, .xyz, ZMAT, .dat), or a QCSchema input.
[[nodiscard]] bool is_job_name(const std::string& file);

/// The job of such a file, with settings in the place of what it says. The programs that a .dat
/// file or a ZMAT names are looked for in the folders `programs` and those in them; without any,
/// in the input's folder. Throws Error{io}, and Error{bad_input} that names the file.
[[nodiscard]] ReadJob read_job(const std::string& file, const std::vector<std::string>& programs,
                               const input::Settings& settings);

/// The job of a text: a QCSchema input, an XYZ file, which begins with the number of atoms, a ZMAT,
/// or a job file. `name` names it in errors.
[[nodiscard]] ReadJob parse_job(std::string_view text, const std::string& name,
                                const input::Settings& settings);

}  // namespace blockyard::job
