#include "core/shadow/shadow.h"

namespace norn {

bool Shadow::init(Arena& arena, uintptr_t flat_at) {
  arena_ = &arena;
  flat_at_ = flat_at;
  top_ = static_cast<std::atomic<Middle*>*>(
      arena.allocate_zeroed((kLeaves >> kMiddleBits) * sizeof(std::atomic<Middle*>)));
  return top_ != nullptr;
}

void Shadow::mark_object(Address address) {
  Leaf* in = leaf(address);
  if (in == nullptr) return;
  std::atomic<uint64_t>* bits = in->objects.load(std::memory_order_acquire);
  if (bits == nullptr) {
    SpinLock lock(make_mutex_);
    bits = in->objects.load(std::memory_order_acquire);
    if (bits == nullptr) {
      bits = static_cast<std::atomic<uint64_t>*>(arena_->allocate_zeroed(Leaf::kWords / 8));
      if (bits == nullptr) return;
      in->objects.store(bits, std::memory_order_release);
    }
  }
  const auto word = static_cast<unsigned>(address / kWordBytes % Leaf::kWords);
  bits[word / 64].fetch_or(uint64_t{1} << word % 64, std::memory_order_relaxed);
}

Leaf* Shadow::make_leaf(Address number) {
  std::atomic<Middle*>& place = top_[number >> kMiddleBits];
  Middle* middle = place.load(std::memory_order_acquire);
  if (middle == nullptr) {
    auto* made = static_cast<Middle*>(arena_->allocate_zeroed(sizeof(Middle)));
    if (made == nullptr) return nullptr;
    if (place.compare_exchange_strong(middle, made, std::memory_order_acq_rel)) {
      middle = made;
    } else {
      arena_->release(made, sizeof(Middle));
    }
  }
  std::atomic<Leaf*>& slot = middle->leaves[number & (kMiddleSize - 1)];
  Leaf* leaf = slot.load(std::memory_order_acquire);
  if (leaf != nullptr) return leaf;
  SpinLock lock(make_mutex_);
  leaf = slot.load(std::memory_order_acquire);
  if (leaf != nullptr) return leaf;
  const Address address = number << Leaf::kBits;
  const bool flat = flat_at_ != 0 && is_flat(address);
  auto* made = static_cast<Leaf*>(arena_->allocate_forever(sizeof(Leaf)));
  if (made == nullptr) return nullptr;
  made->number = number;
  made->granules =
      flat ? flat_granule(address) : static_cast<Granule*>(arena_->allocate_forever(Leaf::kGranules * sizeof(Granule)));
  if (made->granules == nullptr) return nullptr;
  // Where memory grows it will be used; what lies alone (a variable, the end of a stack) may be all there is.
  const bool grows = number != 0 && existing_leaf(address - 1) != nullptr;
  if (flat && grows && populate_shadow != nullptr) {
    populate_shadow(made->granules, Leaf::kGranules * sizeof(Granule));
  }
  slot.store(made, std::memory_order_release);
  made->next = leaves_.load(std::memory_order_relaxed);
  leaves_.store(made, std::memory_order_release);
  leaf_count_.fetch_add(1, std::memory_order_relaxed);
  return made;
}

}  // namespace norn
