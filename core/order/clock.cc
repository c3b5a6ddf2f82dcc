#include "core/order/clock.h"

#include "base/bytes.h"

namespace norn {

VectorClock::Chunk* VectorClock::share(Chunk* chunk) {
  if (chunk != nullptr) chunk->refs.fetch_add(1, std::memory_order_relaxed);
  return chunk;
}

void VectorClock::drop(Arena& arena, Chunk* chunk) {
  if (chunk == nullptr) return;
  if (chunk->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) arena.release(chunk, sizeof(Chunk));
}

// Makes `chunk` writable: a new one if there is none, a copy if it is shared.
VectorClock::Chunk* VectorClock::own(Arena& arena, Chunk*& chunk) {
  if (chunk != nullptr && chunk->refs.load(std::memory_order_acquire) == 1) return chunk;
  auto* fresh = static_cast<Chunk*>(arena.allocate(sizeof(Chunk)));
  if (fresh == nullptr) return nullptr;
  fresh->refs.store(1, std::memory_order_relaxed);
  if (chunk == nullptr) {
    for (ClockValue& time : fresh->times) time = 0;
  } else {
    for (unsigned i = 0; i < kTimes; ++i) fresh->times[i] = chunk->times[i];
    drop(arena, chunk);
  }
  chunk = fresh;
  return fresh;
}

bool VectorClock::reserve(Arena& arena, unsigned count) {
  if (count > (capacity_ == 0 ? kInline : capacity_)) {
    unsigned capacity = capacity_ == 0 ? kInline : capacity_;
    while (capacity < count) capacity *= 2;
    auto* grown = static_cast<Chunk**>(arena.allocate(capacity * sizeof(Chunk*)));
    if (grown == nullptr) return false;
    Chunk** old = chunks();
    for (unsigned i = 0; i < count_; ++i) grown[i] = old[i];
    if (capacity_ != 0) arena.release(spilled_, capacity_ * sizeof(Chunk*));
    spilled_ = grown;
    capacity_ = static_cast<uint16_t>(capacity);
  }
  Chunk** all = chunks();
  for (unsigned i = count_; i < count; ++i) all[i] = nullptr;
  if (count > count_) count_ = static_cast<uint16_t>(count);
  return true;
}

void VectorClock::clear_far(Arena& arena) {
  Chunk** all = chunks();
  for (unsigned i = 0; i < count_; ++i) drop(arena, all[i]);
  if (capacity_ != 0) arena.release(spilled_, capacity_ * sizeof(Chunk*));
  inline_[0] = nullptr;
  inline_[1] = nullptr;
  count_ = 0;
  capacity_ = 0;
}

// Where a chunk is nobody else's, copying its times costs less than sharing those of another: no count is changed, and
// nothing must be made when the next time is written. Of clocks of many threads most chunks stay as they are, and are
// shared.
bool VectorClock::copy_times(unsigned index, const Chunk* from) {
  Chunk* chunk = chunks()[index];
  if (index >= kCopied || chunk == nullptr || chunk->refs.load(std::memory_order_acquire) != 1) return false;
  for (unsigned k = 0; k < kTimes; ++k) chunk->times[k] = from->times[k];
  return true;
}

bool VectorClock::raise_far(Arena& arena, Slot slot, ClockValue time) {
  const unsigned index = slot / kTimes;
  if (!reserve(arena, index + 1)) return false;
  Chunk* chunk = own(arena, chunks()[index]);
  if (chunk == nullptr) return false;
  chunk->times[slot % kTimes] = time;
  return true;
}

bool VectorClock::includes_far(const VectorClock& other) const {
  Chunk* const* mine = chunks();
  Chunk* const* theirs = other.chunks();
  for (unsigned i = 0; i < other.count_; ++i) {
    const Chunk* from = theirs[i];
    if (from == nullptr || (i < count_ && from == mine[i])) continue;
    if (i >= count_ || mine[i] == nullptr) return false;
    for (unsigned k = 0; k < kTimes; ++k) {
      if (mine[i]->times[k] < from->times[k]) return false;
    }
  }
  return true;
}

bool VectorClock::join_far(Arena& arena, const VectorClock& other) {
  if (&other == this) return true;
  if (!reserve(arena, other.count_)) return false;
  Chunk** mine = chunks();
  Chunk* const* theirs = other.chunks();
  bool complete = true;
  for (unsigned i = 0; i < other.count_; ++i) {
    Chunk* from = theirs[i];
    if (from == nullptr || from == mine[i]) continue;
    if (mine[i] == nullptr) {
      mine[i] = share(from);
      continue;
    }
    bool mine_lacks = false;
    bool theirs_lacks = false;
    for (unsigned k = 0; k < kTimes; ++k) {
      mine_lacks |= mine[i]->times[k] < from->times[k];
      theirs_lacks |= mine[i]->times[k] > from->times[k];
    }
    if (!mine_lacks) continue;
    if (!theirs_lacks) {
      if (copy_times(i, from)) continue;
      Chunk* old = mine[i];
      mine[i] = share(from);
      drop(arena, old);
      continue;
    }
    Chunk* chunk = own(arena, mine[i]);
    if (chunk == nullptr) {
      complete = false;
      continue;
    }
    for (unsigned k = 0; k < kTimes; ++k) {
      if (chunk->times[k] < from->times[k]) chunk->times[k] = from->times[k];
    }
  }
  return complete;
}

bool VectorClock::assign_far(Arena& arena, const VectorClock& other) {
  if (&other == this) return true;
  if (!reserve(arena, other.count_)) {
    clear(arena);
    return false;
  }
  Chunk** mine = chunks();
  Chunk* const* theirs = other.chunks();
  for (unsigned i = 0; i < other.count_; ++i) {
    if (mine[i] == theirs[i] || (theirs[i] != nullptr && copy_times(i, theirs[i]))) continue;
    Chunk* old = mine[i];
    mine[i] = share(theirs[i]);
    drop(arena, old);
  }
  for (unsigned i = other.count_; i < count_; ++i) drop(arena, mine[i]);
  count_ = other.count_;
  return true;
}

unsigned VectorClock::chunk_count() const {
  unsigned found = 0;
  for (unsigned i = 0; i < count_; ++i) found += chunks()[i] != nullptr;
  return found;
}

bool VectorClock::check_invariants() const {
  if (count_ > (capacity_ == 0 ? kInline : capacity_)) return false;
  for (unsigned i = 0; i < count_; ++i) {
    const Chunk* chunk = chunks()[i];
    if (chunk != nullptr && chunk->refs.load(std::memory_order_relaxed) == 0) return false;
  }
  return true;
}

}  // namespace norn
