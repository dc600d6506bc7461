// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/device/operation.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/remote/client/client.h"

namespace blockyard::job {

namespace fs = std::filesystem;

using base::Errc;
using base::Error;

namespace {

bool exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Whether the system shows a GPU of any kind: looked for before a driver is loaded, which takes a
/// while.
bool shows_gpu() {
  constexpr std::array paths = {"/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "/dev/dri/renderD128"};
  return std::ranges::any_of(paths, [](const char* path) { return exists(path); });
}

/// Those of a server: the kind is its address.
bool is_remote(const std::string& kind) { return kind.starts_with("remote://"); }
bool needs_plugin(const std::string& kind) { return kind != "sim" && !is_remote(kind); }

/// With which a device of a kind is opened.
std::string options_of(const std::string& kind, const std::string& given) {
  return is_remote(kind) ? fmt::format("server={} {}", kind, given) : given;
}

/// This much work, or time, comes before a device is opened: more than ten times what opening costs
/// where it takes the time of the workers, 0.15 s with kernels; a GPU makes up for it sooner, and
/// is opened while they work. A plug-in says so itself.
constexpr double sim_after_seconds = 2.0;
constexpr double gpu_after_seconds = 0.1;

/// Longer than any run; clocks can still add it to now.
constexpr double longest_wait_seconds = 1e9;

/// Whether `auto` has anything to open.
bool is_gpu_at_hand(const input::DeviceSpec& spec) {
  return shows_gpu() && !device::plugin_kinds(spec.plugins).empty();
}

/// Those that may be used without being named, the one to try first before the others.
std::vector<std::pair<std::string, device::Plugin>> plugins_to_try(const std::string& folder) {
  std::vector<std::pair<std::string, device::Plugin>> found;
  for (const std::string& kind : device::plugin_kinds(folder)) try {
      device::Plugin plugin(device::plugin_path(folder, kind));
      if (plugin.about().preference > 0) found.emplace_back(kind, std::move(plugin));
    } catch (const Error&) {  // it does not load here: the others may
    }
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const auto& one) { return one.second.about().preference; });
  return found;
}

}  // namespace

void check_device_kind(const input::DeviceSpec& spec) {
  if (spec.kind == "auto" || spec.kind == "none" || !needs_plugin(spec.kind)) return;
  const std::vector<std::string> kinds = device::plugin_kinds(spec.plugins);
  if (std::ranges::find(kinds, spec.kind) == kinds.end())
    throw Error(
        Errc::bad_input,
        fmt::format("--device {0}: \"{0}\" is not a kind of device here: use auto, none, "
                    "sim, remote://SERVER or one that has a plug-in in '{1}': {2}",
                    spec.kind, spec.plugins,
                    kinds.empty() ? "there is none" : fmt::format("{}", fmt::join(kinds, ", "))));
}

Devices::Devices(const input::DeviceSpec& spec, const DeviceUsers& users,
                 std::int64_t host_share_bytes, base::BufferPool& blocks,
                 std::int64_t lock_limit_bytes)
    : spec_(spec),
      users_(users),
      host_share_bytes_(host_share_bytes),
      blocks_(blocks),
      lock_limit_bytes_(lock_limit_bytes) {
  const bool is_auto = spec.kind == "auto";
  if (spec.kind == "none" || (is_auto && !is_gpu_at_hand(spec))) return;
  // Now and not when it is opened: there others use the pool.
  blocks_.on_leave([this](const std::byte* memory) {
    if (device::HostLocks* const locks = shown_locks_) locks->unlock(memory);
  });
  is_possible_ = true;
  try {
    double after = spec.kind == "sim" ? sim_after_seconds : gpu_after_seconds;
    if (!is_auto && needs_plugin(spec.kind)) {
      check_device_kind(spec);
      plugin_.emplace(device::plugin_path(spec.plugins, spec.kind));
      after = plugin_->about().open_after_seconds;
    }
    after_seconds_ = spec.after_seconds.value_or(after);
    awaits_work_ =
        spec.learns() && after_seconds_ > 0 && (!plugin_ || plugin_->shows_what_it_needs());
    is_wanted_ = !awaits_work_;
    if (awaits_work_) kind_ = spec.kind;
    may_come_ = true;
    opener_ = std::thread([this] { open_when_wanted(); });
  } catch (...) {
    blocks_.on_leave(nullptr);
    throw;
  }
}

Devices::~Devices() {
  static_cast<void>(try_end_opening());
  if (opener_.joinable()) opener_.join();
  blocks_.on_leave(nullptr);
}

const worker::DeviceShare* Devices::share(int worker) noexcept {
  if (!is_open_.load(std::memory_order_acquire)) return nullptr;
  return &shares_[static_cast<std::size_t>(worker - users_.first_here) % shares_.size()];
}

void Devices::note_work(double seconds) noexcept {
  const double before = worked_seconds_.fetch_add(seconds, std::memory_order_relaxed);
  if (before >= after_seconds_ || before + seconds < after_seconds_) return;
  {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
  }
  changed_.notify_all();
}

void Devices::wait_until_open(const std::function<void()>& look) {
  if (!is_possible_ || awaits_work_) return;
  std::unique_lock lock(mutex_);
  wait_for_driver(lock, look);
  is_possible_ = is_open_.load();
}

const worker::DeviceShare* Devices::open(int worker, const std::function<void()>& look) {
  std::unique_lock lock(mutex_);
  is_wanted_ = true;
  changed_.notify_all();
  wait_for_driver(lock, look);
  return share(worker);
}

void Devices::wait_for_driver(std::unique_lock<std::mutex>& lock,
                              const std::function<void()>& look) {
  constexpr auto look_again = std::chrono::milliseconds(100);
  while (!changed_.wait_for(lock, look_again, [this] { return has_tried_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
  if (failure_) std::rethrow_exception(failure_);
}

std::exception_ptr Devices::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool Devices::try_end_opening() noexcept {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  changed_.notify_all();
  return !is_opening_;
}

std::vector<DeviceInfo> Devices::infos() const {
  std::vector<DeviceInfo> now = infos_;
  for (std::size_t k = 0; k < now.size(); ++k) try {
      now[k].name = devices_[k].describe().name;
      now[k].choices = devices_[k].choices();
    } catch (const Error&) {  // it is lost: its workers have said so
    }
  return now;
}

/// A device that the job names is opened soon even without work: failure to is an error.
void Devices::open_when_wanted() noexcept {
  {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return is_wanted_ || is_ended_; };
    if (spec_.kind == "auto")
      changed_.wait(lock, is_over);
    else
      changed_.wait_for(
          lock, std::chrono::duration<double>(std::min(after_seconds_, longest_wait_seconds)),
          is_over);
    if (is_ended_) return;
    is_opening_ = true;
  }
  std::exception_ptr failure;
  try {
    try_open_all();
  } catch (...) {
    failure = std::current_exception();
  }
  may_come_ = is_open_.load();
  {
    const std::lock_guard lock(mutex_);
    is_opening_ = false;
    has_tried_ = true;
    failure_ = failure;
  }
  changed_.notify_all();
}

/// Without a requested kind, a device that fails to open is not an error.
void Devices::try_open_all() try { open_all(); } catch (...) {
  forget();
  if (spec_.kind != "auto") throw;
}

/// Nothing that was half opened stays.
void Devices::forget() noexcept {
  shares_.clear();
  locks_.reset();
  devices_.clear();
  infos_.clear();
  kind_ = "none";
}

void Devices::open_all() {
  kind_ = "none";
  if (spec_.kind != "auto") {
    open_kind(spec_.kind, false);
    if (devices_.empty())
      throw Error(Errc::device,
                  fmt::format("--device {}: no such device on this machine; use --device "
                              "none",
                              spec_.kind));
  } else {
    for (auto& [kind, plugin] : plugins_to_try(spec_.plugins)) try {
        if (!devices_.empty()) break;
        plugin_.emplace(std::move(plugin));
        open_kind(kind, true);
      } catch (const Error&) {  // a driver without hardware, or that does not work: the host does
        forget();
      }
  }
  if (devices_.empty()) return;
  if (!cut_blocks_from_chunks()) {
    forget();
    kind_ = spec_.kind;
    return;
  }
  if (spec_.locks_pages && devices_.front().describe().lock_page_bytes > 0)
    locks_.emplace(
        devices_.front(), lock_limit_bytes_, [this] { blocks_.free_kept(); },
        [this](std::span<const std::byte> buffer) { return blocks_.locked_with(buffer); });
  share_memory();
  if (awaits_work_) warm();
  if (locks_) shown_locks_ = &*locks_;
  is_open_.store(true, std::memory_order_release);
}

/// False: opening has ended, and with it perhaps the pool.
bool Devices::cut_blocks_from_chunks() {
  const std::lock_guard lock(mutex_);
  if (!is_ended_ && spec_.keeps_memory) blocks_.cut_from_chunks();
  return !is_ended_;
}

void Devices::open_kind(const std::string& kind, bool only_gpus) {
  const std::string options = options_of(kind, spec_.options);
  const device::Table& table = is_remote(kind) ? remote::table()
                               : kind == "sim" ? device::sim::table()
                                               : plugin_->table();
  const int present = is_remote(kind) ? static_cast<int>(remote::devices_of(options).size())
                                      : device::device_count(table);
  const int wanted = spec_.count.value_or(present);
  if (present == 0) return;
  const bool opens_again = plugin_ && plugin_->about().opens_again != 0;
  if (wanted > present && !opens_again)
    throw Error(Errc::device,
                fmt::format("--devices {}: there are {} of kind {}", wanted, present, kind));
  for (int k = 0; k < std::max(present, wanted); ++k) {
    if (static_cast<int>(devices_.size()) == wanted) break;
    try {
      devices_.emplace_back(table, k % present, options);
    } catch (const Error&) {
      if (only_gpus) continue;  // another may do
      throw;
    }
    const blockyard_description found = devices_.back().describe();
    if (only_gpus && found.shares_host_memory != 0) {
      devices_.pop_back();
      continue;
    }
    infos_.push_back({found.name, static_cast<std::int64_t>(found.memory_bytes)});
    kind_ = kind;
  }
}

void Devices::share_memory() {
  const auto count = static_cast<int>(devices_.size());
  const auto on_each = [count](int workers) { return std::max(1, (workers + count - 1) / count); };
  for (device::Device& device : devices_) {
    const blockyard_description found = device.describe();
    // Some room is left to the driver and to the workspaces of libraries.
    std::int64_t bytes =
        static_cast<std::int64_t>(found.free_bytes) / 10 * 9 / on_each(users_.on_machine);
    if (found.free_bytes == 0 || found.shares_host_memory != 0)
      bytes = host_share_bytes_ / count / on_each(users_.here);
    if (spec_.memory_bytes) bytes = *spec_.memory_bytes / on_each(users_.here);
    shares_.push_back({&device, static_cast<int>(shares_.size()), bytes,
                       locks_ ? &*locks_ : nullptr,
                       // In the memory of the host what is there is as near.
                       users_.on_machine > 1 && found.shares_host_memory == 0 ? &peers_ : nullptr,
                       spec_.streams, spec_.keeps_memory});
  }
}

/// Has kernels and libraries loaded before a worker waits for them: one product, of anything.
void Devices::warm() {
  constexpr base::Extent length = 64;
  constexpr base::Extent bytes = length * length * static_cast<base::Extent>(sizeof(double));
  const tensor::Shape shape({length, length});
  const blockyard_operation product =
      device::contract_operation(BLOCKYARD_F64, {{0, 1}, {0, 2}, {2, 1}}, shape, shape, shape);
  for (device::Device& device : devices_) try {
      const auto plan = device.open_plan(product);
      const auto blocks = device.allocate(3 * bytes);
      const auto workspace =
          plan ? device.allocate(plan->workspace_bytes()) : std::optional<device::Memory>();
      if (!blocks || !workspace) continue;
      device::Stream stream = device.open_stream();
      stream.fill(blocks->address(), BLOCKYARD_F64, 0.0, 3 * length * length);
      stream.run(*plan, {.result = blocks->address(),
                         .left = blocks->address() + bytes,
                         .right = blocks->address() + 2 * bytes,
                         .workspace = workspace->address()});
      stream.synchronise();
    } catch (const std::exception&) {  // users of the device will see it fail
    }
}

}  // namespace blockyard::job
