// Immutable sequences of words, each kept once and known by a small number.
//
// Locksets and thread sets are such sequences. Equal sequences have equal ids, so a comparison is one compare.
//
// intern() is lock-free: open addressing, one compare-and-swap a new sequence. Nothing is removed but by a
// collection, for which the caller stops all others: what is kept is copied into the other half of the id
// space, so an id from before a collection never means something else right after it.
//
// A sequence is a blob in one of the half's 1 MiB blocks:
//   uint32 hash · uint16 count · uint16 age · uint32 forward · uint32 words[count], padded to 16 bytes
// and its id is the blob's offset in units of 16 bytes, with the half's bit set in the second half.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "core/storage/arena.h"

namespace norn {

class InternTable {
 public:
  using Id = uint32_t;
  static constexpr Id kEmpty = 0;  // the empty sequence; also "no memory"
  static constexpr unsigned kMaxWords = 528;

  constexpr InternTable() = default;
  InternTable(const InternTable&) = delete;
  InternTable& operator=(const InternTable&) = delete;

  // `half_bit`: ids use the bits up to and including this one.
  bool init(Arena& arena, unsigned log2_slots, unsigned half_bit);

  // Any thread, at any time but during a collection; lock-free but for mapping a new block.
  [[nodiscard]] Id intern(const uint32_t* words, unsigned count);
  [[nodiscard]] const uint32_t* words(Id id) const { return blob(id)->words(); }
  [[nodiscard]] unsigned count(Id id) const { return id == kEmpty ? 0 : blob(id)->count; }
  [[nodiscard]] uint16_t age(Id id) const { return blob(id)->age; }

  [[nodiscard]] bool wants_collection() const {
    return used_.load(std::memory_order_relaxed) * 2 > slot_count_ ||
           next_unit_.load(std::memory_order_relaxed) > goal_;
  }
  // True since memory ran out and a sequence was not made; reset() and a collection clear it.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  [[nodiscard]] size_t bytes() const { return size_t{next_unit_.load(std::memory_order_relaxed)} * kUnit; }
  [[nodiscard]] size_t sequences() const { return used_.load(std::memory_order_relaxed); }

  // A collection: begin, keep() what is referred to, end. All other users are stopped. begin() returns false if
  // there is no memory for the new table: then nothing has changed.
  [[nodiscard]] bool begin_collection(uint16_t age);
  [[nodiscard]] const uint32_t* old_words(Id old) const { return old_blob(old)->words(); }
  // The id from now on; `rewrite(words, count)` may change the words of the copy. kEmpty if memory ran out.
  template <class Rewrite>
  Id keep(Id old, Rewrite&& rewrite) {
    if (old == kEmpty) return kEmpty;
    Blob* from = old_blob(old);
    if (from->forward != 0) return from->forward;
    uint32_t buffer[kMaxWords];
    for (unsigned i = 0; i < from->count; ++i) buffer[i] = from->words()[i];
    rewrite(buffer, from->count);
    from->forward = insert(buffer, from->count, from->age);
    return from->forward;
  }
  void end_collection();
  // Forgets everything, without needing memory. All other users are stopped.
  void reset();

  [[nodiscard]] bool check_invariants() const;

 private:
  struct Blob {
    uint32_t hash;
    uint16_t count;
    uint16_t age;  // the collection before which it was made
    uint32_t forward;

    [[nodiscard]] uint32_t* words() { return reinterpret_cast<uint32_t*>(this + 1); }
    [[nodiscard]] const uint32_t* words() const { return reinterpret_cast<const uint32_t*>(this + 1); }
  };
  static_assert(sizeof(Blob) == 12);
  static constexpr size_t kUnit = 16;
  static constexpr unsigned kBlockBits = 16;  // units a block: 1 MiB
  static constexpr uint32_t kMinimumGoal = 1u << 16;

  using Blocks = std::atomic<char*>;

  [[nodiscard]] const Blob* blob(Id id) const {
    const uint32_t unit = id & ~half_;
    const char* block = blocks_[unit >> kBlockBits].load(std::memory_order_acquire);
    return reinterpret_cast<const Blob*>(block + size_t{unit & ((1u << kBlockBits) - 1)} * kUnit);
  }
  [[nodiscard]] Blob* old_blob(Id id) const;
  Id insert(const uint32_t* words, unsigned count, uint16_t age);
  Id make_blob(const uint32_t* words, unsigned count, uint32_t hash, uint16_t age);

  Arena* arena_ = nullptr;
  std::atomic<uint32_t>* slots_ = nullptr;
  size_t slot_count_ = 0;
  std::atomic<size_t> used_{0};
  Blocks* blocks_ = nullptr;
  Blocks* spare_blocks_ = nullptr;      // the other half's, all null
  std::atomic<uint32_t> next_unit_{1};  // unit 0 is not a blob
  uint32_t goal_ = kMinimumGoal;        // collect when this many units are used
  std::atomic<bool> failed_{false};
  SpinMutex block_mutex_;
  uint32_t half_ = 0;  // the bit that ids carry now: 0 or half_bit_
  uint32_t half_bit_ = 0;
  uint16_t age_ = 0;

  // During a collection: what is left.
  std::atomic<uint32_t>* old_slots_ = nullptr;
  size_t old_slot_count_ = 0;
  Blocks* old_blocks_ = nullptr;
  uint32_t old_next_unit_ = 0;
};

}  // namespace norn
