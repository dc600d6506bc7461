// SPDX-License-Identifier: Apache-2.0
#include "python/src/prepared.h"

#include "blockyard/base/fields.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/job/job_bytes.h"
#include "blockyard/job/processes.h"
#include "blockyard/super/device_form.h"

namespace blockyard::python {

namespace {

/// A job, unless a program has errors, and what the compiler found: as JSON and for people.
struct Ready {
  std::optional<job::Job> job;
  std::string found_json;
  std::string found_text;
};

Ready prepare_alone(const input::Spec& spec, const input::Places& places,
                    const job::ProcessCount& count, const job::Embedding& embedding) {
  job::Prepared prepared = job::prepare(spec, places, count, embedding);
  return {std::move(prepared.job), sial::render_json(prepared.found),
          sial::render_text(prepared.found)};
}

/// Process 0 reads and compiles; the others get the job from it, and put their own part in.
Ready prepare_together(const input::Spec& spec, const input::Places& places,
                       fabric::MpiSession& session, const job::Embedding& embedding) {
  const job::ProcessCount count = job::count_processes(&session);
  const auto bytes = fabric::share(&session, [&] {
    const Ready ready = prepare_alone(spec, places, count, embedding);
    base::FieldWriter out;
    out.fields(ready.found_json, ready.found_text,
               ready.job ? job::encode(*ready.job) : std::vector<std::byte>());
    return out.take();
  });
  Ready ready;
  fabric::agree(&session, [&] {
    std::vector<std::byte> job;
    base::FieldReader(bytes).fields(ready.found_json, ready.found_text, job);
    if (job.empty()) return;
    ready.job = job::decode_job(job);
    ready.job->run.scratch = spec.run.scratch;
    ready.job->embedding = embedding;
    (void)job::super_table(*ready.job);
  });
  return ready;
}

/// The form for devices of a super instruction in Python, from texts that have an entry of its
/// name. The texts are for the element types that the function takes, or for f64 where it takes
/// several. Null: both are empty.
std::shared_ptr<const super::DeviceForm> make_device_form(const std::string& name,
                                                          const std::string& types,
                                                          const std::string& opencl,
                                                          const std::string& cuda) {
  if (opencl.empty() && cuda.empty()) return nullptr;
  auto form = std::make_shared<super::DeviceForm>();
  form->entry = name;
  if (types.find('|') == std::string::npos && types.find("any") == std::string::npos)
    form->types = types;
  form->opencl = opencl;
  form->cuda = cuda;
  return form;
}

}  // namespace

std::shared_ptr<PyJob> prepare(const input::Spec& spec, const input::Places& places,
                               const nb::list& supers, nb::list& found,
                               std::shared_ptr<PyProcesses> processes) {
  auto made = std::make_shared<PyJob>();
  made->first_error = std::make_shared<FirstError>();
  made->inside = std::make_shared<Inside>();
  made->processes = std::move(processes);
  made->texts = {places.texts.begin(), places.texts.end()};
  job::Embedding embedding;
  for (const nb::handle entry : supers) {
    const auto [name, signature, types, function, opencl, cuda] = nb::cast<
        std::tuple<std::string, std::string, std::string, nb::object, std::string, std::string>>(
        entry);
    embedding.supers.push_back(
        make_super(name, signature, types, Shared(function), made->first_error, made->inside));
    embedding.supers.back().device = make_device_form(name, types, opencl, cuda);
  }
  Ready ready;
  {
    const nb::gil_scoped_release release;
    ready = made->processes ? prepare_together(spec, places, *made->processes->session, embedding)
                            : prepare_alone(spec, places, {}, embedding);
  }
  found.append(ready.found_json);
  found.append(ready.found_text);
  if (!ready.job) return nullptr;
  made->job = std::move(*ready.job);
  return made;
}

}  // namespace blockyard::python
