// What a byte of a variable is called, by the members of its type: "cells[42]", "queue.items[3].next". Freestanding.
//
// A member has path, offset, size, stride and count (norn_member in include/norn/abi.h; trace::MemberEntry).
#pragma once

#include "base/list.h"
#include "base/sink.h"
#include "base/text_pool.h"

namespace norn::report {

template <class Member>
[[nodiscard]] const Member* member_at(List<Member> members, uint64_t byte) {
  for (const Member& member : members) {
    if (byte < member.offset || member.stride == 0) continue;
    const uint64_t from = byte - member.offset;
    // Of a union's members the first one; of nested entries the last is the innermost.
    if (from / member.stride < member.count && from % member.stride < member.size) return &member;
  }
  return nullptr;
}

template <class Member>
[[nodiscard]] Text name_of_byte(Text variable, List<Member> members, uint64_t byte, TextPool& pool) {
  Buffer buffer(pool.bytes(), pool.room());
  const Sink sink = buffer.sink();
  sink.put(variable);
  if (const Member* member = member_at(members, byte); member != nullptr) {
    const Text path(member->path);
    size_t at = 0;
    while (at + 1 < path.size && !(path[at] == '[' && path[at + 1] == ']')) ++at;
    if (at + 1 < path.size) {
      sink.put(path.part(0, at + 1));
      sink.put(Decimal((byte - member->offset) / member->stride).text());
      sink.put(path.part(at + 1));
    } else {
      sink.put(path);
    }
  }
  pool.take(buffer.text().size);
  return buffer.text();
}

// Bytes that are accessed as something larger are storage: what lies there is known to who accesses it.
template <class Member>
[[nodiscard]] bool is_storage(List<Member> members, uint64_t byte, uint64_t size) {
  const Member* member = member_at(members, byte);
  return member != nullptr && member->size <= 1 && size > 1;
}

}  // namespace norn::report
