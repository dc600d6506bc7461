// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/ucx/libucp.h"

#include <dlfcn.h>

#include <cstdlib>
#include <type_traits>

#include "blockyard/rpc/ucx/ucx.h"

namespace blockyard::rpc::ucx {

namespace {

struct Opened {
  LibUcp functions{};
  bool is_complete = false;
};

Opened open_libucp() noexcept {
  Opened opened;
  // UCX has no other way to be told. What the user has set counts; `offload run` sets them too,
  // before the program has threads.
  for (const auto& [name, value] : quiet_settings) ::setenv(name, value, 0);
  void* const ucp = ::dlopen("libucp.so.0", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  void* const ucs = ::dlopen("libucs.so.0", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (ucp == nullptr || ucs == nullptr) return opened;
  opened.is_complete = true;
  const auto find = [&](auto& function, void* library, const char* name) {
    void* const found = ::dlsym(library, name);
    opened.is_complete = opened.is_complete && found != nullptr;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  LibUcp& all = opened.functions;
  find(all.ucp_config_read, ucp, "ucp_config_read");
  find(all.ucp_config_release, ucp, "ucp_config_release");
  find(all.ucp_init_version, ucp, "ucp_init_version");
  find(all.ucp_cleanup, ucp, "ucp_cleanup");
  find(all.ucp_worker_create, ucp, "ucp_worker_create");
  find(all.ucp_worker_destroy, ucp, "ucp_worker_destroy");
  find(all.ucp_worker_progress, ucp, "ucp_worker_progress");
  find(all.ucp_worker_get_efd, ucp, "ucp_worker_get_efd");
  find(all.ucp_worker_arm, ucp, "ucp_worker_arm");
  find(all.ucp_worker_signal, ucp, "ucp_worker_signal");
  find(all.ucp_listener_create, ucp, "ucp_listener_create");
  find(all.ucp_listener_destroy, ucp, "ucp_listener_destroy");
  find(all.ucp_listener_query, ucp, "ucp_listener_query");
  find(all.ucp_listener_reject, ucp, "ucp_listener_reject");
  find(all.ucp_ep_create, ucp, "ucp_ep_create");
  find(all.ucp_ep_flush_nbx, ucp, "ucp_ep_flush_nbx");
  find(all.ucp_ep_close_nbx, ucp, "ucp_ep_close_nbx");
  find(all.ucp_tag_send_nbx, ucp, "ucp_tag_send_nbx");
  find(all.ucp_tag_probe_nb, ucp, "ucp_tag_probe_nb");
  find(all.ucp_tag_msg_recv_nbx, ucp, "ucp_tag_msg_recv_nbx");
  find(all.ucp_request_check_status, ucp, "ucp_request_check_status");
  find(all.ucp_request_free, ucp, "ucp_request_free");
  find(all.ucs_status_string, ucs, "ucs_status_string");
  return opened;
}

}  // namespace

const LibUcp* find_libucp() noexcept {
  static const Opened opened = open_libucp();
  return opened.is_complete ? &opened.functions : nullptr;
}

}  // namespace blockyard::rpc::ucx
