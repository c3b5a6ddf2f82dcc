// The reads of data that many threads read: for each thread a row.
//
// A block is 16 granules, 128 bytes of the program. Whoever reads there has a row in it: up to two reads for each
// granule, packed as stamps in a granule are, with the number of its locks where those have the slot, which the row
// says. There is a second only beside a first that says so: most are of all bytes, and so a thread that goes through
// memory goes through a half of its row, where nobody else writes but who makes a read superfluous.
//
// Which granules have their reads here, they say themselves (kInRows, core/shadow/granule.h); for others what a row has
// does not count. What belongs to a granule is read and written under the granule's lock, but for the first read of
// each, which its thread may change without (core/shadow/read_step.h). Blocks and rows are made when first needed, and
// taken away in collections alone.
#pragma once

#include "core/shadow/check_layout.h"
#include "core/shadow/segment_locks.h"
#include "core/shadow/shadow.h"

namespace norn {

struct ReadBlock {
  static constexpr unsigned kGranules = 16;
  static constexpr Address kBytes = kGranules * kGranuleBytes;
  struct Row {
    std::atomic<uint64_t> first[kGranules];  // 0: none
    std::atomic<uint64_t> second[kGranules];
  };
  static constexpr unsigned kPartSlots = 8;
  struct Part {
    Row rows[kPartSlots];
  };
  std::atomic<Part*> parts[PackedStamp::kSlots / kPartSlots];

  static unsigned index_of(Address address) { return static_cast<unsigned>(address / kGranuleBytes % kGranules); }

  // Null where nothing was read yet.
  [[nodiscard]] Row* existing_row(Slot slot) const {
    Part* part = parts[slot / kPartSlots].load(std::memory_order_acquire);
    return part == nullptr ? nullptr : &part->rows[slot % kPartSlots];
  }
  // Calls visit(slot, row) for all that have read the granule.
  template <class Visit>
  void for_each(unsigned granule, Visit visit) {
    for (unsigned i = 0; i < PackedStamp::kSlots / kPartSlots; ++i) {
      Part* part = parts[i].load(std::memory_order_acquire);
      if (part == nullptr) continue;
      for (unsigned k = 0; k < kPartSlots; ++k) {
        Row& row = part->rows[k];
        if (row.first[granule].load(std::memory_order_relaxed) != 0) visit(static_cast<Slot>(i * kPartSlots + k), row);
      }
    }
  }
};

// Those of a leaf.
struct ReadBlocks {
  static constexpr unsigned kCount = Leaf::kGranules / ReadBlock::kGranules;
  std::atomic<ReadBlock*> blocks[kCount];
};

// A read as a row has it.
struct ReadInRow {
  static constexpr uint64_t kBytes = uint64_t{0xff} << PackedStamp::kMaskAt;
  // Of the first: there is a second.
  static constexpr uint64_t kIsFirst = uint64_t{1} << PackedStamp::kAddsAt;

  [[nodiscard]] static uint64_t from_stamp(uint64_t stamp, LocksCode locks) {
    return (stamp & ~(uint64_t{0xff} << PackedStamp::kSlotAt)) | uint64_t{locks} << PackedStamp::kSlotAt;
  }
  [[nodiscard]] static uint64_t stamp(uint64_t read, Slot slot) {
    return (read & ~(uint64_t{0xff} << PackedStamp::kSlotAt)) | uint64_t{slot} << PackedStamp::kSlotAt;
  }
  [[nodiscard]] static LocksCode locks(uint64_t read) { return static_cast<LocksCode>(read >> PackedStamp::kSlotAt); }
  [[nodiscard]] static Time time(uint64_t read) {
    return static_cast<Time>(read >> PackedStamp::kTimeAt & ((1u << PackedStamp::kTimeBits) - 1));
  }
  // Whether the two say the same, but for the bytes.
  [[nodiscard]] static bool are_same(uint64_t a, uint64_t b) { return ((a ^ b) & ~kBytes) == 0; }
  [[nodiscard]] static uint64_t without(uint64_t read, uint64_t bytes) {
    const uint64_t left = read & ~bytes;
    return (left & kBytes) == 0 ? 0 : left;
  }
};

// What a row has of a granule: 0: none. No second without a first.
struct ReadsInRow {
  uint64_t first = 0;
  uint64_t second = 0;

  [[nodiscard, gnu::always_inline]] static ReadsInRow of(const ReadBlock::Row& row, unsigned granule) {
    const uint64_t found = row.first[granule].load(std::memory_order_relaxed);
    const uint64_t first = found & ~ReadInRow::kIsFirst;
    if ((found & ReadInRow::kIsFirst) == 0) [[likely]]
      return {first, 0};
    return {first, row.second[granule].load(std::memory_order_relaxed)};
  }
  [[gnu::always_inline]] void write_to(ReadBlock::Row& row, unsigned granule) const {
    if (second == 0) [[likely]] {
      row.first[granule].store(first, std::memory_order_relaxed);
    } else if (first == 0) {
      row.first[granule].store(second, std::memory_order_relaxed);
    } else {
      row.second[granule].store(second, std::memory_order_relaxed);
      row.first[granule].store(first | ReadInRow::kIsFirst, std::memory_order_relaxed);
    }
  }
  // False: there is no room for another.
  [[nodiscard, gnu::always_inline]] bool add(uint64_t read) {
    if (first == 0 || ReadInRow::are_same(first, read)) {
      first |= read;
    } else if (second == 0 || ReadInRow::are_same(second, read)) {
      second |= read;
    } else {
      return false;
    }
    return true;
  }
};

class ReadRows {
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
