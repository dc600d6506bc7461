// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/page.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/report/detail/assets.h"
#include "blockyard/report/detail/ga_page.h"
#include "blockyard/report/detail/offload_page.h"
#include "blockyard/report/detail/read_run.h"
#include "blockyard/report/detail/ring_page.h"

namespace blockyard::report {

namespace {

/// `text` with each mark in its place; marks in what is put in are left alone.
std::string put_in(std::string_view text,
                   const std::array<std::pair<std::string_view, std::string_view>, 4>& parts) {
  std::string out;
  for (const auto& [mark, part] : parts) {
    const std::size_t at = text.find(mark);
    base::require(at != std::string_view::npos, "the page has a place for each part");
    out.append(text.substr(0, at)).append(part);
    text.remove_prefix(at + mark.size());
  }
  return out.append(text);
}

/// JSON that no text in it can end the element early.
std::string inside_script(const nlohmann::ordered_json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

nlohmann::ordered_json detail::parse_shallow(std::string_view json, std::string_view path) {
  try {
    return base::parse_shallow<nlohmann::ordered_json>(json);
  } catch (const base::Error& error) {
    throw base::Error(error.code(), fmt::format("{} is no report: {}", path, error.what()));
  }
}

void detail::check_run(const nlohmann::ordered_json& run, std::string_view path) {
  const auto is_list = [&](const char* key) { return run.contains(key) && run[key].is_array(); };
  if (!run.is_object() || !is_list("programs") || !is_list("servers"))
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is not what `blockyard run --report` writes", path));
}

std::string page_of(std::string_view json, std::string_view path) {
  const auto parsed = detail::parse_shallow(json, path);
  if (detail::is_ga_report(parsed)) return detail::ga_page(parsed, path);
  if (detail::is_offload_report(parsed)) return detail::offload_page(parsed, path);
  if (detail::is_ring_report(parsed)) return detail::ring_page(parsed, path);
  detail::check_run(parsed, path);
  const std::string run = inside_script(parsed);
  return put_in(assets::html(), {{{"@CSS@", assets::css()},
                                  {"@RUN@", run},
                                  {"@CHART@", assets::chart()},
                                  {"@JS@", assets::js()}}});
}

}  // namespace blockyard::report
