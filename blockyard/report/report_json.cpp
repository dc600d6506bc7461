// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "blockyard/job/method_results.h"
#include "blockyard/job/version.h"
#include "blockyard/report/detail/devices_json.h"
#include "blockyard/report/detail/properties_json.h"
#include "blockyard/report/report.h"

namespace blockyard::report {

namespace {

using Json = nlohmann::ordered_json;

Json array_json(const worker::DenseArray& array) {
  Json json = {{"extents", array.extents}, {"values", array.values}};
  if (array.type != array::ElementType::f64)
    json["elements"] = array::element_names[static_cast<std::size_t>(array.type)];
  return json;
}

Json timings(const job::Results& results) {
  Json seconds = Json::object();
  for (const job::StepResult& step : results.steps) {
    // A program that runs twice in a job has one entry: the sum.
    const double before = seconds.value(step.name, 0.0);
    seconds[step.name] = before + step.seconds;
  }
  return seconds;
}

void add_method(Json& json, const job::Job& job, const job::Results& results) {
  const method::MethodResults found = job::method_results(job, results);
  json["energies"] = Json::object();
  for (const method::Energy& energy : found.energies) json["energies"][energy.key] = energy.hartree;
  if (const std::string note = job::note_of(job); !note.empty()) json["note"] = note;
  json["converged"] = found.converged;
  json["iterations"] = Json::object();
  for (const method::IterationCount& count : found.iterations)
    json["iterations"][count.method] = count.count;
  if (found.spin_square) json["spin_square"] = found.spin_square->value;
  json["dipoles"] = Json::object();
  for (const method::Dipole& dipole : found.dipoles) json["dipoles"][dipole.method] = dipole.e_bohr;
  json["excitations"] = Json::object();
  for (const method::Excitations& states : found.excitations) {
    json["excitations"][states.key] = {{"hartree", states.hartree}};
    if (!states.singles_part.empty())
      json["excitations"][states.key]["singles_part"] = states.singles_part;
    detail::add_state_details(json["excitations"][states.key], states);
  }
}

/// The outcomes of the programs; a later one wins where two have the same name.
void add_outcomes(Json& json, const job::Results& results) {
  for (const char* key : {"scalars", "ints", "arrays"}) json[key] = Json::object();
  for (const job::StepResult& step : results.steps) {
    for (const auto& [name, value] : step.outcome.scalars) json["scalars"][name] = value;
    for (const auto& [name, value] : step.outcome.complex_scalars)
      json["scalars"][name] = {value.real(), value.imag()};
    for (const auto& [name, value] : step.outcome.ints) json["ints"][name] = value;
    for (const auto& [name, array] : step.outcome.arrays) json["arrays"][name] = array_json(array);
  }
}

std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string results_json(const job::Job& job, const job::Results& results) {
  Json json = {{"title", job.title}};
  if (job.chemistry) {
    json["n_basis"] = job.chemistry->basis_functions();
    json["n_electrons"] = job.chemistry->electrons;
  }
  if (job.method.empty())
    add_outcomes(json, results);
  else
    add_method(json, job, results);
  detail::add_properties(json, job, results);
  json["timings"] = timings(results);
  json["seconds"] = results.seconds;
  json["peak_rss_bytes"] = results.peak_rss_bytes;
  json["workers"] = job.workers;
  json["servers"] = job.servers;
  json["devices"] = detail::devices_json(results);
  json["version"] = job::version();
  return text_of(json);
}

}  // namespace blockyard::report
