// The detector: events in, candidates out.
//
// Each thread of the program has a Thread; a function that takes one is called by that thread alone, and different
// threads may be in any functions at once. An access locks its granule (core/shadow/granule.h) while it changes it, if
// it changes anything; the state machines change a word's cell by one compare-and-swap. Synchronization takes the
// object's own spin lock for as long as clocks move (most locks of the program do without: core/order/lock_events.cc).
// A collection (core/collector.h) stops everyone at the safepoint.
//
// This is what a front end calls. The parts (core/core_state.h says how they stand) have the contracts of what is only
// named here; what is declared here needs more than one of them.
#pragma once

#include "core/collector.h"
#include "core/event.h"

namespace norn {

class Detector : private Collector {
 public:
  constexpr Detector() = default;

  // False if the arena gives no memory. Before anything else, by one thread.
  [[nodiscard]] bool init(const Options& options, const Listener& listener);
  // From now on not every access is emitted: hb or hybrid become hb, and nothing is concluded from what was not read or
  // written (docs/design/sampling.md).
  void observe_only();
  // Any event, in the order they happened; threads that were not forked are roots. By one thread at a time.
  void apply(const Event& event);

  // --- threads
  using Relations::add_root;
  using Relations::detach;
  using Relations::exit;
  using Relations::fork;
  using Relations::join;
  using ThreadTable::find;

  // --- order that the embedding keeps itself
  using Relations::begin_again;
  using Relations::clock_acquire;
  using Relations::clock_clear;
  using Relations::clock_release;
  using Relations::fork_after;

  // --- accesses
  using Relations::begin_epoch;
  using Relations::record_again;
  using Relations::record_quickly;
  using ShadowStore::access;
  using ShadowStore::access_again;
  using ShadowStore::access_own;
  using ShadowStore::access_owned;
  using ShadowStore::access_plainly;
  using ShadowStore::access_range;
  using ShadowStore::access_row;
  using ShadowStore::access_within;
  using ShadowStore::owns;
  using ShadowStore::read;
  using ShadowStore::read_listed;
  using ShadowStore::use;
  using ShadowStore::write;

  // --- memory
  using Relations::birth;
  using ShadowStore::allocate;
  using ShadowStore::bear;
  using ShadowStore::forget_accesses;
  using ShadowStore::free;
  using ShadowStore::map;
  using ShadowStore::unmap;
  void reallocate(Thread& thread, Address old, uint64_t old_size, Address fresh, uint64_t fresh_size, StackId where);

  // --- atomics. `perform()` does the operation and returns what it turned out to be (a failed compare-exchange
  // is a load); it runs under the location's lock, so that the program's order and the core's are one.
  using AtomicOutcome = norn::AtomicOutcome;
  template <class Perform>
  void atomic(Thread& thread, Address address, uint64_t size, StackId where, Perform perform);
  // The same for what is known to be a load. `load()` may be called more than once; the last counts.
  template <class Load>
  void atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order, StackId where, Load load);
  using Relations::after_unsampled;
  using Relations::before_unsampled;
  using Relations::fence;
  using Relations::leave_by_atomic;
  using Relations::may_pass_unsampled;

  // --- locks: acquire is called after the lock was taken, release before it is given up
  // `uses`: it is a use() of its memory, too.
  void lock_acquire(Thread& thread, Address lock, LockMode mode, StackId where, bool uses = false);
  using Relations::lock_destroy;
  using Relations::lock_refused;
  using Relations::lock_release;

  // --- the rest of docs/design/order.md. What releases is called before the operation, what acquires after it.
  using Relations::barrier_enter;
  using Relations::barrier_init;
  using Relations::barrier_leave;
  using Relations::expect_conditions;
  using Relations::happens_after;
  using Relations::happens_before;
  using Relations::once_done;
  using Relations::once_seen;
  using Relations::semaphore_post;
  using Relations::semaphore_wait;
  using Relations::signal;
  using Relations::sync_destroy;
  using Relations::wait_enter;
  using Relations::wait_leave;
  using Relations::wait_loop_leave;

  // --- loops that wait
  using GranuleStore::is_waited_for;
  using Relations::come_after_all;
  using Relations::cut;
  using Relations::honour_spins;
  using Relations::spin_leave;
  using ShadowStore::find_unordered_writes;
  using ShadowStore::look;
  using ShadowStore::may_be_written_plainly;
  using ShadowStore::spin_read;

  // --- what the program says of itself
  using RaceFilter::benign_range;
  using Relations::ignore_begin;
  using Relations::ignore_end;

  // --- for a front end that must find out by itself what is atomic
  using GranuleStore::holds_atomic;
  using ShadowStore::knows;

  // --- what is known, for reports. Lock-free; the pointers stay good.
  using CoreState::options;
  using GranuleStore::accesses_at;
  using GranuleStore::check_invariants;
  using GranuleStore::history_bytes;
  using GranuleStore::msm_state;
  using GranuleStore::shadow_bytes;
  using RaceFilter::add_race;
  using RaceFilter::candidates;
  using Relations::lock_info;
  using Relations::lock_taken_at;
  using Relations::locksets;
  using Relations::taken_at;
  [[nodiscard]] Statistics statistics();

  // --- epochs and collections
  using Relations::end_epoch;
  using Relations::make_all_look_again;
  using Relations::use_epoch;
  using Safepoint::collections;
  using Safepoint::gate;
  using Safepoint::request_collection;

 private:
  friend struct DetectorProbe;  // core/testing/detector_probe.h

  void end_atomic(Thread& thread, AtomicObject* object, Address address, uint64_t size, AtomicOutcome outcome,
                  StackId where);

  // Of apply(): release clocks, by number.
  struct NumberedClock {
    Address number;
    ReleaseClock clock;
    NumberedClock* next;
  };
  [[nodiscard]] ReleaseClock* numbered_clock(Address number);
  void apply_clock(Thread& thread, const Event& event);
  void apply_to_all(const Event& event);
  NumberedClock* numbered_clocks_[64] = {};
};

template <class Perform>
void Detector::atomic(Thread& thread, Address address, uint64_t size, StackId where, Perform perform) {
  const Inside inside(*this, thread);
  AtomicObject* object = begin_atomic(thread, address);
  const AtomicOutcome outcome = perform();
  end_atomic(thread, object, address, size, outcome, where);
}

template <class Load>
void Detector::atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order, StackId where,
                           Load load) {
  const Inside inside(*this, thread);
  ++thread.sync_events;
  AtomicObject* object = counts(thread) ? object_of<AtomicObject>(thread, address, SyncFamily::kAtomic) : nullptr;
  load();
  if (object == nullptr) {
    if (counts(thread)) no_memory_for_clocks();
  } else if (!knows_release_clock(thread, *object, order)) {
    const SpinLock lock(object->mutex);
    load();
    learn_release_clock(thread, *object, order);
  }
  read_atomically(thread, address, size, where);
}

}  // namespace norn
