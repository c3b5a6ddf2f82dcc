#include "core/storage/arena.h"

#include "base/bytes.h"
#include "base/hash.h"

namespace norn {

// Threads' stacks lie apart, so where this one is on its stack tells it from the others. In deep recursion it goes to
// another shard, which does no harm.
class Arena::Visit {
 public:
  explicit Visit(Arena& arena) {
    const auto stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) >> 16;
    auto at = static_cast<unsigned>(hash_word(stack) >> 32);
    Backoff backoff;
    for (unsigned tries = 1; !arena.shards_[at % kShards].mutex.try_lock(); ++tries, ++at) {
      if (tries % kShards == 0) backoff.pause();
    }
    shard = &arena.shards_[at % kShards];
  }
  ~Visit() { shard->mutex.unlock(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  Shard* shard;
};

unsigned Arena::class_of(size_t bytes) {
  if (bytes <= 512) return bytes == 0 ? 0 : static_cast<unsigned>((bytes - 1) / 16);
  return kFineClasses + static_cast<unsigned>(64 - __builtin_clzll(bytes - 1)) - 10;
}

size_t Arena::size_of(unsigned size_class) {
  return size_class < kFineClasses ? (size_class + 1) * size_t{16} : size_t{1} << (size_class - kFineClasses + 10);
}

// Whoever is in the shard.
void Arena::count(Shard& shard, size_t bytes) {
  shard.in_use.store(shard.in_use.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

size_t Arena::in_use() const {
  size_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.in_use.load(std::memory_order_relaxed);
  return sum;
}

void* Arena::map(size_t bytes) {
  void* memory = norn_arena_map(bytes);
  if (memory != nullptr) mapped_.fetch_add(bytes, std::memory_order_relaxed);
  return memory;
}

void Arena::put_free(Shard& shard, unsigned size_class, void* memory) {
  auto* block = static_cast<Free*>(memory);
  block->next = shard.free[size_class].load(std::memory_order_relaxed);
  shard.free[size_class].store(block, std::memory_order_relaxed);
}

// Null if there is none in any shard that nobody is in.
Arena::Free* Arena::take_free(Shard& shard, unsigned size_class) {
  Free* found = shard.free[size_class].load(std::memory_order_relaxed);
  for (unsigned i = 0; found == nullptr && i < kShards; ++i) {
    Shard& other = shards_[i];
    if (other.free[size_class].load(std::memory_order_relaxed) == nullptr || !other.mutex.try_lock()) continue;
    found = other.free[size_class].exchange(nullptr, std::memory_order_relaxed);
    other.mutex.unlock();
  }
  if (found != nullptr) shard.free[size_class].store(found->next, std::memory_order_relaxed);
  return found;
}

// When there is no fresh memory: looks into all shards, if need be after who is there. Not from within a shard.
void* Arena::take_anywhere(unsigned size_class) {
  for (Shard& shard : shards_) {
    if (shard.free[size_class].load(std::memory_order_relaxed) == nullptr) continue;
    const SpinLock lock(shard.mutex);
    Free* found = shard.free[size_class].load(std::memory_order_relaxed);
    if (found == nullptr) continue;
    shard.free[size_class].store(found->next, std::memory_order_relaxed);
    count(shard, size_of(size_class));
    return found;
  }
  return nullptr;
}

// Of a block that all share. Its tail that is too short for the next request is given up. Who maps a block while
// somebody else does keeps it for a request of that size.
void* Arena::carve_block(Shard& shard, size_t bytes) {
  for (Block* block = block_.load(std::memory_order_acquire);;) {
    if (block != nullptr) {
      const size_t at = block->used.fetch_add(bytes, std::memory_order_relaxed);
      if (at + bytes <= kBlock) return reinterpret_cast<char*>(block) + at;
    }
    auto* made = static_cast<Block*>(map(kBlock));
    if (made == nullptr) return nullptr;
    made->used.store(kBlockHeader + bytes, std::memory_order_relaxed);
    if (block_.compare_exchange_strong(block, made, std::memory_order_acq_rel)) {
      return reinterpret_cast<char*>(made) + kBlockHeader;
    }
    put_free(shard, class_of(kBlock), made);
  }
}

// Fresh memory, zeroed. A piece's tail that is too short for the next request is given up: at most one object.
void* Arena::carve(Shard& shard, size_t bytes) {
  if (bytes >= kLargeForBlock) return map((bytes + 0xffff) & ~size_t{0xffff});
  if (bytes >= kLargeForShard) return carve_block(shard, (bytes + 63) & ~size_t{63});
  if (static_cast<size_t>(shard.fresh_end - shard.fresh) < bytes) {
    auto* piece = static_cast<char*>(carve_block(shard, kPiece));
    if (piece == nullptr) return nullptr;
    shard.fresh = piece;
    shard.fresh_end = piece + kPiece;
  }
  void* memory = shard.fresh;
  shard.fresh += bytes;
  return memory;
}

void* Arena::take(unsigned size_class, bool& is_zero) {
  {
    const Visit visit(*this);
    void* memory = take_free(*visit.shard, size_class);
    is_zero = memory == nullptr;
    if (is_zero) memory = carve(*visit.shard, size_of(size_class));
    if (memory != nullptr) {
      count(*visit.shard, size_of(size_class));
      return memory;
    }
  }
  is_zero = false;
  return take_anywhere(size_class);
}

void* Arena::allocate(size_t bytes) {
  bool is_zero = false;
  return take(class_of(bytes), is_zero);
}

// Memory that was never used is zero already; memory from a free list is not. The latter is small.
void* Arena::allocate_zeroed(size_t bytes) {
  bool is_zero = false;
  void* memory = take(class_of(bytes), is_zero);
  if (memory != nullptr && !is_zero) fill_zero(memory, bytes);
  return memory;
}

void* Arena::allocate_forever(size_t bytes) {
  const Visit visit(*this);
  void* memory = carve(*visit.shard, bytes);
  if (memory != nullptr) count(*visit.shard, bytes);
  return memory;
}

void Arena::release(void* memory, size_t bytes) {
  if (memory == nullptr) return;
  const unsigned size_class = class_of(bytes);
  const Visit visit(*this);
  count(*visit.shard, size_t{0} - size_of(size_class));
  put_free(*visit.shard, size_class, memory);
}

}  // namespace norn
