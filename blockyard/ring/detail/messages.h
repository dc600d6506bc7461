// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/base/fields.h"

namespace blockyard::ring {

enum class MessageKind : std::uint8_t { item, credit, ending, unit };

/// The head of a message between ranks of a ring; an item's payload is that of the message.
struct RingMessage {
  MessageKind kind = MessageKind::item;
  std::uint32_t epoch = 0;  ///< which ring of these ranks; counted alike by all
  std::int32_t lane = 0;
  std::int32_t origin = 0;  ///< place: of an item, of an ending
  std::int64_t number = 0;  ///< of an item in its lane; slots of a credit; items of an ending; unit
  std::vector<std::byte> head;  ///< of an item

  [[nodiscard]] std::vector<std::byte> encode() const {
    base::FieldWriter out;
    out.fields(kind, epoch, lane, origin, number, head);
    return out.take();
  }
  [[nodiscard]] static RingMessage decode(std::span<const std::byte> bytes) {
    RingMessage message;
    base::FieldReader(bytes).fields(message.kind, message.epoch, message.lane, message.origin,
                                    message.number, message.head);
    return message;
  }
};

}  // namespace blockyard::ring
