#include "core/arena.h"

#include "core/bytes.h"

namespace norn {

unsigned Arena::class_of(size_t bytes) {
  if (bytes <= 512) return bytes == 0 ? 0 : static_cast<unsigned>((bytes - 1) / 16);
  return kFineClasses + static_cast<unsigned>(64 - __builtin_clzll(bytes - 1)) - 10;
}

size_t Arena::size_of(unsigned size_class) {
  return size_class < kFineClasses ? (size_class + 1) * size_t{16} : size_t{1} << (size_class - kFineClasses + 10);
}

void* Arena::map(size_t bytes) {
  if (limit_ != 0 && mapped_.load(std::memory_order_relaxed) + bytes > limit_) return nullptr;
  void* memory = norn_arena_map(bytes);
  if (memory != nullptr) mapped_.fetch_add(bytes, std::memory_order_relaxed);
  return memory;
}

// Fresh memory, zeroed. A block's tail that is too short for the next request is given up: at most one object.
void* Arena::carve(size_t bytes) {
  if (bytes >= kBlock / 4) return map((bytes + 0xffff) & ~size_t{0xffff});
  SpinLock lock(bump_mutex_);
  if (static_cast<size_t>(bump_end_ - bump_) < bytes) {
    auto* block = static_cast<char*>(map(kBlock));
    if (block == nullptr) return nullptr;
    bump_ = block;
    bump_end_ = block + kBlock;
  }
  void* memory = bump_;
  bump_ += bytes;
  return memory;
}

void* Arena::allocate(size_t bytes) {
  const unsigned size_class = class_of(bytes);
  const size_t size = size_of(size_class);
  void* memory = nullptr;
  {
    SizeClass& c = classes_[size_class];
    SpinLock lock(c.mutex);
    if (c.free != nullptr) {
      memory = c.free;
      c.free = c.free->next;
    }
  }
  if (memory == nullptr) memory = carve(size);
  if (memory != nullptr) in_use_.fetch_add(size, std::memory_order_relaxed);
  return memory;
}

// Memory that was never used is zero already; memory from a free list is not. The latter is small.
void* Arena::allocate_zeroed(size_t bytes) {
  const unsigned size_class = class_of(bytes);
  const size_t size = size_of(size_class);
  {
    SizeClass& c = classes_[size_class];
    c.mutex.lock();
    Free* memory = c.free;
    if (memory != nullptr) c.free = memory->next;
    c.mutex.unlock();
    if (memory != nullptr) {
      in_use_.fetch_add(size, std::memory_order_relaxed);
      fill_zero(memory, bytes);
      return memory;
    }
  }
  void* memory = carve(size);
  if (memory != nullptr) in_use_.fetch_add(size, std::memory_order_relaxed);
  return memory;
}

void* Arena::allocate_forever(size_t bytes) {
  void* memory = carve(bytes);
  if (memory != nullptr) in_use_.fetch_add(bytes, std::memory_order_relaxed);
  return memory;
}

void Arena::release(void* memory, size_t bytes) {
  if (memory == nullptr) return;
  const unsigned size_class = class_of(bytes);
  in_use_.fetch_sub(size_of(size_class), std::memory_order_relaxed);
  auto* block = static_cast<Free*>(memory);
  SizeClass& c = classes_[size_class];
  SpinLock lock(c.mutex);
  block->next = c.free;
  c.free = block;
}

}  // namespace norn
