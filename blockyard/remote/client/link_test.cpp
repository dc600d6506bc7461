// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/link.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/rpc/delay/delay.h"
#include "blockyard/rpc/pair/pair.h"

namespace blockyard::remote {
namespace {

void send(rpc::Transport& transport, const rpc::Outgoing& frame) {
  rpc::send_frames(transport, {&frame, 1});
}

/// The server's end, which asks for no proof.
void greet(rpc::Transport& transport) {
  rpc::Frame hello;
  ASSERT_TRUE(rpc::receive_frame(transport, hello));
  send(transport, frame_of(Kind::welcome, Welcome{}));
}

/// It greets, and answers the first message with `kind`.
void answer_with(rpc::Transport& transport, Kind kind, const auto& message) {
  greet(transport);
  rpc::Frame frame;
  ASSERT_TRUE(rpc::receive_frame(transport, frame));
  send(transport, frame_of(kind, message, frame.head.request));
}

constexpr StreamKey stream{1, 2};

/// What becomes of a copy out of 8 bytes when the server answers so.
std::string lost_by(Kind kind, const auto& message) {
  auto [client, server] = rpc::pair::make();
  std::thread serving([&end = *server, kind, &message] { answer_with(end, kind, message); });
  std::string lost;
  {
    Link link(std::move(client), {});
    std::array<std::byte, 8> into{};
    link.expect(stream, 1, into);
    link.post_work(stream, 1, frame_of(Kind::copy_out, Copy{{1, 2, 1}, 0, 64, 8, 0}));
    link.wait(stream, 1);
    lost = link.lost();
  }
  serving.join();
  return lost;
}

TEST(Link, says_why_the_server_ends_the_connection_later) {
  auto [client, server] = rpc::pair::make();
  std::thread serving([&end = *server] {
    answer_with(end, Kind::refused, Text{"it has no thread for another stream"});
  });
  {
    Link link(std::move(client), {});
    const Answer answer = link.ask(Kind::describe, encode(Number{0, 0}));
    EXPECT_EQ(answer.status, static_cast<std::uint32_t>(BLOCKYARD_FAILED));
    EXPECT_NE(answer.text.find("it has no thread for another stream"), std::string::npos)
        << answer.text;
  }
  serving.join();
}

TEST(Link, believes_no_server_that_work_is_done_which_it_never_had) {
  EXPECT_NE(lost_by(Kind::done, Place{1, 2, std::uint64_t{1} << 60}).find("never had"),
            std::string::npos);
}

TEST(Link, believes_no_server_that_a_copy_is_done_which_has_not_arrived) {
  EXPECT_NE(lost_by(Kind::done, Place{1, 2, 1}).find("has not arrived"), std::string::npos);
}

/// The answer comes after what is being sent, which takes longer than the patience.
TEST(Link, counts_what_it_sends_as_a_sign_of_life) {
  constexpr int pieces = 8;
  auto [client, server] = rpc::pair::make();
  std::thread serving([&end = *server] {
    greet(end);
    rpc::Frame frame;
    std::vector<std::byte> piece(piece_bytes);
    for (int k = 0; k < pieces; ++k) {
      EXPECT_TRUE(rpc::receive_frame(end, frame));
      rpc::receive_payload(end, frame, piece);
    }
    EXPECT_TRUE(rpc::receive_frame(end, frame));
    send(end, frame_of(Kind::answer, Answer{}, frame.head.request));
  });
  {
    constexpr double patience_seconds = 0.6;
    Link link(rpc::delay::over(std::move(client), rpc::delay::parse_pace("0us,8MB/s")), {},
              patience_seconds);
    const std::vector<std::byte> piece(piece_bytes);
    for (std::uint64_t k = 1; k <= pieces; ++k)
      link.post_work(stream, k,
                     frame_of(Kind::copy_in, Copy{{1, 2, k}, 64, 0, piece_bytes, 0}, 0, piece));
    EXPECT_EQ(link.ask(Kind::describe, encode(Number{1, 0})).text, "");
  }
  serving.join();
}

/// A stream fails while a piece of it is being sent and others wait for that.
TEST(Link, touches_no_memory_of_a_stream_that_has_failed) {
  constexpr std::uint64_t pieces = 8;
  auto [client, server] = rpc::pair::make();
  std::thread serving([&end = *server] {
    greet(end);
    rpc::Frame frame;
    std::vector<std::byte> piece(piece_bytes);
    std::uint64_t fills = 0;
    for (std::uint64_t k = 1; k <= pieces; ++k) {
      ASSERT_TRUE(rpc::receive_frame(end, frame));
      if (k == 1) send(end, frame_of(Kind::failed, Failure{{1, 2, 1}, "it is gone"}));
      if (static_cast<Kind>(frame.head.kind) == Kind::copy_in) {
        rpc::receive_payload(end, frame, piece);
        continue;
      }
      ASSERT_EQ(static_cast<Kind>(frame.head.kind), Kind::fill);
      EXPECT_EQ(decode<Fill>(frame).place.sequence, k);
      ++fills;
    }
    EXPECT_GT(fills, 0U);
  });
  {
    Link link(rpc::delay::over(std::move(client), rpc::delay::parse_pace("0us,16MB/s")), {});
    auto memory = std::make_unique<std::vector<std::byte>>(pieces * piece_bytes, std::byte{1});
    for (std::uint64_t k = 1; k <= pieces; ++k) {
      const rpc::Bytes piece = rpc::Bytes(*memory).subspan((k - 1) * piece_bytes, piece_bytes);
      link.post_work(stream, k,
                     frame_of(Kind::copy_in, Copy{{1, 2, k}, 64, 0, piece_bytes, 0}, 0, piece));
    }
    link.wait(stream, pieces);
    memory.reset();  // from here on the address sanitizer watches
    EXPECT_EQ(link.progress(stream).failed_from, 1U);
    EXPECT_EQ(link.progress(stream).text, "it is gone");
    serving.join();
  }
}

TEST(Link, wants_a_proof_where_others_could_answer) {
  auto [client, server] = rpc::pair::make();
  std::thread serving([&end = *server] { greet(end); });
  Link::More more;
  more.wants_proof = true;
  try {
    const Link link(std::move(client), new_token("me"), Link::default_patience_seconds, more);
    ADD_FAILURE() << "it believes anybody";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not prove"), std::string::npos) << error.what();
  }
  serving.join();
}

}  // namespace
}  // namespace blockyard::remote
