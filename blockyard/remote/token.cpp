// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "blockyard/base/error.h"
#include "blockyard/rpc/hmac.h"
#include "blockyard/rpc/socket/descriptor.h"

namespace blockyard::remote {

using base::Errc;
using base::Error;

bool is_weight(double value) noexcept { return value >= 0.01 && value <= 100; }

std::vector<Token> read_tokens(const std::string& path) {
  struct stat status {};
  std::ifstream in(path);
  if (!in || ::stat(path.c_str(), &status) != 0)
    throw Error(Errc::bad_input,
                fmt::format("cannot read the tokens in {}: {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode))
    throw Error(Errc::bad_input, fmt::format("{} is a folder, and no file of tokens", path));
  if ((status.st_mode & 0077) != 0)
    throw Error(Errc::bad_input, fmt::format("{} can be read by others: chmod 600 {}", path, path));
  std::vector<Token> tokens;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(line);
    Token token;
    if (!(words >> token.name) || token.name.starts_with('#')) continue;
    const bool has_secret = static_cast<bool>(words >> token.secret);
    const bool has_weight = !(words >> std::ws).eof();
    if (!has_secret || token.secret.size() < 16 ||
        (has_weight && (!(words >> token.weight) || !(words >> std::ws).eof())) ||
        !is_weight(token.weight))
      throw Error(
          Errc::bad_input,
          fmt::format("{}:{}: a line is a name, a secret of at least 16 letters and, optionally, a "
                      "weight from 0.01 to 100; `blockyard offload token NAME` makes one",
                      path, number));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Token new_token(std::string_view name) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, is_plain))
    throw Error(Errc::bad_input,
                fmt::format("\"{}\" cannot be the name of a token: use letters, digits, '_', '-' "
                            "and '.', at most 64",
                            name));
  Token token{std::string(name), ""};
  for (const std::byte byte : rpc::random_bytes())
    token.secret += fmt::format("{:02x}", std::to_integer<int>(byte));
  return token;
}

void add_token(const std::string& path, const Token& token) {
  namespace fs = std::filesystem;
  const auto fail = [&] {
    throw Error(Errc::io, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  };
  std::error_code ignored;
  const fs::path target =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path) : fs::path(path);
  // One at a time: two that read the same tokens would lose one.
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const rpc::socket::Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.get() < 0) fail();
  ::flock(lock.get(), LOCK_EX);
  std::string text;
  if (::access(target.c_str(), F_OK) == 0) {
    static_cast<void>(read_tokens(target));  // refuses what a server would not read
    std::ifstream in(target);
    for (std::string line; std::getline(in, line);)
      if (std::string name; !(std::istringstream(line) >> name) || name != token.name)
        text += line + '\n';
  }
  text += token.weight == 1 ? fmt::format("{} {}\n", token.name, token.secret)
                            : fmt::format("{} {} {}\n", token.name, token.secret, token.weight);
  std::string fresh =
      target.string() + ".XXXXXX";  // never a file or a link that is there, mode 0600
  const rpc::socket::Descriptor file(::mkostemp(fresh.data(), O_CLOEXEC));
  if (file.get() < 0) fail();
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file.get()) == 0 && std::rename(fresh.c_str(), target.c_str()) == 0)
    return;
  const int error = errno;
  ::unlink(fresh.c_str());
  errno = error;
  fail();
}

}  // namespace blockyard::remote
