// From an address to its cell: 32 bits for every aligned word of 4 bytes of the program.
//
// A cell holds the id of the word's history (core/hybrid.h, core/msm.h); 0 is a word nobody touched. A leaf stands for
// 16 KiB of the program's memory; leaves are found through two directories, made when first touched, and never taken
// away, so a pointer to a cell is good for ever. A leaf's cells come from the arena, or, where the embedding has
// reserved memory for all cells, are part of that: then a cell is found by its address alone.
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

  Cell* cells;
  Leaf* next;      // all leaves, for collections
  Address number;  // address >> kBits
  // In which words synchronization objects lie, a bit each, made with the first; freeing the memory must find them.
  std::atomic<std::atomic<uint64_t>*> objects;
  // Which cells changed since the last collection, a bit for 8 of them, and the list of leaves that have any.
  static constexpr unsigned kStretch = 8;
  std::atomic<uint64_t> changed[kCells / kStretch / 64];
  Leaf* next_changed;
  std::atomic<bool> is_changed;
};
static_assert(sizeof(Leaf) % 16 == 0);

class Shadow {
 public:
  // `flat_at`: Options::shadow_at.
  bool init(Arena& arena, uintptr_t flat_at);

  // Whether the embedding's memory has the cell, if there is such memory: of addresses below 1 TiB, where programs are
  // that are not position-independent, and of those from 0x5500'0000'0000 on, where everything else is.
  [[nodiscard]] static constexpr bool is_flat(Address address) {
    return address < kFlatLow || address - kFlatHigh < (Address{1} << 47) - kFlatHigh;
  }
  static constexpr Address kFlatLow = Address{1} << 40;
  static constexpr Address kFlatHigh = Address{0x55} << 40;

  // The cell of the word at the address; null if the arena is used up (or the address cannot be one). A cell that has
  // no history yet must be told to prepare() before it gets one: collections look for it.
  [[nodiscard]] Cell* cell(Address address) {
    if (flat_at_ != 0 && is_flat(address)) [[likely]]
      return reinterpret_cast<Cell*>((address & ~(kWordBytes - 1)) ^ flat_at_);
    const Leaf* in = leaf(address);
    return in == nullptr ? nullptr : &in->cells[address / kWordBytes % Leaf::kCells];
  }
  [[nodiscard]] bool prepare(Address address) { return leaf(address) != nullptr; }
  // Null where nothing was touched yet, unless it has a cell anyway.
  [[nodiscard]] Cell* existing_cell(Address address) const {
    if (flat_at_ != 0 && is_flat(address)) [[likely]]
      return reinterpret_cast<Cell*>((address & ~(kWordBytes - 1)) ^ flat_at_);
    const Leaf* in = existing_leaf(address);
    return in == nullptr ? nullptr : &in->cells[address / kWordBytes % Leaf::kCells];
  }
  // Calls visit(cell, its history) for each that has one. Nobody else is here.
  template <class Visit>
  void for_each_used(Visit visit) {
    for (const Leaf* in = first_leaf(); in != nullptr; in = in->next) {
      for (unsigned i = 0; i < Leaf::kCells; ++i) {
        const uint32_t history = in->cells[i].load(std::memory_order_relaxed);
        if (history != 0) visit(in->cells[i], history);
      }
    }
  }
  // Remembers that a cell changed. Any thread, inside.
  void note_change(Address address) {
    Leaf* in = existing_leaf(address);
    if (in == nullptr) return;
    const auto stretch = static_cast<unsigned>(address / kWordBytes % Leaf::kCells / Leaf::kStretch);
    std::atomic<uint64_t>& bits = in->changed[stretch / 64];
    const uint64_t bit = uint64_t{1} << stretch % 64;
    if ((bits.load(std::memory_order_relaxed) & bit) != 0) return;
    bits.fetch_or(bit, std::memory_order_relaxed);
    if (in->is_changed.load(std::memory_order_relaxed) || in->is_changed.exchange(true, std::memory_order_relaxed))
      return;
    in->next_changed = changed_.load(std::memory_order_relaxed);
    while (!changed_.compare_exchange_weak(in->next_changed, in, std::memory_order_acq_rel)) {
    }
  }
  // The same as for_each_used(), of all cells that changed since this was called last, and of some others. Nobody else
  // is here.
  template <class Visit>
  void for_each_changed(Visit visit) {
    for (Leaf* in = changed_.exchange(nullptr, std::memory_order_acquire); in != nullptr; in = in->next_changed) {
      in->is_changed.store(false, std::memory_order_relaxed);
      for (unsigned w = 0; w < Leaf::kCells / Leaf::kStretch / 64; ++w) {
        for (uint64_t left = in->changed[w].exchange(0, std::memory_order_relaxed); left != 0; left &= left - 1) {
          Cell* cells = in->cells + (w * 64 + static_cast<unsigned>(__builtin_ctzll(left))) * Leaf::kStretch;
          for (unsigned i = 0; i < Leaf::kStretch; ++i) {
            const uint32_t history = cells[i].load(std::memory_order_relaxed);
            if (history != 0) visit(cells[i], history);
          }
        }
      }
    }
  }
  [[nodiscard]] size_t bytes() const { return leaf_count() * (sizeof(Leaf) + Leaf::kCells * sizeof(Cell)); }

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
  uintptr_t flat_at_ = 0;
  SpinMutex make_mutex_;
  std::atomic<Middle*>* top_ = nullptr;
  std::atomic<Leaf*> leaves_{nullptr};
  std::atomic<Leaf*> changed_{nullptr};
  std::atomic<size_t> leaf_count_{0};
};

}  // namespace norn
