#include "core/storage/intern.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text_hash.h"

namespace norn {
namespace {

// FNV-like, a word at a time, with a final mix (Murmur3's finalizer).
uint32_t hash_words(const uint32_t* words, unsigned count) {
  uint64_t h = kNoBytes ^ count;
  for (unsigned i = 0; i < count; ++i) h = hash_next(h, words[i]);
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdu;
  h ^= h >> 33;
  return static_cast<uint32_t>(h);
}

}  // namespace

bool InternTable::init(Arena& arena, unsigned log2_slots, unsigned half_bit) {
  arena_ = &arena;
  half_bit_ = 1u << half_bit;
  slot_count_ = size_t{1} << log2_slots;
  slots_ = static_cast<std::atomic<uint32_t>*>(arena.allocate_zeroed(slot_count_ * sizeof(uint32_t)));
  blocks_ = static_cast<Blocks*>(arena.allocate_zeroed((half_bit_ >> kBlockBits) * sizeof(Blocks)));
  spare_blocks_ = static_cast<Blocks*>(arena.allocate_zeroed((half_bit_ >> kBlockBits) * sizeof(Blocks)));
  return slots_ != nullptr && blocks_ != nullptr && spare_blocks_ != nullptr;
}

InternTable::Blob* InternTable::old_blob(Id id) const {
  const uint32_t unit = id & (half_bit_ - 1);
  char* block = old_blocks_[unit >> kBlockBits].load(std::memory_order_relaxed);
  return reinterpret_cast<Blob*>(block + size_t{unit & ((1u << kBlockBits) - 1)} * kUnit);
}

InternTable::Id InternTable::make_blob(const uint32_t* words, unsigned count, uint32_t hash, uint16_t age) {
  const auto units = static_cast<uint32_t>((sizeof(Blob) + count * sizeof(uint32_t) + kUnit - 1) / kUnit);
  for (;;) {
    const uint32_t first = next_unit_.fetch_add(units, std::memory_order_relaxed);
    const uint32_t last = first + units - 1;
    if (last >= half_bit_ || last < first) {
      next_unit_.store(half_bit_, std::memory_order_relaxed);  // full: stays full
      return kEmpty;
    }
    if (first >> kBlockBits != last >> kBlockBits) continue;  // would cross into the next block: give the gap up
    std::atomic<char*>& slot = blocks_[first >> kBlockBits];
    char* block = slot.load(std::memory_order_acquire);
    if (block == nullptr) {
      SpinLock lock(block_mutex_);
      block = slot.load(std::memory_order_relaxed);
      if (block == nullptr) {
        block = static_cast<char*>(arena_->allocate(kUnit << kBlockBits));
        if (block == nullptr) return kEmpty;
        slot.store(block, std::memory_order_release);
      }
    }
    auto* made = reinterpret_cast<Blob*>(block + size_t{first & ((1u << kBlockBits) - 1)} * kUnit);
    made->hash = hash;
    made->count = static_cast<uint16_t>(count);
    made->age = age;
    made->forward = 0;
    copy_words(made->words(), words, count);
    return first | half_;
  }
}

InternTable::Id InternTable::insert(const uint32_t* words, unsigned count, uint16_t age) {
  const uint32_t hash = hash_words(words, count);
  const size_t mask = slot_count_ - 1;
  Id fresh = kEmpty;
  for (size_t i = hash & mask, probes = 0; probes <= mask; i = (i + 1) & mask, ++probes) {
    Id id = slots_[i].load(std::memory_order_acquire);
    if (id == kEmpty) {
      if (fresh == kEmpty) fresh = make_blob(words, count, hash, age);
      if (fresh == kEmpty) break;
      if (slots_[i].compare_exchange_strong(id, fresh, std::memory_order_acq_rel)) {
        used_.fetch_add(1, std::memory_order_relaxed);
        return fresh;
      }
    }
    // Another thread may have made the same just now; ours is then garbage for the next collection.
    const Blob* found = blob(id);
    if (found->hash == hash && found->count == count && same_words(found->words(), words, count)) return id;
  }
  failed_.store(true, std::memory_order_relaxed);
  return kEmpty;
}

InternTable::Id InternTable::intern(const uint32_t* words, unsigned count) {
  return count == 0 || count > kMaxWords ? kEmpty : insert(words, count, age_);
}

bool InternTable::begin_collection(uint16_t age) {
  // Room for three times what is there now, were all of it to live: the next collection is then far away.
  const size_t used = used_.load(std::memory_order_relaxed);
  size_t slots = slot_count_;
  while (slots < used * 3) slots *= 2;
  auto* new_slots = static_cast<std::atomic<uint32_t>*>(arena_->allocate_zeroed(slots * sizeof(uint32_t)));
  if (new_slots == nullptr) return false;
  old_slots_ = slots_;
  old_slot_count_ = slot_count_;
  old_blocks_ = blocks_;
  old_next_unit_ = next_unit_.load(std::memory_order_relaxed);
  slots_ = new_slots;
  slot_count_ = slots;
  blocks_ = spare_blocks_;
  used_.store(0, std::memory_order_relaxed);
  next_unit_.store(1, std::memory_order_relaxed);
  half_ ^= half_bit_;
  age_ = age;
  return true;
}

void InternTable::end_collection() {
  for (size_t i = 0; i <= old_next_unit_ >> kBlockBits && i < half_bit_ >> kBlockBits; ++i) {
    arena_->release(old_blocks_[i].exchange(nullptr, std::memory_order_relaxed), kUnit << kBlockBits);
  }
  spare_blocks_ = old_blocks_;
  arena_->release(old_slots_, old_slot_count_ * sizeof(uint32_t));
  old_blocks_ = nullptr;
  old_slots_ = nullptr;
  const uint32_t live = next_unit_.load(std::memory_order_relaxed);
  goal_ = live > half_bit_ / 4 ? half_bit_ - half_bit_ / 8 : live * 3;
  if (goal_ < kMinimumGoal) goal_ = kMinimumGoal;
  failed_.store(false, std::memory_order_relaxed);
}

void InternTable::reset() {
  for (size_t i = 0; i < slot_count_; ++i) slots_[i].store(kEmpty, std::memory_order_relaxed);
  for (size_t i = 0; i < half_bit_ >> kBlockBits; ++i) {
    char* block = blocks_[i].load(std::memory_order_relaxed);
    if (block == nullptr) break;
    arena_->release(block, kUnit << kBlockBits);
    blocks_[i].store(nullptr, std::memory_order_relaxed);
  }
  used_.store(0, std::memory_order_relaxed);
  next_unit_.store(1, std::memory_order_relaxed);
  half_ ^= half_bit_;
  failed_.store(false, std::memory_order_relaxed);
}

bool InternTable::check_invariants() const {
  size_t found = 0;
  for (size_t i = 0; i < slot_count_; ++i) {
    const Id id = slots_[i].load(std::memory_order_relaxed);
    if (id == kEmpty) continue;
    ++found;
    if ((id & half_bit_) != half_) return false;
    if (blob(id)->hash != hash_words(blob(id)->words(), blob(id)->count)) return false;
    if (blob(id)->forward != 0) return false;
  }
  return found == used_.load(std::memory_order_relaxed);
}

}  // namespace norn
