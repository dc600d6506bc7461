// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/tls/tls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/rpc/tls/libssl.h"

namespace blockyard::rpc::tls {

using base::Errc;
using base::Error;

namespace {

// Of OpenSSL's headers, whose macros these are.
constexpr int set_min_version = 123, set_max_version = 124;
constexpr long tls_1_3 = 0x0304;
constexpr int wants_read = 2, is_closed = 6, verify_peer = 1;

constexpr std::byte handshake_record{0x16};
constexpr std::size_t most_of_handshake = std::size_t{64} << 10;
constexpr std::size_t most_together = std::size_t{256} << 10;  // encrypted before it is sent

std::string last_error(const LibSsl& lib) {
  std::array<char, 160> text{};
  const unsigned long code = lib.ERR_get_error();
  if (code == 0) return "the other side closed the connection during the handshake";
  lib.ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

struct EndContext {
  void operator()(void* context) const noexcept { find_libssl()->SSL_CTX_free(context); }
};
struct EndSsl {
  void operator()(void* ssl) const noexcept { find_libssl()->SSL_free(ssl); }
};

/// One TLS connection whose records go by memory: `mutex_` guards all of it. One thread sends while
/// another receives.
class TlsTransport final : public Transport {
 public:
  TlsTransport(std::unique_ptr<Transport> inner, std::string identity, const Digest& key)
      : owned_(std::move(inner)), inner_(*owned_), identity_(std::move(identity)), key_(key) {
    open();
    // Without the key a server has a certificate to show: there is none that we trust.
    lib_.SSL_set_verify(ssl_.get(), verify_peer, nullptr);
    lib_.SSL_set_psk_client_callback(ssl_.get(), give_key);
    lib_.SSL_set_connect_state(ssl_.get());
  }
  /// The server's, over what outlives it. first: what has arrived already.
  TlsTransport(Transport& inner, Keys keys, Bytes first) : inner_(inner), keys_(std::move(keys)) {
    open();
    lib_.SSL_set_psk_server_callback(ssl_.get(), find_key);
    lib_.SSL_set_accept_state(ssl_.get());
    put(first);
    shake_hands();
  }

  std::size_t send(std::span<const Bytes> parts) override {
    if (!is_ready_) shake_hands();
    std::size_t taken = 0;
    for (const Bytes part : parts) {
      const Bytes now = part.first(std::min(part.size(), most_together - taken));
      if (!now.empty()) encrypt(now);
      taken += now.size();
      if (taken == most_together) break;
    }
    flush();
    return taken;
  }

  std::size_t receive(std::span<std::byte> into) override {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        lib_.ERR_clear_error();
        std::size_t got = 0;
        const int returned = lib_.SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
        if (returned == 1) return got;
        const int error = lib_.SSL_get_error(ssl_.get(), returned);
        if (error == is_closed) return 0;
        if (error != wants_read) fail(last_error(lib_));
      }
      const std::size_t received = inner_.receive(received_);
      if (received == 0) return 0;
      put(std::span(received_).first(received));
    }
  }

  void cut() noexcept override { inner_.cut(); }
  [[nodiscard]] bool is_checked() const noexcept override { return true; }
  [[nodiscard]] std::string peer() const override { return inner_.peer(); }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::comm, fmt::format("TLS with {}: {}", inner_.peer(), why));
  }

  void open() {
    context_.reset(lib_.SSL_CTX_new(lib_.TLS_method()));
    if (!context_) fail(last_error(lib_));
    lib_.SSL_CTX_ctrl(context_.get(), set_min_version, tls_1_3, nullptr);
    lib_.SSL_CTX_ctrl(context_.get(), set_max_version, tls_1_3, nullptr);
    lib_.SSL_CTX_set_ciphersuites(context_.get(), "TLS_AES_128_GCM_SHA256");
    lib_.SSL_CTX_set_num_tickets(context_.get(), 0);
    ssl_.reset(lib_.SSL_new(context_.get()));
    in_ = lib_.BIO_new(lib_.BIO_s_mem());
    out_ = lib_.BIO_new(lib_.BIO_s_mem());
    if (!ssl_ || in_ == nullptr || out_ == nullptr)
      throw Error(Errc::no_memory, "out of memory for a TLS connection");
    lib_.SSL_set_bio(ssl_.get(), in_, out_);  // they end with it
    lib_.SSL_set_ex_data(ssl_.get(), 0, this);
  }

  static unsigned give_key(void* ssl, const char*, char* identity, unsigned most,
                           unsigned char* key, unsigned most_key) {
    const auto& self = *static_cast<const TlsTransport*>(find_libssl()->SSL_get_ex_data(ssl, 0));
    if (self.identity_.size() + 1 > most || self.key_.size() > most_key) return 0;
    std::memcpy(identity, self.identity_.c_str(), self.identity_.size() + 1);
    std::memcpy(key, self.key_.data(), self.key_.size());
    return static_cast<unsigned>(self.key_.size());
  }
  static unsigned find_key(void* ssl, const char* identity, unsigned char* key, unsigned most_key) {
    const auto& self = *static_cast<const TlsTransport*>(find_libssl()->SSL_get_ex_data(ssl, 0));
    const auto found = self.keys_(identity);
    if (!found || found->size() > most_key) return 0;
    std::memcpy(key, found->data(), found->size());
    return static_cast<unsigned>(found->size());
  }

  void shake_hands() {
    std::size_t taken = 0;
    for (;;) {
      lib_.ERR_clear_error();
      const int returned = lib_.SSL_do_handshake(ssl_.get());
      const int error = lib_.SSL_get_error(ssl_.get(), returned);
      const std::string why = returned == 1 || error == wants_read ? "" : last_error(lib_);
      flush();  // an alert too
      is_ready_ = returned == 1;
      if (is_ready_) return;
      if (!why.empty()) fail(why + explain());
      const std::size_t received = inner_.receive(received_);
      if (received == 0)
        fail("the other side closed the connection during the handshake" + explain());
      taken += received;
      if (taken > most_of_handshake) fail("its handshake message is too long");
      put(std::span(received_).first(received));
    }
  }
  [[nodiscard]] std::string explain() const {
    if (identity_.empty()) return "";
    return "; either the server does not know the token, or it does not use TLS (then write "
           "plain:HOST:PORT)";
  }

  void put(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (lib_.BIO_write(in_, bytes.data(), static_cast<int>(bytes.size())) !=
        static_cast<int>(bytes.size()))
      throw Error(Errc::no_memory, "out of memory for data received over TLS");
  }
  void encrypt(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    lib_.ERR_clear_error();
    std::size_t sent = 0;
    if (lib_.SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent) != 1 ||
        sent != bytes.size())
      fail(last_error(lib_));
  }
  void flush() {
    {
      const std::lock_guard lock(mutex_);
      sending_.resize(lib_.BIO_ctrl_pending(out_));
      if (sending_.empty()) return;
      lib_.BIO_read(out_, sending_.data(), static_cast<int>(sending_.size()));
    }
    const Bytes all = sending_;
    send_all(inner_, {&all, 1});
  }

  const LibSsl& lib_ = *find_libssl();
  std::unique_ptr<Transport> owned_;
  Transport& inner_;
  std::string identity_;
  Digest key_{};
  Keys keys_;
  std::mutex mutex_;
  std::unique_ptr<void, EndContext> context_;
  std::unique_ptr<void, EndSsl> ssl_;
  void* in_ = nullptr;
  void* out_ = nullptr;
  bool is_ready_ = false;           ///< the hands are shaken
  std::vector<std::byte> sending_;  ///< of the thread that sends
  std::vector<std::byte> received_ = std::vector<std::byte>(most_of_handshake);
};

/// Until the first byte has come it is not known what it is.
class AcceptedTransport final : public Transport {
 public:
  AcceptedTransport(std::unique_ptr<Transport> below, Keys keys, bool required)
      : below_(std::move(below)), keys_(std::move(keys)), required_(required) {}

  std::size_t send(std::span<const Bytes> parts) override {
    if (has_failed_) throw Error(Errc::comm, "the TLS handshake has failed");
    return used().send(parts);
  }
  std::size_t receive(std::span<std::byte> into) override {
    if (std::exchange(is_new_, false)) find_out();
    if (first_.empty()) return used().receive(into);
    const std::size_t now = std::min(into.size(), first_.size());
    std::memcpy(into.data(), first_.data(), now);
    first_.erase(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(now));
    return now;
  }
  void cut() noexcept override { below_->cut(); }
  [[nodiscard]] bool is_checked() const noexcept override {
    return tls_ ? tls_->is_checked() : below_->is_checked();
  }
  [[nodiscard]] std::string peer() const override { return below_->peer(); }

 private:
  static constexpr std::size_t most_first = 4096;

  [[nodiscard]] Transport& used() const noexcept { return tls_ ? *tls_ : *below_; }
  void find_out() {
    first_.resize(most_first);
    first_.resize(below_->receive(first_));
    if (first_.empty()) return;
    if (first_.front() == handshake_record && is_available()) {
      has_failed_ = true;  // unless it goes well: then nothing follows the alert
      tls_ = std::make_unique<TlsTransport>(*below_, std::move(keys_), first_);
      has_failed_ = false;
      first_.clear();
    } else if (required_) {
      throw Error(Errc::comm, "it does not use TLS, which this server requires");
    }
  }

  std::unique_ptr<Transport> below_;
  std::unique_ptr<Transport> tls_;  ///< null: it does not speak TLS
  Keys keys_;
  bool required_;
  bool is_new_ = true;
  bool has_failed_ = false;
  std::vector<std::byte> first_;  ///< received and not given out yet
};

}  // namespace

bool is_available() noexcept { return find_libssl() != nullptr; }

Digest key_of(std::string_view secret) {
  constexpr std::string_view use = "blockyard tls";
  return hmac(std::as_bytes(std::span(secret)), std::as_bytes(std::span(use)));
}

std::unique_ptr<Transport> connect(std::unique_ptr<Transport> inner, std::string identity,
                                   const Digest& key) {
  if (!is_available())
    throw Error(Errc::comm,
                fmt::format("{}: a server on another machine is reached over TLS, but this machine "
                            "has no libssl.so.3 (OpenSSL 3); install it, or use an SSH tunnel",
                            inner->peer()));
  return std::make_unique<TlsTransport>(std::move(inner), std::move(identity), key);
}

std::unique_ptr<Transport> accept(std::unique_ptr<Transport> inner, Keys keys, bool required) {
  return std::make_unique<AcceptedTransport>(std::move(inner), std::move(keys), required);
}

}  // namespace blockyard::rpc::tls
