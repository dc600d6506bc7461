// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>

#include "blockyard/base/build_id.h"
#include "blockyard/base/current_error.h"
#include "blockyard/base/fields.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/job/version.h"

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

/// The exception that `work` throws, as a value.
template <class Work>
Failure failure_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const std::exception&) {
    const Error error = base::current_error();
    return {true, error.code(), error.what()};
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

/// The machine of this process, and the processors that it may use there.
std::vector<std::byte> seat_of_this_process() {
  std::array<char, 256> host{};
  (void)gethostname(host.data(), host.size() - 1);
  base::FieldWriter out;
  out.fields(std::string(host.data()), base::allowed_processors());
  return out.take();
}

/// Cores that the processes on the machine of the first one can use together.
int cores_of_first(const std::vector<std::vector<std::byte>>& seats) {
  std::string first;
  std::set<std::int32_t> together;
  for (const auto& seat : seats) {
    std::string host;
    std::vector<std::int32_t> processors;
    base::FieldReader(seat).fields(host, processors);
    if (first.empty()) first = host;
    if (host == first) together.insert(processors.begin(), processors.end());
  }
  const auto cores = static_cast<int>(together.size());
  return std::max(1, std::min(cores, base::processor_quota().value_or(cores)));
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

ProcessCount count_processes(fabric::MpiSession* session) {
  if (session == nullptr) return {};
  ProcessCount count{session->processes(), session->processes_here()};
  const auto all = session->gather(seat_of_this_process());
  const auto cores = share(*session, [&] {
    base::FieldWriter out;
    out.field(cores_of_first(all));
    return out.take();
  });
  base::FieldReader(cores).field(count.cores);
  return count;
}

void check_builds(fabric::MpiSession& session) {
  const std::string mine = fmt::format("{} {}", version(), base::build_id());
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
