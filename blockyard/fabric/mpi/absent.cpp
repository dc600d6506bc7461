// SPDX-License-Identifier: Apache-2.0
// Stands in for this folder in a build without MPI.
#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/memory_of_processes.h"
#include "blockyard/fabric/mpi/mpi_world.h"
#include "blockyard/fabric/mpi/session.h"

namespace blockyard::fabric {

namespace {

[[noreturn]] void fail() {
  throw base::Error(base::Errc::bad_input,
                    "this blockyard was built without MPI: run it without mpirun, or build it "
                    "where MPI is installed (docs/mpi.md)");
}

}  // namespace

class MpiState {};

std::unique_ptr<Memory> memory_of_processes(const void* /*communicator*/, int /*nodes*/) { fail(); }

bool has_mpi() noexcept { return false; }
bool mpi_reads_devices() noexcept { return false; }

MpiSession::MpiSession(bool /*has_threads*/) { fail(); }
MpiSession::~MpiSession() = default;
MpiSession::Bytes MpiSession::broadcast(Bytes bytes) { return bytes; }
void MpiSession::broadcast(std::span<std::byte> /*bytes*/) {}
std::vector<MpiSession::Bytes> MpiSession::gather(const Bytes& mine) { return {mine}; }

MpiWorld::MpiWorld(const MpiSession& /*session*/, base::BufferPool& /*pool*/,
                   std::vector<int> /*process_of*/, MpiOptions /*options*/) {
  fail();
}
MpiWorld::~MpiWorld() = default;
std::unique_ptr<Fabric> MpiWorld::endpoint(int /*rank*/) { fail(); }
void MpiWorld::progress(double /*seconds*/) {}
void MpiWorld::wake() noexcept {}
void MpiWorld::say(std::string_view /*text*/) {}
bool MpiWorld::end(double /*patience_seconds*/) { return true; }

}  // namespace blockyard::fabric
