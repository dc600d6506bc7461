// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/tls/libssl.h"

#include <dlfcn.h>

#include <cstdint>
#include <type_traits>

namespace blockyard::rpc::tls {

namespace {

/// Of OPENSSL_init_ssl: connections may outlive the end of main.
constexpr std::uint64_t no_end_at_exit = 0x00080000;

struct Opened {
  LibSsl functions{};
  bool is_complete = false;
};

Opened open_libssl() noexcept {
  Opened opened;
  void* const ssl = ::dlopen("libssl.so.3", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  void* const crypto = ::dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (ssl == nullptr || crypto == nullptr) return opened;
  opened.is_complete = true;
  const auto find = [&](auto& function, void* library, const char* name) {
    void* const found = ::dlsym(library, name);
    opened.is_complete = opened.is_complete && found != nullptr;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  int (*initialise)(std::uint64_t, const void*) = nullptr;
  find(initialise, ssl, "OPENSSL_init_ssl");
  LibSsl& all = opened.functions;
  find(all.TLS_method, ssl, "TLS_method");
  find(all.SSL_CTX_new, ssl, "SSL_CTX_new");
  find(all.SSL_CTX_free, ssl, "SSL_CTX_free");
  find(all.SSL_CTX_ctrl, ssl, "SSL_CTX_ctrl");
  find(all.SSL_CTX_set_ciphersuites, ssl, "SSL_CTX_set_ciphersuites");
  find(all.SSL_CTX_set_num_tickets, ssl, "SSL_CTX_set_num_tickets");
  find(all.SSL_set_verify, ssl, "SSL_set_verify");
  find(all.SSL_new, ssl, "SSL_new");
  find(all.SSL_free, ssl, "SSL_free");
  find(all.SSL_set_bio, ssl, "SSL_set_bio");
  find(all.SSL_set_connect_state, ssl, "SSL_set_connect_state");
  find(all.SSL_set_accept_state, ssl, "SSL_set_accept_state");
  find(all.SSL_set_ex_data, ssl, "SSL_set_ex_data");
  find(all.SSL_get_ex_data, ssl, "SSL_get_ex_data");
  find(all.SSL_set_psk_client_callback, ssl, "SSL_set_psk_client_callback");
  find(all.SSL_set_psk_server_callback, ssl, "SSL_set_psk_server_callback");
  find(all.SSL_do_handshake, ssl, "SSL_do_handshake");
  find(all.SSL_read_ex, ssl, "SSL_read_ex");
  find(all.SSL_write_ex, ssl, "SSL_write_ex");
  find(all.SSL_get_error, ssl, "SSL_get_error");
  find(all.BIO_new, crypto, "BIO_new");
  find(all.BIO_s_mem, crypto, "BIO_s_mem");
  find(all.BIO_write, crypto, "BIO_write");
  find(all.BIO_read, crypto, "BIO_read");
  find(all.BIO_ctrl_pending, crypto, "BIO_ctrl_pending");
  find(all.ERR_clear_error, crypto, "ERR_clear_error");
  find(all.ERR_get_error, crypto, "ERR_get_error");
  find(all.ERR_error_string_n, crypto, "ERR_error_string_n");
  opened.is_complete = opened.is_complete && initialise(no_end_at_exit, nullptr) == 1;
  return opened;
}

}  // namespace

const LibSsl* find_libssl() noexcept {
  static const Opened opened = open_libssl();
  return opened.is_complete ? &opened.functions : nullptr;
}

}  // namespace blockyard::rpc::tls
