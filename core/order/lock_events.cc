// Locks: edges of the full relation, and locksets.
//
// Who holds a lock of the program exclusively is alone with its object, from the acquire, which is emitted after the
// lock was taken, to the release, which is emitted before it is given up; and while it is shared nobody changes what
// the last exclusive release left. So the object's own lock is taken only by those who share the program's (to add to
// what they leave, side by side), and where more must be done than to copy times that stand in the clocks themselves:
// the program may be wrong, and two threads hold what excludes nobody, or one destroys what another holds. Then a time
// may be that of one release and the next that of another, but nothing is touched that is not there.
#include "base/hash.h"
#include "core/order/relations.h"

namespace norn {
namespace {

// Locks that were made one after the other lie side by side.
Thread::LocksetStep& step_of(Thread& thread, LocksetId from, LockId lock) {
  const uint32_t at = hash_half(from) >> (32 - Thread::kLocksetBits);
  return thread.lockset_steps[(lock + at) % (1u << Thread::kLocksetBits)];
}

bool is_known(const Thread::LocksetStep& known, LocksetId from, LockId lock, uint32_t step) {
  return known.step == step && known.from == from && lock >> 30 == 0;
}

}  // namespace

Held* Relations::add_held(Thread& thread) {
  if (thread.held_count == thread.held_capacity - thread.held_gone) {
    Held* const first = thread.held - thread.held_gone;
    Held* to = first;
    const unsigned capacity = thread.held_count < 4 ? 8 : thread.held_count * 2;
    if (thread.held_gone <= thread.held_count) {
      to = static_cast<Held*>(arena_.allocate(capacity * sizeof(Held)));
      if (to == nullptr) return nullptr;
    }
    for (unsigned i = 0; i < thread.held_count; ++i) to[i] = thread.held[i];
    if (to != first) {
      arena_.release(first, thread.held_capacity * sizeof(Held));
      thread.held_capacity = capacity;
    }
    thread.held = to;
    thread.held_gone = 0;
  }
  return &thread.held[thread.held_count++];
}

// Numbers are not reused while a lockset may mention them; past two thousand million locks the rest share one number,
// which can hide a prediction but not make one.
LockId Relations::new_lock(Address address) {
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

const LockInfo* Relations::lock_info(LockId lock) const {
  const LockInfo* infos = lock_chunks_[lock / kLockChunk].load(std::memory_order_acquire);
  return infos == nullptr ? nullptr : &infos[lock % kLockChunk];
}

StackId Relations::lock_taken_at(LockId lock, ThreadId thread, const Thread* self) const {
  if (self != nullptr && self->id == thread) {
    for (unsigned i = 0; i < self->held_count; ++i) {
      if (self->held[i].lock == lock && self->held[i].taken_at != kNoStack) return self->held[i].taken_at;
    }
  }
  const LockInfo* info = lock_info(lock);
  if (info == nullptr) return kNoStack;
  for (const LockInfo::Taker& taker : info->takers) {
    if (taker.thread == thread && taker.where != kNoStack) return taker.where;
  }
  return kNoStack;
}

StackId Relations::taken_at(Address lock, ThreadId thread, const Thread* self) {
  const auto* object = sync_.find<LockObject>(lock, SyncFamily::kLock);
  return object == nullptr ? kNoStack
                           : lock_taken_at(__atomic_load_n(&object->lock.lock, __ATOMIC_RELAXED), thread, self);
}

// Whether the thread is known to be one of the last who took it, from there. It need not be the very last: then nothing
// is written that others read.
bool Relations::is_taker(LockId lock, ThreadId thread, StackId where) const {
  const LockInfo* info = lock_info(lock);
  if (info == nullptr) return true;
  for (const LockInfo::Taker& taker : info->takers) {
    if (taker.thread == thread && taker.where == where) return true;
  }
  return false;
}

// For reports: where did this thread take this lock last? By who is alone with it, or has the lock's mutex.
void Relations::note_taker(LockId lock, ThreadId thread, StackId where) {
  if (is_taker(lock, thread, where)) return;
  auto* info = const_cast<LockInfo*>(lock_info(lock));
  unsigned i = 0;
  while (i + 1 < LockInfo::kTakers && info->takers[i].thread != thread) ++i;
  for (; i > 0; --i) info->takers[i] = info->takers[i - 1];
  info->takers[0] = {thread, where};
}

// With a lock more, or less; `step` as Thread::LocksetStep has it.
LocksetId Relations::step_lockset(Thread& thread, LocksetId from, LockId lock, uint32_t step) {
  Thread::LocksetStep& known = step_of(thread, from, lock);
  if (is_known(known, from, lock, step)) return known.to;
  const bool takes = (step & 2) != 0;
  const LockMode mode = (step & 1) != 0 ? LockMode::kShared : LockMode::kExclusive;
  const LocksetId to = takes ? locksets_.with(from, lock, mode) : locksets_.without(from, lock);
  known = {from, step, to};
  if (locksets_.table().wants_collection()) [[unlikely]]
    want_collection();
  return to;
}

// A set that is not known from before is made when something is to say of it: who takes many locks and gives them back
// pays for none of the sets in between.
void Relations::change_lockset(Thread& thread, LockId lock, bool takes, LockMode mode) {
  if (thread.held_count == 0) {
    thread.lockset = kNoLocks;
    thread.unsettled = 0;
    return;
  }
  const uint32_t step = lock << 2 | (takes ? 2u : 0u) | (takes && mode == LockMode::kShared ? 1u : 0u);
  const Thread::LocksetStep& known = step_of(thread, thread.lockset, lock);
  if (thread.unsettled == 0 && is_known(known, thread.lockset, lock, step)) {
    thread.lockset = known.to;
    return;
  }
  ++thread.unsettled;
  thread.last_change = lock;
  thread.last_step = step;
}

void Relations::settle_lockset(Thread& thread) {
  if (thread.unsettled == 1) {
    thread.lockset = step_lockset(thread, thread.lockset, thread.last_change, thread.last_step);
  } else {
    uint32_t words[Locksets::kMostLocks];
    const unsigned count = thread.held_count < Locksets::kMostLocks ? thread.held_count : Locksets::kMostLocks;
    for (unsigned i = 0; i < count; ++i) words[i] = Locksets::word_of(thread.held[i].lock, thread.held[i].mode);
    thread.lockset = locksets_.of(words, count);
    if (locksets_.table().wants_collection()) want_collection();
  }
  thread.unsettled = 0;
}

void Relations::take_lock(Thread& thread, Address lock, LockMode mode, StackId where) {
  if (Held* held = thread.find_held(lock); held != nullptr) {
    ++held->depth;
    return;
  }
  if (options_.sampled) return take_sampled(thread, lock, mode, where);
  auto* object = object_of<LockObject>(thread, lock, SyncFamily::kLock);
  Held* held = object == nullptr ? nullptr : add_held(thread);
  if (held == nullptr) return no_memory_for_clocks();
  LockState& state = object->lock;
  const bool exclusive = mode == LockMode::kExclusive;
  const LockId number = __atomic_load_n(&state.lock, __ATOMIC_RELAXED);
  uint64_t& known = known_of(thread, *object);
  if (number != 0 && state.exclusive.is_near() && (!exclusive || state.shared.is_near()) &&
      (exclusive || is_taker(number, thread.id, where))) [[likely]] {
    if (known != object->present()) {
      acquire_near(thread, state.exclusive);
      known = object->present();
    }
    if (exclusive) {
      acquire_near(thread, state.shared);
      note_taker(number, thread.id, where);
    }
  } else {
    const SpinLock guard(object->mutex);
    if (state.lock == 0) __atomic_store_n(&state.lock, new_lock(lock), __ATOMIC_RELAXED);
    if (known != object->present()) {
      acquire_full(thread, state.exclusive);
      known = object->present();
    }
    if (exclusive && !state.shared.empty()) acquire_full(thread, state.shared);
    note_taker(state.lock, thread.id, where);
  }
  if (__atomic_load_n(&state.sections, __ATOMIC_RELAXED) != nullptr) {
    const SpinLock guard(object->mutex);
    come_after_sections(thread, state, mode);
  }
  if (exclusive && options_.spin && predicts(options_.engine) && held != thread.held && held[-1].slot == thread.slot &&
      held[-1].since == thread.time) {
    tick(thread);  // who finds this lock taken knows by the time that the one before it was, too
  }
  *held = {lock,  state.lock,  1,           mode,
           where, thread.slot, thread.time, thread.unsettled == 0 ? thread.lockset : Held::kUnknown};
  if (exclusive) note_taking(thread, state);
  change_lockset(thread, held->lock, true, mode);
  if (options_.condition == ConditionMode::kWriteRead && thread.held_count == 1) {
    if (thread.reads != nullptr) thread.reads->clear();
    if (thread.writes != nullptr) thread.writes->clear();
    thread.recording = conditions_.load(std::memory_order_relaxed);
    thread.unrecorded = !thread.recording;
    if (thread.recording) renew_check(thread);
  }
}

void Relations::give_lock(Thread& thread, Address lock) {
  Held* held = thread.find_held(lock);
  thread.brought_nothing = false;
  if (held == nullptr || --held->depth > 0) return;
  const auto place = static_cast<unsigned>(held - thread.held);
  if (options_.sampled) return give_sampled(thread, lock, place);
  // One by one: its depth was just written.
  const LockId number = held->lock;
  const LockMode mode = held->mode;
  const Slot slot = held->slot;
  const ClockValue since = held->since;
  const LocksetId before = held->before;
  thread.drop_held(place);
  if (place == thread.held_count && before != Held::kUnknown) [[likely]] {
    thread.lockset = before;
    thread.unsettled = 0;
  } else {
    change_lockset(thread, number, false, mode);
    for (unsigned i = place; i < thread.held_count; ++i) {
      thread.held[i].before = Held::kUnknown;
      thread.held[i].nesting = nullptr;
    }
  }
  if (thread.recording && thread.held_count == 0) {
    thread.recording = false;
    renew_check(thread);
  }

  auto* object = object_of<LockObject>(thread, lock, SyncFamily::kLock);
  if (object == nullptr) return no_memory_for_clocks();
  // What it learned since it wrote under the lock is handed over, too, but not what it will learn.
  if (options_.handover && thread.slot == slot && thread.time > since && !thread.epoch_used) {
    thread.epoch_used = versions_[thread.slot] != nullptr && versions_[thread.slot]->noted_at(thread.time) != 0;
  }
  const bool lasted = thread.slot != slot || thread.time > since;
  const Published published = publish_strongly(thread);
  note_release(thread, published);
  if (lasted && predicts(options_.engine)) {
    const SpinLock guard(object->mutex);
    note_section(thread, object->lock, mode, slot, since, published);
  }
  note_region(number, mode, slot, since, published);
  if (thread.pending_signal_count != 0) end_pending_signals(thread, lock, place, published);
  if (LockState& state = object->lock; mode == LockMode::kExclusive && state.exclusive.is_near() &&
                                       state.shared.is_near() && thread.clocks.full.is_near() &&
                                       VectorClock::is_near(published.slot)) [[likely]] {
    state.exclusive.assign_near(thread.clocks.full, published.slot, published.time);
    if (!state.shared.empty()) state.shared.clear(arena_);
    known_of(thread, *object) = object->advance();
    return;
  }
  const SpinLock guard(object->mutex);
  VectorClock& released = mode == LockMode::kExclusive ? object->lock.exclusive : object->lock.shared;
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

// Under the object's lock.
void Relations::note_section(const Thread& thread, LockState& lock, LockMode mode, Slot slot, ClockValue since,
                             const Published& published) {
  LockedSection* next = lock.sections == nullptr ? nullptr : lock.sections->next;
  if (next == nullptr || lock.section_count < LockState::kSections) {
    auto* made = arena_.create<LockedSection>();
    if (made == nullptr) return no_memory_for_clocks();
    ++lock.section_count;
    made->next = next == nullptr ? made : next;
    if (lock.sections != nullptr) lock.sections->next = made;
    next = made;
  }
  __atomic_store_n(&lock.sections, next, __ATOMIC_RELAXED);
  LockedSection& section = *next;
  section.slot = slot;
  section.since = since;
  section.mode = mode;
  const bool complete = section.strong.assign(arena_, thread.clocks.strong);
  if (!section.strong.raise(arena_, published.slot, published.time) || !complete) no_memory_for_clocks();
}

// The lock was taken. Who is strongly ordered after something that another did while it held the lock cannot have it
// before that one gave it up (order.md, Locks that are held). Under the object's lock.
void Relations::come_after_sections(Thread& thread, const LockState& lock, LockMode mode) {
  auto comes_after = [&](const LockedSection& section) {
    if (section.since == 0 || section.slot == thread.slot) return false;
    if (section.mode == LockMode::kShared && mode == LockMode::kShared) return false;
    const ClockValue known = thread.clocks.strong.get(section.slot);
    // Who had the slot after the other is another thread.
    return known >= section.since && !thread.clocks.strong.includes(section.strong) &&
           slots_.tenant(section.slot, known) == slots_.tenant(section.slot, section.since);
  };
  // What it acquires of one may order it after others, too.
  for (bool learned = true; learned;) {
    learned = false;
    lock.for_each_section([&](const LockedSection& section) {
      if (!comes_after(section)) return;
      acquire_strong(thread, section.strong);
      learned = true;
    });
  }
}

// What a signal that comes after it will be bound to.
void Relations::note_release(Thread& thread, const Published& published) {
  if (options_.condition != ConditionMode::kWriteRead || thread.writes == nullptr || thread.writes->size() == 0) return;
  if (!thread.released.assign(arena_, thread.clocks)) no_memory_for_clocks();
  thread.released_slot = published.slot;
  thread.released_time = published.time;
}

void Relations::lock_release(Thread& thread, Address lock, LockMode /*mode*/) {
  const Inside inside(*this, thread);
  begin_sync(thread);  // what is held is given up even where synchronization is ignored
  give_lock(thread, lock);
}

void Relations::lock_destroy(Thread& thread, Address lock) {
  // It has no past any more, but it is still the lock at this place: in another schedule whoever held it before might
  // have come after.
  const Inside inside(*this, thread);
  auto* object = sync_.find<LockObject>(lock, SyncFamily::kLock);
  if (object == nullptr) return;
  if (options_.sampled) return sync_.remove(lock, SyncFamily::kLock);
  const SpinLock guard(object->mutex);
  object->lock.exclusive.clear(arena_);
  object->lock.shared.clear(arena_);
  object->lock.for_each_section([](LockedSection& section) { section.since = 0; });
  object->advance();
  object->lock.taken.store(0, std::memory_order_relaxed);
}

void Relations::note_taking(Thread& thread, LockState& lock) {
  if (!options_.spin) return;
  lock.taken.store(LockState::taken_by(thread.slot, thread.time), std::memory_order_release);
  thread.version_kept = true;
}

bool Relations::lock_refused(Thread& thread, Address lock) {
  if (options_.sampled) {  // who took it need not have been emitted
    come_after_all(thread);
    return true;
  }
  const Inside inside(*this, thread);
  if (!begin_sync(thread) || !options_.spin) return true;
  auto* object = sync_.find<LockObject>(lock, SyncFamily::kLock);
  if (object == nullptr) return false;
  const uint64_t taken_by = object->lock.taken.load(std::memory_order_acquire);
  const Slot taker = LockState::taker(taken_by);
  if (taken_by == 0 || taker == thread.slot) return false;
  // All that carries an earlier time was done before the lock was taken.
  const ClockValue at = LockState::taken_at(taken_by);
  VectorClocks taken;
  add_version(taker, at, true, taken);
  if (!taken.raise(arena_, taker, at - 1)) no_memory_for_clocks();
  acquire(thread, taken);
  taken.clear(arena_);
  return true;
}

}  // namespace norn
