// Time: how threads come and go, and how clocks move between them.
#include "base/bytes.h"
#include "core/detector.h"

namespace norn {

bool Detector::init(const Options& options, const Listener& listener) {
  options_ = options;
  listener_ = listener;
  thread_chunks_ = static_cast<std::atomic<std::atomic<Thread*>*>*>(
      arena_.allocate_zeroed(kThreadChunks * sizeof(std::atomic<std::atomic<Thread*>*>)));
  lock_chunks_ = static_cast<std::atomic<LockInfo*>*>(
      arena_.allocate_zeroed((Locksets::kMaxLock / kLockChunk + 1) * sizeof(std::atomic<LockInfo*>)));
  options_.spin = false;
  conditions_.store(options.conditions, std::memory_order_relaxed);
  options_.handover = options.handover && options.library && options.engine == EngineKind::kHybrid;
  // A stamp in a granule has so much room for its time.
  if (!is_state_machine(options_.engine) && options_.time_limit > ShadowWord::kClockLimit) {
    options_.time_limit = ShadowWord::kClockLimit;
  }
  const bool ready = thread_chunks_ != nullptr && lock_chunks_ != nullptr && (!options.spin || honour_spins()) &&
                     (!options_.handover || keep_versions()) && shadow_.init(arena_, options.shadow_at) &&
                     segments_.init(arena_) && histories_.init(arena_, options.log2_histories) &&
                     threadsets_.init(arena_, 10, 31) && locksets_.init(arena_) &&
                     slots_.init(arena_, options_.time_limit) && sync_.init(arena_, shadow_, collection_wanted_) &&
                     candidates_.init(arena_, listener);
  if (ready) histories_.set_bound(history_bound());
  context_ = {&options_,  &segments_, &histories_,        &threadsets_,
              &locksets_, &slots_,    &stamps_forgotten_, &per_byte_stacks_};
  per_byte_stacks_.init(arena_);
  read_table_.init(arena_, shadow_, options.memory_limit / 2);
  return ready && (is_state_machine(options_.engine) || make_shared_lists());
}

void Detector::observe_only() {
  options_.engine = EngineKind::kHb;
  options_.sampled = true;
  shadow_.note_all_used();
  options_.handover = false;
  if (options_.condition == ConditionMode::kWriteRead) options_.condition = ConditionMode::kLost;
  // Versions were for what is handed over. Who runs already may be looking at them.
  if (thread_count_.load(std::memory_order_relaxed) <= 1 && !options_.spin) versions_ = nullptr;
}

bool Detector::honour_spins() {
  options_.spin = keep_versions();
  return options_.spin;
}

bool Detector::keep_versions() {
  if (versions_ != nullptr) return true;
  auto** versions = static_cast<Versions**>(arena_.allocate_zeroed(Slots::kCount * sizeof(Versions*)));
  if (versions == nullptr) return false;
  __atomic_store_n(&versions_, versions, __ATOMIC_RELEASE);
  return true;
}

// What the thread's check takes for done already. While it records what it reads, a write does not stand for a read.
void Detector::renew_check(Thread& thread) {
  FastCheck& fast = thread.fast;
  const bool fits = !is_state_machine(options_.engine) && ShadowWord::epoch_fits(thread.slot, thread.time);
  const PastAccess write = {thread.slot, 0xff, AccessKind::kWrite, thread.time, kNoLocks, kNoStack, 0, true, 0};
  PastAccess read = write;
  if (thread.recording) read.kind = AccessKind::kRead;
  fast.read_bits.store(thread.recording ? ShadowWord::kBitsOfWrites : ShadowWord::kBitsOfReads,
                       std::memory_order_relaxed);
  fast.read.store((fits ? read.packed() : ShadowWord::nobody()).bits(), std::memory_order_relaxed);
  fast.write.store((fits ? write.packed() : ShadowWord::nobody()).bits(), std::memory_order_relaxed);
}

// Nothing passes the thread's check until it has come here and heeded the request.
void Detector::make_look_again(Thread& thread) {
  thread.check_spoilt.store(true, std::memory_order_seq_cst);
  thread.fast.read.store(ShadowWord::nobody().bits(), std::memory_order_relaxed);
  thread.fast.write.store(ShadowWord::nobody().bits(), std::memory_order_relaxed);
}

void Detector::make_all_look_again() {
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    make_look_again(*t);
    t->fast.passing[0] = t->fast.passing[4] = 0;  // its own stamp may come again before it looks
  }
}

// From now on stamps are later than all before. A thread whose time would overflow goes on in another slot, as if it
// had forked itself: nothing is forgotten.
void Detector::tick(Thread& thread) {
  thread.stamped = thread.version_kept = thread.gives_birth = false;
  ++thread.knowledge;
  if (thread.time + 1 < options_.time_limit) {
    ++thread.time;
  } else {
    const Slot old = thread.slot;
    const Time last = thread.time;
    Slot slot = 0;
    Time first = 0;
    if (slots_.take(thread.id, thread.clocks.strong, slot, first)) {
      if (!thread.clocks.raise(arena_, old, last)) no_memory_for_clocks();
      slots_.end(old, last);
      thread.slot = slot;
      thread.time = thread.segment_since = thread.own_since = first;
      thread.fast.mask = 0;  // its stamps may be in the other place from here on
      note_version(thread);
    } else {
      no_memory_for_clocks();
    }
  }
  renew_check(thread);
}

// What others who acquire from here may consider done: everything stamped so far.
Detector::Published Detector::publish(Thread& thread) {
  if (!thread.stamped) return {thread.slot, thread.time - 1};
  const Published published = {thread.slot, thread.time};
  tick(thread);
  return published;
}

// The same towards those who are ordered after it in both relations: they must know whether the thread had taken the
// locks that it holds by then (order.md, Locks that are held).
Detector::Published Detector::publish_strongly(Thread& thread) {
  if (!thread.stamped && thread.held_count != 0 && options_.engine == EngineKind::kHybrid) {
    const Held& newest = thread.held[thread.held_count - 1];
    if (newest.slot == thread.slot && newest.since == thread.time) {
      note_segment(thread);
      thread.stamped = true;
    }
  }
  return publish(thread);
}

void Detector::add_published(const Published& published, Clocks& to) {
  if (!to.raise(arena_, published.slot, published.time)) no_memory_for_clocks();
}

// What the thread knows now. At one time it may come to know more, and the last counts; but where the first is kept
// too, that one stays.
void Detector::note_version(Thread& thread) {
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
void Detector::keep_version(Thread& thread) {
  const Versions* versions = versions_ == nullptr ? nullptr : versions_[thread.slot];
  if (versions == nullptr || versions->noted_at(thread.time) == 0) note_version(thread);
}

void Detector::acquire(Thread& thread, const Clocks& from) {
  if (thread.clocks.includes(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.join(arena_, from)) no_memory_for_clocks();
  note_version(thread);
}

// The same within a segment: its time goes on.
void Detector::learn(Thread& thread, const Clocks& from) {
  if (thread.clocks.includes(from)) return;
  if (thread.version_kept) keep_version(thread);
  ++thread.knowledge;
  if (!thread.clocks.join(arena_, from)) no_memory_for_clocks();
  note_version(thread);
}

void Detector::acquire_full(Thread& thread, const Clock& from) {
  if (thread.clocks.full.includes(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.full.join(arena_, from)) no_memory_for_clocks();
  if (options_.spin) note_version(thread);  // who is handed something over knows this by the lock
}

// The same of a clock that is_near().
void Detector::acquire_near(Thread& thread, const Clock& from) {
  if (thread.clocks.full.includes_near(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  thread.clocks.full.join_near(from);
  if (options_.spin) note_version(thread);
}

void Detector::acquire_strong(Thread& thread, const Clock& from) {
  if (thread.clocks.strong.includes(from)) return;
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.strong.join(arena_, from)) no_memory_for_clocks();
  note_version(thread);
}

bool Detector::counts(const Thread& thread) const { return options_.library && (thread.ignoring & kIgnoreSync) == 0; }

// Versions are told apart by time, so where spins are honoured the stamps of two segments must not share one. Nor where
// accesses are recorded: the first access to a word in a segment must be news. Nor where the locks are known by it.
void Detector::end_segment(Thread& thread) {
  thread.spin_word_count = 0;
  if (thread.stamped) tick(thread);
  thread.segment_since = thread.time;
}

// Every event that synchronizes begins here. False: it orders nothing.
bool Detector::begin_sync(Thread& thread) {
  ++thread.sync_events;
  end_segment(thread);
  return counts(thread);
}

// Another thread found that this one's present time was waited for.
void Detector::heed_spoilt_check(Thread& thread) {
  thread.check_spoilt.store(false, std::memory_order_seq_cst);
  if (thread.tick_wanted.exchange(0, std::memory_order_relaxed) >= thread.time && thread.stamped) tick(thread);
  renew_check(thread);
}

void Detector::release_to(Thread& thread, Address address, SyncFamily family) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  auto* object = object_of<MessageObject>(thread, address, family);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  const Published published = publish_strongly(thread);
  if (!object->message.join(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, object->message);
}

void Detector::acquire_from(Thread& thread, Address address, SyncFamily family) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  auto* object = sync_.find<MessageObject>(address, family);
  if (object == nullptr) return;
  const SpinLock lock(object->mutex);
  acquire(thread, object->message);
}

void Detector::give(Thread& thread, Message& message) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  const SpinLock lock(message.mutex);
  const Published published = publish_strongly(thread);
  if (!message.clocks.join(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, message.clocks);
}

void Detector::take(Thread& thread, Message& message) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  const SpinLock lock(message.mutex);
  acquire(thread, message.clocks);
}

void Detector::semaphore_post(Thread& t, Address semaphore) { release_to(t, semaphore, SyncFamily::kSemaphore); }
void Detector::semaphore_wait(Thread& t, Address semaphore) { acquire_from(t, semaphore, SyncFamily::kSemaphore); }
void Detector::once_done(Thread& t, Address once) { release_to(t, once, SyncFamily::kOnce); }
void Detector::once_seen(Thread& t, Address once) { acquire_from(t, once, SyncFamily::kOnce); }
void Detector::happens_before(Thread& t, Address tag) { release_to(t, tag, SyncFamily::kAnnotation); }
void Detector::happens_after(Thread& t, Address tag) { acquire_from(t, tag, SyncFamily::kAnnotation); }

void Detector::sync_destroy(Thread& thread, Address object) {
  const Inside inside(*this, thread);
  // Not conditions: those who were woken may still be in their loops. A barrier's generations live on by themselves.
  for (const SyncFamily family : {SyncFamily::kAtomic, SyncFamily::kBarrier, SyncFamily::kSemaphore, SyncFamily::kOnce,
                                  SyncFamily::kAnnotation}) {
    sync_.remove(object, family);
  }
  if (object % kWordBytes == 0) sync_.forget_spins(object, object + kWordBytes);
}

// --- barriers ----------------------------------------------------------------------------------------------------

void Detector::barrier_init(Thread& thread, Address barrier, uint32_t count) {
  const Inside inside(*this, thread);
  if (!counts(thread)) return;
  sync_.remove(barrier, SyncFamily::kBarrier);
  auto* object = object_of<BarrierObject>(thread, barrier, SyncFamily::kBarrier);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  object->barrier.count = count;
}

void Detector::barrier_enter(Thread& thread, Address barrier) {
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

void Detector::barrier_leave(Thread& thread, Address barrier) {
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

// --- threads -----------------------------------------------------------------------------------------------------

Thread* Detector::make_thread(ThreadId id) {
  Thread* thread = nullptr;
  {
    const SpinLock lock(threads_mutex_);
    thread = idle_threads_;
    if (thread != nullptr) {
      idle_threads_ = thread->next_waiter;
      thread->next_waiter = nullptr;
    }
  }
  if (thread == nullptr) {
    thread = arena_.create<Thread>();
    if (thread == nullptr) return nullptr;
    const SpinLock lock(threads_mutex_);
    thread->next = threads_.load(std::memory_order_relaxed);
    threads_.store(thread, std::memory_order_release);
  }
  thread->id = id;
  thread->life.store(Thread::Life::kRunning, std::memory_order_relaxed);
  thread->detached.store(false, std::memory_order_relaxed);
  return thread;
}

// The thread's clocks are set: gives it a slot and makes it known.
bool Detector::settle_thread(Thread& thread) {
  Time first = 0;
  if (!slots_.take(thread.id, thread.clocks.strong, thread.slot, first)) return false;
  thread.time = thread.segment_since = thread.own_since = first;
  thread.forget_recent();
  ++thread.knowledge;
  note_version(thread);
  renew_check(thread);
  std::atomic<std::atomic<Thread*>*>& place = thread_chunks_[thread.id / kThreadChunk];
  std::atomic<Thread*>* chunk = place.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    const SpinLock lock(threads_mutex_);
    chunk = place.load(std::memory_order_acquire);
    if (chunk == nullptr) {
      chunk = static_cast<std::atomic<Thread*>*>(arena_.allocate_zeroed(kThreadChunk * sizeof(std::atomic<Thread*>)));
      if (chunk == nullptr) return false;
      place.store(chunk, std::memory_order_release);
    }
  }
  chunk[thread.id % kThreadChunk].store(&thread, std::memory_order_release);
  thread_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

Thread* Detector::find(ThreadId id) {
  std::atomic<Thread*>* chunk = thread_chunks_[id / kThreadChunk].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : chunk[id % kThreadChunk].load(std::memory_order_acquire);
}

Thread* Detector::add_root(ThreadId id) {
  Thread* thread = make_thread(id);
  if (thread != nullptr && settle_thread(*thread)) return thread;
  if (thread != nullptr) recycle_thread(*thread);
  no_memory_for_clocks();
  return nullptr;
}

// The last that stamps of this thread may carry. Who acquired what it gave away last is ordered after all of it: a time
// that nothing carries does not count, and is the next tenant's of the slot.
static Time last_time(const Thread& thread) { return thread.stamped ? thread.time : thread.time - 1; }

// Its clocks are what it begins with.
Thread* Detector::begin_child(Thread* child) {
  if (child != nullptr) {
    if (slots_.wants_collection() || slots_.scarce()) collection_wanted_.store(true, std::memory_order_relaxed);
    if (settle_thread(*child)) return child;
    recycle_thread(*child);
  }
  no_memory_for_clocks();
  return nullptr;
}

Thread* Detector::fork(Thread& parent, ThreadId child) {
  const Inside inside(*this, parent);
  begin_sync(parent);
  Thread* thread = make_thread(child);
  if (thread != nullptr) {
    const Published published = publish_strongly(parent);
    if (!thread->clocks.assign(arena_, parent.clocks)) no_memory_for_clocks();
    add_published(published, thread->clocks);
  }
  return begin_child(thread);
}

Thread* Detector::fork_after(Thread& caller, Message& message, ThreadId child) {
  const Inside inside(*this, caller);
  Thread* thread = make_thread(child);
  if (thread != nullptr) {
    const SpinLock lock(message.mutex);
    if (!thread->clocks.assign(arena_, message.clocks)) no_memory_for_clocks();
  }
  return begin_child(thread);
}

void Detector::begin_again(Thread& thread, Message& message) {
  const Inside inside(*this, thread);
  const bool learned = thread.sync_events != thread.began_at;
  begin_sync(thread);
  thread.began_at = thread.sync_events;
  if (learned) {
    if (thread.version_kept) tick(thread);
    const SpinLock lock(message.mutex);
    if (!thread.clocks.assign(arena_, message.clocks)) no_memory_for_clocks();
    thread.remembered.clear(arena_);
    thread.has_fence = false;
    thread.forget_recent();
    ++thread.knowledge;
    note_version(thread);
  }
  thread.own_since = thread.segment_since = thread.time;
}

void Detector::exit_inside(Thread& thread) {
  slots_.end(thread.slot, last_time(thread));
  thread.life.store(Thread::Life::kExited, std::memory_order_seq_cst);
}

void Detector::exit(Thread& thread) {
  {
    const Inside inside(*this, thread);
    begin_sync(thread);
    exit_inside(thread);
  }
  if (thread.detached.load(std::memory_order_seq_cst)) recycle_thread(thread);
}

void Detector::join(Thread& thread, ThreadId ended) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  Thread* other = find(ended);
  if (other == nullptr || other == &thread) return;
  if (other->life.load(std::memory_order_acquire) == Thread::Life::kRunning) exit_inside(*other);
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.join(arena_, other->clocks) || !thread.clocks.raise(arena_, other->slot, last_time(*other))) {
    no_memory_for_clocks();
  }
  note_version(thread);
  slots_.joined(other->slot, last_time(*other));
  recycle_thread(*other);
}

void Detector::detach(Thread& thread, ThreadId other) {
  const Inside inside(*this, thread);
  Thread* target = find(other);
  if (target == nullptr) return;
  // Of exit and detach, each sets its mark and then looks for the other's; recycling happens once.
  target->detached.store(true, std::memory_order_seq_cst);
  if (target->life.load(std::memory_order_seq_cst) == Thread::Life::kExited) recycle_thread(*target);
}

void Detector::recycle_thread(Thread& thread) {
  if (thread.life.exchange(Thread::Life::kGone, std::memory_order_acq_rel) == Thread::Life::kGone) return;
  if (std::atomic<Thread*>* chunk = thread_chunks_[thread.id / kThreadChunk].load(std::memory_order_acquire);
      chunk != nullptr) {
    chunk[thread.id % kThreadChunk].store(nullptr, std::memory_order_release);
  }
  for (Clocks* clocks :
       {&thread.clocks, &thread.remembered, &thread.fence, &thread.spun, &thread.signalled, &thread.released}) {
    clocks->clear(arena_);
  }
  for (Thread::TakenOut& taken : thread.taken_out) {
    taken.locks = kNoLocks;
    taken.before.clear(arena_);
  }
  if (thread.reads != nullptr) arena_.destroy(thread.reads);
  if (thread.writes != nullptr) arena_.destroy(thread.writes);
  arena_.release(thread.held, thread.held_capacity * sizeof(Held));
  thread.reads = thread.writes = nullptr;
  thread.held = nullptr;
  thread.held_count = thread.held_capacity = 0;
  thread.lockset = kNoLocks;
  thread.stamped = thread.recording = thread.unrecorded = thread.has_fence = thread.version_kept = thread.gives_birth =
      false;
  thread.ignoring = 0;
  for (uint32_t& depth : thread.ignore_depth) depth = 0;
  thread.generation_entered = nullptr;
  thread.spin_word_count = thread.pending_signal_count = 0;
  thread.tick_wanted.store(0, std::memory_order_relaxed);
  const SpinLock lock(threads_mutex_);
  ended_accesses_ += thread.accesses;
  ended_sync_events_ += thread.sync_events;
  thread.accesses = thread.sync_events = thread.began_at = 0;
  thread.next_waiter = idle_threads_;
  idle_threads_ = &thread;
}

Statistics Detector::statistics() {
  Statistics result;
  const SpinLock lock(threads_mutex_);
  result.accesses = ended_accesses_;
  result.sync_events = ended_sync_events_;
  for (const Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    result.accesses += t->accesses;
    result.sync_events += t->sync_events;
    result.histories += t->room.made;
  }
  result.threads = thread_count_.load(std::memory_order_relaxed);
  result.collections = collections_;
  result.full_collections = full_collections_;
  result.stamps_forgotten = stamps_forgotten_.load(std::memory_order_relaxed);
  result.histories_forgotten = histories_forgotten_;
  result.arena_bytes = arena_.mapped();
  return result;
}

}  // namespace norn
