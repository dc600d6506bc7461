// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucp/api/ucp.h>

/// The functions of UCX 1.12 or newer that connections need. The library is opened when the first
/// address names it: it looks at the environment, and may watch how the process maps memory.
namespace blockyard::rpc::ucx {

struct LibUcp {
  decltype(&::ucp_config_read) ucp_config_read;
  decltype(&::ucp_config_release) ucp_config_release;
  decltype(&::ucp_init_version) ucp_init_version;
  decltype(&::ucp_cleanup) ucp_cleanup;
  decltype(&::ucp_worker_create) ucp_worker_create;
  decltype(&::ucp_worker_destroy) ucp_worker_destroy;
  decltype(&::ucp_worker_progress) ucp_worker_progress;
  decltype(&::ucp_worker_get_efd) ucp_worker_get_efd;
  decltype(&::ucp_worker_arm) ucp_worker_arm;
  decltype(&::ucp_worker_signal) ucp_worker_signal;
  decltype(&::ucp_listener_create) ucp_listener_create;
  decltype(&::ucp_listener_destroy) ucp_listener_destroy;
  decltype(&::ucp_listener_query) ucp_listener_query;
  decltype(&::ucp_listener_reject) ucp_listener_reject;
  decltype(&::ucp_ep_create) ucp_ep_create;
  decltype(&::ucp_ep_flush_nbx) ucp_ep_flush_nbx;
  decltype(&::ucp_ep_close_nbx) ucp_ep_close_nbx;
  decltype(&::ucp_tag_send_nbx) ucp_tag_send_nbx;
  decltype(&::ucp_tag_probe_nb) ucp_tag_probe_nb;
  decltype(&::ucp_tag_msg_recv_nbx) ucp_tag_msg_recv_nbx;
  decltype(&::ucp_request_check_status) ucp_request_check_status;
  decltype(&::ucp_request_free) ucp_request_free;
  decltype(&::ucs_status_string) ucs_status_string;
};

/// Null: this machine has no libucp.so.0, or one that is too old. Any thread.
[[nodiscard]] const LibUcp* find_libucp() noexcept;

}  // namespace blockyard::rpc::ucx
