// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"

namespace blockyard::worker {

namespace {
constexpr std::string_view server_files = "server-";  // and the number
}  // namespace

std::string server_file(int server) { return fmt::format("{}{}", server_files, server); }
std::string worker_file(int worker) { return fmt::format("worker-{}", worker); }

namespace detail {

namespace {

constexpr std::uint8_t impossible = 0xff;

std::string path_of(const CheckpointPlace& place, std::string_view name) {
  return fmt::format("{}/{}", place.folder, name);
}

/// Worker 0 chooses the place and tells all.
CheckpointPlace begin_together(Transport& transport, const Options& options, bool in_program) {
  const auto begin = [&](Collected) {
    const CheckpointPlace place = options.checkpoints->begin(in_program);
    base::ByteWriter out;
    out.text(place.folder);
    out.value(place.id);
    return Collected(out.take());
  };
  const auto told = transport.collect(Collective::checkpoint, {}, {join_nothing, begin});
  base::ByteReader in(told.bytes());
  CheckpointPlace place;
  place.folder = in.text();
  place.id = in.value<std::uint64_t>();
  return place;
}

}  // namespace

Wish meet_with_wish(Transport& transport, const Options& options, Collective kind,
                    bool is_possible) {
  std::uint8_t mine = 0;
  if (options.checkpoints != nullptr)
    mine = is_possible ? static_cast<std::uint8_t>(options.checkpoints->wish(options.worker))
                       : impossible;
  const auto join = [](std::span<Collected> parts) {
    std::byte strongest{0};
    for (const Collected& part : parts) strongest = std::max(strongest, part.bytes().front());
    return Collected(std::vector<std::byte>{strongest});
  };
  const auto result = transport.collect(kind, {std::byte{mine}}, {join});
  const auto agreed = std::to_integer<std::uint8_t>(result.bytes().front());
  return agreed == impossible ? Wish::none : static_cast<Wish>(agreed);
}

void save(Transport& transport, const Options& options, Wish wish, const Kept& kept,
          const Environment& environment, const std::function<void(RecordSink&)>& program) {
  const CheckpointPlace place = begin_together(transport, options, program != nullptr);
  const std::vector<wire::Ticket> tickets = transport.start_share([&](int server) {
    return wire::SaveBlocks{0, path_of(place, server_file(server)), place.id};
  });
  options.checkpoints->write(place, options.worker, [&](RecordSink& sink) {
    sink.add(encode(JobState{program != nullptr, kept, environment.arrays}));
    if (program) program(sink);
  });
  (void)transport.answers_to(tickets);
  const auto finish = [&](Collected) {
    options.checkpoints->finish(place);
    return Collected();
  };
  transport.collect(Collective::checkpoint, {}, {join_nothing, finish});
  if (wish == Wish::save_and_stop)
    throw base::Error(base::Errc::comm, options.checkpoints->stop_text());
}

bool load(Transport& transport, const Options& options, const Resume& from, Kept& kept,
          Environment& environment) {
  (void)transport.answers_to(transport.start_share([&](int server) {
    return wire::LoadBlocks{
        0, path_of(from.place, server_files), from.place.id, server, options.servers, from.servers};
  }));
  transport.meet(Collective::checkpoint);
  JobState state = decode_job_state(from.state.next());
  kept = std::move(state.kept);
  environment.arrays = std::move(state.arrays);
  return state.in_program;
}

}  // namespace detail
}  // namespace blockyard::worker
