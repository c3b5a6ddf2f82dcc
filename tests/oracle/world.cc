#include "tests/oracle/world.h"

#include <algorithm>

namespace norn::oracle::model {

World::World(const Plan& plan) : threads_(plan.threads), locks_(plan.locks) {
  for (size_t i = 0; i < kData; ++i) name("x" + std::to_string(i));
  for (size_t i = 0; i < kAtomics; ++i) name("f" + std::to_string(i));
  for (size_t i = 0; i < kBlocks; ++i) name("h" + std::to_string(i));
  for (size_t i = 0; i < kConditions; ++i) name("cv" + std::to_string(i));
  for (size_t i = 0; i < kBarriers; ++i) name("b" + std::to_string(i));
  for (size_t i = 0; i < kSemaphores; ++i) name("s" + std::to_string(i));
  for (size_t i = 0; i < kOnces; ++i) name("o" + std::to_string(i));
  for (size_t i = 0; i < kArrows; ++i) name("a" + std::to_string(i));
  for (size_t i = 0; i < kMaxLocks; ++i) name("m" + std::to_string(i));
  script_.cv = plan.cv;
  script_.spin = plan.spin;
  script_.lib = plan.lib;
  for (size_t i = 0; i < std::min<size_t>(plan.roots, threads_.size()); ++i) threads_[i].doing = Doing::kRunning;
  barriers_[0].needed = 2;
  barriers_[1].needed = std::min<size_t>(3, plan.threads);
}

bool World::apply(const Move& m) {
  if (m.thread >= threads_.size()) return false;
  Thread& t = threads_[m.thread];
  bool returning = m.kind == MoveKind::kWaitLeave || m.kind == MoveKind::kBarrierLeave;
  if (t.doing != (m.kind == MoveKind::kWaitLeave      ? Doing::kWaiting
                  : m.kind == MoveKind::kBarrierLeave ? Doing::kInBarrier
                                                      : Doing::kRunning))
    return false;
  if (t.spinning && !returning && m.kind != MoveKind::kSpinRead && m.kind != MoveKind::kSpinLeave) return false;
  switch (m.kind) {
    case MoveKind::kFork: {
      auto child = std::find_if(threads_.begin(), threads_.end(), [](auto& o) { return o.doing == Doing::kUnborn; });
      if (child == threads_.end()) return false;
      child->doing = Doing::kRunning;
      emit(m, EventKind::kThreadFork).other = number(static_cast<size_t>(child - threads_.begin()));
      return true;
    }
    case MoveKind::kExit:
      if (holds_anything(m.thread) || t.ignored != 0) return false;
      if (alive_threads() == 1) return false;
      t.doing = Doing::kExited;
      emit(m, EventKind::kThreadExit);
      return true;
    case MoveKind::kJoin:
    case MoveKind::kDetach: {
      size_t other = m.object % threads_.size();
      if (other == m.thread || threads_[other].doing != Doing::kExited) return false;
      threads_[other].doing = Doing::kGone;
      emit(m, m.kind == MoveKind::kJoin ? EventKind::kThreadJoin : EventKind::kThreadDetach).other = number(other);
      return true;
    }
    case MoveKind::kRead:
    case MoveKind::kWrite: {
      if (m.kind == MoveKind::kWrite && m.variant % 4 == 1) {
        Event& counted = emit(m, EventKind::kRead);
        place_access(m, counted);
        counted.counts = true;
      }
      Event& e = emit(m, m.kind == MoveKind::kRead ? EventKind::kRead : EventKind::kWrite);
      place_access(m, e);
      return true;
    }
    case MoveKind::kSpinRead: {
      Event& e = emit(m, EventKind::kSpinRead);
      e.address = region(kData + m.object % kAtomics) + m.offset % 8;
      e.size = 1u + m.size % 4u;
      e.in_loop = !t.spinning && m.variant % 4 == 1;
      if (!e.in_loop) t.spinning = true;
      return true;
    }
    case MoveKind::kCut:
      emit(m, EventKind::kCut);
      return true;
    case MoveKind::kSpinLeave:
      if (!t.spinning && m.variant % 4 != 0) return false;
      t.spinning = false;
      emit(m, EventKind::kSpinLeave);
      return true;
    case MoveKind::kAllocate: {
      Block& b = block(m);
      if (b.alive) return false;
      b = {true, kBlockSize};
      Event& e = emit(m, EventKind::kAllocate);
      e.address = region(block_region(m));
      e.size = b.size;
      return true;
    }
    case MoveKind::kFree: {
      Block& b = block(m);
      if (!b.alive || objects_in_use(m)) return false;
      b.alive = false;
      forget_objects(m);
      Event& e = emit(m, EventKind::kFree);
      e.address = region(block_region(m));
      e.size = b.size;
      return true;
    }
    case MoveKind::kReallocate:
      return reallocate(m);
    case MoveKind::kLoad:
    case MoveKind::kStore:
    case MoveKind::kRmw: {
      constexpr std::array kKinds = {EventKind::kAtomicLoad, EventKind::kAtomicStore, EventKind::kAtomicRmw};
      constexpr std::array<std::array<MemoryOrder, 5>, 3> kOrders = {{
          {MemoryOrder::kAcquire, MemoryOrder::kRelaxed, MemoryOrder::kSeqCst, MemoryOrder::kAcquire,
           MemoryOrder::kRelaxed},
          {MemoryOrder::kRelease, MemoryOrder::kRelaxed, MemoryOrder::kSeqCst, MemoryOrder::kRelease,
           MemoryOrder::kRelaxed},
          {MemoryOrder::kAcqRel, MemoryOrder::kRelaxed, MemoryOrder::kSeqCst, MemoryOrder::kRelease,
           MemoryOrder::kAcquire},
      }};
      auto which = static_cast<size_t>(m.kind) - static_cast<size_t>(MoveKind::kLoad);
      Event& e = emit(m, kKinds[which]);
      place_atomic(m, e);
      e.order = kOrders[which][m.variant % 5];
      return true;
    }
    case MoveKind::kFence: {
      constexpr std::array kOrders = {MemoryOrder::kRelease, MemoryOrder::kAcquire, MemoryOrder::kAcqRel,
                                      MemoryOrder::kSeqCst};
      emit(m, EventKind::kFence).order = kOrders[m.variant % kOrders.size()];
      return true;
    }
    case MoveKind::kLock:
      return acquire(m);
    case MoveKind::kUnlock:
      return release(m);
    case MoveKind::kDestroyLock: {
      size_t which = m.object % locks_.size();
      if (!lock_exists(which) || !locks_[which].free() || mutex_awaited(which)) return false;
      emit(m, EventKind::kLockDestroy).address = lock_address(which);
      return true;
    }
    case MoveKind::kRefused: {
      size_t which = m.object % locks_.size();
      if (!lock_exists(which) || locks_[which].holder == m.thread) return false;
      emit(m, EventKind::kLockRefused).address = lock_address(which);
      return true;
    }
    case MoveKind::kSignal:
    case MoveKind::kBroadcast: {
      size_t which = m.object % kConditions;
      emit(m, m.kind == MoveKind::kSignal ? EventKind::kSignal : EventKind::kBroadcast).address =
          condition_address(which);
      for (Thread& other : threads_) {
        if (other.doing != Doing::kWaiting || other.condition != which || other.signalled) continue;
        other.signalled = true;
        if (m.kind == MoveKind::kSignal) break;
      }
      return true;
    }
    case MoveKind::kWaitEnter: {
      size_t mutex = (m.object / kConditions) % locks_.size();
      Lock& l = locks_[mutex];
      if (l.holder != m.thread || l.depth != 1 || (t.ignored & kIgnoreSync) != 0) return false;
      l.holder = kNobody;
      l.depth = 0;
      t.doing = Doing::kWaiting;
      t.condition = m.object % kConditions;
      t.mutex = mutex;
      t.signalled = false;
      t.in_loop = m.variant % 2 == 0;
      Event& e = emit(m, EventKind::kWaitEnter);
      e.address = condition_address(t.condition);
      e.other = lock_address(mutex);
      e.in_loop = t.in_loop;
      return true;
    }
    case MoveKind::kWaitLeave: {
      bool timed_out = m.variant % (t.signalled ? 16 : 4) == 0;  // a wait may time out although a signal came
      bool spurious = m.variant % 4 == 1;
      Lock& l = locks_[t.mutex];
      if (!(t.signalled || timed_out || spurious) || !l.free()) return false;
      l.holder = m.thread;
      l.depth = 1;
      t.doing = Doing::kRunning;
      Event& e = emit(m, EventKind::kWaitLeave);
      e.address = condition_address(t.condition);
      e.other = lock_address(t.mutex);
      e.in_loop = t.in_loop;
      e.timed_out = timed_out;
      return true;
    }
    case MoveKind::kWaitLoopLeave:
      emit(m, EventKind::kWaitLoopLeave).address = condition_address(m.object % kConditions);
      return true;
    case MoveKind::kBarrierEnter: {
      size_t which = m.object % kBarriers;
      Barrier& b = barriers_[which];
      // A thread blocks in a barrier: only as many may be in it as can leave.
      t.doing = Doing::kInBarrier;
      t.barrier = which;
      t.generation = b.entered / b.needed;
      ++b.entered;
      emit(m, EventKind::kBarrierEnter).address = barrier_address(which);
      return true;
    }
    case MoveKind::kBarrierLeave: {
      Barrier& b = barriers_[t.barrier];
      if (b.entered < (t.generation + 1) * b.needed) return false;
      t.doing = Doing::kRunning;
      emit(m, EventKind::kBarrierLeave).address = barrier_address(t.barrier);
      return true;
    }
    case MoveKind::kPost:
    case MoveKind::kSemaphoreWait: {
      size_t which = m.object % kSemaphores;
      if (!semaphore_exists(which)) return false;
      Semaphore& s = semaphores_[which];
      bool post = m.kind == MoveKind::kPost;
      if (!post && s.count == 0) return false;
      s.count += post ? 1 : -1;
      emit(m, post ? EventKind::kSemaphorePost : EventKind::kSemaphoreWait).address = semaphore_address(which);
      return true;
    }
    case MoveKind::kDestroySemaphore: {
      size_t which = m.object % kSemaphores;
      if (!semaphore_exists(which)) return false;
      semaphores_[which].count = 0;
      emit(m, EventKind::kSyncDestroy).address = semaphore_address(which);
      return true;
    }
    case MoveKind::kDestroyCondition: {
      size_t which = m.object % kConditions;
      if (condition_awaited(which)) return false;
      emit(m, EventKind::kSyncDestroy).address = condition_address(which);
      return true;
    }
    case MoveKind::kOnceDone:
      if (once_done_) return false;
      once_done_ = true;
      emit(m, EventKind::kOnceDone).address = once_address();
      return true;
    case MoveKind::kOnceSeen:
      if (!once_done_) return false;
      emit(m, EventKind::kOnceSeen).address = once_address();
      return true;
    case MoveKind::kHappensBefore:
    case MoveKind::kHappensAfter:
      emit(m, m.kind == MoveKind::kHappensBefore ? EventKind::kHappensBefore : EventKind::kHappensAfter).address =
          arrow_address(m.object % kArrows);
      return true;
    case MoveKind::kIgnoreBegin:
    case MoveKind::kIgnoreEnd: {
      constexpr std::array<uint64_t, 4> kWhat = {kIgnoreReads, kIgnoreWrites, kIgnoreSync,
                                                 kIgnoreReads | kIgnoreWrites | kIgnoreSync};
      bool begin = m.kind == MoveKind::kIgnoreBegin;
      if (begin == (t.ignored != 0)) return false;  // one at a time: nesting is the unit tests' concern
      uint64_t what = begin ? kWhat[m.variant % kWhat.size()] : t.ignored;
      t.ignored = begin ? what : 0;
      emit(m, begin ? EventKind::kIgnoreBegin : EventKind::kIgnoreEnd).other = what;
      return true;
    }
    case MoveKind::kBenign: {
      Event& e = emit(m, EventKind::kBenignRange);
      e.address = region(m.object % kData) + m.offset % 24;
      e.size = 1u + m.size % 8u;
      return true;
    }
  }
  return false;
}

void World::begin() {
  Event& e = emit(Move{}, EventKind::kBarrierInit);
  e.address = barrier_address(0);
  e.other = barriers_[0].needed;
}

std::optional<size_t> World::incomplete_barrier() const {
  for (size_t i = 0; i < kBarriers; ++i)
    if (barriers_[i].entered % barriers_[i].needed != 0) return i;
  return std::nullopt;
}

Event& World::emit(const Move& m, EventKind kind) {
  Event e;
  e.kind = kind;
  e.thread = number(m.thread);
  script_.sites.emplace_back();
  e.where = static_cast<StackId>(script_.sites.size());
  script_.events.push_back(e);
  script_.lines.push_back(script_.events.size());
  return script_.events.back();
}

void World::place_access(const Move& m, Event& e) {
  size_t which = m.object % (kData + kAtomics + kBlocks);
  bool range = m.size >= 250;
  e.address = region(which) + m.offset % 24;
  e.size = range ? 17u + m.offset % 16u : 1u + m.size % 16u;
}

void World::place_atomic(const Move& m, Event& e) {
  size_t which = m.object % (kAtomics + 1);  // the last one: in the data, so that atomic and plain accesses meet
  constexpr std::array<uint64_t, 4> kSizes = {4, 8, 1, 2};
  size_t spot = m.offset % 3;
  e.address = which < kAtomics ? region(kData + which) + (spot == 2 ? 8 : 0) : region(0) + 4 * spot;
  // Mostly one size per address.
  e.size = kSizes[(which + (spot == 2 ? 1u : 0u) + (m.size % 3 == 0 ? 1u : 0u)) % kSizes.size()];
}

bool World::objects_in_use(const Move& m) const {
  if (block_index(m) != 1 || locks_.size() <= 3) return false;
  return !locks_.back().free() || mutex_awaited(locks_.size() - 1);
}

void World::forget_objects(const Move& m) {
  if (block_index(m) == 1) semaphores_[kSemaphores - 1].count = 0;
}

bool World::reallocate(const Move& m) {
  Block& b = block(m);
  if (!b.alive || objects_in_use(m)) return false;
  Address from = region(block_region(m));
  bool moves = m.variant % 2 == 0;
  if (moves) {
    size_t to = 1 - block_index(m);
    if (blocks_[to].alive) return false;
    uint64_t old_size = b.size;
    forget_objects(m);
    b.alive = false;
    blocks_[to] = {true, kBlockSize};
    Event& e = emit(m, EventKind::kReallocate);
    e.address = from;
    e.size = old_size;
    e.other = region(kData + kAtomics + to);
    e.other_size = kBlockSize;
    return true;
  }
  if (block_index(m) == 1) return false;  // would end objects in the tail: only h0 changes its size
  uint64_t size = 8u + m.size % 64u;
  Event& e = emit(m, EventKind::kReallocate);
  e.address = from;
  e.size = b.size;
  e.other = from;
  e.other_size = size;
  b.size = size;
  return true;
}

bool World::acquire(const Move& m) {
  size_t which = m.object % locks_.size();
  Thread& t = threads_[m.thread];
  Lock& l = locks_[which];
  if (!lock_exists(which)) return false;
  bool ignored = (t.ignored & kIgnoreSync) != 0;
  bool shared = kind_of(which) == LockKind::kReadWrite && m.variant % 2 == 0;
  bool again = l.holder == m.thread;
  if (again && (kind_of(which) != LockKind::kRecursive || l.depth == 3 || ignored)) return false;
  if (!again && l.holder != kNobody) return false;
  if (!shared && !l.sharers.empty()) return false;
  if (shared && l.sharers.contains(m.thread)) return false;
  if (shared) {
    l.sharers.insert(m.thread);
  } else {
    l.holder = m.thread;
    ++l.depth;
  }
  Event& e = emit(m, EventKind::kLockAcquire);
  e.address = lock_address(which);
  e.mode = shared ? LockMode::kShared : LockMode::kExclusive;
  e.attempt = static_cast<LockAttempt>(m.variant / 2 % 3);
  return true;
}

bool World::release(const Move& m) {
  size_t which = m.object % locks_.size();
  Lock& l = locks_[which];
  bool shared = l.sharers.contains(m.thread);
  if (!shared && l.holder != m.thread) return false;
  if (shared) {
    l.sharers.erase(m.thread);
  } else if (--l.depth == 0) {
    l.holder = kNobody;
  }
  Event& e = emit(m, EventKind::kLockRelease);
  e.address = lock_address(which);
  // Callers of pthread_rwlock_unlock do not say which mode they release.
  e.mode = shared && m.variant % 4 != 0 ? LockMode::kShared : LockMode::kExclusive;
  return true;
}

bool World::holds_anything(uint8_t thread) const {
  return std::any_of(locks_.begin(), locks_.end(),
                     [&](const Lock& l) { return l.holder == thread || l.sharers.contains(thread); });
}

bool World::mutex_awaited(size_t lock) const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [&](const Thread& t) { return t.doing == Doing::kWaiting && t.mutex == lock; });
}

bool World::condition_awaited(size_t condition) const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [&](const Thread& t) { return t.doing == Doing::kWaiting && t.condition == condition; });
}

size_t World::alive_threads() const {
  return static_cast<size_t>(std::count_if(threads_.begin(), threads_.end(), [](const Thread& t) {
    return t.doing == Doing::kRunning || t.doing == Doing::kWaiting || t.doing == Doing::kInBarrier;
  }));
}

}  // namespace norn::oracle::model
