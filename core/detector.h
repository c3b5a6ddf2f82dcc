// The detector: events in, candidates out.
//
// Each thread of the program has a Thread; a function that takes one is called by that thread alone, and different
// threads may be in any functions at once. Accesses never block each other: one compare-and-swap on the word's cell.
// Synchronization takes the object's own spin lock for as long as clocks move. The exception is a collection (see
// collect.cc), for which everyone outside waits at the door and nobody inside waits for anyone outside.
#pragma once

#include "core/candidate.h"
#include "core/clock.h"
#include "core/engine.h"
#include "core/event.h"
#include "core/hybrid.h"
#include "core/lockset.h"
#include "core/msm.h"
#include "core/shadow.h"
#include "core/sync.h"
#include "core/thread.h"

namespace norn {

// What a lock's number means, for reports; outlives the lock.
struct LockInfo {
  Address address;
  struct Taker {
    ThreadId thread;
    Where where;
  };
  static constexpr unsigned kTakers = 4;
  Taker takers[kTakers];  // the last ones, newest first
};

struct Statistics {
  uint64_t accesses = 0;
  uint64_t sync_events = 0;
  uint64_t threads = 0;
  uint64_t collections = 0;
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

  // --- memory. `where` is a Where, or something to call for one: it is asked only if the access changes what is known,
  // which for most accesses it does not. `reads_too`: a write that stands for a read of the same bytes before it.
  template <class WhereOrCall>
  void access(Thread& thread, AccessKind kind, Address address, uint64_t size, WhereOrCall where,
              bool reads_too = false) {
    ++thread.accesses;
    if (thread.recording) [[unlikely]] {
      if (reads_too) record(thread, AccessKind::kRead, address, size);
      record(thread, kind, address, size);
    }
    const Address end = address + size;
    if (size == 8 && address % 8 == 0 && is_known_pair(thread, kind, address)) return;
    for (Address word = address & ~(kWordBytes - 1); word < end; word += kWordBytes) {
      if (is_known(thread, kind, word, mask_in(word, address, end))) continue;
      // From here on out of line; what was known before stays so.
      if constexpr (requires { where(); }) {
        access_from(thread, kind, address, end, word, where(), reads_too);
      } else {
        access_from(thread, kind, address, end, word, where, reads_too);
      }
      return;
    }
  }
  // The same for an access that was looked up already: it is not known to change nothing.
  void access_unknown(Thread& thread, AccessKind kind, Address address, uint64_t size, Where where, bool reads_too) {
    ++thread.accesses;
    if (thread.recording) [[unlikely]] {
      if (reads_too) record(thread, AccessKind::kRead, address, size);
      record(thread, kind, address, size);
    }
    access_from(thread, kind, address, address + size, address & ~(kWordBytes - 1), where, reads_too);
  }
  void read(Thread& t, Address a, uint64_t size, Where w) { access(t, AccessKind::kRead, a, size, w); }
  void write(Thread& t, Address a, uint64_t size, Where w) { access(t, AccessKind::kWrite, a, size, w); }
  void allocate(Thread& thread, Address address, uint64_t size);
  void free(Thread& thread, Address address, uint64_t size, Where where);
  void reallocate(Thread& thread, Address old, uint64_t old_size, Address fresh, uint64_t fresh_size, Where where);

  // --- atomics. `perform()` does the operation and returns what it turned out to be (a failed compare-exchange
  // is a load); it runs under the location's lock, so that the program's order and the core's are one.
  struct AtomicOutcome {
    EventKind kind;
    MemoryOrder order;
  };
  template <class Perform>
  void atomic(Thread& thread, Address address, uint64_t size, Where where, Perform perform);
  void fence(Thread& thread, MemoryOrder order);

  // --- locks: acquire is called after the lock was taken, release before it is given up
  void lock_acquire(Thread& thread, Address lock, LockMode mode, Where where);
  void lock_release(Thread& thread, Address lock, LockMode mode);
  void lock_destroy(Thread& thread, Address lock);

  // --- the rest of docs/design/order.md. What releases is called before the operation, what acquires after it.
  void signal(Thread& thread, Address condition);
  void wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop);
  void wait_leave(Thread& thread, Address condition, Address mutex, bool timed_out, Where where);
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
  void spin_read(Thread& thread, Address address, uint64_t size, Where where, bool in_loop = false);
  void spin_leave(Thread& thread);
  void ignore_begin(Thread& thread, uint8_t what);
  void ignore_end(Thread& thread, uint8_t what);
  void benign_range(Thread& thread, Address address, uint64_t size);

  // --- for a front end that must find out by itself what is atomic
  // Whether an access is known to change nothing: access() would return at once.
  [[nodiscard]] bool knows(const Thread& thread, AccessKind kind, Address address, uint64_t size) {
    if (size == 8 && address % 8 == 0 && is_known_pair(thread, kind, address)) return true;
    const Address end = address + size;
    for (Address word = address & ~(kWordBytes - 1); word < end; word += kWordBytes) {
      if (!is_known(thread, kind, word, mask_in(word, address, end))) return false;
    }
    return true;
  }
  // Whether an atomic operation wrote to exactly this address since its word was last new or plainly overwritten.
  [[nodiscard]] bool holds_atomic(Address address) {
    const Cell* cell = shadow_.existing_cell(address);
    if (cell == nullptr) return false;
    const HistoryId history = cell->load(std::memory_order_acquire);
    return history != kUntouched && (histories_.words(history)[0] & kHasMessage) != 0 &&
           sync_.find(address, SyncFamily::kAtomic) != nullptr;
  }
  // What was done to the bytes so far does not count any more; synchronization objects in them stay.
  void forget_accesses(Thread& thread, Address address, uint64_t size);

  // --- what is known, for reports. Lock-free; the pointers stay good.
  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] Locksets& locksets() { return locksets_; }
  [[nodiscard]] const LockInfo* lock_info(LockId lock) const;
  // Where the thread took the lock last, as far as that is remembered. `self`: the caller, whose locks are known.
  [[nodiscard]] Where lock_taken_at(LockId lock, ThreadId thread, const Thread* self) const;
  [[nodiscard]] MsmState msm_state(Address address);
  [[nodiscard]] unsigned stamps_at(Address address);
  [[nodiscard]] Statistics statistics();
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] size_t shadow_bytes() const { return shadow_.bytes(); }
  [[nodiscard]] size_t history_bytes() const { return histories_.bytes(); }
  [[nodiscard]] bool check_invariants() const { return histories_.check_invariants(); }

  // Nothing that any thread holds for known counts any more. Any thread.
  void make_all_look_again();

  // A collection at the next occasion, as if memory were short; for tests.
  void request_collection() {
    collection_requested_.store(true, std::memory_order_relaxed);
    collection_wanted_.store(true, std::memory_order_relaxed);
  }

 private:
  friend class Inside;
  struct Published {
    Slot slot;
    Time time;
  };
  struct BenignRange {
    Bytes bytes;
    BenignRange* next;
  };
  // Words in state spin that an access wrote.
  struct SpinSignals {
    static constexpr unsigned kMax = 8;
    struct Signal {
      Address word;
      uint8_t mask;
      uint8_t adds;  // of these
    };
    unsigned count = 0;
    Signal words[kMax];
  };
  // The clocks a slot had from some time on, for spins that find a write which was not waited for yet.
  struct Version {
    Time since;
    Clocks clocks;
  };
  struct Versions {
    static constexpr unsigned kCount = 64;
    SpinMutex mutex;
    unsigned first = 0;
    unsigned count = 0;
    Version ring[kCount];
  };

  // access.cc
  static uint32_t known_key(AccessKind kind, uint8_t mask) { return static_cast<uint32_t>(kind) << 4 | mask; }
  static unsigned known_place(uint32_t history, uint32_t key) {
    return (history * 0x9e3779b9u ^ key * 0x85ebca6bu) >> 24;
  }
  // The bytes of [begin, end) that lie in `word`.
  static uint8_t mask_in(Address word, Address begin, Address end) {
    const unsigned from = begin > word ? static_cast<unsigned>(begin - word) : 0;
    const unsigned to = end < word + kWordBytes ? static_cast<unsigned>(end - word) : kWordBytes;
    return static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
  }
  static bool changes_nothing(const Thread& thread, uint32_t history, uint32_t key) {
    const Thread::Known& known = thread.known[known_place(history, key)];
    return known.generation == thread.fast.generation.load(std::memory_order_relaxed) && known.history == history &&
           known.access == key && known.next == history;
  }
  static bool is_known_history(const Thread& thread, AccessKind kind, uint32_t history, uint8_t mask) {
    const bool plain = kind == AccessKind::kRead || kind == AccessKind::kWrite;
    const int table = plain ? FastTable::table_of(kind == AccessKind::kWrite, mask) : -1;
    return table >= 0 ? thread.fast.knows(static_cast<unsigned>(table), history)
                      : changes_nothing(thread, history, known_key(kind, mask));
  }
  // Whether this access was found to change nothing, in this thread's present generation.
  bool is_known(const Thread& thread, AccessKind kind, Address word, uint8_t mask) {
    const Cell* cell = shadow_.existing_cell(word);
    if (cell == nullptr) [[unlikely]]
      return false;
    // The cell before the generation: a collection changes generations before cells.
    const uint32_t history = cell->load(std::memory_order_acquire);
    return is_known_history(thread, kind, history, mask);
  }
  // The same for two whole words at once, where they have the same history.
  bool is_known_pair(const Thread& thread, AccessKind kind, Address address) {
    const Cell* cell = shadow_.existing_cell(address);
    if (cell == nullptr) [[unlikely]]
      return false;
    const uint32_t history = cell[0].load(std::memory_order_acquire);
    return cell[1].load(std::memory_order_acquire) == history && is_known_history(thread, kind, history, 0xf);
  }
  void now_known(Thread& thread, uint32_t generation, HistoryId history, const WordAccess& access);
  void access_from(Thread& thread, AccessKind kind, Address begin, Address end, Address first_word, Where where,
                   bool reads_too);
  void access_inside(Thread& thread, Cell& cell, const WordAccess& access, SpinSignals& signals,
                     uint32_t set_flags = 0);
  HistoryId next_history(Thread& thread, HistoryId before, const WordAccess& access, uint32_t set_flags,
                         uint32_t clear_flags, FoundRaces& races);
  // After a cell changed from `before` to something else.
  void note_change(Address word, HistoryId before) {
    if (before == kUntouched || histories_.is_old(before)) shadow_.note_change(word);
  }
  HistoryId own_history(Thread& thread, uint32_t generation, const WordAccess& access);
  template <class CellOrPair>
  bool access_simply(Thread& thread, CellOrPair& cell, const WordAccess& access);
  void clear_cells(Thread& thread, Address begin, Address end);
  void end_messages(const WordAccess& access);
  void record(Thread& thread, AccessKind kind, Address address, uint64_t size);
  void record_in(AccessRecord*& list, Bytes bytes);
  void tell(const FoundRaces& races);
  bool is_benign(const RacingPair& pair) const;
  SyncObject* begin_atomic(Thread& thread, Address address);
  void end_atomic(Thread& thread, SyncObject* object, Address address, uint64_t size, AtomicOutcome outcome,
                  Where where);

  // time.cc
  void changed(Thread& thread);
  void tick(Thread& thread);
  Published publish(Thread& thread);
  void note_version(Thread& thread);
  void acquire(Thread& thread, const Clocks& from);
  void acquire_full(Thread& thread, const Clock& from);
  void add_published(const Published& published, Clocks& to);
  [[nodiscard]] bool counts(const Thread& thread) const;
  bool begin_sync(Thread& thread);
  void end_segment(Thread& thread);
  void heed_tick_request(Thread& thread);
  Thread* make_thread(ThreadId id);
  Thread* begin_child(Thread* child);
  bool settle_thread(Thread& thread);
  void recycle_thread(Thread& thread);
  void release_to(Thread& thread, Address address, SyncFamily family);
  void acquire_from(Thread& thread, Address address, SyncFamily family);
  void exit_inside(Thread& thread);

  // locks.cc
  static Held* find_held(Thread& thread, Address lock);
  Held* add_held(Thread& thread);
  void take_lock(Thread& thread, Address lock, LockMode mode, Where where);
  void give_lock(Thread& thread, Address lock);
  LockId new_lock(Address address);
  void note_taker(LockId lock, ThreadId thread, Where where);

  // conditions.cc
  void bind_writes(const Thread& thread, ConditionState& condition, const Clocks& signal);
  bool acquire_bound(Thread& thread, const ConditionState& condition);
  bool join_bound(Clocks& clocks, const Bindings& bindings, unsigned newest, Bytes run);
  static void leave_waiters(Thread& thread);

  // spins.cc
  void send(Thread& thread, SpinSignals& signals);
  static void note_spin_word(Thread& thread, Address word, uint8_t mask);
  static uint8_t spin_bytes_read(const Thread& thread, Address word);
  void spin_read_word(Thread& thread, Address word, uint8_t mask, bool in_loop);
  void begin_waiting_for(SpinMessages& messages, HistoryId history, unsigned bytes);
  void add_counterpart(Slot slot, Time time, Clocks& clocks);
  [[nodiscard]] SpinMessages* spin_messages(SyncObject& object);
  uint8_t accessed_in_segment(const Thread& thread, HistoryId history, const WordAccess& access) const;

  // collect.cc
  void collect(Thread& thread);
  void collect_alone();
  void mark_histories(bool full);
  void forget_older_half();
  void rewrite_history(uint32_t* words, unsigned count);
  void keep_lockset(LocksetId& id);
  void forget_made_before(unsigned collections_ago);
  void note_once(std::atomic<bool>& said, const char* text);
  void no_memory_for_shadow();
  void no_memory_for_clocks();

  Options options_;
  Listener listener_;
  Arena arena_;
  Shadow shadow_;
  Histories histories_;
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

  std::atomic<BenignRange*> benign_{nullptr};
  Versions** versions_ = nullptr;  // by slot

  std::atomic<bool> collecting_{false};
  std::atomic<bool> collection_wanted_{false};
  std::atomic<bool> collection_requested_{false};  // whether or not there is need
  SpinMutex collect_mutex_;
  bool moving_locksets_ = false;  // in a collection
  bool moving_threadsets_ = false;
  std::atomic<uint64_t> stamps_forgotten_{0};
  uint64_t collections_ = 0;
  uint64_t histories_forgotten_ = 0;
  // Synchronization could not be recorded: whatever would be reported from now on may be false.
  std::atomic<bool> blind_{false};
  std::atomic<bool> said_shadow_{false};
  std::atomic<bool> said_clocks_{false};
  std::atomic<bool> said_history_{false};
};

// While one exists, the calling thread is inside the core and no collection runs.
class Inside {
 public:
  Inside(Detector& detector, Thread& thread) : thread_(thread) {
    // Pairs with the collector, which sets `collecting`, makes everyone pass a barrier (or we pass one ourselves) and
    // then looks at `inside`: one of us sees the other.
    thread.inside.store(true, std::memory_order_relaxed);
    if (core_barrier == nullptr) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (detector.collecting_.load(std::memory_order_relaxed) ||
        detector.collection_wanted_.load(std::memory_order_relaxed)) [[unlikely]] {
      detector.collect(thread);
    }
  }
  ~Inside() { thread_.inside.store(false, std::memory_order_release); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Thread& thread_;
};

template <class Perform>
void Detector::atomic(Thread& thread, Address address, uint64_t size, Where where, Perform perform) {
  const Inside inside(*this, thread);
  SyncObject* object = begin_atomic(thread, address);
  const AtomicOutcome outcome = perform();
  end_atomic(thread, object, address, size, outcome, where);
}

}  // namespace norn
