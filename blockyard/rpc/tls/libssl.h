// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// The functions of OpenSSL 3 that TLS needs. The library is opened when the first connection wants
/// it: nothing of ours names it, so programs into which our library is loaded get it only then.
namespace blockyard::rpc::tls {

using SslPskClient = unsigned (*)(void* ssl, const char* hint, char* identity, unsigned most,
                                  unsigned char* key, unsigned most_key);
using SslPskServer = unsigned (*)(void* ssl, const char* identity, unsigned char* key,
                                  unsigned most_key);

struct LibSsl {
  const void* (*TLS_method)();
  void* (*SSL_CTX_new)(const void* method);
  void (*SSL_CTX_free)(void* context);
  long (*SSL_CTX_ctrl)(void* context, int command, long number, void* more);
  int (*SSL_CTX_set_ciphersuites)(void* context, const char* names);
  int (*SSL_CTX_set_num_tickets)(void* context, std::size_t count);
  void (*SSL_set_verify)(void* ssl, int mode, void* callback);
  void* (*SSL_new)(void* context);
  void (*SSL_free)(void* ssl);
  void (*SSL_set_bio)(void* ssl, void* in, void* out);
  void (*SSL_set_connect_state)(void* ssl);
  void (*SSL_set_accept_state)(void* ssl);
  int (*SSL_set_ex_data)(void* ssl, int index, void* data);
  void* (*SSL_get_ex_data)(const void* ssl, int index);
  void (*SSL_set_psk_client_callback)(void* ssl, SslPskClient callback);
  void (*SSL_set_psk_server_callback)(void* ssl, SslPskServer callback);
  int (*SSL_do_handshake)(void* ssl);
  int (*SSL_read_ex)(void* ssl, void* into, std::size_t bytes, std::size_t* got);
  int (*SSL_write_ex)(void* ssl, const void* from, std::size_t bytes, std::size_t* sent);
  int (*SSL_get_error)(const void* ssl, int returned);
  void* (*BIO_new)(const void* method);
  const void* (*BIO_s_mem)();
  int (*BIO_write)(void* bio, const void* from, int bytes);
  int (*BIO_read)(void* bio, void* into, int bytes);
  std::size_t (*BIO_ctrl_pending)(void* bio);
  void (*ERR_clear_error)();
  unsigned long (*ERR_get_error)();
  void (*ERR_error_string_n)(unsigned long code, char* into, std::size_t bytes);
};

/// Null: this machine has no libssl.so.3. Any thread.
[[nodiscard]] const LibSsl* find_libssl() noexcept;

}  // namespace blockyard::rpc::tls
