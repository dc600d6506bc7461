// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"
#include "blockyard/rpc/tls/tls.h"

namespace blockyard::remote {

namespace {

constexpr double proof_seconds = 5;
constexpr std::size_t max_unproven = 16;

std::optional<rpc::Digest> key_of(const std::vector<Token>& tokens, std::string_view name) {
  const auto known = std::ranges::find(tokens, name, &Token::name);
  if (known == tokens.end()) return std::nullopt;
  return rpc::tls::key_of(known->secret);
}

}  // namespace

Server::Server(std::vector<Door> doors, const Terms& terms,
               std::function<void(const std::string&)> log)
    : doors_(std::move(doors)), open_terms_(terms), proof_terms_(terms), log_(std::move(log)) {
  open_terms_.wants_proof = false;
  proof_terms_.wants_proof = true;
  for (const Door& door : doors_) threads_.emplace_back([this, &door] { receive_at(door); });
}

Server::~Server() { stop(0); }

/// At a door that is the user's alone many may come at a time: the ranks of a program.
bool Server::has_room(const Door& door) {
  const auto unproven = std::ranges::count_if(guests_, [](const Guest& guest) {
    return guest.must_prove && !guest.has_gone && !guest.session->is_proven();
  });
  // A further socket of a client counts as a client until it has joined.
  const auto joined = std::ranges::count_if(
      guests_, [](const Guest& guest) { return guest.session->has_joined(); });
  return guests_.size() - static_cast<std::size_t>(joined) < open_terms_.max_clients &&
         (!door.wants_proof || unproven < static_cast<std::ptrdiff_t>(max_unproven));
}

void Server::receive_at(const Door& door) {
  for (;;) {
    std::unique_ptr<rpc::Transport> transport;
    try {
      transport = door.listener->accept();
      if (!transport) return;
    } catch (const base::Error& error) {  // nobody can come any more
      return log_(error.what());
    } catch (const std::bad_alloc&) {
      continue;
    }
    sweep();
    try {
      take_in(door, std::move(transport));
    } catch (const std::exception&) {
      log_(fmt::format("a client was turned away: {}", base::current_error().what()));
    }
  }
}

void Server::take_in(const Door& door, std::unique_ptr<rpc::Transport> transport) {
  const Terms& terms = door.wants_proof ? proof_terms_ : open_terms_;
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || !has_room(door)) return;
  if (door.wants_proof)
    transport = rpc::tls::accept(
        std::move(transport),
        [&terms](std::string_view name) { return key_of(terms.tokens, name); }, door.wants_tls);
  Guest& guest =
      guests_.emplace_back(Guest{.session = std::make_unique<Session>(std::move(transport), terms),
                                 .thread = {},
                                 .must_prove = door.wants_proof});
  try {
    guest.thread = std::thread([this, &guest] { run(guest); });
  } catch (const std::exception&) {
    guests_.pop_back();
    throw;
  }
}

void Server::run(Guest& guest) {
  const std::string why = guest.session->run();
  if (!guest.session->has_joined())
    log_(why.empty() ? fmt::format("{} has gone", guest.session->client())
                     : fmt::format("{} was refused: {}", guest.session->client(), why));
  const std::lock_guard lock(mutex_);
  guest.has_gone = true;
  changed_.notify_all();
}

void Server::sweep() {
  std::list<Guest> gone;
  {
    const std::lock_guard lock(mutex_);
    const double now = base::now_seconds();
    for (auto guest = guests_.begin(); guest != guests_.end();) {
      const auto next = std::next(guest);
      if (guest->has_gone)
        gone.splice(gone.end(), guests_, guest);
      else if (!guest->session->is_proven() && now - guest->session->began() > proof_seconds)
        guest->session->cut();
      guest = next;
    }
  }
  for (Guest& guest : gone) guest.thread.join();
}

std::size_t Server::clients() {
  sweep();
  const std::lock_guard lock(mutex_);
  return guests_.size();
}

void Server::stop(double seconds) {
  for (const Door& door : doors_) door.listener->cut();
  {
    std::unique_lock lock(mutex_);
    is_stopped_ = true;
    const auto all_gone = [&] {
      return std::ranges::all_of(guests_, [](const Guest& guest) { return guest.has_gone; });
    };
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), all_gone);
    for (Guest& guest : guests_) guest.session->cut();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (Guest& guest : guests_) guest.thread.join();
  guests_.clear();
}

}  // namespace blockyard::remote
