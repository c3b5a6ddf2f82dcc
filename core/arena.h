// The core's one source of memory.
//
// The embedding supplies zeroed blocks through norn_arena_map(); they are never given back. Everything that
// the core keeps comes from here, in size classes with one free list each, so that a hook can take memory
// wherever the program stands: no allocator of the host is involved.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "core/spin_mutex.h"

// Returns `bytes` (a multiple of 64 KiB) of zeroed memory aligned to a page, or null if there is none.
extern "C" void* norn_arena_map(size_t bytes);

namespace norn {

class Arena {
 public:
  constexpr Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // At most `bytes` will be mapped; 0 is no limit.
  void set_limit(size_t bytes) { limit_ = bytes; }

  // Null when the memory is used up. The contents are undefined. Any thread, at any time; blocks briefly on a
  // spin lock per size class.
  [[nodiscard]] void* allocate(size_t bytes);
  [[nodiscard]] void* allocate_zeroed(size_t bytes);
  // Zeroed, of exactly this size (a multiple of 16), and never released.
  [[nodiscard]] void* allocate_forever(size_t bytes);
  // `bytes` as they were asked for.
  void release(void* memory, size_t bytes);

  [[nodiscard]] size_t mapped() const { return mapped_.load(std::memory_order_relaxed); }
  [[nodiscard]] size_t in_use() const { return in_use_.load(std::memory_order_relaxed); }

  // An object whose initial state is all zeroes, as is that of everything the core makes. (A constructor would do
  // it through memset, which is the program's, not ours.)
  template <class T>
  [[nodiscard]] T* create() {
    return static_cast<T*>(allocate_zeroed(sizeof(T)));
  }
  template <class T>
  void destroy(T* object) {
    release(object, sizeof(T));
  }

 private:
  struct Free {
    Free* next;
  };
  struct SizeClass {
    SpinMutex mutex;
    Free* free = nullptr;
  };
  // Classes 0..31 are multiples of 16 bytes up to 512, the rest powers of two up to 2^38.
  static constexpr unsigned kFineClasses = 32;
  static constexpr unsigned kClasses = kFineClasses + 29;
  static constexpr size_t kBlock = size_t{1} << 20;

  static unsigned class_of(size_t bytes);
  static size_t size_of(unsigned size_class);
  void* carve(size_t bytes);
  void* map(size_t bytes);

  SizeClass classes_[kClasses];
  SpinMutex bump_mutex_;
  char* bump_ = nullptr;
  char* bump_end_ = nullptr;
  size_t limit_ = 0;
  std::atomic<size_t> mapped_{0};
  std::atomic<size_t> in_use_{0};
};

}  // namespace norn
