// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/stand_in/books.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace blockyard::cuda::stand_in {
namespace {

using std::string;

constexpr std::uint64_t space_bytes = std::uint64_t{1} << 36;

/// Where addresses of devices lie: who reads or writes there ends.
const std::byte* space() {
  static void* const made =
      mmap(nullptr, space_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) fail("there is no room for addresses");
  return static_cast<const std::byte*>(made);
}

std::uint64_t rounded(std::uint64_t bytes) {
  constexpr std::uint64_t unit = 512;
  return (bytes + unit - 1) / unit * unit;
}

bool overlap(const void* a, std::uint64_t a_bytes, const void* b, std::uint64_t b_bytes) {
  const auto *const x = static_cast<const std::byte*>(a), *const y =
                                                              static_cast<const std::byte*>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

}  // namespace

bool Books::is_of_device(const void* at) { return overlap(at, 1, space(), space_bytes); }

bool Books::take(int device, std::uint64_t bytes) {
  if (bytes > free_bytes(device)) return false;
  devices_[static_cast<std::size_t>(device)].taken_bytes += bytes;
  return true;
}

std::uint64_t Books::free_bytes(int device) const {
  return settings_.device_bytes - devices_[static_cast<std::size_t>(device)].taken_bytes;
}

void* Books::add(int device, std::uint64_t bytes, Moment made, bool is_pooled) {
  const std::byte* const address = space() + next_;
  next_ += 2 * rounded(bytes);  // a gap to the next
  if (next_ > space_bytes) fail("all addresses are used up");
  constexpr std::byte no_number{0xff};
  memory_[address] = {bytes, device, is_pooled, made, false, std::vector(bytes, no_number), {}};
  return const_cast<std::byte*>(address);
}

void* Books::allocate(int device, std::uint64_t bytes) {
  return take(device, rounded(bytes)) ? add(device, bytes, {}, false) : nullptr;
}

/// A piece that the pool has kept is free when what was enqueued before its release has run.
void* Books::allocate(Stream& stream, std::uint64_t bytes) {
  auto& kept = devices_[static_cast<std::size_t>(stream.device)].kept;
  const auto found = kept.find(rounded(bytes));
  if (found != kept.end()) {
    order_.enqueue(stream, nullptr, found->second);
    kept.erase(found);
  } else if (!take(stream.device, rounded(bytes))) {
    return nullptr;
  }
  order_.enqueue(stream, nullptr);
  return add(stream.device, bytes, {stream.number, stream.enqueued}, true);
}

Books::Entry& Books::entry_of(const void* at, const char* what) {
  const auto next = memory_.upper_bound(static_cast<const std::byte*>(at));
  if (next == memory_.begin() || !is_of_device(at))
    fail(string(what) + ": an address that is none of a device");
  return *std::prev(next);
}

Books::Memory& Books::released(void* address, bool to_pool) {
  const auto found = memory_.find(static_cast<const std::byte*>(address));
  if (found == memory_.end() || found->second.is_released)
    fail("a release of memory that is not there");
  if (found->second.is_pooled != to_pool) fail("a release of memory of the other kind");
  found->second.is_released = true;
  return found->second;
}

void Books::release(void* address) {
  Memory& memory = released(address, false);
  for (const Use& use : memory.uses)
    if (!order_.has_seen(use.moment))
      fail(string("cudaFree while '") + use.what + "' may use the memory");
  memory.storage = {};
  devices_[static_cast<std::size_t>(memory.device)].taken_bytes -= rounded(memory.bytes);
}

void Books::release(void* address, Stream& stream) {
  enqueue(stream, "a release", {writing(address, entry_of(address, "a release").second.bytes)},
          [this, address] { entry_of(address, "a release").second.storage = {}; });
  const Memory& memory = released(address, true);
  auto& kept = devices_[static_cast<std::size_t>(memory.device)].kept;
  kept.emplace(rounded(memory.bytes), Moment{stream.number, stream.enqueued});
}

void Books::trim(int device) {
  Device& of = devices_[static_cast<std::size_t>(device)];
  std::erase_if(of.kept, [&](const auto& piece) {
    if (!order_.has_ended(piece.second)) return false;
    of.taken_bytes -= piece.first;
    return true;
  });
}

void Books::let_reach(int device, int other, bool of_pool) {
  Device& from = devices_[static_cast<std::size_t>(device)];
  (of_pool ? from.reached_pools : from.reached).insert(other);
}

bool Books::reaches(int device, int other) const {
  return devices_[static_cast<std::size_t>(device)].reached.contains(other);
}

bool Books::lock_host(void* begin, std::uint64_t bytes) {
  for (const auto& [other, other_bytes] : locked_)
    if (overlap(begin, bytes, other, other_bytes)) return false;
  locked_[static_cast<const std::byte*>(begin)] = bytes;
  return true;
}

void Books::unlock_host(void* begin) {
  const auto found = locked_.find(static_cast<const std::byte*>(begin));
  if (found == locked_.end()) fail("cudaHostUnregister of memory that is not locked");
  if (is_host_used(begin, found->second)) fail("cudaHostUnregister while a copy uses the memory");
  locked_.erase(found);
}

bool Books::is_host_used(const void* begin, std::uint64_t bytes) const {
  return std::ranges::any_of(host_uses_, [&](const Use& use) {
    return overlap(begin, bytes, use.access.at, use.access.bytes) && !order_.has_ended(use.moment);
  });
}

Books::Memory& Books::checked(const Access& access, const Stream& stream, const char* what) {
  auto& [begin, memory] = entry_of(access.at, what);
  const string name(what);
  if (static_cast<const std::byte*>(access.at) + access.bytes > begin + memory.bytes)
    fail(name + " leaves its memory");
  if (memory.is_released) fail(name + " uses memory after its release");
  if (!order_.has_seen(memory.made) && !stream.past.holds(memory.made))
    fail(name + " uses memory of a pool that is not there yet");
  const Device& device = devices_[static_cast<std::size_t>(stream.device)];
  const auto& reached = memory.is_pooled ? device.reached_pools : device.reached;
  if (memory.device != stream.device && !reached.contains(memory.device))
    fail(name + " uses memory of another device");
  return memory;
}

void Books::note(std::vector<Use>& uses, const Use& use, const Stream& stream) {
  std::erase_if(uses, [this](const Use& earlier) { return order_.has_seen(earlier.moment); });
  for (const Use& earlier : uses)
    if (earlier.moment.stream != use.moment.stream &&
        (earlier.access.writes || use.access.writes) &&
        overlap(earlier.access.at, earlier.access.bytes, use.access.at, use.access.bytes) &&
        !stream.past.holds(earlier.moment))
      fail(string("a race: '") + use.what + "' does not wait for '" + earlier.what +
           "' of another stream, in memory of the " + (use.access.is_host ? "host" : "device"));
  uses.push_back(use);
}

void Books::enqueue(Stream& stream, const char* what, const std::vector<Access>& accesses,
                    std::function<void()> run) {
  const Moment now{stream.number, stream.enqueued + 1};
  for (const Access& access : accesses) {
    if (access.bytes == 0) continue;
    if (access.is_host && is_of_device(access.at))
      fail(string(what) + ": an address of a device as one of the host");
    note(access.is_host ? host_uses_ : checked(access, stream, what).uses, {access, now, what},
         stream);
  }
  order_.enqueue(stream, std::move(run));
}

const std::byte* Books::place_of(const void* at) {
  if (!is_of_device(at)) return static_cast<const std::byte*>(at);
  const auto& [begin, memory] = entry_of(at, "work");
  if (memory.storage.empty() && memory.bytes > 0) fail("work runs after the release of its memory");
  return memory.storage.data() + (static_cast<const std::byte*>(at) - begin);
}

void Books::expect_empty() const {
  string left = order_.left();
  for (const auto& [address, memory] : memory_)
    if (!memory.is_released) left += " memory of " + std::to_string(memory.bytes) + " bytes;";
  for (const Device& device : devices_)
    if (!device.kept.empty()) left += " memory in a pool;";
  if (!locked_.empty()) left += " locked memory of the host;";
  if (!left.empty()) fail("the last device is closed, and there are still:" + left);
}

}  // namespace blockyard::cuda::stand_in
