// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "apps/blockyard/hubbard.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/fabric/mpi/agree.h"

namespace blockyard::app {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
void keep_option(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

template <class T>
void take_option(const Json& json, const char* key, std::optional<T>& value) {
  if (!value && json.contains(key)) value = json.at(key).get<T>();
}

}  // namespace

lattice::SavedHead share_head(const std::string& file, fabric::MpiSession* session) {
  const auto bytes = fabric::share(session, [&] {
    const lattice::SavedHead head = lattice::CheckpointIn(file).head();
    base::FieldWriter out;
    out.fields(head.file, head.source, head.output, head.options);
    return out.take();
  });
  lattice::SavedHead head;
  base::FieldReader(bytes).fields(head.file, head.source, head.output, head.options);
  return head;
}

std::string text_of_options(const HubbardRun& run, int processes) {
  Json json = {{"ranks", run.ranks}, {"processes", processes}};
  keep_option(json, "memory", run.memory_bytes);
  keep_option(json, "checkpoint", run.checkpoint_seconds);
  keep_option(json, "ring", run.ring);
  if (run.device.kind.empty()) return json.dump();
  json["device"] = run.device.kind;
  json["device_options"] = run.device.options;
  keep_option(json, "device_memory", run.device.memory_bytes);
  return json.dump();
}

HubbardRun as_before(HubbardRun run, int processes, const std::string& options) try {
  if (options.empty()) return run;
  const Json json = Json::parse(options);
  if (run.ranks == 0) run.ranks = json.at("ranks").get<int>();
  const bool has_as_many_ranks =
      run.ranks == json.at("ranks").get<int>() && processes == json.at("processes").get<int>();
  take_option(json, "memory", run.memory_bytes);
  take_option(json, "checkpoint", run.checkpoint_seconds);
  if (has_as_many_ranks) take_option(json, "ring", run.ring);
  if (!run.device.kind.empty() || !json.contains("device")) return run;
  run.device.kind = json.at("device").get<std::string>();
  if (run.device.options.empty()) run.device.options = json.at("device_options").get<std::string>();
  take_option(json, "device_memory", run.device.memory_bytes);
  return run;
} catch (const Json::exception&) {
  throw base::Error(base::Errc::bad_input, run.file + ": its options are damaged");
}

}  // namespace blockyard::app
