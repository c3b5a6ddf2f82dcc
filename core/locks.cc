// Locks: edges of the full relation, and locksets.
#include "core/detector.h"

namespace norn {

Held* Detector::find_held(Thread& thread, Address lock) {
  for (unsigned i = thread.held_count; i > 0; --i) {
    if (thread.held[i - 1].address == lock) return &thread.held[i - 1];
  }
  return nullptr;
}

Held* Detector::add_held(Thread& thread) {
  if (thread.held_count == thread.held_capacity) {
    const unsigned capacity = thread.held_capacity == 0 ? 8 : thread.held_capacity * 2;
    auto* grown = static_cast<Held*>(arena_.allocate(capacity * sizeof(Held)));
    if (grown == nullptr) return nullptr;
    for (unsigned i = 0; i < thread.held_count; ++i) grown[i] = thread.held[i];
    arena_.release(thread.held, thread.held_capacity * sizeof(Held));
    thread.held = grown;
    thread.held_capacity = capacity;
  }
  return &thread.held[thread.held_count++];
}

// Numbers are not reused while a lockset may mention them; past two thousand million locks the rest share one number,
// which can hide a prediction but not make one.
LockId Detector::new_lock(Address address) {
  const SpinLock lock(locks_mutex_);
  const LockId id = lock_count_ < Locksets::kMaxLock ? ++lock_count_ : Locksets::kMaxLock;
  std::atomic<LockInfo*>& chunk = lock_chunks_[id / kLockChunk];
  if (chunk.load(std::memory_order_relaxed) == nullptr) {
    chunk.store(static_cast<LockInfo*>(arena_.allocate_zeroed(kLockChunk * sizeof(LockInfo))),
                std::memory_order_release);
  }
  if (LockInfo* infos = chunk.load(std::memory_order_relaxed); infos != nullptr)
    infos[id % kLockChunk].address = address;
  return id;
}

const LockInfo* Detector::lock_info(LockId lock) const {
  const LockInfo* infos = lock_chunks_[lock / kLockChunk].load(std::memory_order_acquire);
  return infos == nullptr ? nullptr : &infos[lock % kLockChunk];
}

Where Detector::lock_taken_at(LockId lock, ThreadId thread, const Thread* self) const {
  if (self != nullptr && self->id == thread) {
    for (unsigned i = 0; i < self->held_count; ++i) {
      if (self->held[i].lock == lock && self->held[i].taken_at != kNowhere) return self->held[i].taken_at;
    }
  }
  const LockInfo* info = lock_info(lock);
  if (info == nullptr) return kNowhere;
  for (const LockInfo::Taker& taker : info->takers) {
    if (taker.thread == thread && taker.where != kNowhere) return taker.where;
  }
  return kNowhere;
}

// Under the lock's mutex. For reports: where did this thread take this lock last?
void Detector::note_taker(LockId lock, ThreadId thread, Where where) {
  auto* info = const_cast<LockInfo*>(lock_info(lock));
  if (info == nullptr) return;
  // Who is known to be one of the last need not be the very last: then nothing is written that others read.
  for (const LockInfo::Taker& taker : info->takers) {
    if (taker.thread == thread && taker.where == where) return;
  }
  unsigned i = 0;
  while (i + 1 < LockInfo::kTakers && info->takers[i].thread != thread) ++i;
  for (; i > 0; --i) info->takers[i] = info->takers[i - 1];
  info->takers[0] = {thread, where};
}

void Detector::change_lockset(Thread& thread, LockId lock, bool takes, LockMode mode) {
  const uint32_t step = lock << 2 | (takes ? 2u : 0u) | (takes && mode == LockMode::kShared ? 1u : 0u);
  Thread::LocksetStep& known =
      thread.lockset_steps[(step ^ step >> 4 ^ thread.lockset * 0x9e3779b9u >> 28) % Thread::kLocksetSteps];
  if (known.step != step || known.from != thread.lockset || lock >> 30 != 0) {
    const LocksetId to = takes ? locksets_.with(thread.lockset, lock, mode) : locksets_.without(thread.lockset, lock);
    known = {thread.lockset, step, to};
    if (locksets_.table().wants_collection()) [[unlikely]]
      collection_wanted_.store(true, std::memory_order_relaxed);
  }
  thread.lockset = known.to;
}

void Detector::take_lock(Thread& thread, Address lock, LockMode mode, Where where) {
  if (Held* held = find_held(thread, lock); held != nullptr) {
    ++held->depth;
    return;
  }
  if (options_.sampled) return take_sampled(thread, lock, mode, where);
  auto* object = object_of<LockObject>(thread, lock, SyncFamily::kLock);
  Held* held = object == nullptr ? nullptr : add_held(thread);
  if (held == nullptr) return no_memory_for_clocks();
  {
    const SpinLock guard(object->mutex);
    if (object->lock.lock == 0) object->lock.lock = new_lock(lock);
    if (uint64_t& known = known_of(thread, *object); known != object->present()) {
      acquire_full(thread, object->lock.exclusive);
      known = object->present();
    }
    if (mode == LockMode::kExclusive && !object->lock.shared.empty()) acquire_full(thread, object->lock.shared);
    note_taker(object->lock.lock, thread.id, where);
    *held = {lock, object->lock.lock, 1, mode, where, thread.slot, thread.time};
    if (mode == LockMode::kExclusive) note_taking(thread, object->lock);
  }
  change_lockset(thread, held->lock, true, mode);
  if (options_.condition == ConditionMode::kWriteRead && thread.held_count == 1) {
    if (thread.reads != nullptr) thread.reads->clear();
    if (thread.writes != nullptr) thread.writes->clear();
    thread.recording = conditions_.load(std::memory_order_relaxed);
    thread.unrecorded = !thread.recording;
    if (thread.recording) renew_check(thread);
  }
}

void Detector::give_lock(Thread& thread, Address lock) {
  Held* held = find_held(thread, lock);
  if (held == nullptr || --held->depth > 0) return;
  const auto place = static_cast<unsigned>(held - thread.held);
  if (options_.sampled) return give_sampled(thread, lock, place);
  const Held given = *held;
  const LockMode mode = given.mode;
  change_lockset(thread, held->lock, false, mode);
  for (Held* end = thread.held + thread.held_count - 1; held < end; ++held) *held = *(held + 1);
  --thread.held_count;
  if (thread.recording && thread.held_count == 0) {
    thread.recording = false;
    renew_check(thread);
  }

  auto* object = object_of<LockObject>(thread, lock, SyncFamily::kLock);
  if (object == nullptr) return no_memory_for_clocks();
  // What it learned since it wrote under the lock is handed over, too, but not what it will learn.
  if (options_.handover && thread.slot == given.slot && thread.time > given.since && !thread.stamped) {
    thread.stamped = versions_[thread.slot] != nullptr && versions_[thread.slot]->noted_at(thread.time) != 0;
  }
  const Published published = publish(thread);
  note_release(thread, published);
  note_region(given, published);
  if (thread.pending_signal_count != 0) end_pending_signals(thread, lock, place, published);
  const SpinLock guard(object->mutex);
  Clock& released = mode == LockMode::kExclusive ? object->lock.exclusive : object->lock.shared;
  bool complete = true;
  if (mode == LockMode::kExclusive) {
    complete = released.assign(arena_, thread.clocks.full);
    if (!object->lock.shared.empty()) object->lock.shared.clear(arena_);
    known_of(thread, *object) = object->advance();
  } else {
    complete = released.join(arena_, thread.clocks.full);
  }
  if (!released.raise(arena_, published.slot, published.time) || !complete) no_memory_for_clocks();
}

// What a signal that comes after it will be bound to.
void Detector::note_release(Thread& thread, const Published& published) {
  if (options_.condition != ConditionMode::kWriteRead || thread.writes == nullptr || thread.writes->size() == 0) return;
  if (!thread.released.assign(arena_, thread.clocks)) no_memory_for_clocks();
  thread.released_slot = published.slot;
  thread.released_time = published.time;
}

void Detector::lock_acquire(Thread& thread, Address lock, LockMode mode, Where where) {
  const Inside inside(*this, thread);
  if (begin_sync(thread) || find_held(thread, lock) != nullptr) take_lock(thread, lock, mode, where);
}

void Detector::lock_release(Thread& thread, Address lock, LockMode /*mode*/) {
  const Inside inside(*this, thread);
  begin_sync(thread);  // what is held is given up even where synchronization is ignored
  give_lock(thread, lock);
}

void Detector::lock_destroy(Thread& thread, Address lock) {
  // It has no past any more, but it is still the lock at this place: in another schedule whoever held it before might
  // have come after.
  const Inside inside(*this, thread);
  auto* object = sync_.find<LockObject>(lock, SyncFamily::kLock);
  if (object == nullptr) return;
  if (options_.sampled) return sync_.remove(lock, SyncFamily::kLock);
  const SpinLock guard(object->mutex);
  object->lock.exclusive.clear(arena_);
  object->lock.shared.clear(arena_);
  object->advance();
  object->lock.was_taken = false;
}

void Detector::note_taking(Thread& thread, LockState& lock) {
  if (!options_.spin) return;
  lock.was_taken = true;
  lock.taker = thread.slot;
  lock.taken_at = thread.time;
  thread.version_kept = true;
}

bool Detector::lock_refused(Thread& thread, Address lock) {
  if (options_.sampled) {  // who took it need not have told
    come_after_all(thread);
    return true;
  }
  const Inside inside(*this, thread);
  if (!begin_sync(thread) || !options_.spin) return true;
  auto* object = sync_.find<LockObject>(lock, SyncFamily::kLock);
  if (object == nullptr) return false;
  Clocks taken;
  {
    const SpinLock guard(object->mutex);
    const LockState& state = object->lock;
    if (!state.was_taken || state.taker == thread.slot) return false;
    // All that carries an earlier time was done before the lock was taken.
    add_version(state.taker, state.taken_at, true, taken);
    if (!taken.raise(arena_, state.taker, state.taken_at - 1)) no_memory_for_clocks();
  }
  acquire(thread, taken);
  taken.clear(arena_);
  return true;
}

}  // namespace norn
