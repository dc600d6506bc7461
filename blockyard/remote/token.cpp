// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "blockyard/base/error.h"
#include "blockyard/rpc/hmac.h"

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
  std::vector<Token> tokens;
  if (::access(path.c_str(), F_OK) == 0) tokens = read_tokens(path);
  std::erase_if(tokens, [&](const Token& other) { return other.name == token.name; });
  tokens.push_back(token);
  std::string text;
  for (const Token& one : tokens)
    text += one.weight == 1 ? fmt::format("{} {}\n", one.name, one.secret)
                            : fmt::format("{} {} {}\n", one.name, one.secret, one.weight);
  const std::string fresh = path + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool is_written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!is_written || std::rename(fresh.c_str(), path.c_str()) != 0)
    throw Error(Errc::io, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace blockyard::remote
