// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/ucx/ucx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/rpc/socket/names.h"
#include "blockyard/rpc/ucx/worker.h"

namespace blockyard::rpc::ucx {

using base::Errc;
using base::Error;

namespace {

constexpr ucp_tag_t tag = 0, all_bits = ~ucp_tag_t{0};
/// Shorter parts go together in one message, which the library copies.
constexpr std::size_t short_bytes = std::size_t{64} << 10;
constexpr std::size_t longest_message = std::size_t{4} << 20;
constexpr std::size_t most_messages = 64;  // of one `send`
/// That an end waits for the other one to know of the end.
constexpr double linger_seconds = 1;

/// A connection as messages with one tag, which arrive in order; an empty one is the end.
class UcxTransport final : public Transport {
 public:
  UcxTransport(std::shared_ptr<Context> context, std::string peer)
      : worker_(std::move(context)), lib_(worker_.lib()), peer_(std::move(peer)) {}
  ~UcxTransport() override { close(); }
  UcxTransport(const UcxTransport&) = delete;
  UcxTransport& operator=(const UcxTransport&) = delete;

  void connect_to(const addrinfo& name, double patience_seconds);
  void answer(ucp_conn_request_h asked);

  [[nodiscard]] std::size_t send(std::span<const Bytes> parts) override;
  [[nodiscard]] std::size_t receive(std::span<std::byte> into) override;
  void cut() noexcept override;
  [[nodiscard]] bool is_checked() const noexcept override { return false; }
  [[nodiscard]] std::string peer() const override { return peer_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void open(ucp_ep_params_t wanted);
  [[nodiscard]] ucs_status_ptr_t post(Bytes message);
  [[nodiscard]] ucs_status_t finish(Lock& lock, ucs_status_ptr_t request, double seconds = 1e9);
  [[nodiscard]] bool is_running(ucs_status_ptr_t request) const;
  [[nodiscard]] bool probe();
  [[nodiscard]] std::size_t take_rest(std::span<std::byte> into);
  void say_end();
  void force_end();
  void await_end(Lock& lock);
  void close() noexcept;

  Worker worker_;
  const LibUcp& lib_;
  std::string peer_;
  // Guarded by the mutex of the worker.
  ucp_ep_h end_ = nullptr;
  ucs_status_ptr_t ending_ = nullptr;  ///< the request that ends `end_`
  bool is_forced_ = false;
  ucs_status_t failed_ = UCS_OK;
  bool is_cut_ = false;
  bool has_said_end_ = false;
  ucp_tag_message_h found_ = nullptr;  ///< a message that has come
  std::size_t found_bytes_ = 0;
  // Of the thread that receives.
  std::vector<std::byte> rest_;  ///< of a message that was longer than what was asked for
  std::size_t rest_at_ = 0;
  bool has_ended_ = false;
};

void UcxTransport::open(ucp_ep_params_t wanted) {
  wanted.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
  wanted.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  wanted.err_handler.arg = this;
  wanted.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t status) {
    static_cast<UcxTransport*>(self)->failed_ = status;
  };
  const ucs_status_t status = lib_.ucp_ep_create(worker_.get(), &wanted, &end_);
  if (status != UCS_OK) fail("cannot connect to " + peer_, status);
}

void UcxTransport::connect_to(const addrinfo& name, double patience_seconds) {
  Lock lock(worker_.mutex);
  ucp_ep_params_t wanted{};
  wanted.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
  wanted.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
  wanted.sockaddr = {name.ai_addr, name.ai_addrlen};
  open(wanted);
  const ucp_request_param_t plain{};
  const ucs_status_ptr_t flushed = lib_.ucp_ep_flush_nbx(end_, &plain);
  const bool has_answered = worker_.wait(
      lock, [&] { return failed_ != UCS_OK || !is_running(flushed); }, patience_seconds);
  if (!has_answered) {
    failed_ = UCS_ERR_TIMED_OUT;
    force_end();
  }
  const ucs_status_t status = finish(lock, flushed);
  if (failed_ != UCS_OK || status != UCS_OK)
    fail("no server answers at " + peer_, failed_ != UCS_OK ? failed_ : status);
}

void UcxTransport::answer(ucp_conn_request_h asked) {
  const Lock lock(worker_.mutex);
  ucp_ep_params_t wanted{};
  wanted.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
  wanted.conn_request = asked;
  open(wanted);
}

bool UcxTransport::is_running(ucs_status_ptr_t request) const {
  return UCS_PTR_IS_PTR(request) && lib_.ucp_request_check_status(request) == UCS_INPROGRESS;
}

ucs_status_ptr_t UcxTransport::post(Bytes message) {
  const ucp_request_param_t plain{};
  return lib_.ucp_tag_send_nbx(end_, message.data(), message.size(), tag, &plain);
}

/// Returns when nothing reads or writes the memory of the request any more; after `seconds` that is
/// enforced.
ucs_status_t UcxTransport::finish(Lock& lock, ucs_status_ptr_t request, double seconds) {
  static_cast<void>(worker_.wait(
      lock, [&] { return is_cut_ || !is_running(request); }, seconds));
  if (is_running(request)) force_end();
  static_cast<void>(worker_.wait(lock, [&] { return !is_running(request); }));
  if (!UCS_PTR_IS_PTR(request)) return UCS_PTR_STATUS(request);
  const ucs_status_t status = lib_.ucp_request_check_status(request);
  lib_.ucp_request_free(request);
  return status;
}

std::size_t UcxTransport::send(std::span<const Bytes> parts) {
  std::deque<std::vector<std::byte>> gathered;
  std::vector<Bytes> messages;
  bool is_open = false;  // the last message takes more
  std::size_t taken = 0;
  for (Bytes part : parts) {
    const bool is_short = part.size() < short_bytes;
    if (part.empty()) continue;
    if (is_short && is_open && gathered.back().size() + part.size() <= short_bytes) {
      gathered.back().insert(gathered.back().end(), part.begin(), part.end());
      messages.back() = gathered.back();
    } else if (messages.size() == most_messages) {
      break;
    } else if (is_short) {
      messages.emplace_back(gathered.emplace_back(part.begin(), part.end()));
    } else {
      part = part.first(std::min(part.size(), longest_message));
      messages.push_back(part);
    }
    is_open = is_short;
    taken += part.size();
    if (part.size() == longest_message) break;  // the rest of it comes next
  }
  Lock lock(worker_.mutex);
  ucs_status_t status = is_cut_ || failed_ != UCS_OK ? UCS_ERR_CANCELED : UCS_OK;
  std::vector<ucs_status_ptr_t> requests;
  if (status == UCS_OK)
    for (const Bytes message : messages) requests.push_back(post(message));
  for (const ucs_status_ptr_t request : requests) {
    const ucs_status_t now = finish(lock, request);
    if (status == UCS_OK) status = now;
  }
  if (status != UCS_OK) fail("cannot send to " + peer_, failed_ != UCS_OK ? failed_ : status);
  return taken;
}

/// Whether a message has come.
bool UcxTransport::probe() {
  if (found_ != nullptr) return true;
  ucp_tag_recv_info_t info{};
  found_ = lib_.ucp_tag_probe_nb(worker_.get(), tag, all_bits, 1, &info);
  found_bytes_ = info.length;
  return found_ != nullptr;
}

std::size_t UcxTransport::take_rest(std::span<std::byte> into) {
  const std::size_t bytes = std::min(into.size(), rest_.size() - rest_at_);
  std::memcpy(into.data(), rest_.data() + rest_at_, bytes);
  rest_at_ += bytes;
  return bytes;
}

std::size_t UcxTransport::receive(std::span<std::byte> into) {
  if (rest_at_ < rest_.size()) return take_rest(into);
  if (has_ended_) return 0;
  Lock lock(worker_.mutex);
  static_cast<void>(worker_.wait(lock, [&] { return is_cut_ || probe() || failed_ != UCS_OK; }));
  if (is_cut_ || !probe()) return 0;
  if (found_bytes_ > longest_message)
    throw Error(Errc::comm, peer_ + " sent a message that is too long");
  const bool fits = found_bytes_ <= into.size();
  rest_.resize(fits ? 0 : found_bytes_);
  rest_at_ = 0;
  const ucp_request_param_t plain{};
  const std::size_t bytes = found_bytes_;
  const ucs_status_ptr_t request =
      lib_.ucp_tag_msg_recv_nbx(worker_.get(), fits ? into.data() : rest_.data(), bytes,
                                std::exchange(found_, nullptr), &plain);
  const ucs_status_t status = finish(lock, request);
  if (status != UCS_OK) {
    rest_.clear();
    fail("cannot receive from " + peer_, status);
  }
  has_ended_ = bytes == 0;
  return fits ? bytes : take_rest(into);
}

/// Once: what was sent before arrives before it.
void UcxTransport::say_end() {
  if (std::exchange(has_said_end_, true) || end_ == nullptr || is_forced_ || failed_ != UCS_OK)
    return;
  const ucs_status_ptr_t request = post({});
  if (UCS_PTR_IS_PTR(request)) lib_.ucp_request_free(request);
}

void UcxTransport::cut() noexcept {
  {
    const Lock lock(worker_.mutex);
    is_cut_ = true;
    say_end();
    lib_.ucp_worker_progress(worker_.get());
  }
  worker_.wake();
}

/// Requests that run end by it, with an error.
void UcxTransport::force_end() {
  if (end_ == nullptr || std::exchange(is_forced_, true)) return;
  ucp_request_param_t forced{};
  forced.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  forced.flags = UCP_EP_CLOSE_FLAG_FORCE;
  ending_ = lib_.ucp_ep_close_nbx(end_, &forced);
}

/// What is on its way would be lost if this end went first.
void UcxTransport::await_end(Lock& lock) {
  std::vector<std::byte> lost(short_bytes);
  const ucp_request_param_t plain{};
  while (!has_ended_ && !is_forced_) {
    const bool has_come = worker_.wait(
        lock, [&] { return probe() || failed_ != UCS_OK; }, linger_seconds);
    if (!has_come || !probe() || found_bytes_ > lost.size()) return;
    has_ended_ = found_bytes_ == 0;
    const ucs_status_ptr_t request = lib_.ucp_tag_msg_recv_nbx(
        worker_.get(), lost.data(), found_bytes_, std::exchange(found_, nullptr), &plain);
    static_cast<void>(finish(lock, request, linger_seconds));
  }
}

void UcxTransport::close() noexcept {
  Lock lock(worker_.mutex);
  if (end_ == nullptr) return;
  say_end();
  is_cut_ = false;
  await_end(lock);
  force_end();
  static_cast<void>(worker_.wait(
      lock, [&] { return !is_running(ending_); }, linger_seconds));
  if (UCS_PTR_IS_PTR(ending_)) lib_.ucp_request_free(ending_);
}

class UcxListener final : public Listener {
 public:
  explicit UcxListener(Address& address);
  ~UcxListener() override;
  UcxListener(const UcxListener&) = delete;
  UcxListener& operator=(const UcxListener&) = delete;
  [[nodiscard]] std::unique_ptr<Transport> accept() override;
  void cut() noexcept override {
    is_cut_ = true;
    worker_.wake();
  }

 private:
  Worker worker_;
  std::atomic<bool> is_cut_ = false;
  ucp_listener_h listener_ = nullptr;
  std::deque<ucp_conn_request_h> asked_;  ///< guarded by the mutex of the worker
};

UcxListener::UcxListener(Address& address) : worker_(std::make_shared<Context>()) {
  const socket::Names names = socket::find_own_names(address);
  const std::lock_guard lock(worker_.mutex);
  ucp_listener_params_t wanted{};
  wanted.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  wanted.sockaddr = {names->ai_addr, names->ai_addrlen};
  wanted.conn_handler.arg = this;
  wanted.conn_handler.cb = [](ucp_conn_request_h asked, void* self) {
    static_cast<UcxListener*>(self)->asked_.push_back(asked);
  };
  const ucs_status_t status = worker_.lib().ucp_listener_create(worker_.get(), &wanted, &listener_);
  if (status != UCS_OK) fail("cannot listen at " + format_address(address), status);
  ucp_listener_attr_t found{};
  found.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  if (worker_.lib().ucp_listener_query(listener_, &found) == UCS_OK)
    address.port = socket::port_of(found.sockaddr);
}

UcxListener::~UcxListener() {
  const std::lock_guard lock(worker_.mutex);
  for (const ucp_conn_request_h asked : asked_) worker_.lib().ucp_listener_reject(listener_, asked);
  worker_.lib().ucp_listener_destroy(listener_);
}

std::unique_ptr<Transport> UcxListener::accept() {
  std::unique_lock lock(worker_.mutex);
  for (;;) {
    static_cast<void>(worker_.wait(lock, [&] { return is_cut_ || !asked_.empty(); }));
    if (is_cut_) return nullptr;
    const ucp_conn_request_h asked = asked_.front();
    asked_.pop_front();
    try {
      auto made = std::make_unique<UcxTransport>(worker_.context(), "a client");
      made->answer(asked);
      return made;
    } catch (const Error&) {  // that client has gone
    }
  }
}

}  // namespace

bool is_available() noexcept { return find_libucp() != nullptr; }

std::unique_ptr<Transport> connect(const Address& address, double patience_seconds) {
  auto made = std::make_unique<UcxTransport>(std::make_shared<Context>(), format_address(address));
  const double until = base::now_seconds() + patience_seconds;
  const socket::Names names = socket::find_names(address, until);
  made->connect_to(*names, until - base::now_seconds());
  return made;
}

std::unique_ptr<Listener> listen(Address& address) {
  return std::make_unique<UcxListener>(address);
}

}  // namespace blockyard::rpc::ucx
