// What the core knows of a thread, and the slots in which threads keep their time.
#pragma once

#include <stdint.h>

#include <atomic>

#include "base/hash.h"
#include "core/event.h"
#include "core/order/clock.h"
#include "core/order/lockset.h"
#include "core/shadow/check_layout.h"
#include "core/storage/histories.h"

namespace norn {

struct BarrierGeneration;
struct ConditionObject;
struct KnownRows;
struct SyncObject;
class SegmentLocks;

struct Held {
  Address address;
  LockId lock;
  uint32_t depth;  // recursive; the outermost acquire decides the mode
  LockMode mode;
  StackId taken_at;
  Slot slot;  // and since when
  ClockValue since;
  static constexpr LocksetId kUnknown = ~LocksetId{0};
  LocksetId before;  // the locks without it, if it is given up as it was taken: before those that were taken earlier
  void* nesting = nullptr;  // what the embedding knows of this lock above those before it; none if one of them went
};

// A run of bytes that a thread read or wrote; for the write/read relation.
struct Bytes {
  Address begin;
  Address end;

  [[nodiscard]] bool overlaps(const Bytes& other) const { return begin < other.end && other.begin < end; }
};

// The last 64 accesses of a kind in a locked region (order.md, Condition variables). An access is dropped as
// already recorded if a single recorded run, or several together, hold all its bytes.
class AccessRecord {
 public:
  static constexpr unsigned kSize = 64;

  void clear() {
    if (count_ > kFew) {
      for (uint8_t& near : near_) near = 0;
      count_ = 0;
    }
    for (; count_ > 0; --count_) {
      const Bytes& run = at(count_ - 1);
      if (run.end - run.begin > kWide) continue;
      for_each_place(run, [&](unsigned place) { near_[place] = 0; });
    }
    first_ = wide_ = 0;
  }
  // Whether any of the bytes are recorded.
  [[nodiscard]] bool overlaps(Bytes bytes) const {
    bool may = wide_ != 0 || bytes.end - bytes.begin > kWide;
    if (!may) for_each_place(bytes, [&](unsigned place) { may |= near_[place] != 0; });
    for (unsigned i = count_; may && i > 0; --i) {
      if (at(i - 1).overlaps(bytes)) return true;
    }
    return false;
  }
  void add(Bytes bytes) {
    if (!add_grain(bytes)) add_generally(bytes);
  }
  // For bytes of one grain, or two: false if that takes more than a few instructions.
  [[gnu::always_inline]] bool add_grain(Bytes bytes) {
    const unsigned place = place_of(bytes.begin);
    if (near_[place] != 0) {
      const Bytes& run = runs_[newest_[place]];
      return run.begin <= bytes.begin && bytes.end <= run.end;
    }
    const Address more = (bytes.end - 1) / kGrain - bytes.begin / kGrain;
    const unsigned last = place_of(bytes.end - 1);
    if (count_ == kSize || wide_ != 0 || more > 1 || near_[last] != 0 || (more != 0 && last == place)) return false;
    const unsigned at = (first_ + count_++) % kSize;
    runs_[at] = bytes;
    near_[place] = near_[last] = 1;
    newest_[place] = newest_[last] = static_cast<uint8_t>(at);
    return true;
  }
  [[nodiscard]] unsigned size() const { return count_; }
  [[nodiscard]] const Bytes& at(unsigned i) const { return runs_[(first_ + i) % kSize]; }

 private:
  // How many of the runs are in grains of 8 bytes, by a number of the grain; of those that are in many grains it is
  // only known that there are any. Where there is none, the bytes are not recorded.
  static constexpr Address kGrain = 8;
  static constexpr unsigned kPlaces = 256;
  static constexpr Address kWide = 32 * kGrain;
  static constexpr unsigned kFew = 4;  // with more of them all places are emptied at once
  [[nodiscard]] static unsigned place_of(Address address) {
    return static_cast<unsigned>((address / kGrain ^ address / kGrain / kPlaces) % kPlaces);
  }
  template <class Visit>
  static void for_each_place(Bytes bytes, Visit visit) {
    for (Address grain = bytes.begin & ~(kGrain - 1); grain < bytes.end; grain += kGrain) visit(place_of(grain));
  }
  void count(Bytes bytes, int change);
  void add_generally(Bytes bytes);

  unsigned first_ = 0;
  unsigned count_ = 0;
  unsigned wide_ = 0;
  uint8_t near_[kPlaces];
  uint8_t newest_[kPlaces];  // where there is one: the last of them to be forgotten
  Bytes runs_[kSize];
};

// Of granules with lists: what a thread found to be in the list already, at its present epoch. It stays there until
// that has passed, or the list is another. (Atomic writes are not remembered: another's may have come between, and
// their order counts.)
struct KnownLists {
  static constexpr unsigned kSize = 2048;
  struct Entry {
    const void* granule;
    HistoryId list;
    ClockValue time;
    Slot slot;
    uint8_t reads;
    uint8_t writes;
    uint8_t atomic_reads;
  };
  Entry entries[kSize];
  uint64_t collections;  // how many there were; another may have given a list's number to another list

  [[nodiscard]] Entry& of(const void* granule) {
    constexpr uintptr_t kGranule = 32;
    const uintptr_t number = reinterpret_cast<uintptr_t>(granule) / kGranule;
    return entries[(number ^ number / kSize) % kSize];
  }
};

// What became of the last pairs of places that shadow words of one granule had (core/shadow/per_byte_stacks.h), as
// shadow words say them.
struct KnownPerByteStacks {
  static constexpr unsigned kBits = 9;
  static constexpr uint32_t kNone = ~0u;  // there is no room for it
  struct Entry {
    uint64_t pair;  // of places and their bytes; 0: none
    uint32_t mixed;
  };
  Entry entries[1u << kBits];

  [[nodiscard]] const Entry& of(uint64_t pair) const { return entries[index(pair)]; }
  [[nodiscard]] Entry& of(uint64_t pair) { return entries[index(pair)]; }

 private:
  static unsigned index(uint64_t pair) { return static_cast<unsigned>(hash_word(pair) >> (64 - kBits)); }
};

// One thread; initially all zeroes. Only the thread itself calls the core with it; what others may touch says so.
struct Thread {
  // --- read on every access -------------------------------------------------------------------------------------
  FastCheck fast;
  Slot slot = 0;
  ClockValue time = 0;           // shadow words made from now on carry it
  ClockValue segment_since = 0;  // of the present segment's first shadow word; a spin may make time pass within one
  ClockValue own_since = 0;  // what its slot did before is its own past only if its clocks know of it: begin_again()
  LocksetId lockset = kNoLocks;  // once the epoch is used always right; else see `unsettled`
  // What is_plain() asks for at once.
  alignas(8) bool words_pack = false;     // what shadow words of this time say of it (core/order/segment_locks.h)
  bool epoch_used = false;                // a shadow word carries `time` already: the next release must tick
  uint8_t ignoring = 0;                   // a set of IgnoreWhat
  std::atomic<bool> check_spoilt{false};  // set by others: what `fast` holds for done does not count
  bool needs_fence = false;               // at the door of the core
  uint8_t none[3] = {};
  // Its shadow words fit into granules, one carries this time, and nothing else is to be done with an access but to
  // leave a word of it and perhaps to record it.
  [[nodiscard, gnu::always_inline]] bool is_plain() const {
    using Flags [[gnu::may_alias]] = uint64_t;
    return __atomic_load_n(reinterpret_cast<const Flags*>(&words_pack), __ATOMIC_RELAXED) == 0x0101;
  }
  uint8_t words_locks = 0;
  bool words_bare = false;      // one of this time makes others superfluous whatever locks those were made with
  bool words_exclude = false;   // the locks of this time are such that whoever has the same is excluded
  bool words_unlocked = false;  // it holds no lock, so its words may be stored without the granule's
  bool version_kept = false;    // what it knows at `time` may be asked for: who learns more must tick
  bool gives_birth = false;     // it allocated memory at `time`, which nobody else can know yet
  bool recording = false;       // a lock is held and the write/read relation is wanted
  bool unrecorded = false;      // what it did under the lock it holds, or held last, was not recorded from the start
  uint32_t layout_alone = 0;    // the second cell of a granule with one shadow word of this time
  uint32_t layout_two = 0;      // and with two of the thread, made with the same locks
  // The same for GranuleStep::Own, with one, two and three, and the epoch as a word has it; and with an owner table.
  // None is like a granule's while the thread may not do so (GranuleLayout::kOwnedByNobody).
  uint64_t own_epoch = 0;
  uint32_t own_alone = 0, own_two = 0, own_three = 0;
  uint32_t owned_layout = 0;
  uint32_t incarnation = 0;              // another where its own past is not: begin_again()
  const VectorClock* decides = nullptr;  // of the relation in which shadow words are superfluous
  const SegmentLocks* locks_by_time = nullptr;
  const Locksets* short_history_locksets = nullptr;  // null but with --history=short: see covers_own_read()
  ThreadId id = 0;
  uint64_t memory_changes = 0;  // grows whenever its own shadow words of this time may go because memory is new or gone

  HistoryRoom room;
  KnownLists* known = nullptr;  // made when first needed
  KnownRows* known_rows = nullptr;
  unsigned reads_forgotten = 0;  // of lists that were full
  KnownPerByteStacks known_per_byte;

  // --- clocks ---------------------------------------------------------------------------------------------------
  VectorClocks clocks;      // of the others; what this thread did itself is always known to it
  uint64_t knowledge = 1;   // grows whenever a release would give away more: `clocks` grew, or `time`
  VectorClocks remembered;  // by loads without acquire, for the next acquire fence
  VectorClocks fence;       // at the last release fence
  bool has_fence = false;
  // Where accesses are sampled: its last lock operation, unsampled atomic operation or allocation changed nothing that
  // anybody could know by what is sampled (core/order/unsampled.cc). Whoever records need not.
  bool brought_nothing = false;
  VectorClocks spun;  // what its spin-reads found, for spin-leave

  // --- what was looked up before; a collection forgets it all
  struct Recent {
    SyncObject* object;
    uint64_t known;       // the version of it of which this thread knows all
    uint64_t remembered;  // the same of `remembered`: an acquire fence will know all; of a lock: shared releases
    uint64_t given;       // `knowledge` when it gave that away here last (core/order/unsampled.cc); 0: it has not
  };
  static constexpr unsigned kRecentBits = 9;
  Recent recent[1u << kRecentBits];  // by Relations::recent_of()
  void forget_recent() {
    for (Recent& one : recent) one = {};
  }
  struct LocksetStep {
    LocksetId from;
    uint32_t step;  // the lock << 2 | what was done; 0: none
    LocksetId to;
  };
  static constexpr unsigned kLocksetBits = 8;
  LocksetStep lockset_steps[1u << kLocksetBits];
  // How many locks were taken or given up since `lockset` was right, and the last of these as LocksetStep has it.
  // Relations::settle_lockset() makes it right.
  unsigned unsettled = 0;
  LockId last_change = 0;
  uint32_t last_step = 0;

  // --- locks ----------------------------------------------------------------------------------------------------
  Held* held = nullptr;
  unsigned held_count = 0;
  unsigned held_capacity = 0;
  unsigned held_gone = 0;  // places before `held` of which the lock was given up before those that were taken later
  // Null: it does not hold it. Looked for from both ends: locks are given up in the order in which they were taken, or
  // in the opposite one.
  [[nodiscard]] Held* find_held(Address lock) {
    for (unsigned begin = 0, end = held_count; begin < end; ++begin) {
      if (held[--end].address == lock) return &held[end];
      if (held[begin].address == lock) return &held[begin];
    }
    return nullptr;
  }
  [[nodiscard]] const Held* find_held(Address lock) const { return const_cast<Thread*>(this)->find_held(lock); }
  // Forgets a lock. Nothing is moved if it is the newest or the oldest.
  void drop_held(unsigned place) {
    --held_count;
    if (place == 0 && held_count != 0) {
      ++held;
      ++held_gone;
      return;
    }
    for (unsigned i = place; i < held_count; ++i) held[i] = held[i + 1];
  }

  // What others did before it took from under them, under a lock, what they read there (order.md, Taken out), for the
  // last sets of locks that it did so with.
  struct TakenOut {
    LocksetId locks;
    VectorClock before;
  };
  static constexpr unsigned kTakenOut = 4;
  TakenOut taken_out[kTakenOut];
  unsigned next_taken_out = 0;

  // --- condition variables ----------------------------------------------------------------------------------------
  AccessRecord* reads = nullptr;  // made when first needed
  AccessRecord* writes = nullptr;
  ConditionObject* waiting_on = nullptr;  // while in a wait; a collection that recycles the object clears it
  bool wait_in_loop = false;
  VectorClocks signalled;            // by signals since wait-enter; written by the signallers under the same lock
  uint64_t signals_before_wait = 0;  // how many signals the condition variable had had at wait-enter
  Thread* next_waiter = nullptr;
  // Signals sent under a lock: who waits cannot go on before its release.
  struct PendingSignal {
    ConditionObject* condition;
    Address mutex;   // whose release ends it; 0: that of any of the locks held at the signal
    unsigned locks;  // how many were
    uint64_t number;
  };
  static constexpr unsigned kPendingSignals = 8;
  PendingSignal pending_signals[kPendingSignals];
  unsigned pending_signal_count = 0;
  // At its last release of a lock under which it wrote, for signals sent after that.
  VectorClocks released;
  Slot released_slot = 0;
  ClockValue released_time = 0;

  // --- the rest -------------------------------------------------------------------------------------------------
  BarrierGeneration* generation_entered = nullptr;
  // Bytes that were spin-read since the last synchronization event, or are those of the atomic which that was.
  struct SpinWord {
    Address word;
    uint8_t mask;
  };
  static constexpr unsigned kSpinWords = 16;
  SpinWord spin_words[kSpinWords];
  unsigned spin_word_count = 0;
  uint32_t ignore_depth[3];  // reads, writes, sync

  std::atomic<ClockValue> tick_wanted{0};  // set by others: the latest time of it that was waited for; 0: none

  enum class Life : uint8_t { kRunning, kExited, kGone };  // gone: joined or detached, and to be recycled
  std::atomic<Life> life{Life::kRunning};
  std::atomic<bool> detached{false};
  Thread* next = nullptr;  // all threads; written once
  // Set while the thread is inside the core; a collection waits for it to be clear.
  std::atomic<bool> inside{false};

  void* listener_record = nullptr;  // what a listener keeps of it (hazards/thread_record.h); the core leaves it alone

  uint64_t accesses = 0;
  uint64_t sync_events = 0;
  uint64_t began_at = 0;  // so many sync_events: since then it may have learned what it did not begin with
};

// Done by the thread itself, and not by one whose slot it goes on in (begin_again()).
[[nodiscard, gnu::always_inline]] inline bool is_own(const Thread& thread, Slot slot, ClockValue time) {
  return slot == thread.slot && time >= thread.own_since;
}

// Strongly (or fully) ordered before what `thread` does now.
[[nodiscard, gnu::always_inline]] inline bool ordered_before(const VectorClock& known, const Thread& thread, Slot slot,
                                                             ClockValue time) {
  return is_own(thread, slot, time) || known.get(slot) >= time;
}

// The time line of one slot. Threads that follow each other in a slot have times that follow each other.
struct SlotState {
  enum class Use : uint8_t { kFree, kTaken, kEnded, kRetired };
  Use use = Use::kFree;
  ClockValue last = 0;  // the last that a shadow word may carry, once ended

  struct Tenant {
    ClockValue since;
    ThreadId thread;
    bool joined;
  };
  Tenant* tenants = nullptr;  // ascending by `since`
  uint32_t tenant_count = 0;
  uint32_t tenant_capacity = 0;
};

// Which slot is whose. A slot is reused only for a thread that is strongly ordered after all that its earlier
// tenants did (or when no history mentions them any more): then "same slot" still means "ordered".
class Slots {
 public:
  static constexpr unsigned kCount = 1u << 16;

  bool init(Arena& arena, ClockValue time_limit);

  // A slot for `thread`, which is ordered after `strong`, and its first time. False if there is none left.
  bool take(ThreadId thread, const VectorClock& strong, Slot& slot, ClockValue& first);
  // The tenant leaves shadow words of no more than `last`.
  void end(Slot slot, ClockValue last);

  [[nodiscard]] ClockValue time_limit() const { return time_limit_; }
  // Whose shadow words carry `time` in this slot. Any thread.
  [[nodiscard]] ThreadId tenant(Slot slot, ClockValue time);
  // The state machines forget threads that were joined.
  void joined(Slot slot, ClockValue time);
  [[nodiscard]] bool is_joined(Slot slot, ClockValue time);
  [[nodiscard]] unsigned used() const { return used_; }
  [[nodiscard]] bool has_ended(Slot slot) const { return slots_[slot].use != SlotState::Use::kTaken; }

  [[nodiscard]] ClockValue last(Slot slot) const { return slots_[slot].last; }  // of one that has ended

  // Many threads ended whose slots could not be reused at once: a collection may find that nothing mentions them.
  [[nodiscard]] bool wants_collection() const { return ended_count_ > 1024 && ended_count_ > 2 * ended_kept_; }
  // So few are left that history must be forgotten to get some back.
  [[nodiscard]] bool scarce() const { return kCount - used_ + clean_count_ < kCount / 8; }

  // In a collection: forget which ended slots are referred to; say which are; take back the others.
  void begin_collection();
  void mark(Slot slot) { marked_[slot] = true; }
  void end_collection();

 private:
  bool add_tenant(Slot slot, ThreadId thread, ClockValue since);
  SlotState::Tenant* find_tenant(Slot slot, ClockValue time);

  Arena* arena_ = nullptr;
  SpinMutex mutex_;
  SlotState* slots_ = nullptr;
  bool* marked_ = nullptr;
  Slot* ended_ = nullptr;  // a stack of slots in use kEnded
  unsigned ended_count_ = 0;
  Slot* clean_ = nullptr;  // ended, and no history mentions them
  unsigned clean_count_ = 0;
  unsigned ended_kept_ = 0;  // how many the last collection left in ended_
  unsigned used_ = 0;        // slots ever taken
  ClockValue time_limit_ = 0;
};

}  // namespace norn
