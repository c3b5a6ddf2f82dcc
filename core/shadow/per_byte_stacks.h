// Places that differ by byte.
//
// Code that goes through memory byte by byte accesses the bytes of one granule from several places at one time of its
// thread. A shadow word has one place; for it to stand for all of them it can have a mixed one, which says for each
// byte which it was. Mixed places are kept once each, for ever: the loops of a program make few.
#pragma once

#include <atomic>

#include "core/event.h"
#include "core/shadow/shadow.h"
#include "core/storage/arena.h"

namespace norn {

class PerByteStacks {
 public:
  static constexpr StackId kPerByte = ShadowWord::kPerByteStack;

  void init(Arena& arena) { arena_ = &arena; }

  // The place of bytes that were accessed at `a`, and of others that were at `b`; kNoStack: there is no room for it.
  [[nodiscard]] StackId mix(StackId a, unsigned bytes_of_a, StackId b, unsigned bytes_of_b);

  // Which it is of one byte.
  [[nodiscard]] StackId at(StackId where, unsigned byte) const {
    return (where & kPerByte) == 0 ? where : entry(where ^ kPerByte).places.of[byte];
  }

 private:
  struct Places {
    StackId of[kGranuleBytes];
    bool operator==(const Places&) const = default;
  };
  struct Entry {
    Places places;
    uint32_t next;  // in its bucket, plus one
    uint32_t unused[3];
  };
  static_assert(sizeof(Entry) % 16 == 0);
  static constexpr unsigned kChunkBits = 10;
  static constexpr unsigned kChunks = 256;
  static constexpr unsigned kBuckets = 1u << 16;

  [[nodiscard]] Entry& entry(uint32_t index) const {
    return chunks_[index >> kChunkBits][index & ((1u << kChunkBits) - 1)];
  }
  [[nodiscard]] StackId find(const Places& places, const std::atomic<uint32_t>& bucket) const;
  [[nodiscard]] bool is_full() const { return count_.load(std::memory_order_relaxed) >> kChunkBits >= kChunks; }
  [[nodiscard]] StackId intern(const Places& places);

  Arena* arena_ = nullptr;
  SpinMutex mutex_;  // for who adds
  std::atomic<uint32_t> count_{0};
  std::atomic<std::atomic<uint32_t>*> buckets_{nullptr};  // index plus one
  Entry* chunks_[kChunks] = {};
};

}  // namespace norn
