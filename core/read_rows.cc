#include "core/read_rows.h"

namespace norn {

// Who comes second takes what the first has made.
template <class T>
T* ReadRows::made_once(std::atomic<T*>& place) {
  T* found = place.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  T* made = arena_->create<T>();
  if (made == nullptr || place.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
  arena_->destroy(made);
  return found;
}

ReadBlock* ReadRows::get(Address address) {
  Leaf* leaf = shadow_->leaf(address);
  ReadBlocks* blocks = leaf == nullptr ? nullptr : made_once(leaf->readers);
  return blocks == nullptr ? nullptr : made_once(blocks->blocks[number_in_leaf(address)]);
}

ReadBlock::Row* ReadRows::row(ReadBlock& block, Slot slot) {
  ReadBlock::Part* part = made_once(block.parts[slot / ReadBlock::kPartSlots]);
  return part == nullptr ? nullptr : &part->rows[slot % ReadBlock::kPartSlots];
}

void ReadRows::release(ReadBlock& block) {
  for (std::atomic<ReadBlock::Part*>& part : block.parts) {
    if (ReadBlock::Part* made = part.load(std::memory_order_relaxed); made != nullptr) arena_->destroy(made);
  }
  arena_->destroy(&block);
}

}  // namespace norn
