// The reads of data that many threads read: for each thread a row.
//
// A block is 16 granules, 128 bytes of the program. Whoever reads there has a row in it: up to two reads for each
// granule, packed as shadow words in a granule are, with the number of its locks where those have the slot, which the
// row says. There is a second only beside a first that says so: most are of all bytes, and so a thread that goes
// through memory goes through a half of its row, where nobody else writes but who makes a read superfluous.
//
// Which granules have their reads here, they say themselves (kInReadTable, core/shadow/granule.h); for others what a
// row has does not count. What belongs to a granule is read and written under the granule's lock, but for the first
// read of each, which its thread may change without (core/shadow/read_step.h). Blocks and rows are made when first
// needed, and taken away in collections alone.
#pragma once

#include "core/order/segment_locks.h"
#include "core/shadow/check_layout.h"
#include "core/shadow/shadow.h"

namespace norn {

struct ReadBlock {
  static constexpr unsigned kGranules = 16;
  static constexpr Address kBytes = kGranules * kGranuleBytes;
  struct Row {
    std::atomic<ShadowWord> first[kGranules];
    std::atomic<ShadowWord> second[kGranules];
  };
  static constexpr unsigned kPartSlots = 8;
  struct Part {
    Row rows[kPartSlots];
  };
  std::atomic<Part*> parts[ShadowWord::kSlots / kPartSlots];

  static unsigned index_of(Address address) { return static_cast<unsigned>(address / kGranuleBytes % kGranules); }

  // Null where nothing was read yet.
  [[nodiscard]] Row* existing_row(Slot slot) const {
    Part* part = parts[slot / kPartSlots].load(std::memory_order_acquire);
    return part == nullptr ? nullptr : &part->rows[slot % kPartSlots];
  }
  // Calls visit(slot, row) for all that have read the granule.
  template <class Visit>
  void for_each(unsigned granule, Visit visit) {
    for (unsigned i = 0; i < ShadowWord::kSlots / kPartSlots; ++i) {
      Part* part = parts[i].load(std::memory_order_acquire);
      if (part == nullptr) continue;
      for (unsigned k = 0; k < kPartSlots; ++k) {
        Row& row = part->rows[k];
        if (!row.first[granule].load(std::memory_order_relaxed).is_none())
          visit(static_cast<Slot>(i * kPartSlots + k), row);
      }
    }
  }
};

// Those of a leaf.
struct ReadBlocks {
  static constexpr unsigned kCount = Leaf::kGranules / ReadBlock::kGranules;
  std::atomic<ReadBlock*> blocks[kCount];
};

// A read as a row has it: a shadow word with the number of its locks in place of the slot, which the row says. No read
// is a rmw: of the first, the bit says that there is a second.
struct ReadInRow {
  static constexpr uint64_t kIsFirst = uint64_t{1} << ShadowWord::kRmwAt;

  // What a row has of a thread's reads now, but for the bytes.
  [[nodiscard, gnu::always_inline]] static ShadowWord of(LocksCode locks, ClockValue clock, StackId where) {
    return ShadowWord::of_one_stack(ShadowWord::epoch_of(locks, clock), AccessKind::kRead, 0, where);
  }
  [[nodiscard]] static ShadowWord from_word(ShadowWord word, LocksCode locks) { return word.with_slot(locks); }
  [[nodiscard]] static ShadowWord word(ShadowWord read, Slot slot) { return read.with_slot(slot); }
  [[nodiscard]] static LocksCode locks(ShadowWord read) { return static_cast<LocksCode>(read.slot()); }
  // Whether the two say the same, but for the bytes.
  [[nodiscard]] static bool are_same(ShadowWord a, ShadowWord b) { return a.equals_in(b, ~ShadowWord::kBitsOfBytes); }

  // The mark of a first that has a second.
  [[nodiscard, gnu::always_inline]] static bool has_second(ShadowWord first) { return first.is_rmw(); }
  [[nodiscard, gnu::always_inline]] static ShadowWord marked(ShadowWord first) {
    return ShadowWord::from_bits(first.bits() | kIsFirst);
  }
  [[nodiscard, gnu::always_inline]] static ShadowWord unmarked(ShadowWord first) {
    return ShadowWord::from_bits(first.bits() & ~kIsFirst);
  }
};

// What a row has of a granule. No second without a first.
struct ReadsInRow {
  ShadowWord first;
  ShadowWord second;

  [[nodiscard, gnu::always_inline]] static ReadsInRow of(const ReadBlock::Row& row, unsigned granule) {
    const ShadowWord found = row.first[granule].load(std::memory_order_relaxed);
    const ShadowWord first = ReadInRow::unmarked(found);
    if (!ReadInRow::has_second(found)) [[likely]]
      return {first, {}};
    return {first, row.second[granule].load(std::memory_order_relaxed)};
  }
  [[gnu::always_inline]] void write_to(ReadBlock::Row& row, unsigned granule) const {
    if (second.is_none()) [[likely]] {
      row.first[granule].store(first, std::memory_order_relaxed);
    } else if (first.is_none()) {
      row.first[granule].store(second, std::memory_order_relaxed);
    } else {
      row.second[granule].store(second, std::memory_order_relaxed);
      row.first[granule].store(ReadInRow::marked(first), std::memory_order_relaxed);
    }
  }
  // What a thread puts into its row while the granule is locked it takes back itself (core/shadow/read_step.h).
  static void clear(ReadBlock::Row& row, unsigned granule, unsigned mask) {
    const ReadsInRow reads = of(row, granule);
    ReadsInRow{reads.first.without(mask), reads.second.without(mask)}.write_to(row, granule);
  }
  // False: there is no room for another.
  [[nodiscard, gnu::always_inline]] bool add(ShadowWord read) {
    if (first.is_none() || ReadInRow::are_same(first, read)) {
      first = ShadowWord::from_bits(first.bits() | read.bits());
    } else if (second.is_none() || ReadInRow::are_same(second, read)) {
      second = ShadowWord::from_bits(second.bits() | read.bits());
    } else {
      return false;
    }
    return true;
  }
};

class ReadTable {
 public:
  // `limit`: bytes, about; 0: as much as the shadow takes.
  void init(Arena& arena, Shadow& shadow, size_t limit) {
    arena_ = &arena;
    shadow_ = &shadow;
    limit_ = limit;
  }

  [[nodiscard]] ReadBlock* find(Address address) const {
    const Leaf* leaf = shadow_->existing_leaf(address);
    const ReadBlocks* blocks = leaf == nullptr ? nullptr : leaf->readers.load(std::memory_order_acquire);
    return blocks == nullptr ? nullptr : blocks->blocks[number_in_leaf(address)].load(std::memory_order_acquire);
  }
  // Made if there is none; null if the arena is used up, or rows take as much as the shadow does already, or as they
  // may: a program of many threads would grow by as much as all its data with each of them. Reads are in lists then.
  [[nodiscard]] ReadBlock* get(Address address);
  [[nodiscard]] ReadBlock::Row* row(ReadBlock& block, Slot slot);

  // Calls visit(granule, block, index) for all granules that may have reads in rows. Nobody else is here.
  template <class Visit>
  void for_each(Visit visit) {
    for_each_block([&](Granule* granules, std::atomic<ReadBlock*>& block) {
      for (unsigned i = 0; i < ReadBlock::kGranules; ++i) visit(granules[i], *block.load(std::memory_order_relaxed), i);
    });
  }
  // Gives back the blocks for which is_used(granule) is false of all their granules. Nobody else is here, or remembers
  // a row.
  template <class IsUsed>
  void release_unused(IsUsed is_used) {
    for_each_block([&](const Granule* granules, std::atomic<ReadBlock*>& block) {
      bool used = false;
      for (unsigned i = 0; i < ReadBlock::kGranules && !used; ++i) used = is_used(granules[i]);
      if (used) return;
      release(*block.load(std::memory_order_relaxed));
      block.store(nullptr, std::memory_order_relaxed);
    });
  }

 private:
  static unsigned number_in_leaf(Address address) {
    return static_cast<unsigned>(address / ReadBlock::kBytes % ReadBlocks::kCount);
  }
  // Calls visit(granules, block) for all blocks there are, with the first of their granules.
  template <class Visit>
  void for_each_block(Visit visit) {
    for (const Leaf* leaf = shadow_->first_leaf(); leaf != nullptr; leaf = leaf->next) {
      ReadBlocks* blocks = leaf->readers.load(std::memory_order_relaxed);
      if (blocks == nullptr) continue;
      for (unsigned b = 0; b < ReadBlocks::kCount; ++b) {
        std::atomic<ReadBlock*>& block = blocks->blocks[b];
        if (block.load(std::memory_order_relaxed) != nullptr) visit(leaf->granules + b * ReadBlock::kGranules, block);
      }
    }
  }
  template <class T>
  T* made_once(std::atomic<T*>& place);
  void release(ReadBlock& block);
  static constexpr size_t kAlways = size_t{8} << 20;

  std::atomic<size_t> bytes_{0};
  Arena* arena_ = nullptr;
  Shadow* shadow_ = nullptr;
  size_t limit_ = 0;
};

// The rows that a thread read in lately, by block.
struct KnownRows {
  static constexpr unsigned kSize = 512;
  struct Entry {
    uint64_t key;
    ReadBlock::Row* row;
  };
  Entry entries[kSize];

  // The block and the slot.
  [[nodiscard]] static uint64_t key_of(Address address, Slot slot) { return address / ReadBlock::kBytes << 8 | slot; }
  [[nodiscard]] Entry& of(Address address) { return entries[address / ReadBlock::kBytes % kSize]; }
};

}  // namespace norn
