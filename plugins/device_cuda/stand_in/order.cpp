// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/stand_in/order.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace blockyard::cuda::stand_in {

void fail(const std::string& what) {
  std::fprintf(stderr, "\nThe stand-in for CUDA: %s\n", what.c_str());
  std::abort();
}

bool Past::holds(Moment moment) const {
  const auto found = ends_.find(moment.stream);
  return moment.number == 0 || (found != ends_.end() && found->second >= moment.number);
}

void Past::add(Moment moment) {
  std::uint64_t& end = ends_[moment.stream];
  end = std::max(end, moment.number);
}

void Past::add(const Past& other) {
  for (const auto& [stream, number] : other.ends_) add({stream, number});
}

Stream* Order::open_stream(int device) {
  auto made = std::make_unique<Stream>();
  made->number = ++last_number_;
  made->device = device;
  return (streams_[last_number_] = std::move(made)).get();
}

Event* Order::open_event(int device) {
  auto made = std::make_unique<Event>();
  made->device = device;
  Event* const event = made.get();
  events_.emplace(event, std::move(made));
  return event;
}

void Order::destroy(Stream* stream) {
  check(stream, "cudaStreamDestroy");
  stream->is_destroyed = true;
  forget_ended();
}

void Order::destroy(Event* event) {
  check(event, "cudaEventDestroy");
  events_.erase(event);
}

void Order::check(const Stream* stream, const char* call) const {
  const bool is_open = std::ranges::any_of(streams_, [stream](const auto& one) {
    return one.second.get() == stream && !stream->is_destroyed;
  });
  if (!is_open) fail(std::string(call) + " on a stream that is not open, or on the default one");
}

void Order::check(const Event* event, const char* call) const {
  if (!events_.contains(event)) fail(std::string(call) + " with an event that is not open");
}

void Order::enqueue(Stream& stream, std::function<void()> run, Moment after) {
  stream.pending.push_back({std::move(run), after});
  stream.past.add({stream.number, ++stream.enqueued});
  constexpr std::uint64_t seldom = 4, most = 3;
  if (is_lazy_ || random() % seldom != 0) return;
  for (std::uint64_t steps = random() % most + 1; steps > 0; --steps) advance();
}

void Order::record(Event& event, Stream& stream) {
  enqueue(stream, nullptr);
  event.recorded = {stream.number, stream.enqueued};
  event.past = stream.past;
}

void Order::wait(Stream& stream, const Event& event) {
  enqueue(stream, nullptr, event.recorded);
  stream.past.add(event.past);
}

bool Order::has_ended(Moment moment) const {
  const auto found = streams_.find(moment.stream);
  return found == streams_.end() || found->second->done() >= moment.number;
}

void Order::finish(const Past& past) {
  for (const auto& [stream, number] : past.ends())
    while (!has_ended({stream, number})) step_towards(*streams_.at(stream));
  seen_.add(past);
  forget_ended();
}

void Order::finish_device(int device) {
  Past all;
  for (const auto& [number, stream] : streams_)
    if (stream->device == device) all.add(stream->past);
  finish(all);
}

bool Order::is_ready(const Stream& stream) const {
  return !stream.pending.empty() && has_ended(stream.pending.front().after);
}

void Order::run_next(Stream& stream) {
  // It is done when it has run: what it does may look.
  const auto run = std::move(stream.pending.front().run);
  if (run) run();
  stream.pending.pop_front();
}

void Order::advance() {
  std::vector<Stream*> ready;
  for (const auto& [number, stream] : streams_)
    if (is_ready(*stream)) ready.push_back(stream.get());
  if (!ready.empty()) run_next(*ready[random() % ready.size()]);
}

/// A stream waits only for what was enqueued before: there is no circle.
void Order::step_towards(Stream& wanted) {
  if (!is_lazy_) return advance();
  Stream* next = &wanted;
  while (!is_ready(*next)) next = streams_.at(next->pending.front().after.stream).get();
  run_next(*next);
}

void Order::forget_ended() {
  std::erase_if(streams_, [](const auto& one) {
    return one.second->is_destroyed && one.second->pending.empty();
  });
}

std::string Order::left() const {
  std::string text;
  for (const auto& [number, stream] : streams_) {
    if (!stream->is_destroyed) text += " a stream;";
    if (!stream->pending.empty()) text += " work that nobody has waited for;";
  }
  for (std::size_t n = 0; n < events_.size(); ++n) text += " an event;";
  return text;
}

}  // namespace blockyard::cuda::stand_in
