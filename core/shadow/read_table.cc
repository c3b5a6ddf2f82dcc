#include "core/shadow/read_table.h"

namespace norn {

// Who comes second takes what the first has made.
template <class T>
T* ReadTable::made_once(std::atomic<T*>& place) {
  T* found = place.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  const size_t taken = bytes_.load(std::memory_order_relaxed);
  if (taken > kAlways && (taken > shadow_->bytes() || (limit_ != 0 && taken > limit_))) return nullptr;
  T* made = arena_->create<T>();
  if (made == nullptr) return nullptr;
  if (place.compare_exchange_strong(found, made, std::memory_order_acq_rel)) {
    bytes_.fetch_add(sizeof(T), std::memory_order_relaxed);
    return made;
  }
  arena_->destroy(made);
  return found;
}

ReadBlock* ReadTable::get(Address address) {
  Leaf* leaf = shadow_->leaf(address);
  ReadBlocks* blocks = leaf == nullptr ? nullptr : made_once(leaf->readers);
  return blocks == nullptr ? nullptr : made_once(blocks->blocks[number_in_leaf(address)]);
}

ReadBlock::Row* ReadTable::row(ReadBlock& block, Slot slot) {
  ReadBlock::Part* part = made_once(block.parts[slot / ReadBlock::kPartSlots]);
  return part == nullptr ? nullptr : &part->rows[slot % ReadBlock::kPartSlots];
}

void ReadTable::release(ReadBlock& block) {
  for (std::atomic<ReadBlock::Part*>& part : block.parts) {
    ReadBlock::Part* made = part.load(std::memory_order_relaxed);
    if (made == nullptr) continue;
    arena_->destroy(made);
    bytes_.fetch_sub(sizeof(ReadBlock::Part), std::memory_order_relaxed);
  }
  arena_->destroy(&block);
  bytes_.fetch_sub(sizeof(ReadBlock), std::memory_order_relaxed);
}

}  // namespace norn
