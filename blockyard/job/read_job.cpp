// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/read_job.h"

#include <cctype>
#include <filesystem>
#include <utility>

#include "blockyard/aces/dat/dat_job.h"
#include "blockyard/aces/zmat/zmat.h"
#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/qcschema.h"
#include "blockyard/job/program_file.h"

namespace blockyard::job {

namespace {

ReadJob with_settings(aces::ZmatJob job, const input::Settings& settings, const std::string& name) {
  return {input::with_settings(job.spec, settings, name), std::move(job.warnings)};
}

/// Its keywords stand in *ACES2( ) or *CFOUR( ).
bool is_zmat_text(std::string_view text) {
  const std::string lower = base::lower(text);
  return lower.find("*aces2(") != lower.npos || lower.find("*cfour(") != lower.npos;
}

}  // namespace

bool is_geometry_name(const std::string& file) { return base::lower(file).ends_with(".xyz"); }

bool is_schema_file(const std::string& file) {
  std::error_code ignored;
  if (!file.ends_with(".json") || !std::filesystem::is_regular_file(file, ignored)) return false;
  const std::string text = base::read_file(file);
  try {
    return input::is_qcschema(text);
  } catch (const base::Error&) {
    return true;  // parse_qcschema refuses it with its name
  }
}

bool is_job_name(const std::string& file) {
  return file.ends_with(".toml") || is_geometry_name(file) || is_schema_file(file) ||
         aces::is_zmat_name(file) || aces::dat::is_dat_name(file);
}

ReadJob read_job(const std::string& file, const std::vector<std::string>& programs,
                 const input::Settings& settings) {
  base::refuse_folder(file);
  if (is_geometry_name(file)) return {input::job_of_geometry(file, settings), {}};
  if (is_schema_file(file))
    return {input::parse_qcschema(base::read_file(file), file, settings), {}};
  if (aces::dat::is_dat_name(file))
    return {input::with_settings(aces::dat::read_dat_job(file, programs), settings, file), {}};
  if (aces::is_zmat_name(file))
    return with_settings(aces::read_zmat_file(file, programs), settings, file);
  return {input::read_job_file(file, settings), {}};
}

ReadJob parse_job(std::string_view whole, const std::string& name,
                  const input::Settings& settings) {
  const std::string_view text = base::without_byte_order_mark(whole);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != text.npos && text[begin] == '{')
    return {input::parse_qcschema(text, name, settings), {}};
  if (is_zmat_text(text)) return with_settings(aces::parse_zmat(text, name, ""), settings, name);
  if (begin == text.npos || std::isdigit(static_cast<unsigned char>(text[begin])) == 0)
    return {input::parse_job(text, name, "", settings), {}};
  input::Spec spec;
  spec.molecule.emplace().geometry = text;
  return {input::with_settings(spec, settings, name), {}};
}

}  // namespace blockyard::job
