// What is ordered before what: the two relations of docs/design/order.md, and the synchronization that makes them.
//
// A thread knows what is ordered before it by its clocks (Thread::clocks). What releases publishes the thread's epoch
// into an object (core/order/sync.h), what acquires joins what is there. This part moves clocks, keeps locks and
// locksets, condition variables, barriers, spins' signals and what is handed over; it knows nothing of what locations
// remember. The files beside this one have each a kind of synchronization.
//
// An epoch is used if something carries it: a shadow word, or what the embedding keeps (use_epoch()). A release of a
// thread whose epoch is used ends it, so that what comes later has another epoch. Within an epoch the locks held do not
// change; note_segment() says what shadow words of an epoch have in common.
//
// The public functions are events. One that takes a Thread is called by that thread, which is outside
// (core/safepoint.h).
#pragma once

#include "base/hash.h"
#include "core/order/lockset.h"
#include "core/order/release_clock.h"
#include "core/order/segment_locks.h"
#include "core/order/sync.h"
#include "core/order/versions.h"
#include "core/safepoint.h"

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

// Granules with bytes that somebody waits for and an access wrote.
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

class Relations : public Safepoint {
 public:
  // From now on spin-reads count, if they did not from the start. Writes from before are known by what is left of them.
  [[nodiscard]] bool honour_spins();
  // From now on the program may use condition variables, if that was not so from the start: what is read and written
  // under locks matters (the write/read relation). It is called for the first use of one, if not before; what was not
  // recorded by then counts as anything. Any thread.
  void expect_conditions() {
    if (!conditions_.load(std::memory_order_relaxed)) conditions_.store(true, std::memory_order_relaxed);
  }

  // --- threads (thread_events.cc). A Thread is made by its parent and used by itself from then on. Null: no memory or
  // slot is left.
  [[nodiscard]] Thread* add_root(ThreadId id);
  [[nodiscard]] Thread* fork(Thread& parent, ThreadId child);
  void exit(Thread& thread);                  // its last call
  void join(Thread& thread, ThreadId ended);  // after `ended` called exit
  void detach(Thread& thread, ThreadId other);

  // --- release clocks. A new thread may begin with what one holds.
  void clock_release(Thread& thread, ReleaseClock& clock);
  void clock_acquire(Thread& thread, ReleaseClock& clock);
  void clock_clear(ReleaseClock& clock) { clock.clocks.clear(arena_); }
  [[nodiscard]] Thread* fork_after(Thread& caller, ReleaseClock& clock, ThreadId child);
  // As if the thread ended and another began after the clock alone, unordered with the first; but it costs no slot.
  // For others the two are one: who is ordered after something of the second is ordered after all of the first.
  void begin_again(Thread& thread, ReleaseClock& clock);

  // --- atomics (atomic_release_clocks.cc, unsampled.cc)
  void fence(Thread& thread, MemoryOrder order);
  // Of an atomic operation that nobody looks at only what it orders counts (core/order/unsampled.cc). Around the
  // operation, which the caller does without any lock; each as far as it may write, and read.
  [[nodiscard]] bool may_pass_unsampled(const Thread& thread) const {
    return options_.sampled && options_.library && thread.ignoring == 0;
  }
  [[gnu::always_inline]] void before_unsampled(Thread& thread, Address address, MemoryOrder order);
  [[gnu::always_inline]] void after_unsampled(Thread& thread, Address address, MemoryOrder order);
  // A loop that waits is left because an atomic operation succeeded: whoever wrote before, with whatever memory order,
  // is ordered before.
  void leave_by_atomic(Thread& thread, Address address);

  // --- locks (lock_events.cc): acquire is called after the lock was taken, release before it is given up
  void lock_release(Thread& thread, Address lock, LockMode mode);
  void lock_destroy(Thread& thread, Address lock);
  // A loop is left because a try failed. False: nobody else is known to have taken the lock (yet: who took it tells so
  // after that).
  bool lock_refused(Thread& thread, Address lock);
  [[nodiscard]] Locksets& locksets() { return locksets_; }
  [[nodiscard]] const LockInfo* lock_info(LockId lock) const;
  // Where the thread took the lock last, as far as that is remembered. `self`: the caller, whose locks are known.
  [[nodiscard]] StackId lock_taken_at(LockId lock, ThreadId thread, const Thread* self) const;
  // The same of the lock at an address; kNoStack if nobody ever took one there.
  [[nodiscard]] StackId taken_at(Address lock, ThreadId thread, const Thread* self);

  // --- condition variables (condition_relation.cc)
  void signal(Thread& thread, Address condition);
  void wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop);
  void wait_leave(Thread& thread, Address condition, Address mutex, bool timed_out, StackId where);
  void wait_loop_leave(Thread& thread, Address condition);
  // What a thread that is `recording` reads and writes under a lock. False: not all of it was recorded.
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

  // --- the rest of docs/design/order.md. What releases is called before the operation, what acquires after it.
  void barrier_init(Thread& thread, Address barrier, uint32_t count);
  void barrier_enter(Thread& thread, Address barrier);
  void barrier_leave(Thread& thread, Address barrier);
  void semaphore_post(Thread& thread, Address semaphore) { release_to(thread, semaphore, SyncFamily::kSemaphore); }
  void semaphore_wait(Thread& thread, Address semaphore) { acquire_from(thread, semaphore, SyncFamily::kSemaphore); }
  void once_done(Thread& thread, Address once) { release_to(thread, once, SyncFamily::kOnce); }
  void once_seen(Thread& thread, Address once) { acquire_from(thread, once, SyncFamily::kOnce); }
  void happens_before(Thread& thread, Address tag) { release_to(thread, tag, SyncFamily::kAnnotation); }
  void happens_after(Thread& thread, Address tag) { acquire_from(thread, tag, SyncFamily::kAnnotation); }
  void sync_destroy(Thread& thread, Address object);
  // The loop was left whose condition was spin-read (ShadowStore::spin_read).
  void spin_leave(Thread& thread);
  // The thread saw something that anybody may have written, without an event: it is ordered after all that was done so
  // far.
  void come_after_all(Thread& thread);
  // What the thread did may have been to set a flag: what it does from now on has another epoch.
  void cut(Thread& thread);
  void ignore_begin(Thread& thread, uint8_t what);
  void ignore_end(Thread& thread, uint8_t what);

  // --- epochs
  // Something that the embedding keeps carries the thread's present epoch: what it releases later comes after it.
  void use_epoch(Thread& thread);
  // The same for who keeps the time alone, and nothing of what shadow words of it would say: it is over.
  void end_epoch(Thread& thread);
  // What the thread has just allocated is known to nobody else until it begins a new time: how the embedding may know
  // the memory by (Listener::fresh_until).
  [[nodiscard]] Epoch birth(Thread& thread) {
    if (!thread.epoch_used) use_epoch(thread);
    thread.gives_birth = true;
    return {thread.slot, thread.time};
  }
  // Before the first shadow word of a time, for who does not want to be refused for that by access_again().
  void begin_epoch(Thread& thread);
  // Nothing that any thread holds for known counts any more. Any thread.
  void make_all_look_again();

 protected:
  // `objects`: where it is remembered which words of memory have synchronization objects. False: no memory.
  [[nodiscard]] bool init_relations(Shadow& objects);
  // From now on nothing is predicted (Detector::observe_only()).
  void stop_predicting();

  // --- for the shadow: what an access asks, inside
  // Before an access, or anything that may be one: another thread may have found that the present epoch was waited for.
  void heed_tick_request(Thread& thread) {
    if (thread.check_spoilt.load(std::memory_order_relaxed)) [[unlikely]]
      heed_spoilt_check(thread);
  }
  // Before the first shadow word of a time: what words of it say of the thread and its locks.
  void note_segment(Thread& thread);
  [[nodiscard]] bool counts(const Thread& thread) const {
    return options_.library && (thread.ignoring & kIgnoreSync) == 0;
  }
  void record(Thread& thread, AccessKind kind, Address address, uint64_t size);
  void record_in(AccessRecord*& list, Bytes bytes);
  // A plain write to [begin, end): release clocks of atomics there end.
  void end_release_clocks(Address begin, Address end);

  // --- spinning reads (spin_relation.cc)
  // Somebody waits for these bytes of a granule, which were written: its signal goes with the others, send() sends
  // them.
  void add_signal(Thread& thread, SpinSignals& signals, const SpinSignals::Signal& signal) {
    if (signals.count == SpinSignals::kMax) send(thread, signals);
    signals.granules[signals.count++] = signal;
  }
  void send(Thread& thread, SpinSignals& signals);
  static void note_bytes(Thread& thread, Address address, uint64_t size);
  [[nodiscard]] static uint8_t spin_bytes_read(const Thread& thread, Address word);
  void add_counterpart(Slot slot, ClockValue time, VectorClocks& clocks);
  void add_all(const Thread& thread, VectorClocks& found);

  // --- what is handed over (handover.cc)
  [[nodiscard]] bool may_heed_now(Thread& thread) {
    if (!options_.handover || thread.held_count == 0) return false;
    if (thread.unsettled != 0) [[unlikely]]
      settle_lockset(thread);
    return thread.lockset != kNoLocks && counts(thread);
  }
  // What the thread holds, for who asks for Thread::lockset before the first shadow word of a time.
  void settle_lockset(Thread& thread);
  void heed(Thread& thread, Slot slot, ClockValue time);
  void take_out_after(Thread& thread, Slot slot, ClockValue time, LocksetId locks);
  [[nodiscard]] bool is_taken_out(const Thread& thread, const RacingPair& pair);

  // --- for the events that are accesses, too: locks that are used, and atomics
  void take_lock_inside(Thread& thread, Address lock, LockMode mode, StackId where) {
    if (begin_sync(thread) || thread.find_held(lock) != nullptr) take_lock(thread, lock, mode, where);
  }
  // The object of an atomic, locked; null: it orders nothing.
  [[nodiscard]] AtomicObject* begin_atomic(Thread& thread, Address address);
  // Whether the value that the thread has just loaded had a release clock that it has joined already.
  [[gnu::always_inline]] static bool knows_release_clock(Thread& thread, const AtomicObject& object,
                                                         MemoryOrder order) {
    const Thread::Recent& recent = recent_of(thread, object.address, object.family);
    return object.stood_at(recent.known) || (!acquires(order) && object.stood_at(recent.remembered));
  }
  void learn_release_clock(Thread& thread, const AtomicObject& object, MemoryOrder order);
  // Of the thread's write. Unlocks the object.
  void leave_release_clock(Thread& thread, AtomicObject& object, uint64_t size, AtomicOutcome outcome);
  void end_segment(Thread& thread);
  // From here on shadow words are later than all before.
  void tick(Thread& thread);

  // --- objects. Made if it is not there; null if the arena is used up. Inside.
  template <class Object>
  Object* object_of(Thread& thread, Address address, SyncFamily family) {
    Thread::Recent& recent = recent_of(thread, address, family);
    if (!is_of(recent, address, family)) {
      recent = {sync_.get(address, family), 0, 0, 0};
    }
    return static_cast<Object*>(recent.object);
  }

  // --- in a collection
  void forget_lookups();
  // Calls keep(lockset), which may change it, for all that threads and segments hold.
  template <class Keep>
  void keep_locksets(Keep keep) {
    // An epoch that was used may be again.
    for (const Thread* t = first_thread(); t != nullptr; t = t->next) {
      if (t->epoch_used && t->words_pack) segments_.mark(t->slot, t->time, t->words_locks);
    }
    segments_.end_collection(keep);
    for (Thread* t = first_thread(); t != nullptr; t = t->next) {
      keep(t->lockset);
      for (Thread::TakenOut& taken : t->taken_out) keep(taken.locks);
    }
  }
  void collect_objects();

  SegmentLocks segments_;
  Locksets locksets_;
  SyncTable sync_;

 private:
  struct Published {
    Slot slot;
    ClockValue time;
  };

  static Thread::Recent& recent_of(Thread& thread, Address address, SyncFamily family) {
    const uint64_t mixed = hash_word(address + static_cast<unsigned>(family));
    return thread.recent[mixed >> (64 - Thread::kRecentBits)];
  }
  static bool is_of(const Thread::Recent& recent, Address address, SyncFamily family) {
    const SyncObject* found = recent.object;
    return found != nullptr && found->address == address && found->family == family &&
           !found->gone.load(std::memory_order_relaxed);
  }
  // Of an object that was just asked for: which version of it the thread knows all of. Under the object's lock.
  static uint64_t& known_of(Thread& thread, const SyncObject& object) {
    return recent_of(thread, object.address, object.family).known;
  }

  // relations.cc
  // Whether the thread's present epoch is one of shadow words. State machines have none.
  [[nodiscard]] bool epoch_fits(const Thread& thread) const {
    return !is_state_machine(options_.engine) && ShadowWord::epoch_fits(thread.slot, thread.time);
  }
  void renew_check(Thread& thread);
  void make_look_again(Thread& thread);
  void heed_spoilt_check(Thread& thread);
  Published publish(Thread& thread);
  Published publish_strongly(Thread& thread);
  void add_published(const Published& published, VectorClocks& to);
  void acquire(Thread& thread, const VectorClocks& from);
  void learn(Thread& thread, const VectorClocks& from);
  void acquire_full(Thread& thread, const VectorClock& from);
  void acquire_near(Thread& thread, const VectorClock& from);
  void acquire_strong(Thread& thread, const VectorClock& from);
  bool begin_sync(Thread& thread);
  void release_to(Thread& thread, Address address, SyncFamily family);
  void acquire_from(Thread& thread, Address address, SyncFamily family);
  [[nodiscard]] bool keep_versions();
  void keep_version(Thread& thread);
  void note_version(Thread& thread);
  void add_version(Slot slot, ClockValue time, bool at_beginning, VectorClocks& clocks);

  // thread_events.cc
  Thread* begin_child(Thread* child);
  bool settle_thread(Thread& thread);
  void exit_inside(Thread& thread);

  // lock_events.cc
  Held* add_held(Thread& thread);
  void change_lockset(Thread& thread, LockId lock, bool takes, LockMode mode);
  LocksetId step_lockset(Thread& thread, LocksetId from, LockId lock, uint32_t step);
  void take_lock(Thread& thread, Address lock, LockMode mode, StackId where);
  void give_lock(Thread& thread, Address lock);
  void note_release(Thread& thread, const Published& published);
  void note_taking(Thread& thread, LockState& lock);
  void note_section(const Thread& thread, LockState& lock, LockMode mode, Slot slot, ClockValue since,
                    const Published& published);
  void come_after_sections(Thread& thread, const LockState& lock, LockMode mode);
  LockId new_lock(Address address);
  bool is_taker(LockId lock, ThreadId thread, StackId where) const;
  void note_taker(LockId lock, ThreadId thread, StackId where);

  // unsampled.cc
  void add_to_release_clock(Thread& thread, Address address, MemoryOrder order);
  void give_to(Thread& thread, AtomicObject& object, MemoryOrder order);
  void take_release_clock(Thread& thread, Address address, MemoryOrder order);
  void take_sampled(Thread& thread, Address lock, LockMode mode, StackId where);
  void give_sampled(Thread& thread, Address lock, unsigned place);
  void find_lockset(Thread& thread);

  // condition_relation.cc
  void bind_writes(const Thread& thread, ConditionState& condition, const VectorClocks& released);
  bool acquire_bound(Thread& thread, const ConditionState& condition);
  static void leave_waiters(Thread& thread);
  // The thread waits no more, however it came out: it ended (a child of a fork does not have it), or left by a jump.
  void end_wait(Thread& thread);
  void add_pending_signal(Thread& thread, ConditionObject& condition);
  void end_pending_signals(Thread& thread, Address lock, unsigned place, const Published& published);
  void end_signal(Thread& thread, const Thread::PendingSignal& signal, const VectorClocks& released);
  void forget_gone_conditions();

  // spin_relation.cc, handover.cc
  static void note_spin_word(Thread& thread, Address word, uint8_t mask);
  void note_region(LockId lock, LockMode mode, Slot slot, ClockValue since, const Published& published);
  ClockValue end_of_region(const Thread& thread, Slot slot, ClockValue time);

  SpinMutex locks_mutex_;
  static constexpr unsigned kLockChunk = 1024;
  std::atomic<LockInfo*>* lock_chunks_ = nullptr;
  LockId lock_count_ = 0;
  std::atomic<uint32_t> incarnations_{0};  // how many there were: Thread::incarnation
  std::atomic<bool> conditions_{true};     // the program may use condition variables
  Versions** versions_ = nullptr;          // by slot
};

inline void Relations::before_unsampled(Thread& thread, Address address, MemoryOrder order) {
  const Inside inside(*this, thread);
  const Thread::Recent& recent = recent_of(thread, address, SyncFamily::kAtomic);
  if (is_of(recent, address, SyncFamily::kAtomic)) [[likely]] {
    thread.brought_nothing = true;
    if (!thread.epoch_used && recent.given == thread.knowledge) return;
    const bool gives = releases(order) || thread.has_fence;
    if (!gives && !static_cast<const AtomicObject*>(recent.object)->waited_for) return;
  }
  thread.brought_nothing = false;
  add_to_release_clock(thread, address, order);
}

inline void Relations::after_unsampled(Thread& thread, Address address, MemoryOrder order) {
  const Inside inside(*this, thread);
  const Thread::Recent& recent = recent_of(thread, address, SyncFamily::kAtomic);
  if (is_of(recent, address, SyncFamily::kAtomic) &&
      knows_release_clock(thread, static_cast<const AtomicObject&>(*recent.object), order)) {
    thread.brought_nothing = true;
    return;
  }
  thread.brought_nothing = false;
  take_release_clock(thread, address, order);
}

}  // namespace norn
