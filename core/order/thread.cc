#include "core/order/thread.h"

#include "base/bytes.h"

namespace norn {

void AccessRecord::count(Bytes bytes, int change) {
  if (bytes.end - bytes.begin > kWide) {
    wide_ = static_cast<unsigned>(static_cast<int>(wide_) + change);
    return;
  }
  for_each_place(bytes, [&](unsigned place) { near_[place] = static_cast<uint8_t>(near_[place] + change); });
}

void AccessRecord::add_generally(Bytes bytes) {
  // Walk over the recorded runs until they cover the bytes or none of them goes on.
  Address covered = bytes.begin;
  for (bool progress = wide_ != 0 || near_[place_of(covered)] != 0; progress && covered < bytes.end;) {
    progress = false;
    for (unsigned i = 0; i < count_; ++i) {
      const Bytes& run = at(i);
      if (run.begin <= covered && covered < run.end) {
        covered = run.end;
        progress = true;
      }
    }
  }
  if (covered >= bytes.end) return;
  if (count_ == kSize) {
    count(at(0), -1);
    first_ = (first_ + 1) % kSize;
    --count_;
  }
  const unsigned at = (first_ + count_++) % kSize;
  runs_[at] = bytes;
  count(bytes, 1);
  if (bytes.end - bytes.begin > kWide) return;
  for_each_place(bytes, [&](unsigned place) { newest_[place] = static_cast<uint8_t>(at); });
}

bool Slots::init(Arena& arena, ClockValue time_limit) {
  arena_ = &arena;
  time_limit_ = time_limit;
  slots_ = static_cast<SlotState*>(arena.allocate_zeroed(kCount * sizeof(SlotState)));
  marked_ = static_cast<bool*>(arena.allocate_zeroed(kCount * sizeof(bool)));
  ended_ = static_cast<Slot*>(arena.allocate_zeroed(kCount * sizeof(Slot)));
  clean_ = static_cast<Slot*>(arena.allocate_zeroed(kCount * sizeof(Slot)));
  return slots_ != nullptr && marked_ != nullptr && ended_ != nullptr && clean_ != nullptr;
}

bool Slots::add_tenant(Slot slot, ThreadId thread, ClockValue since) {
  SlotState& state = slots_[slot];
  if (state.tenant_count == state.tenant_capacity) {
    const uint32_t capacity = state.tenant_capacity == 0 ? 2 : state.tenant_capacity * 2;
    auto* grown = static_cast<SlotState::Tenant*>(arena_->allocate(capacity * sizeof(SlotState::Tenant)));
    if (grown == nullptr) return false;
    for (uint32_t i = 0; i < state.tenant_count; ++i) grown[i] = state.tenants[i];
    arena_->release(state.tenants, state.tenant_capacity * sizeof(SlotState::Tenant));
    state.tenants = grown;
    state.tenant_capacity = capacity;
  }
  state.tenants[state.tenant_count++] = {since, thread, false};
  return true;
}

bool Slots::take(ThreadId thread, const VectorClock& strong, Slot& slot, ClockValue& first) {
  SpinLock lock(mutex_);
  constexpr unsigned kLook = 8;  // the most recently ended are the likeliest to have been joined by the parent
  unsigned found = ~0u;
  for (unsigned i = 0; i < kLook && i < ended_count_; ++i) {
    const unsigned at = ended_count_ - 1 - i;
    if (strong.get(ended_[at]) >= slots_[ended_[at]].last) {
      found = ended_[at];
      ended_[at] = ended_[--ended_count_];
      break;
    }
  }
  if (found == ~0u && clean_count_ > 0) found = clean_[--clean_count_];
  if (found == ~0u && used_ < kCount) found = used_++;
  if (found == ~0u) return false;
  slot = static_cast<Slot>(found);
  SlotState& state = slots_[slot];
  first = state.last + 1;
  if (!add_tenant(slot, thread, first)) return false;
  state.use = SlotState::Use::kTaken;
  return true;
}

void Slots::end(Slot slot, ClockValue last) {
  SpinLock lock(mutex_);
  SlotState& state = slots_[slot];
  state.last = last;
  // A slot without time left is not used again. 65,536 slots of 2^32 releases each outlast any program.
  if (last >= time_limit_ - 1) {
    state.use = SlotState::Use::kRetired;
    return;
  }
  state.use = SlotState::Use::kEnded;
  ended_[ended_count_++] = slot;
}

SlotState::Tenant* Slots::find_tenant(Slot slot, ClockValue time) {
  SlotState& state = slots_[slot];
  for (uint32_t i = state.tenant_count; i > 0; --i) {
    if (state.tenants[i - 1].since <= time) return &state.tenants[i - 1];
  }
  return nullptr;
}

ThreadId Slots::tenant(Slot slot, ClockValue time) {
  SpinLock lock(mutex_);
  const SlotState::Tenant* tenant = find_tenant(slot, time);
  return tenant == nullptr ? kNoThread : tenant->thread;
}

void Slots::joined(Slot slot, ClockValue time) {
  SpinLock lock(mutex_);
  SlotState::Tenant* tenant = find_tenant(slot, time);
  if (tenant != nullptr) tenant->joined = true;
}

bool Slots::is_joined(Slot slot, ClockValue time) {
  SpinLock lock(mutex_);
  const SlotState::Tenant* tenant = find_tenant(slot, time);
  return tenant == nullptr || tenant->joined;
}

void Slots::begin_collection() { fill_zero(marked_, used_); }

void Slots::end_collection() {
  unsigned kept = 0;
  for (unsigned i = 0; i < ended_count_; ++i) {
    const Slot slot = ended_[i];
    if (marked_[slot]) {
      ended_[kept++] = slot;
    } else {
      clean_[clean_count_++] = slot;
      slots_[slot].tenant_count = 0;
    }
  }
  ended_count_ = ended_kept_ = kept;
}

}  // namespace norn
