// The core's one source of memory.
//
// The embedding supplies zeroed blocks through norn_arena_map(); they are never given back. Everything that
// the core keeps comes from here, in size classes with free lists, so that a hook can take memory wherever the program
// stands: no allocator of the host is involved.
//
// There is no lock that all threads share. The free lists are there several times, in shards; a thread goes to one that
// its stack's address names, to the next if somebody is there, and waits only if there is somebody in each. Who finds
// nothing in its shard takes a whole list of another before it takes fresh memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "base/spin_mutex.h"

// Returns `bytes` (a multiple of 64 KiB) of zeroed memory aligned to a page, or null if there is none.
extern "C" void* norn_arena_map(size_t bytes);

namespace norn {

class Arena {
 public:
  constexpr Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Null when the memory is used up. The contents are undefined. Any thread, at any time.
  [[nodiscard]] void* allocate(size_t bytes);
  [[nodiscard]] void* allocate_zeroed(size_t bytes);
  // Zeroed, of exactly this size (a multiple of 16), and never released.
  [[nodiscard]] void* allocate_forever(size_t bytes);
  // `bytes` as they were asked for.
  void release(void* memory, size_t bytes);

  [[nodiscard]] size_t mapped() const { return mapped_.load(std::memory_order_relaxed); }
  // Exact when nobody else is here.
  [[nodiscard]] size_t in_use() const;

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
  // Classes 0..31 are multiples of 16 bytes up to 512, the rest powers of two up to 2^38.
  static constexpr unsigned kFineClasses = 32;
  static constexpr unsigned kClasses = kFineClasses + 29;
  static constexpr unsigned kShards = kOneAtATime ? 1 : 16;
  struct alignas(64) Shard {
    SpinMutex mutex;
    char* fresh = nullptr;  // zeroed memory that nobody had yet
    char* fresh_end = nullptr;
    // What others look at without the mutex: bytes taken here less those released here (the sum of all shards counts),
    // and whether there is anything of a class.
    std::atomic<size_t> in_use{0};
    std::atomic<Free*> free[kClasses] = {};
  };
  // What the embedding gives at once for small requests, what a shard takes of it, and from where on requests are not
  // small for a shard any more, nor for a block.
  static constexpr size_t kBlock = size_t{1} << 20;
  static constexpr size_t kPiece = size_t{16} << 10;
  static constexpr size_t kLargeForShard = kPiece / 4;
  static constexpr size_t kLargeForBlock = kBlock / 4;
  // Its first bytes.
  struct Block {
    std::atomic<size_t> used;
  };
  static constexpr size_t kBlockHeader = 64;
  static_assert(sizeof(Block) <= kBlockHeader);

  // Some shard, for this thread alone.
  class Visit;

  static unsigned class_of(size_t bytes);
  static size_t size_of(unsigned size_class);
  static void count(Shard& shard, size_t bytes);
  void* take(unsigned size_class, bool& is_zero);
  Free* take_free(Shard& shard, unsigned size_class);
  void* take_anywhere(unsigned size_class);
  static void put_free(Shard& shard, unsigned size_class, void* memory);
  void* carve(Shard& shard, size_t bytes);
  void* carve_block(Shard& shard, size_t bytes);
  void* map(size_t bytes);

  Shard shards_[kShards];
  std::atomic<Block*> block_{nullptr};
  std::atomic<size_t> mapped_{0};
};

}  // namespace norn
