// The shadow: what accesses find of those before them, and leave for those after them.
//
// An access is judged by what its location remembers, which it changes; races go to the filter (core/race_filter.h),
// and what orders threads goes to the relations (core/order/relations.h): what is handed over, signals of what somebody
// waits for, release clocks that end.
//
// All that is remembered of accesses is known here and in GranuleStore alone. The public functions are what a front end
// calls; the parts above need nothing but those and the few protected ones for events that are accesses, too. So
// another shadow is another class with these functions.
//
// The paths of an access, by number (docs/design/history.md, The paths of an access).
//
// Each path computes the same function of what a granule remembers, or leaves the access to the next path and has done
// nothing. The rule is one (core/shadow/relation.h); a path decides only where the words that are left are put. Paths 0
// to 2 are the fast paths, 3 and 4 the slow path. core/shadow/paths_test.cc puts random granules through all of them.
//
// 0, the check: the inline check (include/norn/abi.h), contains_same_access(), is_in_list().
//    Decides that nothing changes: the thread's own word of its present epoch stands for the access.
//    Leaves all else.
//
// 1, nearby: GranuleStep::Own, renew(), Strided, Alone; renew_owner() of an owner table; AtomicStep::renew() of
// atomics; leave_free().
//    Decides what is covered and goes, by the clock that decides, near slots, and equal numbers of locks.
//    Leaves a list with anything in it, but for the thread's own table; what conflicts and is not ordered; other locks;
//    frees; what has no room.
//
// 2, beside: GranuleStep::renew_beside(); ReadStep::take_alone(), Together of the read table; read_in_place() beside a
// list.
//    Decides the same with both clocks, and what the same locks exclude; rmw of writes.
//    Leaves locks that are not the same; races; allocations and frees; what is handed over.
//
// 3, by shape: access_granule(): GranuleStep::take(), AtomicStep::take(), renew_waited_for(),
//    read_in_own_row(), renew_short_list(), read_beside_list().
//    Decides all but races, as long as what is left has room where it is.
//    Leaves races; what needs another list, or another shape.
//
// 4, general: access_generally(): HybridEngine::next().
//    Decides everything: races, overflow lists, flags, shapes.
//
// Paths 1 and 2 look first and lock the granule afterwards, if it is still what they saw. Path 2 takes no lock for a
// read in the table. Paths 3 and 4 hold the granule's lock.
#pragma once

#include "core/shadow/granule_store.h"
#include "core/shadow/read_step.h"
#include "core/shadow/step.h"

namespace norn {

class ShadowStore : public GranuleStore {
 public:
  // --- accesses. `where` is a StackId, or something to call for one: it is asked only if the access changes what is
  // known, which for most accesses it does not. `increments`: a write that stands for a read of the same bytes before
  // it, or a read whose value goes into the write of the same bytes after it and nowhere else.
  template <class WhereOrCall>
  void access(Thread& thread, AccessKind kind, Address address, uint64_t size, const WhereOrCall& where,
              bool increments = false) {
    ++thread.accesses;
    if (thread.recording) record_again(thread, kind, address, size, increments);
    if (is_known(thread, kind, address, size)) return;
    // From here on out of line.
    StackId place = kNoStack;
    if constexpr (requires { where(); }) {
      place = where();
    } else {
      place = where;
    }
    if (address % kGranuleBytes + size <= kGranuleBytes) [[likely]] {
      access_one(thread, kind, address, address + size, place, increments);
    } else {
      access_from(thread, kind, address, address + size, place, increments);
    }
  }
  void read(Thread& t, Address a, uint64_t size, StackId w) { access(t, AccessKind::kRead, a, size, w); }
  void write(Thread& t, Address a, uint64_t size, StackId w) { access(t, AccessKind::kWrite, a, size, w); }
  // The same within one granule, which the caller knows, and of a thread that ignores nothing.
  template <class WhereCall>
  void access_within(Thread& thread, Granule& granule, AccessKind kind, Address address, unsigned size,
                     const WhereCall& where, bool increments);
  // Fast path 1, for the commonest of accesses, with as little as can be around it: by a thread that has shadow words
  // of its present epoch, within one granule. False: it was another one, and nothing was done. What the thread records
  // is left to record_again(). `Tried`: access_plainly() was, and nothing was done.
  template <AccessKind Kind, bool Tried = false, class WhereCall>
  [[nodiscard, gnu::always_inline]] bool access_again(Thread& thread, Granule& granule, Address address, unsigned size,
                                                      bool increments, const WhereCall& where);
  // A shorter one (GranuleStep::renew), for a thread that is_plain(), of so many bytes that lie in one granule, or are
  // whole ones.
  template <AccessKind Kind, unsigned Size>
  [[nodiscard, gnu::always_inline]] bool access_plainly(Thread& thread, Granule* granules, Address address,
                                                        StackId where);
  // The same of a granule that the thread owns (core/shadow/owner_table.h), as far as owns() can tell without its lock.
  [[nodiscard, gnu::always_inline]] static bool owns(const Thread& thread, const Granule& granule) {
    return granule.cells[1].load(std::memory_order_relaxed) == thread.owned_layout;
  }
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] bool access_owned(Thread& thread, Granule& granule, unsigned mask, StackId where);
  // A read where there is a list, of a thread that is_plain(). False: it is another case, and nothing was done.
  [[nodiscard]] bool read_listed(Thread& thread, Granule& granule, unsigned mask, bool increments, StackId where) {
    const bool done = step_inside(thread) && (read_in_place(thread, granule, mask, increments, where) ||
                                              is_in_list(thread, granule, AccessKind::kRead, mask));
    step_outside(thread);
    if (done) ++thread.accesses;
    return done;
  }
  // The shortest (GranuleStep::Own), of so many bytes within one granule, for a thread that is_plain(). It need not be
  // inside: it touches nothing but its own words.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static bool access_own(Thread& thread, Granule& granule, unsigned mask,
                                                           StackId where) {
    const bool done = ShadowWord::stack_fits(where) && GranuleStep::Own<Kind>::renew(thread, granule, mask, where);
    if (done) ++thread.accesses;
    return done;
  }
  // The same of any bytes: as far as that goes, from the first on. Gives where it ends.
  template <AccessKind Kind>
  [[nodiscard]] Address access_range(Thread& thread, Address begin, Address end, StackId where);
  // The same of all bytes of many granules, each so many granules after the one before. How many of them were done,
  // from the first on. Not for what the thread records.
  template <AccessKind Kind>
  [[nodiscard]] uint64_t access_row(Thread& thread, Granule* granules, Address first, uint64_t count, uint64_t step,
                                    StackId where);
  // Whether an access is known to change nothing: access() would return at once.
  [[nodiscard]] bool knows(const Thread& thread, AccessKind kind, Address address, uint64_t size) {
    return is_known(thread, kind, address, size);
  }
  // A use of the memory of an object that synchronizes: whoever frees or overwrites it at the same time races. It
  // decides nothing.
  void use(Thread& thread, Address object, StackId where);

  // --- loops that wait (spin_reads.cc, handover_reads.cc). `in_loop`: the loop goes on, so the read orders nothing.
  void spin_read(Thread& thread, Address address, uint64_t size, StackId where, bool in_loop = false);
  // Who wrote what a loop has read, as far as nothing orders it before what the thread does now: `visit` is called with
  // each such pair that counts. `kind`: how the loop reads. The state machines find none.
  void find_unordered_writes(Thread& thread, AccessKind kind, Address address, uint64_t size, StackId where,
                             void (*visit)(const RacingPair& pair));
  // Whether a plain write that nothing orders before the thread is remembered there, or may be forgotten. The state
  // machines do not know, and say yes.
  [[nodiscard]] bool may_be_written_plainly(Thread& thread, Address address, uint64_t size);
  // The same bytes are looked at now, whenever they will be emitted as spin-read: what was written under a lock that
  // the thread holds, and may not hold then any more, is handed over.
  void look(Thread& thread, Address address, uint64_t size);

  // --- the life of memory (allocation.cc)
  // The bytes are new: nothing that was done to them before counts.
  void allocate(Thread& thread, Address address, uint64_t size);
  // The same of the heap's: whoever accesses them from now on, and is not ordered after this, has got the address from
  // an earlier life of the memory.
  void bear(Thread& thread, Address address, uint64_t size, StackId where);
  void free(Thread& thread, Address address, uint64_t size, StackId where);
  // The same as allocate(), of memory that comes from the system; and before it goes back there, after it was freed:
  // who accesses it then is stopped by the system.
  void map(Thread& thread, Address address, uint64_t size);
  void unmap(Thread& thread, Address address, uint64_t size);
  // What was done to the bytes so far does not count any more; synchronization objects in them stay.
  void forget_accesses(Thread& thread, Address address, uint64_t size);

 protected:
  // --- of events that are accesses, too. Inside.
  void use_inside(Thread& thread, Address object, StackId where);
  void read_atomically(Thread& thread, Address address, uint64_t size, StackId where);
  void write_atomically(Thread& thread, Address address, uint64_t size, StackId where, bool reads,
                        bool has_release_clock, bool begins);

 private:
  friend struct DetectorProbe;  // core/testing/detector_probe.h

  bool is_known(const Thread& thread, AccessKind kind, Address address, uint64_t size) {
    const Address end = address + size;
    for (Address at = address & ~(kGranuleBytes - 1); at < end; at += kGranuleBytes) {
      const Granule* granule = shadow_.existing_granule(at);
      if (granule == nullptr) return false;
      const uint8_t mask = mask_in(at, address, end);
      if (contains_same_access(thread, *granule, kind, mask)) continue;
      const bool plain = kind == AccessKind::kRead || kind == AccessKind::kWrite;
      if (!plain || !is_in_list(thread, *granule, kind, mask)) return false;
    }
    return true;
  }

  // --- paths 1 and 2
  // Whether renew() may be tried, once the thread has begun its epoch.
  [[nodiscard]] static bool may_renew(const Thread& thread) { return thread.epoch_used && thread.words_pack; }
  template <AccessKind Kind, bool Whole>
  [[nodiscard, gnu::always_inline]] bool renew(const Thread& thread, Granule& granule, Address address, unsigned mask,
                                               StackId where) {
    return ShadowWord::stack_fits(where) &&
           GranuleStep::renew<Kind, Whole>(thread, granule, mask, where,
                                           [&]() __attribute__((always_inline)) { return is_prepared(address); });
  }
  // Where that is another case.
  template <AccessKind Kind, class WhereCall>
  [[nodiscard, gnu::always_inline]] bool renew_beside(Thread& thread, Granule& granule, Address address, unsigned mask,
                                                      bool increments, const WhereCall& where) {
    if (has_list(granule)) [[unlikely]]
      return Kind == AccessKind::kRead && read_in_row(thread, granule, address, mask, where);
    return GranuleStep::renew_beside<Kind>(
        thread, is_lockless(), is_write(Kind) && follows_writes(options_),
        options_.handover && !increments && (Kind != AccessKind::kWrite || mask == kWholeGranule), granule, mask,
        increments, where);
  }
  // A short way where the granule's reads are in rows. False: it is another case, and nothing was done.
  template <class WhereCall>
  [[nodiscard, gnu::always_inline]] bool read_in_row(const Thread& thread, Granule& granule, Address address,
                                                     unsigned mask, const WhereCall& where) {
    ReadBlock::Row* row = row_alone(thread, granule, address);
    if (row == nullptr) return false;
    const unsigned index = ReadBlock::index_of(address);
    if (ReadStep::has_read(thread, granule, *row, index, mask)) return true;
    StackId found = kNoStack;
    return where(found) && ShadowWord::stack_fits(found) &&
           ReadStep::take_alone(thread, is_lockless(), granule, empty_list_, *row, index, read_of(thread, found), mask);
  }
  // A granule's first shadow word, of all its bytes.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] bool begin_row(const GranuleStep::Strided<Kind>& row, Granule& granule,
                                                   Address at) {
    return GranuleStep::is_empty(granule) && is_prepared(at) && row.begin(granule);
  }
  // Path 1 of a granule that the thread owns (core/shadow/owner_table.h): all that is there is its own. False: it is
  // another case, and nothing was done.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] bool renew_owner(const Thread& thread, Granule& granule, unsigned mask,
                                                     StackId where) const {
    const uint64_t cells = GranuleLock::cells_of(granule);
    const auto list = static_cast<HistoryId>(cells);
    if (cells >> 32 != thread.owned_layout || list == kUntouched || GranuleLock::is_locked(cells) ||
        !ShadowWord::stack_fits(where) || !GranuleLock::try_lock_both(granule, cells)) {
      return false;
    }
    put_in_owner_table<Kind>(thread, granule, list, mask, where);
    GranuleLock::unlock_both(granule, cells);
    return true;
  }
  template <AccessKind Kind>
  [[gnu::always_inline]] void put_in_owner_table(const Thread& thread, Granule& granule, HistoryId list, unsigned mask,
                                                 StackId where) const {
    const ShadowWord fresh =
        ShadowWord::of_one_stack(ShadowWord::epoch_of(thread.slot, thread.time), Kind, mask, where);
    owner_table_at(list).take<Kind>(fresh, mask);
    // The copies for the check: the newest where it looks first, one of the other kind where it looks then.
    const unsigned place = thread.slot & 1u;
    const ShadowWord newest = granule.words[place].load(std::memory_order_relaxed);
    const ShadowWord third = granule.words[2].load(std::memory_order_relaxed);
    constexpr uint64_t kSame = ShadowWord::kBitsOfWrites & ~ShadowWord::kBitsOfBytes;
    ShadowWord copy = fresh;
    if (newest.equals_in(fresh, kSame)) {
      copy = newest.with(mask);
    } else {
      if (third.equals_in(fresh, kSame)) copy = third.with(mask);
      granule.words[2].store(newest.equals_in(fresh, ShadowWord::kBitsOfEpoch) ? newest : ShadowWord(),
                             std::memory_order_relaxed);
    }
    granule.words[place].store(copy, std::memory_order_relaxed);
  }
  [[nodiscard]] bool renew_owner(const Thread& thread, Granule& granule, HistoryId list,
                                 const WordAccess& access) const;
  bool read_in_place(Thread& thread, Granule& granule, unsigned mask, bool increments, StackId where);
  bool read_in_words(Thread& thread, Granule& granule, HistoryId list, uint32_t& second, unsigned mask, bool heeds,
                     StackId where);
  // Of access_row(): one of another case.
  [[nodiscard]] bool renew_one(Thread& thread, AccessKind kind, Address at, StackId where) {
    return renew_span(thread, kind, at, at, at + kGranuleBytes, where, false) != at;
  }
  template <AccessKind Kind>
  [[nodiscard, gnu::noinline]] uint64_t renew_alike(Thread& thread, Granule* granules, uint64_t count, Address at,
                                                    bool increments, StackId where);
  template <AccessKind Kind>
  Address renew_span(Thread& thread, Address at, Address begin, Address end, StackId where, bool increments);
  Address renew_span(Thread& thread, AccessKind kind, Address at, Address begin, Address end, StackId where,
                     bool increments);
  [[nodiscard]] uint64_t read_together(const Thread& thread, Granule* granules, Address first, uint64_t count,
                                       uint64_t step, StackId where, bool copies) const;
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] bool renew_atomic(Thread& thread, Granule& granule, Address address, unsigned mask,
                                                      StackId where, bool increments);
  bool renew_atomic_write(Thread& thread, Address address, uint64_t size, StackId where, bool reads);
  Address leave_free(Thread& thread, const Leaf& leaf, Address begin, Address end, StackId where);

  // --- paths 3 and 4 (granules.cc, table_reads.cc)
  void access_one(Thread& thread, AccessKind kind, Address begin, Address end, StackId where, bool increments);
  void access_from(Thread& thread, AccessKind kind, Address begin, Address end, StackId where, bool increments);
  void access_known_granule(Thread& thread, Granule& granule, const WordAccess& access);
  void access_shadow(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                     bool has_release_clock);
  void access_granule(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                      uint32_t set_flags);
  bool access_simply(Thread& thread, Granule& granule, const WordAccess& access);
  bool read_beside_list(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access);
  bool renew_short_list(Thread& thread, Granule& granule, HistoryId& list, const WordAccess& access);
  bool renew_owned(Thread& thread, OverflowList& listed, GranuleStep::Kept (&words)[GranuleStep::kPlaces],
                   unsigned held, const WordAccess& access, unsigned fresh, unsigned before) const;
  bool fits_without_list(const Thread& thread, const OverflowList& listed, const GranuleStep::Kept* kept,
                         unsigned count, const PastAccess& now);
  bool read_in_own_row(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access);
  bool renew_beside_release_clock(const Thread& thread, Granule& granule, HistoryId list, const WordAccess& access,
                                  uint32_t set_flags);
  bool renew_waited_for(Thread& thread, const Granule& granule, HistoryId list, const WordAccess& access,
                        uint32_t set_flags, uint8_t& accessed);
  void access_generally(Thread& thread, Granule& granule, GranuleLock& lock, const WordAccess& access,
                        SpinSignals& signals, uint32_t set_flags);
  void judge_read_table(const Thread& thread, ReadBlock& block, unsigned fresh, const WordAccess& access,
                        FoundRaces& races);
  // The rule (core/shadow/relation.h) of what the thread does now and a remembered access of the same bytes.
  template <class Now>
  [[nodiscard, gnu::always_inline]] Related related_to(const Thread& thread, const Now& now,
                                                       const PastAccess& then) const {
    const auto locks_then = [&] { return then.lockset; };
    return relate(now, PastKind{then.kind},
                  KnownExactly(context_, thread, then.slot, then.time, then.kind, locks_then));
  }
  [[nodiscard]] static unsigned spin_bytes_of(const Thread& thread, const WordAccess& access);
  static uint8_t accessed_in_segment(const Thread& thread, const AccessHistory& history, const WordAccess& access);
  void note_signals(Thread& thread, const WordAccess& access, uint32_t flags, unsigned adds, SpinSignals& signals);
  // Release clocks belong to the address of their atomic; a plain write over any of its bytes ends one.
  void end_release_clocks_of(const WordAccess& access) {
    end_release_clocks(access.word + static_cast<unsigned>(__builtin_ctz(access.mask)),
                       access.word + 32 - static_cast<unsigned>(__builtin_clz(access.mask)));
  }
  void access_word(Thread& thread, Cell& cell, const WordAccess& access, SpinSignals& signals, uint32_t set_flags);

  // --- spin_reads.cc, handover_reads.cc
  void spin_read_granule(Thread& thread, Address at, unsigned mask, bool in_loop);
  [[nodiscard]] bool has_writes_to_heed(const Thread& thread, const Granule& granule, HistoryId list,
                                        unsigned mask) const;
  void heed_writes(Thread& thread, const Granule& granule, HistoryId list, unsigned mask);
  void heed_range(Thread& thread, Address address, uint64_t size);
  void take_out(Thread& thread, const Granule& granule, HistoryId list, Address address);

  // --- allocation.cc
  // Where all of it lies in memory that one leaf is for.
  [[nodiscard]] static constexpr bool is_in_one_leaf(Address begin, Address end) {
    return begin >> Leaf::kBits == (end - 1) >> Leaf::kBits;
  }
  // So many granules from `at` on lie before `end`, and behind each other.
  [[nodiscard]] static uint64_t whole_in_leaf(Address at, Address end) {
    const Address until = (at | ((Address{1} << Leaf::kBits) - 1)) + 1;
    return ((until < end ? until : end) - at) / kGranuleBytes;
  }
  // Where that is worth the calls of the system, and filling it in anew.
  [[nodiscard]] static constexpr bool is_large(uint64_t bytes) { return bytes >= uint64_t{1} << 20; }
  void clear_leaf(Thread& thread, const Leaf& leaf, Address begin, Address end);
  void clear_shadow(Thread& thread, Address begin, Address end);
  void give_back_shadow(Thread& thread, Address begin, Address end);
  void bear_granule(Thread& thread, Granule& granule, Address address, unsigned mask, StackId where);
};

template <class WhereCall>
void ShadowStore::access_within(Thread& thread, Granule& granule, AccessKind kind, Address address, unsigned size,
                                const WhereCall& where, bool increments) {
  ++thread.accesses;
  if (thread.recording) record_again(thread, kind, address, size, increments);
  const auto mask = static_cast<uint8_t>(bytes_in_granule(address, size));
  if (is_state_machine(options_.engine)) [[unlikely]]
    return access_from(thread, kind, address, address + size, where(), increments);
  if (contains_same_access(thread, granule, kind, mask) ||
      (has_list(granule) && is_in_list(thread, granule, kind, mask)))
    return;
  const Address at = address & ~(kGranuleBytes - 1);
  access_known_granule(thread, granule, {kind, mask, where(), at, increments});
}

template <AccessKind Kind, unsigned Size>
bool ShadowStore::access_plainly(Thread& thread, Granule* granules, Address address, StackId where) {
  constexpr bool kWhole = Size >= kGranuleBytes;
  const unsigned mask = kWhole ? 0xff : bytes_in_granule(address, Size);
  thread.inside.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  bool done = is_door_open();
  for (unsigned i = 0; i < (kWhole ? Size / kGranuleBytes : 1); ++i) {
    done = done && renew<Kind, kWhole>(thread, granules[i], address + i * kGranuleBytes, mask, where);
  }
  step_outside(thread);
  if (done) ++thread.accesses;
  return done;
}

template <AccessKind Kind>
bool ShadowStore::access_owned(Thread& thread, Granule& granule, unsigned mask, StackId where) {
  const bool done = step_inside(thread) && renew_owner<Kind>(thread, granule, mask, where);
  step_outside(thread);
  if (done) ++thread.accesses;
  return done;
}

template <AccessKind Kind>
uint64_t ShadowStore::access_row(Thread& thread, Granule* granules, Address first, uint64_t count, uint64_t step,
                                 StackId where) {
  uint64_t done = 0;
  if (step_inside(thread) && ShadowWord::stack_fits(where)) {
    const GranuleStep::Strided<Kind> row(thread, where);
    // (New memory that is filled. Asked before each granule it would cost loops that it is not for.)
    if (Kind == AccessKind::kWrite && step == 1) {
      const auto prepare = [&](uint64_t i) { return is_prepared(first + i * kGranuleBytes); };
      done = GranuleStep::Alone<Kind>(thread, where).renew(granules, count, prepare);
    }
    for (; done < count; ++done) {
      Granule& granule = granules[done * step];
      if (row.stands(granule) || row.renew(granule)) continue;
      const Address at = first + done * step * kGranuleBytes;
      if (begin_row(row, granule, at)) continue;
      if (Kind == AccessKind::kRead && has_list(granule)) {
        if (const uint64_t more = read_together(thread, &granule, at, count - done, step, where, false); more != 0) {
          done += more - 1;
          continue;
        }
      }
      if (const uint64_t more = step == 1 ? renew_alike<Kind>(thread, &granule, count - done, at, false, where) : 0;
          more != 0) {
        done += more - 1;
        continue;
      }
      if (!renew_one(thread, Kind, at, where)) break;
    }
  }
  step_outside(thread);
  thread.accesses += done;
  return done;
}

template <AccessKind Kind, bool Tried, class WhereCall>
bool ShadowStore::access_again(Thread& thread, Granule& granule, Address address, unsigned size, bool increments,
                               const WhereCall& where) {
  const unsigned mask = bytes_in_granule(address, size);
  if (!may_renew(thread) || thread.check_spoilt.load(std::memory_order_relaxed)) return false;
  StackId found = kNoStack;
  const auto known = [&](StackId& wanted) __attribute__((always_inline)) {
    wanted = found;
    return true;
  };
  bool done = step_inside(thread);
  if constexpr (Tried) {
    done = done && renew_beside<Kind>(thread, granule, address, mask, increments, where);
  } else {
    done = done && where(found) &&
           (renew<Kind, false>(thread, granule, address, mask, found) ||
            renew_beside<Kind>(thread, granule, address, mask, increments, known));
  }
  step_outside(thread);
  if (done) ++thread.accesses;
  return done;
}

}  // namespace norn
