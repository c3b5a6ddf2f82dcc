// From an address to its cell: 32 bits for every aligned word of 4 bytes of the program.
//
// A cell holds the id of the word's history (core/history.h, core/msm.h); 0 is a word nobody touched. Cells live in
// leaves of 16 KiB of the program's memory, found through two directories, made when first touched, and
// never taken away, so a pointer to a cell is good for ever.
#pragma once

#include <stdint.h>

#include <atomic>

#include "core/arena.h"
#include "core/event.h"

namespace norn {

using Cell = std::atomic<uint32_t>;
inline constexpr Address kWordBytes = 4;

struct Leaf {
  static constexpr unsigned kBits = 14;
  static constexpr unsigned kCells = (1u << kBits) / kWordBytes;

  Cell cells[kCells];
  Leaf* next;      // all leaves, for collections
  Address number;  // address >> kBits
  // In which words synchronization objects lie, a bit each, made with the first; freeing the memory must find them.
  std::atomic<std::atomic<uint64_t>*> objects;
  uint64_t unused;
};
static_assert(sizeof(Leaf) % 16 == 0);

class Shadow {
 public:
  bool init(Arena& arena);

  // Null if the arena is used up (or the address cannot be one). Any thread; lock-free where the leaf exists.
  [[nodiscard]] Leaf* leaf(Address address) {
    Leaf* found = existing_leaf(address);
    return found != nullptr || address >> Leaf::kBits >= kLeaves ? found : make_leaf(address >> Leaf::kBits);
  }
  // Remembers that a synchronization object lies in the word. Any thread.
  void mark_object(Address address);
  // Calls found(word's address) for each marked word in [begin, end), and unmarks it.
  template <class Found>
  void take_objects(Address begin, Address end, Found found) {
    constexpr Address kLeafBytes = Address{1} << Leaf::kBits;
    for (Address at = begin & ~(kWordBytes - 1); at < end;) {
      const Address leaf_end = (at / kLeafBytes + 1) * kLeafBytes;
      const Address stop = end < leaf_end ? end : leaf_end;
      const Leaf* leaf = existing_leaf(at);
      std::atomic<uint64_t>* bits = leaf == nullptr ? nullptr : leaf->objects.load(std::memory_order_acquire);
      for (; bits != nullptr && at < stop; at += kWordBytes) {
        const unsigned word = static_cast<unsigned>(at % kLeafBytes / kWordBytes);
        const uint64_t group = bits[word / 64].load(std::memory_order_relaxed) >> word % 64;
        if (group == 0) {
          at += kWordBytes * (63 - word % 64);  // nothing in the rest of the group
        } else if ((group & 1) != 0) {
          bits[word / 64].fetch_and(~(uint64_t{1} << word % 64), std::memory_order_relaxed);
          found(at);
        }
      }
      at = stop;
    }
  }
  // Null also where nothing was touched yet.
  [[nodiscard]] Leaf* existing_leaf(Address address) const {
    const Address number = address >> Leaf::kBits;
    if (number >= kLeaves) return nullptr;
    Middle* middle = top_[number >> kMiddleBits].load(std::memory_order_acquire);
    return middle == nullptr ? nullptr : middle->leaves[number & (kMiddleSize - 1)].load(std::memory_order_acquire);
  }

  [[nodiscard]] Leaf* first_leaf() const { return leaves_.load(std::memory_order_acquire); }
  [[nodiscard]] size_t leaf_count() const { return leaf_count_.load(std::memory_order_relaxed); }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kMiddleBits = 17;
  static constexpr Address kLeaves = Address{1} << (kAddressBits - Leaf::kBits);
  static constexpr Address kMiddleSize = Address{1} << kMiddleBits;
  struct Middle {
    std::atomic<Leaf*> leaves[kMiddleSize];
  };

  Leaf* make_leaf(Address number);

  Arena* arena_ = nullptr;
  SpinMutex make_mutex_;
  std::atomic<Middle*>* top_ = nullptr;
  std::atomic<Leaf*> leaves_{nullptr};
  std::atomic<size_t> leaf_count_{0};
};

}  // namespace norn
