// From an address to its shadow: a granule for every aligned 8 bytes of the program.
//
// What a granule holds is the engine's (core/shadow/granule.h, core/engine/msm.h); all zeroes is memory nobody touched.
// A leaf stands for 16 KiB of the program's memory; leaves are found through two directories, made when first touched,
// and never taken away, so a pointer to a granule is good for ever. A leaf's granules come from the arena, or, where
// the embedding has reserved memory for all of them, are part of that: then a granule is found by its address alone.
#pragma once

#include <stdint.h>

#include <atomic>

#include "core/event.h"
#include "core/shadow/shadow_word.h"
#include "core/storage/arena.h"

namespace norn {

using Cell = std::atomic<uint32_t>;
inline constexpr Address kWordBytes = 4;
inline constexpr Address kGranuleBytes = 8;

struct Granule {
  std::atomic<ShadowWord> words[3];
  Cell cells[kGranuleBytes / kWordBytes];
};
static_assert(sizeof(Granule) == 32 && std::atomic<ShadowWord>::is_always_lock_free);

struct ReadBlocks;

struct alignas(16) Leaf {
  static constexpr unsigned kBits = 14;
  static constexpr unsigned kWords = (1u << kBits) / kWordBytes;
  static constexpr unsigned kGranules = (1u << kBits) / kGranuleBytes;

  Granule* granules;
  Leaf* next;      // all leaves, for collections
  Address number;  // address >> kBits
  // In which words synchronization objects lie, a bit each, made with the first; freeing the memory must find them.
  std::atomic<std::atomic<uint64_t>*> objects;
  std::atomic<ReadBlocks*> readers;  // core/shadow/read_table.h; made with the first
  // Which granules changed since the last collection, a bit for 4 of them, and the list of leaves that have any.
  static constexpr unsigned kStretch = 4;
  std::atomic<uint64_t> changed[kGranules / kStretch / 64];
  Leaf* next_changed;
  std::atomic<bool> is_changed;
  // Where accesses are sampled: which granules may have anything, a bit each. New memory mostly has nothing.
  std::atomic<uint64_t> used[kGranules / 64];
};
static_assert(sizeof(Leaf) % 16 == 0);

// Where the embedding has reserved memory for granules: these are about to be written. It may have the system fill them
// in at once, which is cheaper than page by page. Set before there are threads, or never.
using PopulateFunction = void (*)(void* granules, size_t bytes);
inline constinit PopulateFunction populate_shadow = nullptr;
// The same where nothing of them counts any more: it gives their memory back to the system, after which they are
// zeroes. False: not all are.
using DiscardFunction = bool (*)(void* granules, size_t bytes);
inline constinit DiscardFunction discard_shadow = nullptr;

class Shadow {
 public:
  // `flat_at`: Options::shadow_at.
  bool init(Arena& arena, uintptr_t flat_at);

  // Whether the embedding's memory has the granule, if there is such memory: of addresses below 1 TiB, where programs
  // are that are not position-independent, of 2 TiB where the others and their heaps are, and of the last 6 TiB. Their
  // lower bits tell them apart.
  [[nodiscard]] static constexpr bool is_flat(Address address) {
    return address < kFlatLow || address - kFlatMiddle < kFlatMiddleEnd - kFlatMiddle ||
           address - kFlatHigh < kFlatEnd - kFlatHigh;
  }
  static constexpr Address kFlatLow = Address{1} << 40;
  static constexpr Address kFlatMiddle = Address{0x55} << 40;
  static constexpr Address kFlatMiddleEnd = Address{0x57} << 40;
  static constexpr Address kFlatHigh = Address{0x7a} << 40;
  static constexpr Address kFlatEnd = Address{0x80} << 40;
  static constexpr Address kFlatMask = ((Address{1} << 44) - 1) & ~(kGranuleBytes - 1);
  static constexpr Address kFlatBytes = (Address{1} << 44) * (sizeof(Granule) / kGranuleBytes);

  // The granule of the address; null if the arena is used up (or the address cannot be one). Memory that was not
  // touched yet must be given to prepare() before its granule has anything: collections look for it.
  [[nodiscard]] Granule* granule(Address address) {
    if (flat_at_ != 0 && is_flat(address)) [[likely]]
      return flat_granule(address);
    const Leaf* in = leaf(address);
    return in == nullptr ? nullptr : &in->granules[address / kGranuleBytes % Leaf::kGranules];
  }
  [[nodiscard]] bool prepare(Address address) { return leaf(address) != nullptr; }
  // Of prepared memory, where accesses are sampled: the granule has something from here on.
  void note_use(Address address) {
    const auto number = static_cast<unsigned>(address / kGranuleBytes % Leaf::kGranules);
    std::atomic<uint64_t>& bits = existing_leaf(address)->used[number / 64];
    const uint64_t bit = uint64_t{1} << number % 64;
    if ((bits.load(std::memory_order_relaxed) & bit) == 0) bits.fetch_or(bit, std::memory_order_relaxed);
  }
  // The same of all that are prepared by now.
  void note_all_used() {
    for (Leaf* in = first_leaf(); in != nullptr; in = in->next) {
      for (std::atomic<uint64_t>& bits : in->used) bits.store(~uint64_t{0}, std::memory_order_relaxed);
    }
  }
  // Calls visit(granule, its address) for each in [begin, end) that may have something. True: it has nothing.
  template <class Visit>
  void for_each_used(Address begin, Address end, Visit visit) {
    constexpr Address kGroup = 64 * kGranuleBytes;
    for (Address group = begin & ~(kGroup - 1); group < end; group += kGroup) {
      Leaf* in = existing_leaf(group);
      if (in == nullptr) {
        group |= (Address{1} << Leaf::kBits) - kGroup;
        continue;
      }
      const auto first = static_cast<unsigned>(group / kGranuleBytes % Leaf::kGranules);
      std::atomic<uint64_t>& bits = in->used[first / 64];
      uint64_t left = bits.load(std::memory_order_relaxed);
      if (left == 0) [[likely]]
        continue;
      if (begin > group) left &= ~uint64_t{0} << (begin - group) / kGranuleBytes;
      if (end < group + kGroup) left &= ~uint64_t{0} >> (group + kGroup - end) / kGranuleBytes;
      for (; left != 0; left &= left - 1) {
        const auto index = static_cast<unsigned>(__builtin_ctzll(left));
        if (visit(in->granules[first + index], group + index * kGranuleBytes)) {
          bits.fetch_and(~(uint64_t{1} << index), std::memory_order_relaxed);
        }
      }
    }
  }
  // Null where nothing was touched yet, unless it has a granule anyway.
  [[nodiscard]] Granule* existing_granule(Address address) const {
    if (flat_at_ != 0 && is_flat(address)) [[likely]]
      return flat_granule(address);
    const Leaf* in = existing_leaf(address);
    return in == nullptr ? nullptr : &in->granules[address / kGranuleBytes % Leaf::kGranules];
  }
  // Calls visit(granule) for all of memory that was touched. Nobody else is here.
  template <class Visit>
  void for_each(Visit visit) {
    for (const Leaf* in = first_leaf(); in != nullptr; in = in->next) {
      for (unsigned i = 0; i < Leaf::kGranules; ++i) visit(in->granules[i]);
    }
  }
  // Remembers that a cell of the granule changed. Any thread, inside.
  void note_change(Address address) {
    Leaf* in = existing_leaf(address);
    if (in == nullptr) return;
    const auto stretch = static_cast<unsigned>(address / kGranuleBytes % Leaf::kGranules / Leaf::kStretch);
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
  // The same as for_each(), of all granules that changed since this was called last, and of some others.
  template <class Visit>
  void for_each_changed(Visit visit) {
    for (Leaf* in = changed_.exchange(nullptr, std::memory_order_acquire); in != nullptr; in = in->next_changed) {
      in->is_changed.store(false, std::memory_order_relaxed);
      for (unsigned w = 0; w < Leaf::kGranules / Leaf::kStretch / 64; ++w) {
        for (uint64_t left = in->changed[w].exchange(0, std::memory_order_relaxed); left != 0; left &= left - 1) {
          Granule* first = in->granules + (w * 64 + static_cast<unsigned>(__builtin_ctzll(left))) * Leaf::kStretch;
          for (unsigned i = 0; i < Leaf::kStretch; ++i) visit(first[i]);
        }
      }
    }
  }
  [[nodiscard]] size_t bytes() const { return leaf_count() * (sizeof(Leaf) + Leaf::kGranules * sizeof(Granule)); }

  // Null if the arena is used up (or the address cannot be one). Any thread; lock-free where the leaf exists.
  [[nodiscard]] Leaf* leaf(Address address) {
    Leaf* found = existing_leaf(address);
    return found != nullptr || address >> Leaf::kBits >= kLeaves ? found : make_leaf(address >> Leaf::kBits);
  }
  // Remembers that a synchronization object lies in the word. Any thread.
  void mark_object(Address address);
  // Calls found(word's address) for each marked word in [begin, end), and unmarks it.
  template <class Found>
  [[gnu::always_inline]] void take_objects(Address begin, Address end, Found found) {
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
  // Forgets all of [begin, end) and gives its memory back. False: not all is forgotten.
  [[nodiscard]] bool discard(Address begin, Address end) const {
    if (discard_shadow == nullptr || flat_at_ == 0 || !is_flat(begin) || flat_end(begin) < end) return false;
    return discard_shadow(flat_granule(begin), (end - begin) * (sizeof(Granule) / kGranuleBytes));
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

  [[nodiscard]] Granule* flat_granule(Address address) const {
    return reinterpret_cast<Granule*>(flat_at_ + (address & kFlatMask) * (sizeof(Granule) / kGranuleBytes));
  }
  // Where the flat addresses around this one end.
  [[nodiscard]] static constexpr Address flat_end(Address address) {
    return address < kFlatLow ? kFlatLow : address < kFlatHigh ? kFlatMiddleEnd : kFlatEnd;
  }
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
