// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/live_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "blockyard/base/clock.h"
#include "blockyard/fabric/mpi/session.h"

namespace blockyard::job {

namespace fs = std::filesystem;

namespace {

constexpr int patience_ms = 2000;

/// False if the path is too long for a socket.
bool set_address(const fs::path& path, sockaddr_un& address) {
  const std::string text = path.string();
  address = {};
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return true;
}

/// Nobody else may have made the folder for us, or look into it.
bool make_private(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 0077) == 0;
}

int listen_at(const fs::path& path) {
  sockaddr_un address{};
  if (!make_private(path.parent_path()) || !set_address(path, address)) return -1;
  ::unlink(path.c_str());
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  if (::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(made, 8) == 0)
    return made;
  ::close(made);
  return -1;
}

std::int64_t rss_bytes() {
  std::ifstream in("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::string_view text_of(worker::Doing doing) {
  constexpr std::array<std::string_view, 6> texts = {"starting",          "working",
                                                     "waits for a block", "waits for other workers",
                                                     "waits for puts",    "waits for iterations"};
  return texts[static_cast<std::size_t>(doing)];
}

/// Nothing if nobody answers there.
std::string ask(const fs::path& path) {
  sockaddr_un address{};
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return "";
  std::string text;
  if (set_address(path, address) &&
      ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    std::array<char, 4096> piece{};
    for (pollfd waiting{made, POLLIN, 0}; ::poll(&waiting, 1, patience_ms) == 1;) {
      const ssize_t count = ::read(made, piece.data(), piece.size());
      if (count <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
  } else if (errno == ECONNREFUSED) {
    ::unlink(path.c_str());
  }
  ::close(made);
  return text;
}

}  // namespace

fs::path live_folder(const char* runtime) {
  if (runtime != nullptr && *runtime != '\0') return fs::path(runtime) / "blockyard";
  return fmt::format("/tmp/blockyard-{}", ::geteuid());
}

LiveSocket::LiveSocket(const Job& job, const fs::path& folder, fabric::MpiSession* session)
    : job_(job),
      number_(::getpid()),
      process_(session != nullptr ? session->process() : 0),
      began_(base::now_seconds()),
      step_began_(began_),
      step_(job.steps.size()) {
  if (session != nullptr) {
    std::vector<std::byte> bytes(sizeof number_);
    std::memcpy(bytes.data(), &number_, sizeof number_);
    bytes = session->broadcast(std::move(bytes));
    std::memcpy(&number_, bytes.data(), sizeof number_);
  }
  path_ = folder / fmt::format("{}-{}", number_, process_);
  socket_ = listen_at(path_);
}

LiveSocket::~LiveSocket() {
  if (socket_ < 0) return;
  ::close(socket_);
  ::unlink(path_.c_str());
}

void LiveSocket::answer(const LiveView& view) {
  if (view.step != step_) step_began_ = base::now_seconds();
  step_ = view.step;
  if (socket_ < 0) return;
  for (int client = ::accept(socket_, nullptr, nullptr); client >= 0;
       client = ::accept(socket_, nullptr, nullptr)) {
    const std::string text = snapshot(view);
    // Small enough for the buffer of the socket: a reader that sleeps costs nothing.
    (void)::send(client, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::close(client);
  }
}

std::string LiveSocket::snapshot(const LiveView& view) const {
  using Json = nlohmann::ordered_json;
  constexpr auto relaxed = std::memory_order_relaxed;
  const double now = base::now_seconds();
  const Step& step = job_.steps[view.step];
  Json workers = Json::array();
  int number = view.first_worker;
  for (const worker::Live& live : view.workers) {
    const auto pc = live.pc.load(relaxed);
    workers.push_back({{"worker", number++},
                       {"doing", text_of(live.doing.load(relaxed))},
                       {"place", program::place_of(step.program, pc)},
                       {"iterations", live.iterations.load(relaxed)},
                       {"operations", live.operations.load(relaxed)},
                       {"block_wait_seconds", live.block_wait_seconds.load(relaxed)},
                       {"barrier_seconds", live.barrier_seconds.load(relaxed)},
                       {"used_bytes", live.used_bytes.load(relaxed)}});
  }
  const Json json = {{"job", number_},
                     {"process", process_},
                     {"pid", ::getpid()},
                     {"title", job_.title},
                     {"method", job_.method},
                     {"processes", job_.processes},
                     {"program", step.name},
                     {"number", view.step + 1},
                     {"programs", job_.steps.size()},
                     {"seconds", now - began_},
                     {"program_seconds", now - step_began_},
                     {"rss_bytes", rss_bytes()},
                     {"memory_bytes", job_.memory.total_bytes},
                     {"worker_bytes", job_.memory.worker_bytes},
                     {"workers", workers}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> ask_all_runs(const fs::path& folder) {
  std::vector<std::string> answers;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    std::string text = ask(entry.path());
    if (!text.empty()) answers.push_back(std::move(text));
  }
  return answers;
}

}  // namespace blockyard::job
