// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/backends.h"

#include <cstdio>
#include <cstdlib>

#include "blockyard/device/host/host.h"
#include "blockyard/device/loader.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/remote/client/client.h"
#include "blockyard/rpc/tls/tls.h"
#include "blockyard/rpc/ucx/ucx.h"
#include "tests/contract/device/servers.h"

namespace blockyard::device::contract {

void PrintTo(const Backend& backend, std::ostream* out) {
  *out << backend.name << " '" << backend.options << "'";
}

namespace {

/// Plug-ins are built where the libraries are; the hardware may be missing.
[[maybe_unused]] bool has_device(const Table& table) {
  std::uint32_t devices = 0;
  return table.count(&devices) == BLOCKYARD_OK && devices > 0;
}

}  // namespace

/// Those over UCX are tests of their own: which of its networks it takes is told it by the
/// environment, and its start takes more time than a test.
std::vector<Backend> ucx_backends() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const bool is_sanitized = true;
#else
  const bool is_sanitized = false;
#endif
  if (is_sanitized || !rpc::ucx::is_available()) {
    std::puts("SKIPPED: this build or this machine has no UCX (libucx-dev, libucp.so.0)");
    return {};
  }
  return {{"remote_host_ucx", &remote::table(), served(host::table(), "", Way::ucx)},
          {"remote_sim_ucx", &remote::table(), served(sim::table(), "seed=2", Way::ucx)}};
}

std::vector<Backend> backends() {
  if (std::getenv("BLOCKYARD_CONTRACT_UCX") != nullptr) return ucx_backends();
  static const Plugin plugin(BLOCKYARD_SIM_PLUGIN);  // stays loaded for all tests
  std::vector<Backend> all = {
      {"host", &host::table(), ""},
      {"sim_lazy", &sim::table(), "seed=0"},
      {"sim_seed_1", &sim::table(), "seed=1"},
      {"sim_seed_2", &sim::table(), "seed=2"},
      {"sim_seed_3", &sim::table(), "seed=3"},
      {"sim_in_place", &sim::table(), "seed=1 in_place=1"},
      {"plugin", &plugin.table(), "seed=4"},
  };
  const auto add_remote = [&](const std::string& name, const Table& table,
                              const std::string& options, Way way) {
    all.push_back({"remote_" + name, &remote::table(), served(table, options, way)});
  };
  add_remote("host_shared", host::table(), "", Way::shared_memory);
  add_remote("host_unix", host::table(), "", Way::unix_socket);
  add_remote("host_tcp", host::table(), "", Way::tcp);
  add_remote("host_four_sockets", host::table(), "", Way::four_sockets);
  add_remote("sim_lazy_shared", sim::table(), "seed=0", Way::shared_memory);
  add_remote("sim_seed_3_shared", sim::table(), "seed=3", Way::shared_memory);
  add_remote("sim_seed_1_tcp", sim::table(), "seed=1", Way::tcp);
  if (rpc::tls::is_available()) {
    add_remote("host_tls", host::table(), "", Way::tls);
    add_remote("sim_seed_2_tls", sim::table(), "seed=2", Way::tls);
  }
#ifdef BLOCKYARD_OPENCL_PLUGIN
  static const Plugin opencl(BLOCKYARD_OPENCL_PLUGIN);
  if (has_device(opencl.table())) {
    all.push_back({"opencl", &opencl.table(), ""});
    all.push_back({"opencl_one_unit", &opencl.table(), "units=1 cache=none"});
    all.push_back({"opencl_copies", &opencl.table(), "in_place=0"});
    add_remote("opencl_shared", opencl.table(), "", Way::shared_memory);
    add_remote("opencl_unix", opencl.table(), "", Way::unix_socket);
    add_remote("opencl_tcp", opencl.table(), "", Way::tcp);
    if (rpc::tls::is_available()) add_remote("opencl_tls", opencl.table(), "", Way::tls);
  }
#endif
#ifdef BLOCKYARD_CUDA_PLUGIN
  static const Plugin cuda(BLOCKYARD_CUDA_PLUGIN);
  if (has_device(cuda.table())) {
    all.push_back({"cuda", &cuda.table(), ""});
    all.push_back({"cuda_without_cutensor", &cuda.table(), "cutensor=0"});
  }
#endif
#ifdef BLOCKYARD_CUDA_STAND_IN
  static const Plugin stand_in(BLOCKYARD_CUDA_STAND_IN);
  const Table& over_stand_in = stand_in.table();
  all.push_back({"cuda_stand_in_lazy", &over_stand_in, "seed=0"});
  all.push_back({"cuda_stand_in_seed_1", &over_stand_in, "seed=1"});
  all.push_back({"cuda_stand_in_without_peers", &over_stand_in, "seed=2 peers=0"});
  all.push_back({"cuda_stand_in_without_pools", &over_stand_in, "seed=3 pools=0"});
#endif
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Backend>& tested) { return tested.param.name; }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceContract);
INSTANTIATE_TEST_SUITE_P(All, DeviceContract, ::testing::ValuesIn(backends()), name_of);

}  // namespace blockyard::device::contract
