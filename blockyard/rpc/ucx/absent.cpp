// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/rpc/ucx/ucx.h"

namespace blockyard::rpc::ucx {

namespace {

[[noreturn]] void refuse(const Address& address) {
  throw base::Error(base::Errc::comm, fmt::format("{}: this Blockyard was built without UCX "
                                                  "(libucx-dev); use HOST:PORT",
                                                  format_address(address)));
}

}  // namespace

bool is_available() noexcept { return false; }

std::unique_ptr<Transport> connect(const Address& address, double) { refuse(address); }

std::unique_ptr<Listener> listen(Address& address) { refuse(address); }

}  // namespace blockyard::rpc::ucx
