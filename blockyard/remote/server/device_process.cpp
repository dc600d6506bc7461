// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/device_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/rpc/socket/descriptor.h"

namespace blockyard::remote {
namespace {

using base::Errc;
using base::Error;

/// What a new process does with its descriptors before it begins.
class Actions {
 public:
  Actions() {
    ::posix_spawn_file_actions_init(&raw_);
    ::posix_spawn_file_actions_addopen(&raw_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~Actions() { ::posix_spawn_file_actions_destroy(&raw_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  void give(int descriptor, int as) { ::posix_spawn_file_actions_adddup2(&raw_, descriptor, as); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &raw_; }

 private:
  posix_spawn_file_actions_t raw_{};
};

/// In a process group of its own: a signal from the keyboard is for the server, which decides when
/// its devices end.
pid_t start(const std::vector<std::string>& command, const Actions& actions) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t started = -1;
  const int error =
      ::posix_spawn(&started, words[0], actions.get(), &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw Error(Errc::io, fmt::format("cannot start {}: {}", words[0], std::strerror(error)));
  return started;
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

DeviceProcess::DeviceProcess(std::vector<std::string> command, const std::string& path,
                             std::function<void(const std::string&)> log)
    : command_(std::move(command)),
      log_(std::move(log)),
      listener_(rpc::parse_address("unix:" + path)),
      thread_([this] { keep_alive(); }) {
  constexpr double patience_seconds = 60;  // drivers are slow at times
  try {
    static_cast<void>(rpc::socket::connect(listener_.address(), patience_seconds));
  } catch (const Error&) {
    end();
    throw;
  }
}

DeviceProcess::~DeviceProcess() { end(); }

void DeviceProcess::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    if (process_ > 0) ::kill(process_, SIGKILL);
    changed_.notify_all();
  }
  thread_.join();
}

/// One thread starts all: to the system it is the parent, with which the process ends. Pauses grow
/// while it ends soon after it began.
void DeviceProcess::keep_alive() {
  constexpr double first_pause = 0.05, longest_pause = 2, long_life = 10;
  double pause = first_pause;
  std::unique_lock lock(mutex_);
  while (!is_ended_) {
    const double began = base::now_seconds();
    std::string why;
    try {
      Actions actions;
      actions.give(listener_.descriptor(), adopted);
      process_ = start(command_, actions);
      lock.unlock();
      siginfo_t ended{};
      while (::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) != 0 &&
             errno == EINTR) {
      }
      lock.lock();
      int status = 0;
      ::waitpid(process_, &status, 0);
      process_ = -1;
      why = end_of(status);
    } catch (const Error& error) {
      why = error.what();
    }
    if (is_ended_) return;
    log_(fmt::format("the process of a device {}; it is started again", why));
    pause =
        base::now_seconds() - began > long_life ? first_pause : std::min(2 * pause, longest_pause);
    changed_.wait_for(lock, std::chrono::duration<double>(pause), [&] { return is_ended_; });
  }
}

void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it has ended already
}

std::string output_of(const std::vector<std::string>& command) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(Errc::io, "cannot make a pipe");
  const rpc::socket::Descriptor reading(ends[0]);
  rpc::socket::Descriptor writing(ends[1]);
  Actions actions;
  actions.give(writing.get(), STDOUT_FILENO);
  const pid_t process = start(command, actions);
  writing = {};
  std::string text;
  std::array<char, 256> bytes{};
  for (ssize_t count = 0; (count = ::read(reading.get(), bytes.data(), bytes.size())) != 0;)
    if (count > 0)
      text.append(bytes.data(), static_cast<std::size_t>(count));
    else if (errno != EINTR)
      break;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? text : "";
}

}  // namespace blockyard::remote
