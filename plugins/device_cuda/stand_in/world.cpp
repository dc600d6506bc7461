// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/stand_in/world.h"

#include <string>

namespace blockyard::cuda::stand_in {
namespace {

struct Choice {
  std::uint64_t beginning = 0;
  int device = 0;
};
thread_local Choice choice;

}  // namespace

World& World::here() {
  static World world;
  return world;
}

void World::begin(const Settings& settings) {
  books_ = std::make_unique<Books>(settings);
  ++beginnings_;
}

void World::choose(int device) { choice = {beginnings_, device}; }

int World::chosen(const char* call) const {
  if (choice.beginning != beginnings_)
    fail(std::string(call) + " on a thread that has chosen no device");
  return choice.device;
}

Stream& World::chosen(Stream* stream, const char* call) {
  books_->order().check(stream, call);
  if (stream->device != chosen(call))
    fail(std::string(call) + ": the stream is of another device than the thread has chosen");
  return *stream;
}

}  // namespace blockyard::cuda::stand_in
