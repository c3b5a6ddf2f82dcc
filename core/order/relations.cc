// How clocks move between threads and objects; barriers.
#include "core/order/relations.h"

#include "core/shadow/granule_layout.h"

namespace norn {

bool Relations::init_relations(Shadow& objects) {
  lock_chunks_ = static_cast<std::atomic<LockInfo*>*>(
      arena_.allocate_zeroed((Locksets::kMaxLock / kLockChunk + 1) * sizeof(std::atomic<LockInfo*>)));
  conditions_.store(options_.conditions, std::memory_order_relaxed);
  options_.handover = options_.handover && options_.library && predicts(options_.engine);
  const bool spins = options_.spin;
  options_.spin = false;
  return lock_chunks_ != nullptr && (!spins || honour_spins()) && (!options_.handover || keep_versions()) &&
         segments_.init(arena_) && locksets_.init(arena_) && sync_.init(arena_, objects, collection_wanted());
}

void Relations::stop_predicting() {
  options_.engine = EngineKind::kHb;
  options_.sampled = true;
  options_.handover = false;
  if (options_.condition == ConditionMode::kWriteRead) options_.condition = ConditionMode::kLost;
  // Versions were for what is handed over. Who runs already may be looking at them.
  if (thread_count() <= 1 && !options_.spin) versions_ = nullptr;
}

bool Relations::honour_spins() {
  options_.spin = keep_versions();
  return options_.spin;
}

bool Relations::keep_versions() {
  if (versions_ != nullptr) return true;
  auto** versions = static_cast<Versions**>(arena_.allocate_zeroed(Slots::kCount * sizeof(Versions*)));
  if (versions == nullptr) return false;
  __atomic_store_n(&versions_, versions, __ATOMIC_RELEASE);
  return true;
}

// What the thread's check takes for done already. While it records what it reads, a write does not stand for a read.
void Relations::renew_check(Thread& thread) {
  FastCheck& fast = thread.fast;
  const bool fits = epoch_fits(thread);
  const uint32_t epoch = ShadowWord::epoch_of(thread.slot, thread.time);
  const auto word = [&](AccessKind kind) {
    return (fits ? ShadowWord::of(epoch, kind, ShadowWord::kAllBytes, kNoStack, false) : ShadowWord::nobody()).bits();
  };
  fast.read_bits.store(thread.recording ? ShadowWord::kBitsOfWrites : ShadowWord::kBitsOfReads,
                       std::memory_order_relaxed);
  fast.read.store(word(thread.recording ? AccessKind::kRead : AccessKind::kWrite), std::memory_order_relaxed);
  fast.write.store(word(AccessKind::kWrite), std::memory_order_relaxed);
}

// Nothing passes the thread's check until it has come here and heeded the request.
void Relations::make_look_again(Thread& thread) {
  thread.check_spoilt.store(true, std::memory_order_seq_cst);
  thread.fast.read.store(ShadowWord::nobody().bits(), std::memory_order_relaxed);
  thread.fast.write.store(ShadowWord::nobody().bits(), std::memory_order_relaxed);
}

void Relations::make_all_look_again() {
  for (Thread* t = first_thread(); t != nullptr; t = t->next) {
    make_look_again(*t);
    t->fast.passing[0] = t->fast.passing[4] = 0;  // its own shadow word may come again before it looks
  }
}

// From now on shadow words are later than all before. A thread whose time would overflow goes on in another slot, as if
// it had forked itself: nothing is forgotten.
void Relations::tick(Thread& thread) {
  thread.epoch_used = thread.version_kept = thread.gives_birth = false;
  ++thread.knowledge;
  if (thread.time + 1 < options_.time_limit) {
    ++thread.time;
  } else {
    const Slot old = thread.slot;
    const ClockValue last = thread.time;
    Slot slot = 0;
    ClockValue first = 0;
    if (slots_.take(thread.id, thread.clocks.strong, slot, first)) {
      if (!thread.clocks.raise(arena_, old, last)) no_memory_for_clocks();
      slots_.end(old, last);
      thread.slot = slot;
      thread.time = thread.segment_since = thread.own_since = first;
      thread.fast.mask = 0;  // its shadow words may be in the other place from here on
      note_version(thread);
    } else {
      no_memory_for_clocks();
    }
  }
  renew_check(thread);
}

// What others who acquire from here may consider done: every access so far.
Relations::Published Relations::publish(Thread& thread) {
  if (!thread.epoch_used) return {thread.slot, thread.time - 1};
  const Published published = {thread.slot, thread.time};
  tick(thread);
  return published;
}

// The same towards those who are ordered after it in both relations: they must know whether the thread had taken the
// locks that it holds by then (order.md, Locks that are held).
Relations::Published Relations::publish_strongly(Thread& thread) {
  if (!thread.epoch_used && thread.held_count != 0 && predicts(options_.engine)) {
    const Held& newest = thread.held[thread.held_count - 1];
    thread.epoch_used = newest.slot == thread.slot && newest.since == thread.time;
  }
  return publish(thread);
}

void Relations::add_published(const Published& published, VectorClocks& to) {
  if (!to.raise(arena_, published.slot, published.time)) no_memory_for_clocks();
}

// What the thread knows now. At one time it may come to know more, and the last counts; but where the first is kept
// too, that one stays.
void Relations::note_version(Thread& thread) {
  if (versions_ == nullptr) return;
  Versions*& versions = versions_[thread.slot];
  if (versions == nullptr) {
    auto* made = arena_.create<Versions>();
    if (made == nullptr) return no_memory_for_clocks();
    __atomic_store_n(&versions, made, __ATOMIC_RELEASE);
  }
  const SpinLock lock(versions->mutex);
  const unsigned noted = versions->noted_at(thread.time);
  if (noted == 0 || (noted == 1 && thread.version_kept)) {
    if (versions->count == Versions::kCount) {
      versions->at(0).clocks.clear(arena_);
      versions->first = (versions->first + 1) % Versions::kCount;
      --versions->count;
    }
    versions->at(versions->count++).since = thread.time;
  }
  if (!versions->at(versions->count - 1).clocks.assign(arena_, thread.clocks)) no_memory_for_clocks();
}

// Before the thread learns more at a time of which it may be asked what it knew when it began.
void Relations::keep_version(Thread& thread) {
  const Versions* versions = versions_ == nullptr ? nullptr : versions_[thread.slot];
  if (versions == nullptr || versions->noted_at(thread.time) == 0) note_version(thread);
}

void Relations::acquire(Thread& thread, const VectorClocks& from) {
  if (thread.clocks.includes(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.join(arena_, from)) no_memory_for_clocks();
  note_version(thread);
}

// The same within a segment: its time goes on.
void Relations::learn(Thread& thread, const VectorClocks& from) {
  if (thread.clocks.includes(from)) return;
  if (thread.version_kept) keep_version(thread);
  ++thread.knowledge;
  if (!thread.clocks.join(arena_, from)) no_memory_for_clocks();
  note_version(thread);
}

void Relations::acquire_full(Thread& thread, const VectorClock& from) {
  if (thread.clocks.full.includes(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.full.join(arena_, from)) no_memory_for_clocks();
  if (options_.spin) note_version(thread);  // who is handed something over knows this by the lock
}

// The same of a clock that is_near().
void Relations::acquire_near(Thread& thread, const VectorClock& from) {
  if (thread.clocks.full.includes_near(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  thread.clocks.full.join_near(from);
  if (options_.spin) note_version(thread);
}

void Relations::acquire_strong(Thread& thread, const VectorClock& from) {
  if (thread.clocks.strong.includes(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.strong.join(arena_, from)) no_memory_for_clocks();
  note_version(thread);
}

// Versions are told apart by time, so where spins are honoured the shadow words of two segments must not share one. Nor
// where accesses are recorded: the first access to a word in a segment must be news. Nor where the locks are known by
// it.
void Relations::end_segment(Thread& thread) {
  thread.spin_word_count = 0;
  if (thread.epoch_used) tick(thread);
  thread.segment_since = thread.time;
}

// Every event that synchronizes begins here. False: it orders nothing.
bool Relations::begin_sync(Thread& thread) {
  ++thread.sync_events;
  end_segment(thread);
  return counts(thread);
}

// Another thread found that this one's present epoch was waited for.
void Relations::heed_spoilt_check(Thread& thread) {
  thread.check_spoilt.store(false, std::memory_order_seq_cst);
  if (thread.tick_wanted.exchange(0, std::memory_order_relaxed) >= thread.time && thread.epoch_used) tick(thread);
  renew_check(thread);
}

void Relations::release_to(Thread& thread, Address address, SyncFamily family) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  auto* object = object_of<AtomicObject>(thread, address, family);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  const Published published = publish_strongly(thread);
  if (!object->release_clock.join(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, object->release_clock);
}

void Relations::acquire_from(Thread& thread, Address address, SyncFamily family) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  auto* object = sync_.find<AtomicObject>(address, family);
  if (object == nullptr) return;
  const SpinLock lock(object->mutex);
  acquire(thread, object->release_clock);
}

void Relations::clock_release(Thread& thread, ReleaseClock& clock) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  const SpinLock lock(clock.mutex);
  const Published published = publish_strongly(thread);
  if (!clock.clocks.join(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, clock.clocks);
}

void Relations::clock_acquire(Thread& thread, ReleaseClock& clock) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  const SpinLock lock(clock.mutex);
  acquire(thread, clock.clocks);
}

void Relations::sync_destroy(Thread& thread, Address object) {
  const Inside inside(*this, thread);
  // Not conditions: those who were woken may still be in their loops. A barrier's generations live on by themselves.
  for (const SyncFamily family : {SyncFamily::kAtomic, SyncFamily::kBarrier, SyncFamily::kSemaphore, SyncFamily::kOnce,
                                  SyncFamily::kAnnotation}) {
    sync_.remove(object, family);
  }
  if (object % kWordBytes == 0) sync_.forget_spins(object, object + kWordBytes);
}

// --- epochs ------------------------------------------------------------------------------------------------------

// The locks of a time are known by the time: none may change while it has shadow words.
void Relations::begin_epoch(Thread& thread) {
  if (thread.epoch_used) return;
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  note_segment(thread);
  thread.epoch_used = true;
}

void Relations::note_segment(Thread& thread) {
  if (options_.sampled) find_lockset(thread);
  if (thread.unsettled != 0) settle_lockset(thread);
  const bool fits = epoch_fits(thread);
  thread.words_pack = fits && segments_.note(thread.slot, thread.time, thread.lockset, thread.words_locks);
  thread.words_bare = thread.lockset == kNoLocks || is_lockless();
  thread.words_unlocked = thread.lockset == kNoLocks && (kOneAtATime || core_barrier != nullptr);
  thread.layout_alone = GranuleLayout::alone(thread.slot, thread.words_locks);
  thread.layout_two = GranuleLayout::of_two(thread.slot, thread.words_locks);
  const auto own = [&](uint32_t layout) { return thread.words_unlocked ? layout : GranuleLayout::kOwnedByNobody; };
  thread.own_alone = own(thread.layout_alone);
  thread.own_two = own(thread.layout_two);
  thread.own_three = own(GranuleLayout::of_three(thread.slot, thread.words_locks));
  thread.own_epoch = uint64_t{ShadowWord::epoch_of(thread.slot, thread.time)} << ShadowWord::kClockAt;
  thread.owned_layout =
      thread.words_pack && thread.lockset == kNoLocks && thread.incarnation < GranuleLayout::kIncarnations
          ? GranuleLayout::owned_by(thread.slot, thread.incarnation)
          : GranuleLayout::kOwnedByNobody;
  thread.needs_fence = !kOneAtATime && core_barrier == nullptr;
  thread.locks_by_time = &segments_;
  thread.short_history_locksets = is_lockless() || options_.superseded_cap == ~0u ? nullptr : &locksets_;
  thread.decides = is_lockless() ? &thread.clocks.full : &thread.clocks.strong;
  thread.words_exclude = thread.lockset != kNoLocks && locksets_.protects(thread.lockset, thread.lockset);
}

void Relations::use_epoch(Thread& thread) {
  const Inside inside(*this, thread);
  if (!thread.epoch_used) note_segment(thread);
  thread.epoch_used = true;
}

void Relations::end_epoch(Thread& thread) {
  const Inside inside(*this, thread);
  tick(thread);
}

void Relations::ignore_begin(Thread& thread, uint8_t what) {
  for (unsigned i = 0; i < 3; ++i) {
    if ((what >> i & 1) == 0) continue;
    ++thread.ignore_depth[i];
    thread.ignoring = static_cast<uint8_t>(thread.ignoring | 1u << i);
  }
}

void Relations::ignore_end(Thread& thread, uint8_t what) {
  for (unsigned i = 0; i < 3; ++i) {
    if ((what >> i & 1) == 0 || thread.ignore_depth[i] == 0) continue;
    if (--thread.ignore_depth[i] == 0) thread.ignoring = static_cast<uint8_t>(thread.ignoring & ~(1u << i));
  }
}

// --- barriers ----------------------------------------------------------------------------------------------------

void Relations::barrier_init(Thread& thread, Address barrier, uint32_t count) {
  const Inside inside(*this, thread);
  if (!counts(thread)) return;
  sync_.remove(barrier, SyncFamily::kBarrier);
  auto* object = object_of<BarrierObject>(thread, barrier, SyncFamily::kBarrier);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  object->barrier.count = count;
}

void Relations::barrier_enter(Thread& thread, Address barrier) {
  const Inside inside(*this, thread);
  // A thread whose synchronization is ignored still takes part: without it the generation would never be complete.
  const bool orders = begin_sync(thread);
  if (!options_.library) return;
  auto* object = object_of<BarrierObject>(thread, barrier, SyncFamily::kBarrier);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  BarrierState& state = object->barrier;
  if (state.current == nullptr) state.current = arena_.create<BarrierGeneration>();
  BarrierGeneration* generation = state.current;
  if (generation == nullptr) return no_memory_for_clocks();
  const SpinLock generation_lock(generation->mutex);
  if (orders) {
    const Published published = publish_strongly(thread);
    if (!generation->clocks.join(arena_, thread.clocks)) no_memory_for_clocks();
    add_published(published, generation->clocks);
  }
  ++generation->entered;
  ++generation->members;
  thread.generation_entered = generation;
  if (generation->entered == state.count) {
    generation->closed = true;
    state.current = nullptr;
  }
}

void Relations::barrier_leave(Thread& thread, Address barrier) {
  const Inside inside(*this, thread);
  const bool orders = begin_sync(thread);
  BarrierGeneration* generation = thread.generation_entered;
  if (generation == nullptr) return;
  thread.generation_entered = nullptr;
  // With an unknown count the first to leave shows that the generation is complete.
  if (auto* object = sync_.find<BarrierObject>(barrier, SyncFamily::kBarrier); object != nullptr) {
    const SpinLock lock(object->mutex);
    if (object->barrier.current == generation && object->barrier.count == 0) {
      object->barrier.current = nullptr;
      const SpinLock generation_lock(generation->mutex);
      generation->closed = true;
    }
  }
  bool last = false;
  {
    const SpinLock lock(generation->mutex);
    if (orders) acquire(thread, generation->clocks);
    last = --generation->members == 0 && generation->closed;
  }
  if (last) {
    generation->clocks.clear(arena_);
    arena_.destroy(generation);
  }
}

// --- collections -------------------------------------------------------------------------------------------------

// What threads looked up may be gone, or have another number, afterwards.
void Relations::forget_lookups() {
  for (Thread* t = first_thread(); t != nullptr; t = t->next) {
    t->forget_recent();
    for (Thread::LocksetStep& step : t->lockset_steps) step = {};
    for (unsigned i = 0; i < t->held_count; ++i) t->held[i].before = Held::kUnknown;
  }
}

void Relations::collect_objects() {
  forget_gone_conditions();
  sync_.collect();
}

}  // namespace norn
