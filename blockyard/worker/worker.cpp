// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/worker.h"

#include <cstring>
#include <optional>

#include "blockyard/base/error.h"
#include "blockyard/worker/detail/checkpoint.h"
#include "blockyard/worker/detail/interpreter.h"
#include "blockyard/worker/detail/transport.h"
#include "blockyard/worker/detail/worker_device.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker {

namespace {
/// The array number under which kept blocks pass outside of programs.
constexpr std::int32_t outside_array = 0;
}  // namespace

class Worker::Impl {
 public:
  Impl(fabric::Fabric& fabric, base::BufferPool& pool, super::Table& table, Options options,
       std::function<void(std::string_view)> print)
      : options_(options),
        frames_(pool, options.budget_bytes),
        device_(options_, [this] { transport_.look_around(); }),
        transport_(fabric, frames_, options_, here_),
        supers_(table),
        print_(std::move(print)) {
    here_.worker = options.worker;
    if (device_.is_awaited())
      transport_.while_waiting(
          [this] { return device_.residency() != nullptr && device_.residency()->is_sending(); },
          [this] { device_.residency()->look_after(); });
  }

  Outcome run(const program::Program& program, Environment& environment, const Resume* from,
              std::size_t number) {
    const bool is_inside =
        from != nullptr && detail::load(transport_, options_, *from, kept_, environment);
    const Tables tables = bind(program, environment);
    transport_.begin_counts();
    detail::Interpreter interpreter(
        {{program, tables}, environment, kept_, transport_, here_, frames_, options_}, supers_,
        print_, number, device_);
    return interpreter.run(is_inside ? &from->state : nullptr);
  }

  void checkpoint(Environment& environment) {
    const Wish wish =
        detail::meet_with_wish(transport_, options_, detail::Collective::checkpoint, true);
    if (wish != Wish::none) detail::save(transport_, options_, wish, kept_, environment, nullptr);
  }

  void read_kept(std::string_view label,
                 const std::function<void(std::uint64_t, std::span<const std::byte>)>& block) {
    transport_.ask_all(wire::RestoreArray{0, outside_array, std::string(label)});
    for (const auto& answer : transport_.ask_all(wire::ListBlocks{0, outside_array, ""}))
      for (const std::uint64_t number : std::get<wire::BlockList>(answer).numbers) {
        const block::SharedFrame frame = transport_.fetch_now({outside_array, number});
        base::require(frame != nullptr, "a server has the blocks that it lists");
        block(number, frame->bytes());
      }
    transport_.ask_all(wire::EndProgram{});
  }

  void write_kept(std::uint64_t number, std::span<const std::byte> values,
                  array::ElementType type) {
    block::Frame frame = frames_.allocate(values.size());
    std::memcpy(frame->data(), values.data(), values.size());
    block::SharedFrame shared = frame;
    frames_.recycle(std::move(frame));
    transport_.put({outside_array, number}, wire::PutMode::set, std::move(shared), type);
  }

  void end_write(std::string_view label) {
    transport_.settle();
    transport_.ask_all(wire::KeepArray{0, outside_array, std::string(label)});
    transport_.ask_all(wire::EndProgram{});
  }

  void free_frames() noexcept { frames_.free_kept(); }

  void meet() { transport_.meet(detail::Collective::barrier); }

  void look_around() { transport_.look_around(); }

  std::vector<wire::ServerCounts> statistics() {
    std::vector<wire::ServerCounts> result;
    for (const auto& answer : transport_.ask_all(wire::AskStatistics{}))
      result.push_back(std::get<wire::Statistics>(answer).counts);
    return result;
  }

  void shut_down() {
    for (int server = 0; server < options_.servers; ++server)
      transport_.tell(server, wire::Shutdown{});
  }

  Kept kept_;

 private:
  Options options_;
  block::FramePool frames_;
  detail::WorkerDevice device_;  ///< after frames_: it ends first
  wire::Access here_;            ///< where the program is
  detail::Transport transport_;
  super::Table& supers_;
  std::function<void(std::string_view)> print_;
};

Worker::Worker(fabric::Fabric& fabric, base::BufferPool& pool, super::Table& supers,
               Options options, std::function<void(std::string_view)> print)
    : impl_(std::make_unique<Impl>(fabric, pool, supers, options, std::move(print))) {}

Worker::~Worker() = default;

Outcome Worker::run(const program::Program& program, Environment& environment, const Resume* from,
                    std::size_t number) {
  return impl_->run(program, environment, from, number);
}

void Worker::checkpoint(Environment& environment) { impl_->checkpoint(environment); }

void Worker::free_frames() noexcept { impl_->free_frames(); }

Kept& Worker::kept() noexcept { return impl_->kept_; }

void Worker::read_kept(
    std::string_view label,
    const std::function<void(std::uint64_t, std::span<const std::byte>)>& block) {
  impl_->read_kept(label, block);
}

void Worker::write_kept(std::uint64_t number, std::span<const std::byte> values,
                        array::ElementType type) {
  impl_->write_kept(number, values, type);
}

void Worker::end_write(std::string_view label) { impl_->end_write(label); }

void Worker::meet() { impl_->meet(); }

void Worker::look_around() { impl_->look_around(); }

std::vector<wire::ServerCounts> Worker::server_statistics() { return impl_->statistics(); }

void Worker::shut_down_servers() { impl_->shut_down(); }

}  // namespace blockyard::worker
