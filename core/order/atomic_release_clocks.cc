// Atomics: what a store leaves for the loads that read it, and fences.
#include "core/order/relations.h"

namespace norn {

AtomicObject* Relations::begin_atomic(Thread& thread, Address address) {
  ++thread.sync_events;
  if (!options_.library) return nullptr;
  auto* object = object_of<AtomicObject>(thread, address, SyncFamily::kAtomic);
  if (object == nullptr) {
    no_memory_for_clocks();
    return nullptr;
  }
  object->mutex.lock();
  return object;
}

// Under the object's lock.
void Relations::learn_release_clock(Thread& thread, const AtomicObject& object, MemoryOrder order) {
  Thread::Recent& recent = recent_of(thread, object.address, object.family);
  const uint64_t version = object.present();
  if (recent.known == version) return;
  if (acquires(order)) {
    learn(thread, object.release_clock);
    recent.known = version;
  } else if (recent.remembered != version) {
    if (!thread.remembered.join(arena_, object.release_clock)) no_memory_for_clocks();
    recent.remembered = version;
  }
}

void Relations::leave_release_clock(Thread& thread, AtomicObject& object, uint64_t size, AtomicOutcome outcome) {
  const bool reads = outcome.kind != EventKind::kAtomicStore;
  const bool orders = counts(thread);
  if (object.size != size) object.size = static_cast<uint8_t>(size);  // others read what lies beside it
  if (options_.sampled) {
    if (orders) give_to(thread, object, outcome.order);
    object.mutex.unlock();
    return;
  }
  VectorClocks& release_clock = object.release_clock;
  // Whether nothing is in it that the thread does not know.
  const bool known = known_of(thread, object) == object.present();
  const bool gives = orders && (releases(outcome.order) || thread.has_fence);
  if (gives || !reads) object.advance();
  bool complete = true;
  if (!orders) {
    if (!reads) release_clock.clear(arena_);
  } else if (releases(outcome.order)) {
    const Published published = publish_strongly(thread);
    if (reads && !known) {
      complete =
          release_clock.join(arena_, thread.clocks) && release_clock.raise(arena_, published.slot, published.time);
    } else if (release_clock.is_near() && thread.clocks.is_near() && VectorClock::is_near(published.slot)) [[likely]] {
      release_clock.full.assign_near(thread.clocks.full, published.slot, published.time);
      release_clock.strong.assign_near(thread.clocks.strong, published.slot, published.time);
    } else {
      complete =
          release_clock.assign(arena_, thread.clocks) && release_clock.raise(arena_, published.slot, published.time);
    }
    if (!reads || known) known_of(thread, object) = object.present();
  } else if (thread.has_fence) {
    complete = reads ? release_clock.join(arena_, thread.fence) : release_clock.assign(arena_, thread.fence);
  } else if (!reads) {
    release_clock.clear(arena_);
  }
  if (!complete) no_memory_for_clocks();
  object.mutex.unlock();
}

// Release clocks belong to the address of their atomic; a plain write over any of its bytes ends one.
void Relations::end_release_clocks(Address begin, Address end) {
  if (options_.sampled) return;  // release clocks only grow
  constexpr Address kWidestAtomic = 16;
  for (Address at = begin - (kWidestAtomic - 1); at < end; ++at) {
    auto* object = sync_.find<AtomicObject>(at, SyncFamily::kAtomic);
    if (object == nullptr) continue;
    const SpinLock lock(object->mutex);
    if (at + object->size <= begin) continue;
    object->release_clock.clear(arena_);
    object->advance();
  }
}

void Relations::fence(Thread& thread, MemoryOrder order) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  if (acquires(order)) {
    acquire(thread, thread.remembered);
    thread.remembered.clear(arena_);
  }
  if (releases(order)) {
    const Published published = publish_strongly(thread);
    if (!thread.fence.assign(arena_, thread.clocks)) no_memory_for_clocks();
    add_published(published, thread.fence);
    thread.has_fence = true;
  }
}

}  // namespace norn
