// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/live_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "blockyard/base/clock.h"
#include "blockyard/fabric/mpi/session.h"

namespace blockyard::report {

namespace fs = std::filesystem;

namespace {

constexpr double patience_seconds = 2;

/// False if the path is too long for a socket.
bool set_address(const fs::path& path, sockaddr_un& address) {
  const std::string text = path.string();
  address = {};
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return true;
}

/// Whether it is a folder of this user that no other user can read.
bool is_private(const fs::path& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 0077) == 0;
}

bool make_private(const fs::path& folder) {
  return (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) && is_private(folder);
}

/// Bound under another name until it listens: `top` takes a socket by our kind of name that refuses
/// it for one of a run that has ended, and removes it.
int listen_at(const fs::path& path) {
  const fs::path early = path.parent_path() / ("." + path.filename().string());
  sockaddr_un address{};
  if (!make_private(path.parent_path()) || !set_address(early, address)) return -1;
  ::unlink(early.c_str());
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  if (::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    if (::listen(made, 8) == 0 && ::rename(early.c_str(), path.c_str()) == 0) return made;
    ::unlink(early.c_str());
  }
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

/// Whether a run of this user made it: a socket by the name JOB-PROCESS.
bool is_live_socket(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t dash = name.find('-');
  struct stat status {};
  return dash != std::string::npos && is_number(std::string_view(name).substr(0, dash)) &&
         is_number(std::string_view(name).substr(dash + 1)) &&
         ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) &&
         status.st_uid == ::geteuid();
}

/// A question to one process.
struct Question {
  std::string name;
  int socket = -1;
  std::string answer;
  bool is_over = false;
};

/// Never waits: where a stopped process has taken no question for long, the system takes no more,
/// and the question is over at once.
Question begin_question(const fs::path& path) {
  Question question{path.filename().string(), -1, "", false};
  sockaddr_un address{};
  question.socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (question.socket < 0 || !set_address(path, address)) {
    question.is_over = true;
  } else if (::connect(question.socket, reinterpret_cast<const sockaddr*>(&address),
                       sizeof address) != 0) {
    question.is_over = true;
    const bool has_gone = errno == ENOENT, is_dead = errno == ECONNREFUSED;
    if (is_dead) ::unlink(path.c_str());
    if (is_dead || has_gone) question.name.clear();
  }
  return question;
}

/// Takes what is there to read; over at the end of the answer.
void take_answer(Question& question) {
  std::array<char, 4096> piece{};
  ssize_t count = 0;
  while ((count = ::read(question.socket, piece.data(), piece.size())) > 0)
    question.answer.append(piece.data(), static_cast<std::size_t>(count));
  question.is_over = count == 0 || (errno != EAGAIN && errno != EINTR);
  if (question.is_over && question.answer.empty()) question.name.clear();  // it ends just now
}

void take_answers(std::vector<Question>& questions) {
  const double end = base::now_seconds() + patience_seconds;
  for (;;) {
    std::vector<pollfd> waiting;
    for (const Question& question : questions)
      if (!question.is_over) waiting.push_back({question.socket, POLLIN, 0});
    const double left = end - base::now_seconds();
    if (waiting.empty() || left <= 0) return;
    (void)::poll(waiting.data(), waiting.size(), static_cast<int>(left * 1000) + 1);
    for (Question& question : questions)
      if (!question.is_over) take_answer(question);
  }
}

}  // namespace

fs::path live_folder(const char* runtime) {
  if (runtime != nullptr && *runtime == '/') return fs::path(runtime) / "blockyard";
  return fmt::format("/tmp/blockyard-{}", ::geteuid());
}

LiveSocket::LiveSocket(const job::Job& job, const fs::path& folder, fabric::MpiSession* session)
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
  for (const Answer& answer : answers_) ::close(answer.client);
  if (socket_ < 0) return;
  ::close(socket_);
  ::unlink(path_.c_str());
}

void LiveSocket::answer(const job::LiveView& view) {
  if (view.step != step_) step_began_ = base::now_seconds();
  step_ = view.step;
  if (socket_ < 0) return;
  for (int client = ::accept(socket_, nullptr, nullptr); client >= 0;
       client = ::accept(socket_, nullptr, nullptr))
    answers_.push_back({client, snapshot(view)});
  const auto is_over = [](Answer& answer) { return !send_more(answer); };
  std::erase_if(answers_, is_over);
  // Readers that sleep must not use up all descriptors.
  constexpr std::size_t most_answers = 8;
  while (answers_.size() > most_answers) {
    ::close(answers_.front().client);
    answers_.erase(answers_.begin());
  }
}

bool LiveSocket::send_more(Answer& answer) {
  ssize_t count = 0;
  while (!answer.text.empty() && count >= 0) {
    count =
        ::send(answer.client, answer.text.data(), answer.text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) answer.text.erase(0, static_cast<std::size_t>(count));
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  ::close(answer.client);
  return false;
}

std::string LiveSocket::snapshot(const job::LiveView& view) const {
  using Json = nlohmann::ordered_json;
  constexpr auto relaxed = std::memory_order_relaxed;
  const double now = base::now_seconds();
  const job::Step& step = job_.steps[view.step];
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

LiveAnswers ask_all_runs(const fs::path& folder) {
  LiveAnswers answers;
  if (!is_private(folder)) return answers;
  std::vector<Question> questions;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (is_live_socket(entry.path())) questions.push_back(begin_question(entry.path()));
  take_answers(questions);
  for (Question& question : questions) {
    if (question.socket >= 0) ::close(question.socket);
    if (!question.answer.empty())
      answers.texts.push_back(std::move(question.answer));
    else if (!question.name.empty())
      answers.silent.push_back(std::move(question.name));
  }
  std::ranges::sort(answers.silent);
  return answers;
}

}  // namespace blockyard::report
