// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/shared/shared.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/handle.h"
#include "blockyard/rpc/shared/ring.h"
#include "blockyard/rpc/socket/socket_transport.h"

namespace blockyard::rpc::shared {

using socket::Descriptor;
using socket::SocketTransport;

namespace {

/// What an offer begins with, where a frame would begin "yBrf"; the two descriptors go with it.
constexpr std::array<char, 8> greeting = {'y', 'B', 'r', 'S', 1, 0, 0, 0};
constexpr char taken = 'S', refused = 'P';
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// A message of bytes with room for two descriptors.
struct Letter {
  explicit Letter(std::span<char> text) : piece{text.data(), text.size()} {
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  Letter(const Letter&) = delete;
  Letter& operator=(const Letter&) = delete;

  iovec piece;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  msghdr message{};
};

/// As the client writes; its server writes the other one.
struct Rings {
  RingState up, down;
};

struct MappingKind {
  using Raw = Rings*;
  static Raw null() noexcept { return nullptr; }
  static void release(Raw raw) noexcept { ::munmap(raw, sizeof(Rings)); }
};
using Mapping = base::Handle<MappingKind>;

/// Nothing where the system does not map it.
Mapping map(const Descriptor& memory) {
  void* const at =
      ::mmap(nullptr, sizeof(Rings), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  return at == MAP_FAILED ? Mapping() : Mapping(static_cast<Rings*>(at));
}

/// What an offer consists of. `room` tells writers that there is room, the connection itself tells
/// readers that there are data.
struct Offer {
  Descriptor memory, room;
};

/// Whether descriptors of a stranger are what they should be: memory that stays as long as it is,
/// and a connected socket.
bool is_valid(const Offer& offer) {
  struct stat status {};
  sockaddr_storage name{};
  socklen_t name_bytes = sizeof name, type_bytes = sizeof(int);
  int type = 0;
  return ::fstat(offer.memory.get(), &status) == 0 && status.st_size == sizeof(Rings) &&
         (::fcntl(offer.memory.get(), F_GET_SEALS) & seals) == seals &&
         ::getpeername(offer.room.get(), reinterpret_cast<sockaddr*>(&name), &name_bytes) == 0 &&
         name.ss_family == AF_UNIX &&
         ::getsockopt(offer.room.get(), SOL_SOCKET, SO_TYPE, &type, &type_bytes) == 0 &&
         type == SOCK_STREAM;
}

/// Bytes on `socket` are rings of a bell: what they are means nothing.
Bell bell_of(SocketTransport& socket) {
  return {[&socket] {
            std::array<std::byte, 64> rung{};
            return socket.receive(rung) > 0;
          },
          [&socket] {
            const char one = 1;  // a full socket holds a ring already
            static_cast<void>(::send(socket.descriptor(), &one, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
          }};
}

/// Through memory once both ends have it, before that and otherwise by the socket.
class SharedTransport final : public Transport {
 public:
  SharedTransport(int socket, std::string peer, bool accepts)
      : plain_(socket, std::move(peer)), awaits_offer_(accepts) {}

  [[nodiscard]] std::size_t send(std::span<const Bytes> parts) override {
    if (!writer_) return plain_.send(parts);
    const std::size_t sent = is_cut_ ? 0 : writer_->write(parts);
    if (sent == 0) socket::fail("cannot send to " + peer(), EPIPE);
    return sent;
  }
  [[nodiscard]] std::size_t receive(std::span<std::byte> into) override {
    if (awaits_offer_) take_up_offer();
    if (!begun_.empty()) {
      const std::size_t bytes = std::min(into.size(), begun_.size());
      std::memcpy(into.data(), begun_.data(), bytes);
      begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(bytes));
      return bytes;
    }
    if (!reader_) return plain_.receive(into);
    return is_cut_ ? 0 : reader_->read(into);
  }
  void cut() noexcept override {
    is_cut_ = true;
    plain_.cut();
    if (SocketTransport* const room = known_room_) room->cut();
  }
  [[nodiscard]] bool is_checked() const noexcept override { return reader_.has_value(); }
  [[nodiscard]] std::string peer() const override { return plain_.peer(); }

  void make_offer(double patience_seconds);

 private:
  void take_up_offer();
  [[nodiscard]] bool begins_with_offer(Offer& offer);
  void use(Offer offer, Mapping memory, bool is_client);

  SocketTransport plain_;
  std::atomic<bool> is_cut_ = false;
  bool awaits_offer_;
  std::vector<char> begun_;  ///< received in search of an offer: what is sent by the socket
  Mapping memory_;
  std::optional<SocketTransport> room_;
  std::atomic<SocketTransport*> known_room_ = nullptr;  ///< to the thread that cuts
  std::optional<RingReader> reader_;
  std::optional<RingWriter> writer_;
};

void SharedTransport::use(Offer offer, Mapping memory, bool is_client) {
  memory_ = std::move(memory);
  room_.emplace(std::move(offer.room), peer());
  RingState& mine = is_client ? memory_.get()->up : memory_.get()->down;
  RingState& theirs = is_client ? memory_.get()->down : memory_.get()->up;
  // Each end reads the connection where it waits for data, and `room` where it waits for room.
  Bell data = bell_of(plain_), space = bell_of(*room_);
  reader_.emplace(theirs, Bell{data.wait, space.ring});
  writer_.emplace(mine, Bell{space.wait, data.ring});
  known_room_ = &*room_;
  if (is_cut_) cut();
}

/// Any failure before the greeting is sent means: as without.
void SharedTransport::make_offer(double patience_seconds) {
  const Descriptor memory(
      socket::above_standard(::memfd_create("blockyard link", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
  int ends[2] = {-1, -1};
  if (!memory || ::ftruncate(memory.get(), sizeof(Rings)) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, seals) != 0 ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  Descriptor mine(socket::above_standard(ends[0]));
  const Descriptor theirs(socket::above_standard(ends[1]));
  Mapping mapped = map(memory);
  if (!mapped || !mine || !theirs) return;
  const std::array<int, 2> passed = {memory.get(), theirs.get()};
  std::array<char, greeting.size()> text = greeting;
  Letter letter(text);
  msghdr& message = letter.message;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof passed);
  std::memcpy(CMSG_DATA(head), passed.data(), sizeof passed);
  const int connection = plain_.descriptor();
  if (::sendmsg(connection, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    socket::fail("cannot send to " + peer(), errno);
  pollfd waiting{connection, POLLIN, 0};
  const double until = base::now_seconds() + patience_seconds;
  int ready = 0;
  do
    ready = ::poll(&waiting, 1,
                   static_cast<int>(std::max(0.0, until - base::now_seconds()) * 1000) + 1);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) socket::fail("no answer from " + peer(), ETIMEDOUT);
  std::byte answer{};
  if (plain_.receive({&answer, 1}) == 0) socket::fail("no answer from " + peer(), ECONNRESET);
  if (static_cast<char>(answer) == taken)
    use({Descriptor(), std::move(mine)}, std::move(mapped), true);
  else if (static_cast<char>(answer) != refused)
    throw base::Error(base::Errc::comm, peer() + " is not a device server");
}

/// Receives until it is known; what was no offer is in `begun_`.
bool SharedTransport::begins_with_offer(Offer& offer) {
  while (begun_.size() < greeting.size()) {
    std::array<char, greeting.size()> text{};
    std::array<int, 2> passed{};
    Letter letter({text.data(), greeting.size() - begun_.size()});
    msghdr& message = letter.message;
    ssize_t count = 0;
    do count = ::recvmsg(plain_.descriptor(), &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && plain_.continues_after(errno));
    if (count <= 0) return false;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, head)) {
      if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t bytes = head->cmsg_len - CMSG_LEN(0);
      std::memcpy(passed.data(), CMSG_DATA(head), std::min(bytes, sizeof passed));
      if (bytes >= sizeof(int)) offer.memory = Descriptor(socket::above_standard(passed[0]));
      if (bytes >= sizeof passed) offer.room = Descriptor(socket::above_standard(passed[1]));
    }
    begun_.insert(begun_.end(), text.begin(), text.begin() + count);
    if (!std::equal(begun_.begin(), begun_.end(), greeting.begin())) return false;
  }
  return true;
}

void SharedTransport::take_up_offer() {
  awaits_offer_ = false;
  Offer offer;
  if (!begins_with_offer(offer)) return;
  begun_.clear();
  Mapping mapped = offer.memory && offer.room && is_valid(offer) ? map(offer.memory) : Mapping();
  const char answer = mapped ? taken : refused;
  const Bytes said = std::as_bytes(std::span(&answer, 1));
  static_cast<void>(plain_.send({&said, 1}));
  if (mapped) use(std::move(offer), std::move(mapped), false);
}

}  // namespace

std::unique_ptr<Transport> offer(int socket, std::string peer, double patience_seconds) {
  auto made = std::make_unique<SharedTransport>(socket, std::move(peer), false);
  made->make_offer(patience_seconds);
  return made;
}

std::unique_ptr<Transport> accept(int socket, std::string peer) {
  return std::make_unique<SharedTransport>(socket, std::move(peer), true);
}

}  // namespace blockyard::rpc::shared
