// Synchronization of a program of which samples are looked at (docs/design/sampling.md).
//
// Nothing of what orders threads may be left out, but most of it brings nothing new: a thread that has remembered
// nothing and learned nothing since it released to an object would give away again what it gave then, and one that
// knows an object's version has nothing to learn. Here release clocks only grow, whatever is stored: so what was given
// once stays given, and whoever finds both to be so passes without the object's lock. That orders more than there is to
// order (docs/design/order.md has a store take away what others released before), which can hide a race and not make
// one.
#include "core/order/relations.h"

namespace norn {

// Before an atomic operation that gives: whoever sees its value finds what it gives in the release clock.
void Relations::add_to_release_clock(Thread& thread, Address address, MemoryOrder order) {
  ++thread.sync_events;
  auto* object = object_of<AtomicObject>(thread, address, SyncFamily::kAtomic);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  give_to(thread, *object, order);
}

// Under the object's lock.
void Relations::give_to(Thread& thread, AtomicObject& object, MemoryOrder order) {
  Thread::Recent& recent = recent_of(thread, object.address, object.family);
  const bool known = recent.known == object.present();
  VectorClocks& release_clock = object.release_clock;
  bool complete = true;
  if (releases(order) || object.waited_for) {
    end_segment(thread);
    const Published published = publish(thread);
    const bool is_known = release_clock.full.get(published.slot) >= published.time &&
                          release_clock.strong.get(published.slot) >= published.time &&
                          release_clock.includes(thread.clocks);
    recent.given = thread.knowledge;
    if (is_known) return;
    complete = release_clock.join(arena_, thread.clocks) && release_clock.raise(arena_, published.slot, published.time);
  } else if (thread.has_fence) {
    if (release_clock.includes(thread.fence)) return;
    complete = release_clock.join(arena_, thread.fence);
  } else {
    return;
  }
  if (!complete) no_memory_for_clocks();
  object.advance();
  if (known) recent.known = object.present();
}

// After an atomic operation that found a value.
void Relations::take_release_clock(Thread& thread, Address address, MemoryOrder order) {
  ++thread.sync_events;
  auto* object = object_of<AtomicObject>(thread, address, SyncFamily::kAtomic);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  learn_release_clock(thread, *object, order);
}

void Relations::leave_by_atomic(Thread& thread, Address address) {
  bool first = false;
  {
    const Inside inside(*this, thread);
    if (!counts(thread)) return;
    auto* object = object_of<AtomicObject>(thread, address, SyncFamily::kAtomic);
    if (object == nullptr) return no_memory_for_clocks();
    const SpinLock lock(object->mutex);
    first = !object->waited_for;
    object->waited_for = true;
    learn_release_clock(thread, *object, MemoryOrder::kAcquire);
  }
  if (first) come_after_all(thread);
}

// Of a lock that the thread has just taken: learns what it does not know. Who holds it exclusively is alone with it;
// beside those who share it others may be giving it up.
void Relations::take_sampled(Thread& thread, Address lock, LockMode mode, StackId where) {
  auto* object = object_of<LockObject>(thread, lock, SyncFamily::kLock);
  Held* held = object == nullptr ? nullptr : add_held(thread);
  if (held == nullptr) return no_memory_for_clocks();
  LockState& state = object->lock;
  Thread::Recent& recent = recent_of(thread, lock, SyncFamily::kLock);
  const bool exclusive = mode == LockMode::kExclusive;
  const bool knows = recent.known == object->present() &&
                     (!exclusive || recent.remembered == state.shares.load(std::memory_order_relaxed));
  if (!knows || __atomic_load_n(&state.lock, __ATOMIC_RELAXED) == 0 || where != kNoStack) {
    const SpinLock guard(object->mutex);
    if (state.lock == 0) __atomic_store_n(&state.lock, new_lock(lock), __ATOMIC_RELAXED);
    acquire_full(thread, state.exclusive);
    if (exclusive) acquire_full(thread, state.shared);
    recent.known = object->present();
    if (exclusive) recent.remembered = state.shares.load(std::memory_order_relaxed);
    if (where != kNoStack) note_taker(state.lock, thread.id, where);
  }
  *held = {lock, state.lock, 1, mode, where, thread.slot, thread.time, Held::kUnknown};
  thread.brought_nothing = knows;
}

// Of the lock that the thread holds as the `place`th and is about to give up.
void Relations::give_sampled(Thread& thread, Address lock, unsigned place) {
  const LockMode mode = thread.held[place].mode;
  thread.drop_held(place);
  for (unsigned i = place; i < thread.held_count; ++i) thread.held[i].nesting = nullptr;
  auto* object = object_of<LockObject>(thread, lock, SyncFamily::kLock);
  if (object == nullptr) return no_memory_for_clocks();
  Thread::Recent& recent = recent_of(thread, lock, SyncFamily::kLock);
  thread.brought_nothing = !thread.epoch_used && recent.given == thread.knowledge && thread.pending_signal_count == 0;
  if (thread.brought_nothing) return;
  const Published published = publish(thread);
  recent.given = thread.knowledge;
  if (thread.pending_signal_count != 0) end_pending_signals(thread, lock, place, published);
  const SpinLock guard(object->mutex);
  LockState& state = object->lock;
  bool complete = true;
  if (mode == LockMode::kExclusive) {
    complete = state.exclusive.assign(arena_, thread.clocks.full) &&
               state.exclusive.raise(arena_, published.slot, published.time);
    state.shared.clear(arena_);
    recent.known = object->advance();
  } else {
    complete =
        state.shared.join(arena_, thread.clocks.full) && state.shared.raise(arena_, published.slot, published.time);
    state.shares.fetch_add(1, std::memory_order_relaxed);
  }
  if (!complete) no_memory_for_clocks();
}

// What it holds, when its first shadow word of a time must say so: most times have none.
void Relations::find_lockset(Thread& thread) {
  thread.lockset = kNoLocks;
  for (unsigned i = 0; i < thread.held_count; ++i) {
    const Held& held = thread.held[i];
    const uint32_t step = held.lock << 2 | 2 | (held.mode == LockMode::kShared ? 1 : 0);
    thread.lockset = step_lockset(thread, thread.lockset, held.lock, step);
  }
}

}  // namespace norn
