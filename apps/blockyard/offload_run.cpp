// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/offload_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/blockyard/offload_server.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"
#include "blockyard/blas/router/settings.h"
#include "blockyard/job/scratch.h"
#include "blockyard/remote/client/client.h"
#include "blockyard/report/offload_report.h"
#include "blockyard/rpc/address.h"
#include "blockyard/rpc/ucx/ucx.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::app {

namespace {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

struct RunOptions {
  ServerChoice of;
  std::string place;
  std::string log;
  std::string report;
  bool check = false;
  bool deterministic = false;
  bool require = false;
  bool quiet = false;
  bool json = false;
  std::vector<std::string> program;
};

/// A folder for what the processes of the program write at their end; it goes with this.
class Folder {
 public:
  Folder() {
    std::string text = (job::scratch_parent("") / "blockyard_offload.XXXXXX").string();
    if (::mkdtemp(text.data()) == nullptr)
      throw Error(Errc::io, fmt::format("cannot make a folder like {}", text));
    path_ = text;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// With place `remote` the one that also has the names of level 1, which are too short for others.
fs::path library(const std::string& place) {
  const char* const set = std::getenv("BLOCKYARD_OFFLOAD_PLACE");
  const bool is_remote =
      place.empty() ? set != nullptr && std::string_view(set) == "remote" : place == "remote";
  const fs::path folder = find_places("").plugins;
  const fs::path most = folder / "libblockyard_offload_remote.so";
  const fs::path path = is_remote && fs::exists(most) ? most : folder / "libblockyard_offload.so";
  if (!fs::exists(path))
    throw Error(Errc::bad_input,
                fmt::format("this Blockyard was built without the library {}", path.string()));
  return path;
}

/// A path of the library without blanks and colons, at which LD_PRELOAD is split: if it has one, a
/// link in `folder`, which it makes. Throws Error{bad_input} if that has one too.
fs::path splitless(const fs::path& library, std::optional<Folder>& folder) {
  const auto is_split = [](const fs::path& path) {
    return path.string().find_first_of(" :") != std::string::npos;
  };
  if (!is_split(library)) return library;
  const fs::path link = folder.emplace().path() / library.filename();
  if (is_split(link))
    throw Error(Errc::bad_input,
                fmt::format("the paths {} and {} have a blank or a colon, at which LD_PRELOAD is "
                            "split: let TMPDIR name a folder without",
                            library.string(), link.parent_path().string()));
  fs::create_symlink(fs::absolute(library), link);
  return link;
}

/// What an option that is empty is by the environment.
void take_from_environment(std::string& option, std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (const char* const value = std::getenv(name); option.empty() && value != nullptr)
      option = value;
}

void put(const char* name, const std::string& value) {
  if (!value.empty()) ::setenv(name, value.c_str(), 1);
}

/// A list of servers, whose sockets may be named from the present folder: the program may leave it
/// before its first call. A name that is none of a socket as a whole stays.
std::string with_absolute_paths(const std::string& servers) {
  std::string all;
  for (std::string one : rpc::split_addresses(servers)) {
    const std::string address = blas::parse_server(one).address;
    const std::string path = rpc::parse_address(address).path;
    if (!path.empty() && path.front() != '/') {
      const std::string whole = fs::absolute(path).string();
      if (whole.size() <= rpc::most_path_letters && whole.find(' ') == std::string::npos)
        one.replace(address.rfind(path), path.size(), whole);
    }
    all += (all.empty() ? "" : ",") + one;
  }
  return all;
}

/// Whether the user wants none, whatever the environment says.
bool has_no_server(const RunOptions& options) {
  return options.of.has_server && options.of.server.empty();
}

/// The program in its process. Does not return; what was wrong goes into `failed`, which the
/// program itself does not have.
[[noreturn]] void become_program(const RunOptions& options, const fs::path& preload,
                                 const fs::path& reports, int failed) {
  const char* const before = std::getenv("LD_PRELOAD");
  const bool has_other = before != nullptr && *before != '\0';
  put("LD_PRELOAD", preload.string() + (has_other ? std::string(":") + before : ""));
  if (has_no_server(options))
    for (const char* const name : {"BLOCKYARD_OFFLOAD", "RCPU_SERVER"}) ::unsetenv(name);
  put("BLOCKYARD_OFFLOAD", options.of.server);
  put("BLOCKYARD_OFFLOAD_TOKEN", options.of.token);
  if (options.of.has_sockets) put("BLOCKYARD_OFFLOAD_SOCKETS", std::to_string(options.of.sockets));
  put("BLOCKYARD_OFFLOAD_PLACE", options.place);
  put("BLOCKYARD_OFFLOAD_LOG", options.log);
  if (options.of.server.find("ucx:") != std::string::npos)
    for (const auto& [name, value] : rpc::ucx::quiet_settings) ::setenv(name, value, 0);
  if (options.check) put("BLOCKYARD_OFFLOAD_CHECK", "1");
  if (options.deterministic) put("BLOCKYARD_OFFLOAD_DETERMINISTIC", "1");
  put("BLOCKYARD_OFFLOAD_REPORT", (reports / "%p.json").string());
  std::vector<char*> words;
  for (const std::string& word : options.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  const int error = errno;
  static_cast<void>(::write(failed, &error, sizeof error) < 0);
  ::_exit(1);
}

/// The program, for the handler of signals; 0: it has not been started, or has ended.
volatile std::sig_atomic_t program_process = 0;

/// Ctrl-C comes from the terminal, which tells the program too; `kill -INT` is passed on as the
/// rest.
void pass_on(int signal, siginfo_t* from, void* /*context*/) {
  if (signal == SIGINT && from->si_code > 0) return;
  if (program_process != 0) ::kill(program_process, signal);
}

/// How a program ended.
struct End {
  int error = 0;   ///< it could not be started
  int status = 0;  ///< as waitpid says it
  /// As a shell says it.
  [[nodiscard]] int code() const {
    if (error != 0) return error == ENOENT ? 127 : 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
};

End run_program(const RunOptions& options, const fs::path& preload, const fs::path& reports) {
  // What is sent to this process alone it passes on; what the caller ignores (nohup) stays ignored.
  constexpr int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  sigset_t all, before;
  sigemptyset(&all);
  for (const int one : passed) sigaddset(&all, one);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw Error(Errc::io, "cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) throw Error(Errc::no_memory, "cannot start another process");
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become_program(options, preload, reports, pipe[1]);
  }
  program_process = child;
  for (const int one : passed) {
    struct sigaction old {};
    if (::sigaction(one, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    struct sigaction passing {};
    passing.sa_sigaction = pass_on;
    passing.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigaction(one, &passing, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(pipe[1]);
  End end;
  while (::read(pipe[0], &end.error, sizeof end.error) < 0 && errno == EINTR) {
  }
  ::close(pipe[0]);
  while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  program_process = 0;
  return end;
}

/// What is wrong with these is said before the program has computed for hours.
void check(const RunOptions& options) {
  const std::vector<std::string> servers = rpc::split_addresses(options.of.server);
  if (servers.empty() && options.place != "local" && !has_no_server(options))
    throw UsageError(fmt::format("--server {}: this is no address", options.of.server));
  for (const std::string& server : servers) {
    const blas::Server of = blas::parse_server(server);
    static_cast<void>(rpc::parse_address(of.address));
    if (!options.require) continue;
    const std::size_t count = remote::devices_of(options.of.device_options(of.address)).size();
    if (static_cast<std::size_t>(of.device) >= count)
      throw Error(Errc::bad_input, fmt::format("{} has {} devices, from number 0 on, but no number "
                                               "{}",
                                               of.address, count, of.device));
  }
  if (!options.report.empty()) store::check_writable(options.report);
}

int run(RunOptions options) {
  if (!options.program.empty() && options.program.front() == "--")
    options.program.erase(options.program.begin());
  if (options.program.empty())
    throw UsageError("the program is missing: blockyard offload run -- PROGRAM ARGUMENTS");
  if (!options.of.has_server)
    take_from_environment(options.of.server, {"BLOCKYARD_OFFLOAD", "RCPU_SERVER"});
  take_from_environment(options.of.token, {"BLOCKYARD_OFFLOAD_TOKEN"});
  // The program may change its folder before its first call.
  if (!options.of.token.empty()) options.of.token = fs::absolute(options.of.token).string();
  if (options.place != "local" && !has_no_server(options)) options.of.fill_in();
  check(options);
  options.of.server = with_absolute_paths(options.of.server);
  const Folder reports;
  std::optional<Folder> links;
  const End end = run_program(options, splitless(library(options.place), links), reports.path());
  if (end.error != 0) {
    print_text_error(fmt::format("error: cannot start {}: {}\n", options.program.front(),
                                 std::strerror(end.error)));
    return end.code();
  }
  const report::OffloadReport found = report::read_offload_reports(reports.path());
  if (options.json)
    print_text_error(found.json);
  else if (!options.quiet)
    print_text_error(WIFSIGNALED(end.status) && fs::is_empty(reports.path())
                         ? fmt::format("signal {} ended the program, which left no report\n",
                                       WTERMSIG(end.status))
                         : found.table);
  if (!options.report.empty())
    store::write_whole_file(options.report, std::as_bytes(std::span(found.json)));
  return end.code();
}

}  // namespace

void add_offload_run(CLI::App& offload, Commands& commands) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* const running = offload.add_subcommand(
      "run", "Run a program, with its BLAS, LAPACK and FFTW on a device where that is faster");
  options->of.add_to(*running,
                     "where it listens: HOST:PORT or unix:PATH, with #1 its second device; several "
                     "with commas between");
  running
      ->add_option("--place", options->place,
                   "auto (where a call is faster; the default), local, remote (all), or both (each "
                   "product by both at once)")
      ->check(CLI::IsMember({"auto", "local", "remote", "both"}));
  running->add_option("--log", options->log, "call: a line for each call; error (default) or off")
      ->check(CLI::IsMember({"off", "error", "call"}));
  running->add_option("--report", options->report,
                      "what went where, why, and what it took, as JSON, into this file");
  running->add_flag("--check", options->check,
                    "compute every call of the device locally too, compare, and keep the local "
                    "result");
  running->add_flag("--deterministic", options->deterministic,
                    "let places follow from shapes and what `calibrate` measured alone");
  running->add_flag("--require", options->require, "do not start the program if no server answers");
  running->add_flag("--quiet", options->quiet, "print no table at the end");
  running->add_flag("--json", options->json, "the same as JSON in place of the table");
  running->add_option("program", options->program, "after --: the program and its arguments");
  running->positionals_at_end();
  commands[running] = [options] { return run(*options); };
}

}  // namespace blockyard::app
