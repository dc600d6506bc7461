// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/processes.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <optional>

#include "blockyard/base/checksum.h"
#include "blockyard/base/fields.h"
#include "blockyard/job/program_file.h"
#include "blockyard/job/report.h"

namespace blockyard::job {

using base::Errc;
using base::Error;

namespace {

/// An error on its way to other processes.
struct Failure {
  bool is_one = false;
  Errc code = Errc::internal;
  std::string text;

  template <class Stream>
  void fields(Stream& stream) {
    stream.fields(is_one, code, text);
  }
};

/// What `work` throws, as a value.
template <class Work>
Failure failure_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return {true, error.code(), error.what()};
  } catch (const std::exception& error) {
    return {true, Errc::internal, error.what()};
  }
}

void rethrow(const Failure& failure) {
  if (failure.is_one) throw Error(failure.code, failure.text);
}

std::vector<std::byte> bytes_of(Failure failure, const std::vector<std::byte>& rest) {
  base::FieldWriter out;
  failure.fields(out);
  out.field(rest);
  return out.take();
}

std::vector<std::byte> take(const std::vector<std::byte>& bytes, Failure& failure) {
  base::FieldReader in(bytes);
  failure.fields(in);
  std::vector<std::byte> rest;
  in.field(rest);
  return rest;
}

}  // namespace

std::vector<std::byte> share(fabric::MpiSession& session,
                             const std::function<std::vector<std::byte>()>& make) {
  Failure failure;
  std::vector<std::byte> made;
  if (session.process() == 0) failure = failure_of([&] { made = make(); });
  made = take(session.broadcast(bytes_of(failure, made)), failure);
  rethrow(failure);
  return made;
}

void agree(fabric::MpiSession& session, const std::function<void()>& work) {
  const auto all = session.gather(bytes_of(failure_of(work), {}));
  (void)share(session, [&] {
    Failure first;
    for (const auto& bytes : all) {
      Failure failure;
      (void)take(bytes, failure);
      if (!first.is_one || (first.code == Errc::comm && failure.is_one)) first = failure;
    }
    rethrow(first);
    return std::vector<std::byte>();
  });
}

void check_builds(fabric::MpiSession& session, const std::string& file) {
  const std::string build = read_file(file);
  const std::string mine =
      fmt::format("{} {:016x}", version(), base::checksum(std::as_bytes(std::span(build))));
  const auto bytes = std::as_bytes(std::span(mine));
  const auto first = share(session, [&] { return std::vector(bytes.begin(), bytes.end()); });
  agree(session, [&] {
    if (std::equal(first.begin(), first.end(), bytes.begin(), bytes.end())) return;
    throw Error(
        Errc::bad_input,
        fmt::format("process {} runs another build of blockyard ({}) than process 0 ({}): "
                    "install the same program on all machines",
                    session.process(), mine,
                    std::string_view(reinterpret_cast<const char*>(first.data()), first.size())));
  });
}

std::vector<int> place_ranks(const Job& job) {
  const int with_workers = job.processes - (job.serves_apart ? job.servers : 0);
  std::vector<int> places;
  for (int worker = 0; worker < job.workers; ++worker)
    places.push_back(worker / (job.workers / with_workers));
  for (int server = 0; server < job.servers; ++server)
    places.push_back(job.serves_apart ? with_workers + server : server % job.processes);
  return places;
}

}  // namespace blockyard::job
