// The detector: events in, candidates out.
//
// Each thread of the program has a Thread; a function that takes one is called by that thread alone, and different
// threads may be in any functions at once. An access locks its granule (core/shadow/granule.h) while it changes it, if
// it changes anything; the state machines change a word's cell by one compare-and-swap. Synchronization takes the
// object's own spin lock for as long as clocks move (most locks of the program do without: core/order/lock_events.cc).
// A collection (core/storage/collector.cc) stops everyone: who is outside waits at the safepoint, and nobody inside
// waits for anyone outside.
#pragma once

#include "base/hash.h"
#include "core/candidate.h"
#include "core/engine/engine.h"
#include "core/engine/hybrid.h"
#include "core/engine/msm.h"
#include "core/event.h"
#include "core/order/clock.h"
#include "core/order/lockset.h"
#include "core/order/sync.h"
#include "core/order/thread.h"
#include "core/shadow/granule.h"
#include "core/shadow/overflow_list.h"
#include "core/shadow/read_step.h"
#include "core/shadow/read_table.h"
#include "core/shadow/segment_locks.h"
#include "core/shadow/shadow.h"
#include "core/shadow/step.h"

namespace norn {

// What a lock's number means, for reports; outlives the lock.
struct LockInfo {
  Address address;
  struct Taker {
    ThreadId thread;
    StackId where;
  };
  static constexpr unsigned kTakers = 4;
  Taker takers[kTakers];  // the last ones, about the newest first
};

struct Statistics {
  uint64_t accesses = 0;
  uint64_t sync_events = 0;
  uint64_t threads = 0;
  uint64_t collections = 0;
  uint64_t full_collections = 0;
  uint64_t histories = 0;
  uint64_t stamps_forgotten = 0;     // because of Options::history_cap
  uint64_t histories_forgotten = 0;  // words whose history went because memory was short
  uint64_t arena_bytes = 0;
};

class Detector {
 public:
  constexpr Detector() = default;
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  // False if the arena gives no memory. Before anything else, by one thread.
  [[nodiscard]] bool init(const Options& options, const Listener& listener);

  // From now on spin-reads count, if they did not from the start. Writes from before are known by what is left of them.
  [[nodiscard]] bool honour_spins();

  // From now on the program may use condition variables, if that was not so from the start: what is read and written
  // under locks matters (the write/read relation). It is called for the first use of one, if not before; what was not
  // recorded by then counts as anything. Any thread.
  void expect_conditions() {
    if (!conditions_.load(std::memory_order_relaxed)) conditions_.store(true, std::memory_order_relaxed);
  }

  // From now on not every access is told: hb or hybrid become hb, and nothing is concluded from what was not read or
  // written (docs/design/sampling.md).
  void observe_only();

  // Any event, in the order they happened; threads that were not forked are roots. By one thread at a time.
  void apply(const Event& event);

  // --- threads. A Thread is made by its parent and used by itself from then on. Null: no memory or slot is left.
  [[nodiscard]] Thread* add_root(ThreadId id);
  [[nodiscard]] Thread* fork(Thread& parent, ThreadId child);
  void exit(Thread& thread);                  // its last call
  void join(Thread& thread, ThreadId ended);  // after `ended` called exit
  void detach(Thread& thread, ThreadId other);
  [[nodiscard]] Thread* find(ThreadId id);

  // --- order that the embedding keeps itself: all that was given to a message happens before what takes it later, in
  // both relations and whatever `library` says. A new thread may begin with what a message holds.
  struct Message {
    SpinMutex mutex;
    Clocks clocks;
  };
  void give(Thread& thread, Message& message);
  void take(Thread& thread, Message& message);
  void clear(Message& message) { message.clocks.clear(arena_); }
  [[nodiscard]] Thread* fork_after(Thread& caller, Message& message, ThreadId child);
  // As if the thread ended and another began after the message alone, unordered with the first; but it costs no slot.
  // For others the two are one: who is ordered after something of the second is ordered after all of the first.
  void begin_again(Thread& thread, Message& message);

  // --- memory. `where` is a Where, or something to call for one: it is asked only if the access changes what is known,
  // which for most accesses it does not. `increments`: a write that stands for a read of the same bytes before it, or a
  // read whose value goes into the write of the same bytes after it and nowhere else.
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
  // The same within one granule, which the caller knows, and of a thread that ignores nothing.
  template <class WhereCall>
  void access_within(Thread& thread, Granule& granule, AccessKind kind, Address address, unsigned size,
                     const WhereCall& where, bool increments) {
    ++thread.accesses;
    if (thread.recording) record_again(thread, kind, address, size, increments);
    const auto mask = static_cast<uint8_t>(bytes_in_granule(address, size));
    if (is_state_machine(options_.engine)) [[unlikely]]
      return access_from(thread, kind, address, address + size, where(), increments);
    if (is_stamped(thread, granule, kind, mask) || (has_list(granule) && is_in_list(thread, granule, kind, mask)))
      return;
    const Address at = address & ~(kGranuleBytes - 1);
    access_known_granule(thread, granule, {kind, mask, where(), at, increments});
  }
  // A short way for the commonest of accesses, with as little as can be around it: by a thread that has stamped at its
  // present time, within one granule. False: it was another one, and nothing was done. What the thread records is left
  // to record_again().
  // `Tried`: access_plainly() was, and nothing was done.
  template <AccessKind Kind, bool Tried = false, class WhereCall>
  [[nodiscard, gnu::always_inline]] bool access_again(Thread& thread, Granule& granule, Address address, unsigned size,
                                                      bool increments, const WhereCall& where);
  // A shorter one (GranuleStep::renew), for a thread that is_plain(), of so many bytes that lie in one granule, or are
  // whole ones.
  template <AccessKind Kind, unsigned Size>
  [[nodiscard, gnu::always_inline]] bool access_plainly(Thread& thread, Granule* granules, Address address,
                                                        StackId where);
  // The same of any bytes: as far as that goes, from the first on. Gives where it ends.
  template <AccessKind Kind>
  [[nodiscard]] Address access_range(Thread& thread, Address begin, Address end, StackId where);
  // The same of all bytes of many granules, each so many granules after the one before. How many of them were done,
  // from the first on. Not for what the thread records.
  template <AccessKind Kind>
  [[nodiscard]] uint64_t access_row(Thread& thread, Granule* granules, Address first, uint64_t count, uint64_t step,
                                    StackId where);
  // Before the first stamp of a time, for who does not want to be refused for that by access_again().
  void begin_stamping(Thread& thread);
  // False: not all of it was.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static bool record_quickly(const Thread& thread, Bytes bytes, bool increments) {
    auto add = [&](AccessRecord* list)
                   __attribute__((always_inline)) { return list != nullptr && list->add_grain(bytes); };
    if (Kind == AccessKind::kRead) return add(thread.reads);
    return (!increments || add(thread.reads)) && add(thread.writes);
  }
  void record_again(Thread& thread, AccessKind kind, Address address, uint64_t size, bool increments) {
    if (increments && kind != AccessKind::kRead) record(thread, AccessKind::kRead, address, size);
    record(thread, kind, address, size);
  }
  void read(Thread& t, Address a, uint64_t size, StackId w) { access(t, AccessKind::kRead, a, size, w); }
  void write(Thread& t, Address a, uint64_t size, StackId w) { access(t, AccessKind::kWrite, a, size, w); }
  // A use of the memory of an object that synchronizes: whoever frees or overwrites it at the same time races. It
  // decides nothing.
  void use(Thread& thread, Address object, StackId where);
  // The bytes are new: nothing that was done to them before counts.
  void allocate(Thread& thread, Address address, uint64_t size);
  // The same of the heap's: whoever accesses them from now on, and is not ordered after this, has got the address from
  // an earlier life of the memory.
  void bear(Thread& thread, Address address, uint64_t size, StackId where);
  void free(Thread& thread, Address address, uint64_t size, StackId where);
  void reallocate(Thread& thread, Address old, uint64_t old_size, Address fresh, uint64_t fresh_size, StackId where);
  // The same as allocate(), of memory that comes from the system; and before it goes back there, after it was freed:
  // who accesses it then is stopped by the system.
  void map(Thread& thread, Address address, uint64_t size);
  void unmap(Thread& thread, Address address, uint64_t size);

  // What the thread has just allocated is known to nobody else until it begins a new time: how the embedding may know
  // the memory by (Listener::fresh_until).
  [[nodiscard]] Epoch birth(Thread& thread) {
    if (!thread.stamped) use_time(thread);
    thread.gives_birth = true;
    return {thread.slot, thread.time};
  }

  // --- atomics. `perform()` does the operation and returns what it turned out to be (a failed compare-exchange
  // is a load); it runs under the location's lock, so that the program's order and the core's are one.
  struct AtomicOutcome {
    EventKind kind;
    MemoryOrder order;
  };
  template <class Perform>
  void atomic(Thread& thread, Address address, uint64_t size, StackId where, Perform perform);
  // The same for what is known to be a load. `load()` may be called more than once; the last counts.
  template <class Load>
  void atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order, StackId where, Load load);
  void fence(Thread& thread, MemoryOrder order);
  // The same of one that nobody looks at: only what it orders counts (core/order/unsampled.cc). Around the operation,
  // which the caller does without any lock; each as far as it may write, and read.
  [[nodiscard]] bool may_pass_unseen(const Thread& thread) const {
    return options_.sampled && options_.library && thread.ignoring == 0;
  }
  [[gnu::always_inline]] void before_unseen(Thread& thread, Address address, MemoryOrder order);
  [[gnu::always_inline]] void after_unseen(Thread& thread, Address address, MemoryOrder order);
  // A loop that waits is left because an atomic operation succeeded: whoever wrote before, with whatever memory order,
  // is ordered before.
  void leave_by_atomic(Thread& thread, Address address);

  // --- locks: acquire is called after the lock was taken, release before it is given up
  // `uses`: it is a use() of its memory, too.
  void lock_acquire(Thread& thread, Address lock, LockMode mode, StackId where, bool uses = false);
  void lock_release(Thread& thread, Address lock, LockMode mode);
  void lock_destroy(Thread& thread, Address lock);
  // A loop is left because a try failed. False: nobody else is known to have taken the lock (yet: who took it tells so
  // after that).
  bool lock_refused(Thread& thread, Address lock);

  // --- the rest of docs/design/order.md. What releases is called before the operation, what acquires after it.
  void signal(Thread& thread, Address condition);
  void wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop);
  void wait_leave(Thread& thread, Address condition, Address mutex, bool timed_out, StackId where);
  void wait_loop_leave(Thread& thread, Address condition);
  void barrier_init(Thread& thread, Address barrier, uint32_t count);
  void barrier_enter(Thread& thread, Address barrier);
  void barrier_leave(Thread& thread, Address barrier);
  void semaphore_post(Thread& thread, Address semaphore);
  void semaphore_wait(Thread& thread, Address semaphore);
  void once_done(Thread& thread, Address once);
  void once_seen(Thread& thread, Address once);
  void happens_before(Thread& thread, Address tag);
  void happens_after(Thread& thread, Address tag);
  void sync_destroy(Thread& thread, Address object);
  // `in_loop`: the loop goes on, so the read orders nothing.
  void spin_read(Thread& thread, Address address, uint64_t size, StackId where, bool in_loop = false);
  void spin_leave(Thread& thread);
  // Who wrote what a loop has read, as far as nothing orders it before what the thread does now: `visit` is called with
  // each such pair that counts. `kind`: how the loop reads. The state machines find none.
  void find_unordered_writes(Thread& thread, AccessKind kind, Address address, uint64_t size, StackId where,
                             void (*visit)(const RacingPair& pair));
  // The embedding takes such a pair for a race. Inside, on the thread that found it.
  void add_race(const RacingPair& pair) { candidates_.found(pair); }
  // Whether somebody waits for one of the granule's bytes, as far as is known without its lock. (The state machines do
  // not say; a write there passes time.)
  [[nodiscard]] bool is_waited_for(Address at) const;
  // The thread saw something that anybody may have written, untold: it is ordered after all that was done so far.
  void come_after_all(Thread& thread);
  // The same bytes are looked at now, whenever they will be told as spin-read: what was written under a lock that the
  // thread holds, and may not hold then any more, is handed over.
  void look(Thread& thread, Address address, uint64_t size);
  // What the thread did may have been to set a flag: what it does from now on can be told apart from it.
  void cut(Thread& thread);
  void ignore_begin(Thread& thread, uint8_t what);
  void ignore_end(Thread& thread, uint8_t what);
  void benign_range(Thread& thread, Address address, uint64_t size);

  // --- for a front end that must find out by itself what is atomic
  // Whether an access is known to change nothing: access() would return at once.
  [[nodiscard]] bool knows(const Thread& thread, AccessKind kind, Address address, uint64_t size) {
    return is_known(thread, kind, address, size);
  }
  // Whether an atomic operation wrote to exactly this address since its word was last new or plainly overwritten.
  [[nodiscard]] bool holds_atomic(Address address) {
    const Granule* granule = shadow_.existing_granule(address);
    if (granule == nullptr) return false;
    const auto word = static_cast<unsigned>(address % kGranuleBytes / kWordBytes);
    const bool machine = is_state_machine(options_.engine);
    const HistoryId history =
        machine ? granule->cells[word].load(std::memory_order_acquire) : GranuleLock::list_of(*granule);
    if (history == kUntouched) return false;
    const uint32_t wanted = machine ? uint32_t{kHasMessage} : GranuleFlags::of_word(word, kHasMessage);
    return (histories_.words(history)[0] & wanted) != 0 && sync_.find(address, SyncFamily::kAtomic) != nullptr;
  }
  // What was done to the bytes so far does not count any more; synchronization objects in them stay.
  void forget_accesses(Thread& thread, Address address, uint64_t size);

  // --- what is known, for reports. Lock-free; the pointers stay good.
  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] Locksets& locksets() { return locksets_; }
  [[nodiscard]] const LockInfo* lock_info(LockId lock) const;
  // Where the thread took the lock last, as far as that is remembered. `self`: the caller, whose locks are known.
  [[nodiscard]] StackId lock_taken_at(LockId lock, ThreadId thread, const Thread* self) const;
  // The same of the lock at an address; kNoStack if nobody ever took one there.
  [[nodiscard]] StackId taken_at(Address lock, ThreadId thread, const Thread* self);
  [[nodiscard]] MsmState msm_state(Address address);
  [[nodiscard]] unsigned stamps_at(Address address);
  [[nodiscard]] Statistics statistics();
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] size_t shadow_bytes() const { return shadow_.bytes(); }
  [[nodiscard]] size_t history_bytes() const { return histories_.bytes(); }
  [[nodiscard]] bool check_invariants() const { return histories_.check_invariants(); }

  [[nodiscard]] uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }
  // Something that the embedding keeps carries the thread's present time: what it releases later comes after it.
  void use_time(Thread& thread);

  // Nothing that any thread holds for known counts any more. Any thread.
  void make_all_look_again();

  // A gate of the embedding's, which access_plainly() heeds.
  [[nodiscard]] std::atomic<bool>& gate() { return gate_; }

  // A collection at the next occasion, as if memory were short; for tests.
  void request_collection() {
    collection_requested_.store(true, std::memory_order_relaxed);
    collection_wanted_.store(true, std::memory_order_relaxed);
  }

 private:
  friend class Inside;
  friend struct DetectorProbe;  // core/testing/detector_probe.h
  // apply_event.cc
  struct NumberedClock {
    Address number;
    Message message;
    NumberedClock* next;
  };
  [[nodiscard]] Message* numbered_clock(Address number);
  void apply_clock(Thread& thread, const Event& event);
  struct Published {
    Slot slot;
    Time time;
  };
  struct BenignRange {
    Bytes bytes;
    BenignRange* next;
  };
  // Granules with bytes in state spin that an access wrote.
  struct SpinSignals {
    static constexpr unsigned kMax = 8;
    struct Signal {
      Address granule;
      uint8_t mask;
      uint8_t adds;  // of these
    };
    unsigned count = 0;
    Signal granules[kMax];
  };
  // The clocks a slot had from some time on: for spins that find a write which was not waited for yet, and for who is
  // handed something over.
  struct Version {
    Time since;
    Clocks clocks;
  };
  // What a thread did under a lock, if times passed meanwhile.
  struct Region {
    LockId lock;
    LockMode mode;
    Time since;
    Time until;
  };
  struct Versions {
    static constexpr unsigned kCount = 64;
    static constexpr unsigned kRegions = 64;
    SpinMutex mutex;
    unsigned first = 0;
    unsigned count = 0;
    Version ring[kCount];
    unsigned next_region = 0;
    Region regions[kRegions];

    [[nodiscard]] Version& at(unsigned i) { return ring[(first + i) % kCount]; }  // oldest first
    [[nodiscard]] const Version& at(unsigned i) const { return ring[(first + i) % kCount]; }
    // How many of the newest are of a time: none, one, or more.
    [[nodiscard]] unsigned noted_at(Time time) const {
      unsigned noted = 0;
      while (noted < 2 && noted < count && at(count - 1 - noted).since == time) ++noted;
      return noted;
    }
  };

  // core/shadow/access.cc
  // The bytes of [begin, end) that lie in the granule.
  static uint8_t mask_in(Address granule, Address begin, Address end) {
    const unsigned from = begin > granule ? static_cast<unsigned>(begin - granule) : 0;
    const unsigned to = end < granule + kGranuleBytes ? static_cast<unsigned>(end - granule) : kGranuleBytes;
    return static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
  }
  bool is_known(const Thread& thread, AccessKind kind, Address address, uint64_t size) {
    const Address end = address + size;
    for (Address at = address & ~(kGranuleBytes - 1); at < end; at += kGranuleBytes) {
      const Granule* granule = shadow_.existing_granule(at);
      if (granule == nullptr) return false;
      const uint8_t mask = mask_in(at, address, end);
      if (is_stamped(thread, *granule, kind, mask)) continue;
      const bool plain = kind == AccessKind::kRead || kind == AccessKind::kWrite;
      if (!plain || !is_in_list(thread, *granule, kind, mask)) return false;
    }
    return true;
  }
  // Whether the thread has found such an access in the granule's list, at its present time.
  [[nodiscard]] bool is_in_list(const Thread& thread, const Granule& granule, AccessKind kind, unsigned mask) {
    if (thread.known == nullptr) return false;
    const KnownLists::Entry& entry = thread.known->of(&granule);
    return entry.granule == &granule && entry.time == thread.time && entry.slot == thread.slot &&
           entry.list == granule.cells[0].load(std::memory_order_acquire) &&
           thread.known->collections == collections_.load(std::memory_order_relaxed) &&
           (mask & ~unsigned{kind == AccessKind::kRead         ? entry.reads
                             : kind == AccessKind::kAtomicRead ? entry.atomic_reads
                                                               : entry.writes}) == 0;
  }
  void remember_list(Thread& thread, const Granule& granule, HistoryId list, const WordAccess& access);
  void access_from(Thread& thread, AccessKind kind, Address begin, Address end, StackId where, bool increments);
  void access_shadow(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                     bool has_message);
  void access_word(Thread& thread, Cell& cell, const WordAccess& access, SpinSignals& signals, uint32_t set_flags);
  void clear_word(Thread& thread, Cell& cell, Address address, unsigned mask);
  // After a cell changed from `before` to something else.
  void note_change(Address address, HistoryId before) {
    if (before == kUntouched || histories_.is_old(before)) shadow_.note_change(address);
  }

  // core/shadow/allocation.cc
  void clear_leaf(Thread& thread, const Leaf& leaf, Address begin, Address end);
  void clear_shadow(Thread& thread, Address begin, Address end);
  // Where all of it lies in memory that one leaf is for.
  [[nodiscard]] static constexpr bool is_in_one_leaf(Address begin, Address end) {
    return begin >> Leaf::kBits == (end - 1) >> Leaf::kBits;
  }
  void bear_granule(Thread& thread, Granule& granule, Address address, unsigned mask, StackId where);
  Address stamp_freed(Thread& thread, const Leaf& leaf, Address begin, Address end, StackId where);
  // Where that is worth the calls of the system, and filling it in anew.
  [[nodiscard]] static constexpr bool is_large(uint64_t bytes) { return bytes >= uint64_t{1} << 20; }
  void give_back_shadow(Thread& thread, Address begin, Address end);

  // core/shadow/granules.cc
  [[nodiscard]] OverflowList list_at(HistoryId list) const { return {histories_.words(list), histories_.count(list)}; }
  // Under its lock, or as far as is known without.
  [[nodiscard]] Shape shape_of(const Granule& granule, HistoryId list) const {
    return norn::shape_of(granule, list, list == kUntouched ? 0 : histories_.words(list)[0]);
  }
  uint32_t read_granule(const Granule& granule, HistoryId list, AccessHistory& stamps) const;
  void write_granule(Thread& thread, Granule& granule, Address address, HistoryId& list, AccessHistory& stamps,
                     uint32_t flags);
  static void put_beside_table(Granule& granule, const GranuleStep::Kept& kept);
  HistoryId make_list(Thread& thread, HistoryId before, const AccessHistory& stamps, unsigned count, uint32_t flags);
  // Lists without stamps, which granules share: one for each set of words that have a message and nobody waits for,
  // and one without flags. They are never changed.
  [[nodiscard]] HistoryId message_list(uint32_t flags) const {
    constexpr uint32_t kFirst = kHasMessage, kSecond = uint32_t{kHasMessage} << GranuleFlags::kBits;
    if (flags == 0 || (flags & ~(kFirst | kSecond)) != 0) return kUntouched;
    return message_lists_[((flags & kFirst) != 0 ? 1 : 0) + ((flags & kSecond) != 0 ? 2 : 0) - 1];
  }
  [[nodiscard]] bool is_shared(HistoryId list) const {
    return list == empty_list_ || list == message_lists_[0] || list == message_lists_[1] || list == message_lists_[2];
  }
  static bool may_lie_beside_message(const Thread& thread, const PastAccess& stamp);
  unsigned first_in_granule(const Thread& thread, AccessHistory& stamps, bool in_table, uint32_t flags) const;
  static void put_in_granule(Granule& granule, const AccessHistory& stamps, unsigned first);
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] bool renew_atomic(Thread& thread, Granule& granule, Address address, unsigned mask,
                                                      StackId where, bool increments);
  bool renew_beside_message(const Thread& thread, Granule& granule, HistoryId list, const WordAccess& access,
                            uint32_t set_flags);
  bool renew_waited_for(Thread& thread, const Granule& granule, HistoryId list, const WordAccess& access,
                        uint32_t set_flags, uint8_t& accessed);
  void find_whether_it_packs(PastAccess& stamp) const {
    stamp.packs = stamp.packs ||
                  (ShadowWord::epoch_fits(stamp.slot, stamp.time) && segments_.has_number(stamp.lockset, stamp.locks));
  }
  // The rule (core/shadow/relation.h) of what the thread does now and a remembered access of the same bytes.
  template <class Now>
  [[nodiscard, gnu::always_inline]] Related related_to(const Thread& thread, const Now& now,
                                                       const PastAccess& then) const {
    const auto locks_then = [&] { return then.lockset; };
    return relate(now, PastKind{then.kind},
                  KnownExactly(context_, thread, then.slot, then.time, then.kind, locks_then));
  }
  bool fits_without_list(const Thread& thread, const OverflowList& listed, const GranuleStep::Kept* kept,
                         unsigned count, const PastAccess& now);
  bool read_beside_list(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access);
  bool access_simply(Thread& thread, Granule& granule, const WordAccess& access);
  template <AccessKind Kind>
  Address renew_run(Thread& thread, Address at, Address begin, Address end, StackId where, bool increments);
  Address renew_run(Thread& thread, AccessKind kind, Address at, Address begin, Address end, StackId where,
                    bool increments);
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
        thread, options_.engine == EngineKind::kHb, is_write(Kind) && follows_writes(options_),
        options_.handover && !increments && (Kind != AccessKind::kWrite || mask == kWholeGranule), granule, mask,
        increments, where);
  }
  // A granule's first stamp, of all its bytes.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] bool begin_row(const GranuleStep::Strided<Kind>& row, Granule& granule,
                                                   Address at) {
    return GranuleStep::is_empty(granule) && is_prepared(at) && row.begin(granule);
  }
  // Of access_row(): one of another case.
  [[nodiscard]] bool renew_one(Thread& thread, AccessKind kind, Address at, StackId where) {
    return renew_run(thread, kind, at, at, at + kGranuleBytes, where, false) != at;
  }
  // For the first stamp of a granule; if that is a matter of a few instructions.
  [[nodiscard, gnu::always_inline]] bool is_prepared(Address address) {
    return shadow_.existing_leaf(address) != nullptr && (!options_.sampled || note_use(address));
  }
  [[gnu::noinline, clang::preserve_most]] bool note_use(Address address) {
    shadow_.note_use(address);
    return true;
  }
  // Before the first stamp of a granule. False: no memory.
  [[nodiscard]] bool prepare(Address address) {
    if (!shadow_.prepare(address)) return false;
    if (options_.sampled) shadow_.note_use(address);
    return true;
  }
  // Whether renew() may be tried, once the thread has begun to stamp.
  [[nodiscard]] static bool may_renew(const Thread& thread) {
    return thread.stamped && thread.stamps_pack && thread.stamps_locks != SegmentLocks::kOfItsTime;
  }
  // Neither a collection nor the embedding wants threads to stay outside.
  [[nodiscard, gnu::always_inline]] bool is_door_open() const {
    using Flags [[gnu::may_alias]] = uint32_t;
    return __atomic_load_n(reinterpret_cast<const Flags*>(&collecting_), __ATOMIC_RELAXED) == 0;
  }
  // The thread is inside; false: a collection is wanted.
  [[nodiscard, gnu::always_inline]] bool step_inside(Thread& thread) const {
    // Pairs with the collector, which sets `collecting`, makes everyone pass a barrier (or we pass one ourselves) and
    // then looks at `inside`: one of us sees the other.
    thread.inside.store(true, std::memory_order_relaxed);
    if (!kOneAtATime && core_barrier == nullptr) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    return !collecting_.load(std::memory_order_relaxed) && !collection_wanted_.load(std::memory_order_relaxed);
  }
  static void step_outside(Thread& thread) { thread.inside.store(false, std::memory_order_release); }
  void use_inside(Thread& thread, Address object, StackId where);
  void access_known_granule(Thread& thread, Granule& granule, const WordAccess& access);
  void access_one(Thread& thread, AccessKind kind, Address begin, Address end, StackId where, bool increments);
  void access_generally(Thread& thread, Granule& granule, GranuleLock& lock, const WordAccess& access,
                        SpinSignals& signals, uint32_t set_flags);
  void note_segment(Thread& thread);
  void access_granule(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                      uint32_t set_flags);
  static unsigned spin_bytes_read(const Thread& thread, const WordAccess& access);
  static uint8_t accessed_in_segment(const Thread& thread, const AccessHistory& stamps, const WordAccess& access);
  void note_signals(Thread& thread, const WordAccess& access, uint32_t flags, unsigned adds, SpinSignals& signals);
  // All of a granule that has no list, or nothing at all. False: it is another one.
  [[gnu::always_inline]] static bool clear_simple_granule(Granule& granule) {
    if (granule.cells[0].load(std::memory_order_relaxed) != kUntouched) return false;
    if (GranuleStep::is_empty(granule)) return true;
    // Without the lock: whoever has it, or takes it now, is not ordered with this; what it leaves is as if it had come
    // later, or is nothing.
    for (std::atomic<ShadowWord>& word : granule.words) word.store({}, std::memory_order_relaxed);
    return true;
  }
  void clear_granule(Thread& thread, Granule& granule, Address address, unsigned mask);
  void mark_stamps(const Granule& granule);
  // The bytes of it that somebody waits for, as far as is known without its lock.
  [[nodiscard]] uint8_t waited_for_in(const Granule& granule) const {
    const HistoryId list = GranuleLock::list_of(granule);
    return list == kUntouched ? uint8_t{0} : GranuleFlags::in_spin(list_at(list).flags());
  }
  unsigned begin_spinning(Thread& thread, Granule& granule, Address address, unsigned mask, AccessHistory& stamps);

  // core/shadow/read_shared.cc
  [[nodiscard]] bool is_lockless() const { return options_.engine == EngineKind::kHb; }
  // What a row has of the thread's reads now, but for the bytes.
  [[nodiscard, gnu::always_inline]] static ShadowWord read_of(const Thread& thread, StackId where) {
    return ReadInRow::of(thread.stamps_locks, thread.time, where);
  }
  // The thread's row, where the granule has its reads in rows, beside no list, and the thread was in the block lately;
  // else null.
  [[nodiscard, gnu::always_inline]] ReadBlock::Row* row_alone(const Thread& thread, const Granule& granule,
                                                              Address address) const {
    if (thread.known_rows == nullptr || granule.cells[0].load(std::memory_order_relaxed) != empty_list_) return nullptr;
    const KnownRows::Entry& known = thread.known_rows->of(address);
    return known.key == KnownRows::key_of(address, thread.slot) ? known.row : nullptr;
  }
  // A short way there. False: it is another case, and nothing was done.
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
  [[nodiscard]] uint64_t read_together(const Thread& thread, Granule* granules, Address first, uint64_t count,
                                       uint64_t step, StackId where, bool copies) const;
  [[nodiscard]] bool make_shared_lists();
  ReadBlock::Row* own_row(Thread& thread, Address address);
  bool read_in_own_row(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access);
  void add_own_reads(const Thread& thread, const ReadBlock& block, Address address, AccessHistory& stamps) const;
  void give_reads_to_table(ReadBlock& block, Address address, AccessHistory& stamps, const Thread* of);
  [[nodiscard]] static bool is_for_read_table(const AccessHistory& stamps);
  ReadBlock* open_read_table(Granule& granule, Address address);
  void add_reads_in_table(ReadBlock& block, Address address, AccessHistory& stamps) const;
  void judge_read_table(const Thread& thread, ReadBlock& block, unsigned fresh, const WordAccess& access,
                        FoundRaces& races);
  void put_reads(const Thread& thread, Granule& granule, ReadBlock* block, const WordAccess& access,
                 AccessHistory& stamps, uint32_t flags);
  unsigned clear_read_table(const Granule& granule, Address address, unsigned mask);
  static void close_read_table(Granule& granule);
  void take_from_read_table(Granule& granule, Address address, AccessHistory& stamps);
  void mark_read_table();
  void forget_ended_in_table();
  [[nodiscard]] unsigned reads_in_table(const Granule& granule, Address address);

  void end_messages(const WordAccess& access);
  void record(Thread& thread, AccessKind kind, Address address, uint64_t size);
  void record_in(AccessRecord*& list, Bytes bytes);
  void report_races(const Thread& thread, const FoundRaces& races);
  void report_grown(RacingPair pair);
  void report_harmful(RacingPair pair);
  bool is_benign(const RacingPair& pair) const;
  void read_atomically(Thread& thread, Address address, uint64_t size, StackId where);
  // Whether the value that the thread has just loaded had a message that it has joined already.
  [[gnu::always_inline]] static bool knows_message(Thread& thread, const MessageObject& object, MemoryOrder order) {
    const Thread::Recent& recent = recent_of(thread, object.address, object.family);
    return object.stood_at(recent.known) || (!acquires(order) && object.stood_at(recent.remembered));
  }
  void learn_message(Thread& thread, const MessageObject& object, MemoryOrder order);
  bool write_atomically(Thread& thread, Address address, uint64_t size, StackId where, bool reads);
  MessageObject* begin_atomic(Thread& thread, Address address);
  void end_atomic(Thread& thread, MessageObject* object, Address address, uint64_t size, AtomicOutcome outcome,
                  StackId where);

  // core/order/relations.cc
  static Thread::Recent& recent_of(Thread& thread, Address address, SyncFamily family) {
    const uint64_t mixed = hash_word(address + static_cast<unsigned>(family));
    return thread.recent[mixed >> (64 - Thread::kRecentBits)];
  }
  static bool is_of(const Thread::Recent& recent, Address address, SyncFamily family) {
    const SyncObject* found = recent.object;
    return found != nullptr && found->address == address && found->family == family &&
           !found->gone.load(std::memory_order_relaxed);
  }
  // The object, made if it is not there; null if the arena is used up. Inside.
  template <class Object>
  Object* object_of(Thread& thread, Address address, SyncFamily family) {
    Thread::Recent& recent = recent_of(thread, address, family);
    if (!is_of(recent, address, family)) {
      recent = {sync_.get(address, family), 0, 0, 0};
    }
    return static_cast<Object*>(recent.object);
  }
  // Of an object that was just asked for: which version of it the thread knows all of. Under the object's lock.
  static uint64_t& known_of(Thread& thread, const SyncObject& object) {
    return recent_of(thread, object.address, object.family).known;
  }
  void renew_check(Thread& thread);
  void make_look_again(Thread& thread);
  void tick(Thread& thread);
  Published publish(Thread& thread);
  Published publish_strongly(Thread& thread);
  [[nodiscard]] bool keep_versions();
  void keep_version(Thread& thread);
  void note_version(Thread& thread);
  void acquire(Thread& thread, const Clocks& from);
  void learn(Thread& thread, const Clocks& from);
  void acquire_full(Thread& thread, const Clock& from);
  void acquire_near(Thread& thread, const Clock& from);
  void acquire_strong(Thread& thread, const Clock& from);
  void add_published(const Published& published, Clocks& to);
  [[nodiscard]] bool counts(const Thread& thread) const;
  bool begin_sync(Thread& thread);
  void end_segment(Thread& thread);
  void heed_tick_request(Thread& thread) {
    if (thread.check_spoilt.load(std::memory_order_relaxed)) [[unlikely]]
      heed_spoilt_check(thread);
  }
  void heed_spoilt_check(Thread& thread);
  Thread* make_thread(ThreadId id);
  Thread* begin_child(Thread* child);
  bool settle_thread(Thread& thread);
  void recycle_thread(Thread& thread);
  void release_to(Thread& thread, Address address, SyncFamily family);
  void acquire_from(Thread& thread, Address address, SyncFamily family);
  void exit_inside(Thread& thread);

  // core/order/lock_events.cc
  static Held* find_held(Thread& thread, Address lock);
  Held* add_held(Thread& thread);
  void change_lockset(Thread& thread, LockId lock, bool takes, LockMode mode);
  void take_lock(Thread& thread, Address lock, LockMode mode, StackId where);
  void give_lock(Thread& thread, Address lock);
  void note_release(Thread& thread, const Published& published);
  void note_taking(Thread& thread, LockState& lock);
  void note_section(const Thread& thread, LockState& lock, LockMode mode, Slot slot, Time since,
                    const Published& published);
  void come_after_sections(Thread& thread, const LockState& lock, LockMode mode);
  LockId new_lock(Address address);
  bool is_taker(LockId lock, ThreadId thread, StackId where) const;
  void note_taker(LockId lock, ThreadId thread, StackId where);

  // core/order/unsampled.cc
  void give_message(Thread& thread, Address address, MemoryOrder order);
  void give_to(Thread& thread, MessageObject& object, MemoryOrder order);
  void take_message(Thread& thread, Address address, MemoryOrder order);
  void take_sampled(Thread& thread, Address lock, LockMode mode, StackId where);
  void give_sampled(Thread& thread, Address lock, unsigned place);
  void find_lockset(Thread& thread);

  // core/order/condition_relation.cc
  void bind_writes(const Thread& thread, ConditionState& condition, const Clocks& released);
  bool acquire_bound(Thread& thread, const ConditionState& condition);
  static void leave_waiters(Thread& thread);
  void add_pending_signal(Thread& thread, ConditionObject& condition);
  void end_pending_signals(Thread& thread, Address lock, unsigned place, const Published& published);
  void end_signal(Thread& thread, const Thread::PendingSignal& signal, const Clocks& released);
  void forget_gone_conditions();

  // core/order/spin_relation.cc
  void send(Thread& thread, SpinSignals& signals);
  static void note_spin_word(Thread& thread, Address word, uint8_t mask);
  static void note_bytes(Thread& thread, Address address, uint64_t size);
  static uint8_t spin_bytes_read(const Thread& thread, Address word);
  void spin_read_granule(Thread& thread, Address at, unsigned mask, bool in_loop);
  unsigned begin_spinning_word(Thread& thread, Cell& cell, Address word, unsigned mask, HistoryId& before);
  void add_counterpart(Slot slot, Time time, Clocks& clocks);
  void add_all(const Thread& thread, Clocks& found);
  void add_version(Slot slot, Time time, bool at_beginning, Clocks& clocks);

  // core/order/handover.cc
  void note_region(LockId lock, LockMode mode, Slot slot, Time since, const Published& published);
  Time end_of_region(const Thread& thread, Slot slot, Time time);
  [[nodiscard]] bool may_heed_now(const Thread& thread) const {
    return options_.handover && thread.lockset != kNoLocks && counts(thread);
  }
  void heed(Thread& thread, Slot slot, Time time);
  [[nodiscard]] bool has_writes_to_heed(const Thread& thread, const Granule& granule, HistoryId list,
                                        unsigned mask) const;
  void heed_writes(Thread& thread, const Granule& granule, HistoryId list, unsigned mask);
  void heed_range(Thread& thread, Address address, uint64_t size);
  void take_out(Thread& thread, const Granule& granule, HistoryId list, Address address);
  [[nodiscard]] bool is_taken_out(const Thread& thread, const RacingPair& pair);

  // core/storage/collector.cc
  void collect(Thread& thread);
  void collect_alone();
  void mark_histories(bool full);
  // What goes with the oldest histories.
  enum class Forgotten : uint8_t {
    kNothing,    // they are made anew as they are
    kButWrites,  // all but what orders: the last writes, and what is waited for or atomic
    kAll,        // the last writes, too
  };
  [[nodiscard]] size_t history_bound() const;
  void make_room(bool failed);
  void empty_areas(size_t staying, Forgotten what);
  HistoryId list_anew(HistoryRoom& room, const Granule& granule, HistoryId id, Forgotten what);
  HistoryId history_anew(HistoryRoom& room, HistoryId id, Forgotten what);
  unsigned keep_what_orders(AccessHistory& stamps, uint32_t flags);
  [[nodiscard]] bool is_present(const PastAccess& stamp);
  void rewrite_history(uint32_t* words, unsigned count);
  void keep_lockset(LocksetId& id);
  void forget_ended();
  void forget_ended_in_list(Granule& granule);
  template <class Visit>
  void for_each_cell(Visit visit);
  template <class Visit>
  void for_each_history(const Granule& granule, Visit visit) const;
  void note_once(std::atomic<bool>& said, const char* text);
  void no_memory_for_shadow();
  void no_memory_for_clocks();

  Options options_;
  Listener listener_;
  Arena arena_;
  Shadow shadow_;
  Histories histories_;
  ReadTable read_table_;
  HistoryId empty_list_ = kUntouched;  // of all granules with reads in rows and nothing else that needs one
  HistoryId message_lists_[3] = {};    // of those with a message in the first word, the second, or both, likewise
  PerByteStacks per_byte_stacks_;
  SegmentLocks segments_;
  InternTable threadsets_;
  Locksets locksets_;
  Slots slots_;
  SyncTable sync_;
  Candidates candidates_;
  EngineContext context_;

  SpinMutex threads_mutex_;
  std::atomic<Thread*> threads_{nullptr};  // all there ever were; recycled, never unlinked
  Thread* idle_threads_ = nullptr;         // to be recycled, linked by next_waiter; under threads_mutex_
  static constexpr unsigned kThreadChunk = 4096;
  static constexpr unsigned kThreadChunks = 1u << 20;
  std::atomic<std::atomic<Thread*>*>* thread_chunks_ = nullptr;
  std::atomic<uint64_t> thread_count_{0};
  uint64_t ended_accesses_ = 0;  // of recycled threads; under threads_mutex_
  uint64_t ended_sync_events_ = 0;

  SpinMutex locks_mutex_;
  static constexpr unsigned kLockChunk = 1024;
  std::atomic<LockInfo*>* lock_chunks_ = nullptr;
  LockId lock_count_ = 0;

  std::atomic<bool> conditions_{true};  // the program may use condition variables
  std::atomic<BenignRange*> benign_{nullptr};
  NumberedClock* numbered_clocks_[64] = {};  // of apply(), by number
  Versions** versions_ = nullptr;            // by slot

  alignas(4) std::atomic<bool> collecting_{false};
  std::atomic<bool> collection_wanted_{false};
  std::atomic<bool> gate_{false};
  bool no_gate_ = false;
  std::atomic<bool> collection_requested_{false};  // whether or not there is need
  SpinMutex collect_mutex_;
  bool moving_locksets_ = false;  // in a collection
  bool moving_threadsets_ = false;
  std::atomic<uint64_t> stamps_forgotten_{0};
  std::atomic<uint64_t> collections_{0};
  uint64_t full_collections_ = 0;
  uint64_t histories_forgotten_ = 0;
  // Who wrote what last is not known everywhere: who waits for something of which no write is known comes after all,
  // and where it matters what is handed over nothing is predicted.
  std::atomic<bool> writes_forgotten_{false};
  // Synchronization could not be recorded: whatever would be reported from now on may be false.
  std::atomic<bool> blind_{false};
  std::atomic<bool> said_shadow_{false};
  std::atomic<bool> said_clocks_{false};
  std::atomic<bool> said_history_{false};
  std::atomic<bool> said_writes_{false};
};

// While one exists, the calling thread is inside the core and no collection runs.
class Inside {
 public:
  Inside(Detector& detector, Thread& thread) : thread_(thread) {
    if (!detector.step_inside(thread)) [[unlikely]]
      detector.collect(thread);
  }
  ~Inside() { Detector::step_outside(thread_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Thread& thread_;
};

template <AccessKind Kind, unsigned Size>
bool Detector::access_plainly(Thread& thread, Granule* granules, Address address, StackId where) {
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
uint64_t Detector::access_row(Thread& thread, Granule* granules, Address first, uint64_t count, uint64_t step,
                              StackId where) {
  uint64_t done = 0;
  if (step_inside(thread) && ShadowWord::stack_fits(where)) {
    const GranuleStep::Strided<Kind> row(thread, where);
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
      if (!renew_one(thread, Kind, at, where)) break;
    }
  }
  step_outside(thread);
  thread.accesses += done;
  return done;
}

template <AccessKind Kind, bool Tried, class WhereCall>
bool Detector::access_again(Thread& thread, Granule& granule, Address address, unsigned size, bool increments,
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

template <class Perform>
void Detector::atomic(Thread& thread, Address address, uint64_t size, StackId where, Perform perform) {
  const Inside inside(*this, thread);
  MessageObject* object = begin_atomic(thread, address);
  const AtomicOutcome outcome = perform();
  end_atomic(thread, object, address, size, outcome, where);
}

template <class Load>
void Detector::atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order, StackId where,
                           Load load) {
  const Inside inside(*this, thread);
  ++thread.sync_events;
  MessageObject* object = counts(thread) ? object_of<MessageObject>(thread, address, SyncFamily::kAtomic) : nullptr;
  load();
  if (object == nullptr) {
    if (counts(thread)) no_memory_for_clocks();
  } else if (!knows_message(thread, *object, order)) {
    const SpinLock lock(object->mutex);
    load();
    learn_message(thread, *object, order);
  }
  read_atomically(thread, address, size, where);
}

inline void Detector::before_unseen(Thread& thread, Address address, MemoryOrder order) {
  const Inside inside(*this, thread);
  const Thread::Recent& recent = recent_of(thread, address, SyncFamily::kAtomic);
  if (is_of(recent, address, SyncFamily::kAtomic)) [[likely]] {
    if (!thread.stamped && recent.given == thread.knowledge) return;
    const bool gives = releases(order) || thread.has_fence;
    if (!gives && !static_cast<const MessageObject*>(recent.object)->waited_for) return;
  }
  give_message(thread, address, order);
}

inline void Detector::after_unseen(Thread& thread, Address address, MemoryOrder order) {
  const Inside inside(*this, thread);
  const Thread::Recent& recent = recent_of(thread, address, SyncFamily::kAtomic);
  if (is_of(recent, address, SyncFamily::kAtomic) &&
      knows_message(thread, static_cast<const MessageObject&>(*recent.object), order)) {
    return;
  }
  take_message(thread, address, order);
}

}  // namespace norn
