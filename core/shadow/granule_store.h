// What locations remember, and where: granules (core/shadow/granule.h), the lists of what has no room in them
// (core/shadow/overflow_list.h), the table of reads that many threads made (core/shadow/read_table.h), and, for the
// state machines, a history for each word.
//
// read_granule() gives all that a granule remembers, write_granule() puts it back, in the shape that it needs then.
// Both are called under the granule's lock, and by a thread that is inside. What an access makes of it is not decided
// here (core/shadow/shadow_store.h).
#pragma once

#include "core/engine/hybrid.h"
#include "core/engine/msm.h"
#include "core/race_filter.h"
#include "core/shadow/granule.h"
#include "core/shadow/overflow_list.h"
#include "core/shadow/owner_table.h"
#include "core/shadow/read_table.h"
#include "core/shadow/shadow.h"

namespace norn {

class GranuleStore : public RaceFilter {
 public:
  // Whether an atomic operation wrote to exactly this address since its word was last new or plainly overwritten.
  [[nodiscard]] bool holds_atomic(Address address);
  // Whether somebody waits for one of the granule's bytes, as far as is known without its lock. (The state machines do
  // not say; a write there passes time.)
  [[nodiscard]] bool is_waited_for(Address at) const;

  // --- for statistics and tests
  [[nodiscard]] MsmState msm_state(Address address);
  [[nodiscard]] unsigned accesses_at(Address address);
  [[nodiscard]] size_t shadow_bytes() const { return shadow_.bytes(); }
  [[nodiscard]] size_t history_bytes() const { return histories_.bytes(); }
  [[nodiscard]] bool check_invariants() const { return histories_.check_invariants(); }

 protected:
  [[nodiscard]] bool init_store();

  // The bytes of [begin, end) that lie in the granule.
  static uint8_t mask_in(Address granule, Address begin, Address end) {
    const unsigned from = begin > granule ? static_cast<unsigned>(begin - granule) : 0;
    const unsigned to = end < granule + kGranuleBytes ? static_cast<unsigned>(end - granule) : kGranuleBytes;
    return static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
  }

  // --- a granule's first word: collections look for it
  // For the first shadow word of a granule; if that is a matter of a few instructions.
  [[nodiscard, gnu::always_inline]] bool is_prepared(Address address) {
    return shadow_.existing_leaf(address) != nullptr && (!options_.sampled || note_use(address));
  }
  // False: no memory.
  [[nodiscard]] bool prepare(Address address) {
    if (!shadow_.prepare(address)) return false;
    if (options_.sampled) shadow_.note_use(address);
    return true;
  }

  // --- all that a granule remembers. Under its lock, of which `list` is part.
  [[nodiscard]] OverflowList list_at(HistoryId list) const { return {histories_.words(list), histories_.count(list)}; }
  [[nodiscard]] Shape shape_of(const Granule& granule, HistoryId list) const {
    return norn::shape_of(granule, list, list == kUntouched ? 0 : histories_.words(list)[0]);
  }
  // The owner table of a granule that is_owned().
  [[nodiscard, gnu::always_inline]] OwnerTable owner_table_at(HistoryId list) const {
    return OwnerTable(histories_.words(list));
  }
  // Before it gets another shape, which what was read of it decides.
  static void disown(Granule& granule, HistoryId& list) {
    if (!is_owned(granule, list)) return;
    GranuleWords::clear(granule);
    list = kUntouched;
  }
  // Gives its flags.
  uint32_t read_granule(const Granule& granule, HistoryId list, AccessHistory& history) const;
  void write_granule(Thread& thread, Granule& granule, Address address, HistoryId& list, AccessHistory& history,
                     uint32_t flags);
  // From which shadow word on they have room in the granule itself; and the last ones, which have.
  unsigned first_in_granule(const Thread& thread, AccessHistory& history, bool in_table, uint32_t flags) const;
  static void put_in_granule(Granule& granule, const AccessHistory& history, unsigned first);
  // The bytes of it that somebody waits for, as far as is known without its lock.
  [[nodiscard]] uint8_t waited_for_in(const Granule& granule) const {
    const HistoryId list = GranuleLock::list_of(granule);
    return list == kUntouched ? uint8_t{0} : GranuleFlags::in_spin(list_at(list).flags());
  }
  // Somebody waits for these bytes from here on. Gives those for which nobody did, and what was remembered before.
  // Takes the lock.
  unsigned begin_spinning(Thread& thread, Granule& granule, Address address, unsigned mask, AccessHistory& history);

  // --- lists without shadow words, which granules share: one for each set of words that have a release clock and
  // nobody waits for, and one without flags. They are never changed.
  [[nodiscard]] HistoryId clock_list(uint32_t flags) const {
    constexpr uint32_t kFirst = kHasReleaseClock, kSecond = uint32_t{kHasReleaseClock} << GranuleFlags::kBits;
    if (flags == 0 || (flags & ~(kFirst | kSecond)) != 0) return kUntouched;
    return clock_lists_[((flags & kFirst) != 0 ? 1 : 0) + ((flags & kSecond) != 0 ? 2 : 0) - 1];
  }
  [[nodiscard]] bool is_shared(HistoryId list) const {
    return list == empty_list_ || list == clock_lists_[0] || list == clock_lists_[1] || list == clock_lists_[2];
  }

  // --- what a thread found to be in a granule's list, at its present epoch
  [[nodiscard]] bool is_in_list(const Thread& thread, const Granule& granule, AccessKind kind, unsigned mask) {
    if (thread.known == nullptr) return false;
    const KnownLists::Entry& entry = thread.known->of(&granule);
    return entry.granule == &granule && entry.time == thread.time && entry.slot == thread.slot &&
           entry.list == granule.cells[0].load(std::memory_order_acquire) &&
           thread.known->collections == collections() &&
           (mask & ~unsigned{kind == AccessKind::kRead         ? entry.reads
                             : kind == AccessKind::kAtomicRead ? entry.atomic_reads
                                                               : entry.writes}) == 0;
  }
  void remember_list(Thread& thread, const Granule& granule, HistoryId list, const WordAccess& access);

  // --- reads in the table (read_shared.cc)
  // What a row has of the thread's reads now, but for the bytes.
  [[nodiscard, gnu::always_inline]] static ShadowWord read_of(const Thread& thread, StackId where) {
    return ReadInRow::of(thread.words_locks, thread.time, where);
  }
  // The thread's row, where the granule has its reads in rows, beside no list, and the thread was in the block lately;
  // else null.
  [[nodiscard, gnu::always_inline]] ReadBlock::Row* row_alone(const Thread& thread, const Granule& granule,
                                                              Address address) const {
    if (thread.known_rows == nullptr || granule.cells[0].load(std::memory_order_relaxed) != empty_list_) return nullptr;
    const KnownRows::Entry& known = thread.known_rows->of(address);
    return known.key == KnownRows::key_of(address, thread.slot) ? known.row : nullptr;
  }
  // Calls visit(access) for each of a row's reads of a granule, the older first.
  template <class Visit>
  void for_each_read(Slot slot, const ReadBlock::Row& row, unsigned index, Visit visit) const {
    const ReadsInRow reads = ReadsInRow::of(row, index);
    for (const ShadowWord read : {reads.second, reads.first}) {
      if (!read.is_none()) visit(PastAccess::unpacked(segments_, ReadInRow::word(read, slot), ReadInRow::locks(read)));
    }
  }
  ReadBlock::Row* own_row(Thread& thread, Address address);
  void add_own_reads(const Thread& thread, const ReadBlock& block, Address address, AccessHistory& history) const;
  void add_reads_in_table(ReadBlock& block, Address address, AccessHistory& history) const;
  void put_reads(const Thread& thread, Granule& granule, ReadBlock* block, const WordAccess& access,
                 AccessHistory& history, uint32_t flags);
  unsigned clear_read_table(const Granule& granule, Address address, unsigned mask);
  static void close_read_table(Granule& granule);
  [[nodiscard]] unsigned reads_in_table(const Granule& granule, Address address);

  // --- forgetting
  // What was done to these bytes of the granule does not count any more.
  void clear_granule(Thread& thread, Granule& granule, Address address, unsigned mask);
  // All of a granule that has no list, or nothing at all. False: it is another one.
  [[gnu::always_inline]] static bool clear_simple_granule(Granule& granule) {
    if (granule.cells[0].load(std::memory_order_relaxed) != kUntouched) return false;
    if (GranuleWords::is_empty(granule)) return true;
    // Without the lock: whoever has it, or takes it now, is not ordered with this; what it leaves is as if it had come
    // later, or is nothing.
    for (std::atomic<ShadowWord>& word : granule.words) word.store({}, std::memory_order_relaxed);
    return true;
  }

  // --- the state machines: a history for each word (machine_words.cc)
  void clear_word(Thread& thread, Cell& cell, Address address, unsigned mask);
  unsigned begin_spinning_word(Thread& thread, Cell& cell, Address word, unsigned mask, HistoryId& before);
  // After a cell changed from `before` to something else.
  void note_change(Address address, HistoryId before) {
    if (before == kUntouched || histories_.is_old(before)) shadow_.note_change(address);
  }

  Shadow shadow_;
  Histories histories_;
  ReadTable read_table_;
  InternTable threadsets_;
  PerByteStacks per_byte_stacks_;
  HistoryId empty_list_ = kUntouched;  // of all granules with reads in rows and nothing else that needs one
  HistoryId clock_lists_[3] = {};      // of those with a release clock in the first word, the second, or both, likewise
  std::atomic<uint64_t> accesses_forgotten_{0};
  EngineContext context_;

 private:
  [[gnu::noinline, clang::preserve_most]] bool note_use(Address address) {
    shadow_.note_use(address);
    return true;
  }
  [[nodiscard]] bool make_shared_lists();
  HistoryId make_list(Thread& thread, HistoryId before, const AccessHistory& history, unsigned count, uint32_t flags);
  static void put_beside_table(Granule& granule, const GranuleWords::Kept& kept);
  static bool may_lie_beside_release_clock(const Thread& thread, const PastAccess& past);
  void find_whether_it_packs(PastAccess& past) const {
    past.packs =
        past.packs || (ShadowWord::epoch_fits(past.slot, past.time) && segments_.has_number(past.lockset, past.locks));
  }
  bool make_owned(Thread& thread, Granule& granule, HistoryId& list, const AccessHistory& history);
  void give_reads_to_table(ReadBlock& block, Address address, AccessHistory& history, const Thread* of);
  [[nodiscard]] static bool is_for_read_table(const AccessHistory& history);
  ReadBlock* open_read_table(Granule& granule, Address address);
  void take_from_read_table(Granule& granule, Address address, AccessHistory& history);
};

}  // namespace norn
