// Where histories are kept: immutable sequences of words, each known by a small number.
//
// A history is made once, by the thread that needs it, in room of its own: no lock, no hash, a few stores. Equal
// histories may exist twice; a thread remembers which it made (Thread::own, Thread::known), so that the words of an
// array still share one. They are never changed and never moved. What no cell refers to is found by collections
// (core/collector.h), and its room is used again, so that an id means another history afterwards: threads
// forget what they know at each.
//
// Room is counted in units of 16 bytes. 65,536 of them are an area, mapped at once, for histories of one size class;
// 256 are a block, which one thread at a time fills. An area has a bit for each unit: set, if the last collections
// found a history there that is in use. A thread fills the places without.
//
// Collections come in two sizes. What one has found stays marked ("old") until a full one begins with no marks at all;
// a small one looks only at cells that were changed since (Shadow::for_each_changed), which is where all younger ones
// are, and marks what is there. So histories that die young cost nothing. (Sticky mark bits: Demers, Weiser, Hayes,
// Boehm, Bobrow, Shenker, POPL 1990; filling what is free in place: Immix, Blackburn and McKinley, PLDI 2008, without
// its moving.)
//
// What is in use is bounded, softly: whoever needs room gets it, but a full collection is wanted then. It gives areas
// in which nothing lives to a pool for all size classes. If that is not enough, the collector chooses areas that are to
// be emptied, makes what it wants to keep of them anew elsewhere, and collects again (core/collector.h).
//
// A history is
//   uint16 count · uint15 age · uint1 old · uint32 words[count], padded to 16 bytes
// and its id is the number of its first unit.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "core/storage/arena.h"

namespace norn {

using HistoryId = uint32_t;
inline constexpr HistoryId kUntouched = 0;

// A thread's: for each size class the block it fills.
struct HistoryRoom {
  static constexpr unsigned kClasses = 11;
  struct Block {
    uint32_t next = 0;  // units
    uint32_t end = 0;
  };
  Block blocks[kClasses];
  uint64_t made = 0;  // histories, ever

  void give_up() {
    for (Block& block : blocks) block = {};
  }
};

class Histories {
 public:
  static constexpr unsigned kMaxWords = 1021;

  constexpr Histories() = default;
  Histories(const Histories&) = delete;
  Histories& operator=(const Histories&) = delete;

  // `log2_nursery`: units to be filled between two collections, at least.
  bool init(Arena& arena, unsigned log2_nursery);
  // About so many bytes may be in use before a full collection is wanted. At any time, by one thread.
  void set_bound(size_t bytes);

  // Room for so many words, which the caller will write. kUntouched if there is no memory. The thread whose room it is.
  [[nodiscard]] HistoryId reserve(HistoryRoom& room, unsigned count) {
    const unsigned size_class = class_of(count);
    HistoryRoom::Block& block = room.blocks[size_class];
    const uint32_t size = kSizes[size_class];
    HistoryId id = kUntouched;
    do {
      if (block.end - block.next < size && !find_block(block, size_class)) [[unlikely]]
        return kUntouched;
      id = block.next;
      block.next += size;
    } while (is_marked(id));
    ++room.made;
    Header* header = at(id);
    header->count = static_cast<uint16_t>(count);
    header->age = age_;
    return id;
  }
  // The same, with these words.
  [[nodiscard]] HistoryId make(HistoryRoom& room, const uint32_t* words, unsigned count) {
    const HistoryId id = reserve(room, count);
    if (id == kUntouched) return kUntouched;
    auto* to = reinterpret_cast<uint32_t*>(at(id) + 1);
    for (unsigned i = 0; i < count; ++i) __atomic_store_n(to + i, words[i], __ATOMIC_RELAXED);
    return id;
  }
  // Another number of words, if there is room for them. For who alone knows the history, and will write them: it is as
  // young as if it were made now.
  [[nodiscard]] bool resize(HistoryId id, unsigned count) {
    if (id == kUntouched || class_of(count) != class_of(at(id)->count)) return false;
    Header* header = at(id);
    header->count = static_cast<uint16_t>(count);
    header->age = static_cast<uint16_t>(age_ | (header->age & kOld));
    return true;
  }
  [[nodiscard]] const uint32_t* words(HistoryId id) const { return reinterpret_cast<const uint32_t*>(at(id) + 1); }
  [[nodiscard]] unsigned count(HistoryId id) const { return id == kUntouched ? 0 : at(id)->count; }
  // So many words take as much memory as these.
  [[nodiscard]] static constexpr unsigned room_of(unsigned words) {
    const auto room = static_cast<unsigned>((kSizes[class_of(words)] * kUnit - sizeof(Header)) / sizeof(uint32_t));
    return room < kMaxWords ? room : kMaxWords;
  }
  // How many full collections ago it was made, modulo 2^15.
  [[nodiscard]] unsigned collections_since(HistoryId id) const { return (age_ - at(id)->age) & (kOld - 1u); }
  // Whether a collection has seen it: a cell that changes to another must be noted.
  [[nodiscard]] bool is_old(HistoryId id) const { return (at(id)->age & kOld) != 0; }

  [[nodiscard]] bool wants_collection() const { return wants_.load(std::memory_order_relaxed); }
  // True since memory ran out and a history was not made; then a collection is wanted, too, if not at once.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  [[nodiscard]] size_t bytes() const {
    return size_t{area_count_.load(std::memory_order_relaxed)} * (kUnit << kAreaBits);
  }
  // How many areas there are for histories, at most, before a full collection is wanted; and how many have any.
  [[nodiscard]] size_t bound() const { return bound_; }
  [[nodiscard]] size_t used() const { return used_.load(std::memory_order_relaxed); }
  // How many would be enough for those that the last collection found.
  [[nodiscard]] size_t live() const { return (live_ + kAreaUnits - 1) / kAreaUnits; }

  // --- a collection; all users are stopped, and all rooms are given up
  [[nodiscard]] bool wants_full() const { return wants_full_ || used() >= full_at_; }
  void begin_full();
  // A cell refers to it. Calls first(words, count) if it was not marked yet; it may change them.
  template <class First>
  void keep(HistoryId id, First first) {
    uint64_t& marks = areas_[id >> kAreaBits].marks[id % kAreaUnits / 64];
    const uint64_t bit = uint64_t{1} << id % 64;
    if ((marks & bit) != 0) return;
    marks |= bit;
    Header* header = at(id);
    header->age |= kOld;
    live_ += kSizes[class_of(header->count)];
    first(reinterpret_cast<uint32_t*>(header + 1), header->count);
  }
  // `cost`: what a full collection costs beside, in units: so many should have become old before the next one.
  void end(bool full, size_t cost);

  // After a full one, before another: areas that are to be emptied, so that so many others stay in use. The sparsest,
  // or those whose histories are oldest.
  void choose_leaving(size_t staying, bool oldest);
  [[nodiscard]] bool is_leaving(HistoryId id) const { return areas_[id >> kAreaBits].leaving; }
  // It has been made anew; whoever finds it later must know. Its words are gone.
  void set_moved(HistoryId id, HistoryId to) {
    at(id)->count = kMoved;
    *reinterpret_cast<HistoryId*>(at(id) + 1) = to;
  }
  [[nodiscard]] HistoryId moved_to(HistoryId id) const { return at(id)->count == kMoved ? *words(id) : kUntouched; }

  // For tests: marks and counts agree.
  [[nodiscard]] bool check_invariants() const;

 private:
  struct Header {
    uint16_t count;
    uint16_t age;
  };
  struct Area {
    char* units;
    uint64_t* marks;
    uint32_t next;  // of the same size class, or of the pool, or kNoArea
    uint8_t key;    // who has the highest leaves first
    bool leaving;
  };
  // The areas of one size class, and which of their blocks were given out since the last collection.
  struct Class {
    SpinMutex mutex;
    uint32_t first = kNoArea;
    uint32_t last = kNoArea;
    uint32_t area = kNoArea;
    uint32_t block = 0;
  };
  static constexpr uint32_t kNoArea = ~0u;
  // In units; the first has room for one shadow word (core/engine/hybrid.h), nine for an owner table
  // (core/shadow/owner_table.h).
  static constexpr uint16_t kSizes[HistoryRoom::kClasses] = {2, 3, 4, 5, 8, 9, 16, 32, 64, 128, 256};
  static constexpr unsigned class_of(unsigned words) {
    const auto units = static_cast<unsigned>((sizeof(Header) + words * sizeof(uint32_t) + kUnit - 1) / kUnit);
    if (units <= 5) return units <= 2 ? 0 : units - 2;
    unsigned found = 4;
    while (kSizes[found] < units) ++found;
    return found;
  }
  static constexpr uint16_t kOld = 0x8000;
  static constexpr uint16_t kMoved = 0xffff;  // for a count
  static constexpr size_t kUnit = 16;
  static constexpr unsigned kAreaBits = 16;
  static constexpr uint32_t kAreaUnits = 1u << kAreaBits;
  static constexpr uint32_t kBlockUnits = 256;
  static constexpr unsigned kMaxAreas = 1u << 16;
  // So many are little: each size class has one or two.
  static constexpr size_t kLeastBound = 16;

  [[nodiscard]] Header* at(HistoryId id) const {
    return reinterpret_cast<Header*>(areas_[id >> kAreaBits].units + size_t{id & (kAreaUnits - 1)} * kUnit);
  }
  [[nodiscard]] bool is_marked(HistoryId id) const {
    return (areas_[id >> kAreaBits].marks[id % kAreaUnits / 64] >> id % 64 & 1) != 0;
  }
  bool find_block(HistoryRoom::Block& block, unsigned size_class);
  bool add_area(Class& to);
  bool take_area(uint32_t& number);
  void give_back_empty(Class& from);
  [[nodiscard]] uint8_t age_of(uint32_t area) const;
  [[nodiscard]] unsigned marks_in(uint32_t area) const;
  void space_full();

  Arena* arena_ = nullptr;
  Area* areas_ = nullptr;
  Class classes_[HistoryRoom::kClasses];
  std::atomic<uint32_t> area_count_{0};
  std::atomic<uint32_t> used_{0};  // areas that a class has; the others are in the pool
  uint32_t pool_ = kNoArea;        // under grow_mutex_
  size_t bound_ = kMaxAreas;       // areas
  size_t full_at_ = kMaxAreas;     // so many in use: a full collection is wanted
  size_t used_full_ = 0;           // when the last one ended
  std::atomic<size_t> filled_{0};  // units given out since the last collection
  std::atomic<bool> wants_{false};
  std::atomic<bool> failed_{false};
  std::atomic<uint32_t> failures_{0};  // since the last collection
  uint32_t patience_ = 0;              // so many do not want one yet
  bool wants_full_ = false;
  uint16_t age_ = 0;
  size_t live_ = 0;       // units of what is marked
  size_t live_full_ = 0;  // when the last full collection ended
  size_t cost_ = 0;       // of a full collection
  size_t nursery_ = 0;    // units to be made between two collections
  size_t least_ = 0;
  SpinMutex grow_mutex_;
};

}  // namespace norn
