// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "blockyard/aces/zmat/keywords.h"
#include "blockyard/base/text.h"
#include "blockyard/input/find_program.h"

namespace blockyard::aces::zmat {
namespace {

std::int64_t positive(const Parts& parts, const Line& line, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || value < 1)
    throw parts.error(line, fmt::format("\"{}\" is not a whole number, at least 1", text));
  return value;
}

/// "800" in MiB, or with a unit: "2GB", "2 GB".
std::int64_t memory(const Parts& parts, const Line& line, const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& word : values) text += word;
  if (text.find_first_not_of("0123456789") == std::string::npos) text += 'M';
  try {
    return base::parse_bytes(text, "MAXMEM");
  } catch (const base::Error& error) {
    throw parts.error(line, error.what());
  }
}

}  // namespace

void apply_sip(const Parts& parts, const std::string& folder,
               const std::vector<std::string>& programs, ZmatJob& job) {
  for (const Line& line : parts.sip) {
    const std::size_t sign = line.text.find('=');
    const auto names = words_of(line.text.substr(0, sign));
    const auto values = words_of(sign == std::string::npos ? "" : line.text.substr(sign + 1));
    const std::string name = names.size() == 1 ? base::lower(names.front()) : "";
    const bool has_unit = name == "maxmem" && values.size() == 2;
    if (names.size() != 1 || (values.size() != 1 && !has_unit))
      throw parts.error(line, "a line of *SIP is given as NAME = value");
    const auto number = [&] { return positive(parts, line, values.front()); };
    if (name == "sial_program")
      job.spec.programs.push_back(programs.empty()
                                      ? input::find_program(folder, values.front())
                                      : input::find_program_below(programs, values.front()));
    else if (name == "maxmem")
      job.spec.run.memory_bytes = memory(parts, line, values);
    else if (name == "sip_mx_segsize" || name == "sip_mx_ao_segsize")
      job.spec.segments.ao = number();
    else if (name == "sip_mx_occ_segsize")
      job.spec.segments.occupied = number();
    else if (name == "sip_mx_virt_segsize")
      job.spec.segments.virtual_ = number();
    else
      job.warnings.push_back(fmt::format("{}:{}: {} of *SIP is not known and changes nothing",
                                         parts.path, line.number, names.front()));
  }
  if (!job.spec.programs.empty()) job.spec.method->name.clear();
}

}  // namespace blockyard::aces::zmat
