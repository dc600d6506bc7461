// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/zmat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "blockyard/aces/zmat/geometry.h"
#include "blockyard/aces/zmat/keywords.h"
#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"

namespace blockyard::aces {

bool is_zmat_name(const std::string& path) {
  const std::string name = base::lower(std::filesystem::path(path).filename().string());
  const bool has_ending =
      name.starts_with("zmat") && name.find_first_of("._-") == std::string("zmat").size();
  return name == "zmat" || name.ends_with(".zmat") || has_ending;
}

ZmatJob parse_zmat(std::string_view text, const std::string& path, const std::string& folder,
                   const std::vector<std::string>& programs) {
  const zmat::Parts parts = zmat::split_parts(text, path);
  ZmatJob job;
  job.spec.title = parts.title;
  zmat::apply_keywords(parts, job);
  zmat::apply_sip(parts, folder, programs, job);
  zmat::apply_fragments(parts, job);
  job.spec.molecule->geometry = zmat::read_geometry(parts, job.spec.molecule->units);
  if (job.spec.basis.empty() && job.spec.basis.atoms.empty())
    throw parts.error(
        parts.keywords.front(),
        fmt::format("no basis set is given: add BASIS=CC-PVDZ{}{}",
                    job.warnings.empty() ? "" : "\n  ", fmt::join(job.warnings, "\n  ")));
  return job;
}

ZmatJob read_zmat_file(const std::string& path, const std::vector<std::string>& programs) {
  return parse_zmat(base::read_text(path), path, std::filesystem::path(path).parent_path().string(),
                    programs);
}

}  // namespace blockyard::aces
