#include "tests/oracle/generator.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace norn::oracle {
namespace {

constexpr size_t kData = 4;     // regions x0..x3 of plain data
constexpr size_t kAtomics = 3;  // regions f0..f2
constexpr size_t kBlocks = 2;   // heap blocks h0, h1
constexpr size_t kConditions = 2;
constexpr size_t kBarriers = 2;    // the second one's count is never told
constexpr size_t kSemaphores = 3;  // the last one lies in block h1
constexpr size_t kOnces = 1;
constexpr size_t kArrows = 2;     // objects of happens-before/after
constexpr size_t kMaxLocks = 12;  // the last one in use lies in block h1
constexpr uint64_t kBlockSize = 64;
constexpr uint8_t kNobody = 0xff;

// --- The model -----------------------------------------------------------------------------------------------------

enum class LockKind { kMutex, kReadWrite, kRecursive };

struct Lock {
  uint8_t holder = kNobody;
  int depth = 0;
  std::set<uint8_t> sharers;
  [[nodiscard]] bool free() const { return holder == kNobody && sharers.empty(); }
};

enum class Doing { kUnborn, kRunning, kWaiting, kInBarrier, kExited, kGone };

struct Thread {
  Doing doing = Doing::kUnborn;
  size_t condition = 0;  // while waiting
  size_t mutex = 0;
  bool signalled = false;
  bool in_loop = false;
  size_t barrier = 0;  // while in one
  size_t generation = 0;
  uint64_t ignored = 0;
  bool spinning = false;
};

struct Barrier {
  size_t needed = 2;
  size_t entered = 0;  // over all generations
};

struct Semaphore {
  int count = 0;
};

struct Block {
  bool alive = false;
  uint64_t size = kBlockSize;
};

class World {
 public:
  explicit World(const Plan& plan) : threads_(plan.threads), locks_(plan.locks) {
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

  // Plays the move if it is possible now.
  bool apply(const Move& m) {
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

  // Barrier counts are told at the start, by the first thread; an init orders nothing.
  void begin() {
    Event& e = emit(Move{}, EventKind::kBarrierInit);
    e.address = barrier_address(0);
    e.other = barriers_[0].needed;
  }

  [[nodiscard]] script::Script take_script() { return std::move(script_); }
  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<Lock>& locks() const { return locks_; }
  [[nodiscard]] bool lock_exists(size_t which) const { return !in_heap(which) || blocks_[1].alive; }
  [[nodiscard]] static LockKind kind_of(size_t which) { return static_cast<LockKind>(which % 3); }
  [[nodiscard]] bool block_alive(size_t which) const { return blocks_[which].alive; }
  [[nodiscard]] int semaphore_count(size_t which) const { return semaphores_[which].count; }
  [[nodiscard]] bool once_done() const { return once_done_; }
  // A barrier in which threads wait for others to come.
  [[nodiscard]] std::optional<size_t> incomplete_barrier() const {
    for (size_t i = 0; i < kBarriers; ++i)
      if (barriers_[i].entered % barriers_[i].needed != 0) return i;
    return std::nullopt;
  }

 private:
  void name(std::string text) { script_.regions.push_back(std::move(text)); }
  [[nodiscard]] static ThreadId number(size_t index) { return static_cast<ThreadId>(index + 1); }
  [[nodiscard]] static Address region(size_t index) {
    return script::kFirstRegion + script::kRegionStride * static_cast<Address>(index);
  }

  Event& emit(const Move& m, EventKind kind) {
    Event e;
    e.kind = kind;
    e.thread = number(m.thread);
    script_.sites.emplace_back();
    e.where = static_cast<Where>(script_.sites.size());
    script_.events.push_back(e);
    script_.lines.push_back(script_.events.size());
    return script_.events.back();
  }

  static constexpr size_t kFirstCondition = kData + kAtomics + kBlocks;
  static constexpr size_t kFirstBarrier = kFirstCondition + kConditions;
  static constexpr size_t kFirstSemaphore = kFirstBarrier + kBarriers;
  static constexpr size_t kFirstOnce = kFirstSemaphore + kSemaphores;
  static constexpr size_t kFirstArrow = kFirstOnce + kOnces;
  static constexpr size_t kFirstLock = kFirstArrow + kArrows;

  [[nodiscard]] static Address condition_address(size_t i) { return region(kFirstCondition + i); }
  [[nodiscard]] static Address barrier_address(size_t i) { return region(kFirstBarrier + i); }
  [[nodiscard]] static Address semaphore_address(size_t i) {
    return i + 1 == kSemaphores ? region(kData + kAtomics + 1) + 40 : region(kFirstSemaphore + i);
  }
  [[nodiscard]] static Address once_address() { return region(kFirstOnce); }
  [[nodiscard]] static Address arrow_address(size_t i) { return region(kFirstArrow + i); }
  [[nodiscard]] bool in_heap(size_t lock) const { return locks_.size() > 3 && lock + 1 == locks_.size(); }
  [[nodiscard]] Address lock_address(size_t i) const {
    return in_heap(i) ? region(kData + kAtomics + 1) + 48 : region(kFirstLock + i);
  }
  [[nodiscard]] bool semaphore_exists(size_t i) const { return i + 1 < kSemaphores || blocks_[1].alive; }

  // Plain accesses go to data, to atomics, or to blocks (dead or alive: a use after free is a race like others).
  void place_access(const Move& m, Event& e) {
    size_t which = m.object % (kData + kAtomics + kBlocks);
    bool range = m.size >= 250;
    e.address = region(which) + m.offset % 24;
    e.size = range ? 17u + m.offset % 16u : 1u + m.size % 16u;
  }

  void place_atomic(const Move& m, Event& e) {
    size_t which = m.object % (kAtomics + 1);  // the last one: in the data, so that atomic and plain accesses meet
    constexpr std::array<uint64_t, 4> kSizes = {4, 8, 1, 2};
    size_t spot = m.offset % 3;
    e.address = which < kAtomics ? region(kData + which) + (spot == 2 ? 8 : 0) : region(0) + 4 * spot;
    // Mostly one size per address.
    e.size = kSizes[(which + (spot == 2 ? 1u : 0u) + (m.size % 3 == 0 ? 1u : 0u)) % kSizes.size()];
  }

  static size_t block_index(const Move& m) { return m.object % kBlocks; }
  static size_t block_region(const Move& m) { return kData + kAtomics + block_index(m); }
  Block& block(const Move& m) { return blocks_[block_index(m)]; }

  // Block h1 has the last semaphore and, with more than three locks, the last lock in it.
  [[nodiscard]] bool objects_in_use(const Move& m) const {
    if (block_index(m) != 1 || locks_.size() <= 3) return false;
    return !locks_.back().free() || mutex_awaited(locks_.size() - 1);
  }
  void forget_objects(const Move& m) {
    if (block_index(m) == 1) semaphores_[kSemaphores - 1].count = 0;
  }

  // In place, to a larger or smaller block; h0 may also move into h1's region when that is free.
  bool reallocate(const Move& m) {
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

  bool acquire(const Move& m) {
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

  bool release(const Move& m) {
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

  [[nodiscard]] bool holds_anything(uint8_t thread) const {
    return std::any_of(locks_.begin(), locks_.end(),
                       [&](const Lock& l) { return l.holder == thread || l.sharers.contains(thread); });
  }
  [[nodiscard]] bool mutex_awaited(size_t lock) const {
    return std::any_of(threads_.begin(), threads_.end(),
                       [&](const Thread& t) { return t.doing == Doing::kWaiting && t.mutex == lock; });
  }
  [[nodiscard]] bool condition_awaited(size_t condition) const {
    return std::any_of(threads_.begin(), threads_.end(),
                       [&](const Thread& t) { return t.doing == Doing::kWaiting && t.condition == condition; });
  }
  [[nodiscard]] size_t alive_threads() const {
    return static_cast<size_t>(std::count_if(threads_.begin(), threads_.end(), [](const Thread& t) {
      return t.doing == Doing::kRunning || t.doing == Doing::kWaiting || t.doing == Doing::kInBarrier;
    }));
  }

  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::array<Barrier, kBarriers> barriers_;
  std::array<Semaphore, kSemaphores> semaphores_;
  std::array<Block, kBlocks> blocks_;
  bool once_done_ = false;
  script::Script script_;
};

// --- Making plans --------------------------------------------------------------------------------------------------

// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to pick moves.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return next() % n; }
  uint8_t byte() { return static_cast<uint8_t>(next() >> 56); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

struct Weighted {
  MoveKind kind;
  unsigned weight;
};

std::vector<Weighted> weights(const GeneratorOptions& o, Dice& dice) {
  auto some = [&](unsigned weight) { return dice.chance(60) ? weight : 0; };  // scripts differ in what they use
  std::vector<Weighted> all = {
      {MoveKind::kRead, 26},
      {MoveKind::kWrite, 26},
      {MoveKind::kLock, 20},
      {MoveKind::kUnlock, 28},
      {MoveKind::kFork, 8},
      {MoveKind::kExit, 2},
      {MoveKind::kJoin, 5},
      {MoveKind::kDetach, 1},
      {MoveKind::kBarrierLeave, 30},
      {MoveKind::kWaitLeave, 30},
      {MoveKind::kBarrierEnter, some(3)},
      {MoveKind::kPost, some(5)},
      {MoveKind::kSemaphoreWait, 6},
      {MoveKind::kOnceDone, some(3)},
      {MoveKind::kOnceSeen, some(4)},
      {MoveKind::kHappensBefore, some(4)},
      {MoveKind::kHappensAfter, some(5)},
      {MoveKind::kDestroyLock, some(1)},
      {MoveKind::kDestroySemaphore, some(1)},
  };
  auto add = [&](std::initializer_list<Weighted> more) { all.insert(all.end(), more); };
  if (dice.chance(60)) add({{MoveKind::kLoad, 10}, {MoveKind::kStore, 10}, {MoveKind::kRmw, 6}, {MoveKind::kFence, 6}});
  if (dice.chance(50)) add({{MoveKind::kAllocate, 5}, {MoveKind::kFree, 4}, {MoveKind::kReallocate, 2}});
  if (o.conditions && dice.chance(o.cv == ConditionMode::kOff ? 50 : 100))
    add({{MoveKind::kSignal, 8},
         {MoveKind::kBroadcast, 4},
         {MoveKind::kWaitEnter, 8},
         {MoveKind::kWaitLoopLeave, 6},
         {MoveKind::kDestroyCondition, 1}});
  if (o.spins)
    add({{MoveKind::kSpinRead, 12},
         {MoveKind::kSpinLeave, 14},
         {MoveKind::kCut, some(6)},
         {MoveKind::kRefused, some(6)}});
  if (o.annotations && dice.chance(25)) add({{MoveKind::kIgnoreBegin, 3}, {MoveKind::kIgnoreEnd, 5}});
  if (o.annotations && dice.chance(15)) add({{MoveKind::kBenign, 2}});
  return all;
}

// Keeps most accesses disciplined, so that not every script races: a location is either guarded by a lock, or owned by
// one thread at a time and handed over by whatever synchronizes.
class Discipline {
 public:
  Discipline(Dice& dice, const Plan& plan) : dice_(dice) {
    constexpr std::array<unsigned, 8> kSloppiness = {0, 0, 0, 0, 5, 15, 40, 100};
    sloppiness_ = kSloppiness[dice.below(kSloppiness.size())];
    used_ = 1 + dice.below(kPlaces);
    // Three styles: mostly locks as guards; hand-over by anything; hand-over by locks, which only predicts races.
    uint64_t style = dice.below(3);
    by_locks_ = style == 2;
    for (Place& place : places_) {
      place.guarded = dice.chance(style == 0 ? 70 : 10);
      place.lock = dice.below(plan.locks);
      place.owner = static_cast<uint8_t>(dice.below(plan.threads));
    }
  }

  // Turns a random access into one that this thread may make; false if there is none.
  bool direct(Move& m, const World& world) {
    bool sloppy = dice_.chance(sloppiness_);
    if (sloppy && dice_.chance(30)) return true;
    for (int attempt = 0; attempt < 6; ++attempt) {
      size_t which = dice_.below(used_);
      Place& place = places_[which];
      m.object = static_cast<uint8_t>(which / 2);
      m.offset = static_cast<uint8_t>(which % 2 * 8 + dice_.below(6));  // two places of 8 bytes per region
      m.size = static_cast<uint8_t>(dice_.below(8 - m.offset % 8));
      if (sloppy) return true;
      if (place.guarded) {
        const Lock& l = world.locks()[place.lock];
        if (l.holder == m.thread) return true;
        if (l.sharers.contains(m.thread) && m.kind == MoveKind::kRead) return true;
      } else if (place.owner == m.thread) {
        return true;
      }
    }
    return false;
  }

  // Hands places over along what orders threads. Only a hint: the oracle says what really happened.
  void follow(const Move& m) {
    auto key = [&](char kind) { return std::pair(kind, m.object); };
    switch (m.kind) {
      case MoveKind::kPost:
        return give(m.thread, key('s'));
      case MoveKind::kSemaphoreWait:
        return take(m.thread, key('s'));
      case MoveKind::kHappensBefore:
        return give(m.thread, key('a'));
      case MoveKind::kHappensAfter:
        return take(m.thread, key('a'));
      case MoveKind::kOnceDone:
        return give(m.thread, key('o'));
      case MoveKind::kOnceSeen:
        return take(m.thread, key('o'));
      case MoveKind::kStore:
        if (m.variant % 5 % 2 == 0) give(m.thread, key('f'));
        return;
      case MoveKind::kLoad:
        if (m.variant % 5 != 1 && m.variant % 5 != 4) take(m.thread, key('f'));
        return;
      case MoveKind::kUnlock:
        if (dice_.chance(by_locks_ ? 90 : 20)) give(m.thread, key('m'));
        return;
      case MoveKind::kLock:
        return take(m.thread, key('m'));
      case MoveKind::kExit:
        return give(m.thread, {'t', m.thread});
      case MoveKind::kJoin:
        return take(m.thread, {'t', m.object});
      default:
        return;
    }
  }

  void born(uint8_t parent, uint8_t child) {
    for (Place& place : places_)
      if (place.owner == parent && dice_.chance(40)) place.owner = child;
  }

 private:
  struct Place {
    bool guarded = false;
    size_t lock = 0;
    uint8_t owner = 0;
  };
  static constexpr size_t kPlaces = 2 * kData;
  using Carrier = std::pair<char, uint8_t>;

  void give(uint8_t thread, Carrier carrier) {
    if (by_locks_ && carrier.first != 'm') return;
    for (size_t i = 0; i < kPlaces; ++i)
      if (places_[i].owner == thread && dice_.chance(60)) {
        places_[i].owner = kNobody;
        carried_[carrier].insert(i);
      }
  }
  void take(uint8_t thread, Carrier carrier) {
    for (size_t i : carried_[carrier]) places_[i].owner = thread;
    carried_[carrier].clear();
  }

  Dice& dice_;
  unsigned sloppiness_ = 0;  // percent of accesses that keep to nothing
  size_t used_ = kPlaces;
  bool by_locks_ = false;
  std::array<Place, kPlaces> places_;
  std::map<Carrier, std::set<size_t>> carried_;
};

void aim(Move& m, const World& world, Dice& dice) {
  auto pick = [&](size_t n) { return static_cast<uint8_t>(dice.below(n)); };
  switch (m.kind) {
    case MoveKind::kUnlock: {  // something this thread holds
      std::vector<uint8_t> held;
      for (size_t i = 0; i < world.locks().size(); ++i)
        if (world.locks()[i].holder == m.thread || world.locks()[i].sharers.contains(m.thread))
          held.push_back(static_cast<uint8_t>(i));
      if (!held.empty()) m.object = held[dice.below(held.size())];
      break;
    }
    case MoveKind::kLock:  // a few locks are popular, so that they are handed over
      m.object = pick(dice.chance(65) ? std::min<size_t>(2, world.locks().size()) : world.locks().size());
      break;
    case MoveKind::kRefused:
    case MoveKind::kDestroyLock:
      m.object = pick(world.locks().size());
      break;
    case MoveKind::kWaitEnter: {
      for (size_t i = 0; i < world.locks().size(); ++i)
        if (world.locks()[i].holder == m.thread)
          m.object = static_cast<uint8_t>(i * kConditions + dice.below(kConditions));
      break;
    }
    case MoveKind::kLoad:
    case MoveKind::kStore:
    case MoveKind::kRmw:
      m.object = pick(dice.chance(4) ? kAtomics + 1 : kAtomics);
      break;
    case MoveKind::kRead:
    case MoveKind::kWrite:
      m.object = pick(dice.chance(15) ? kData + kAtomics + kBlocks : kData);
      break;
    case MoveKind::kJoin:
    case MoveKind::kDetach:
      m.object = pick(world.threads().size());
      break;
    case MoveKind::kSemaphoreWait:
    case MoveKind::kPost:
    case MoveKind::kDestroySemaphore:
      m.object = pick(kSemaphores);
      break;
    case MoveKind::kHappensBefore:
    case MoveKind::kHappensAfter:
      m.object = pick(kArrows);
      break;
    case MoveKind::kBarrierEnter:
      m.object = static_cast<uint8_t>(world.incomplete_barrier().value_or(pick(kBarriers)));
      break;
    case MoveKind::kSpinRead:
      m.object = pick(kAtomics);
      m.offset = pick(2) == 0 ? 0 : pick(8);
      break;
    default:
      m.object = pick(4);
      break;
  }
}

// Some moves that belong together, which dice alone would seldom throw: two threads touch one place, one after the
// other, with something between them.
std::vector<Move> phrase(Dice& dice, const Plan& plan, const GeneratorOptions& o) {
  auto first = static_cast<uint8_t>(dice.below(plan.threads));
  auto second = static_cast<uint8_t>((first + 1 + dice.below(plan.threads - 1u)) % plan.threads);
  auto object = static_cast<uint8_t>(dice.below(2));
  auto lock = static_cast<uint8_t>(dice.below(std::min<size_t>(2, plan.locks)));
  // Bytes that are used by phrases only, most of the time.
  auto place = static_cast<uint8_t>(dice.below(kData));
  auto offset = static_cast<uint8_t>((dice.chance(90) ? 16 : 0) + dice.below(4));
  auto size = static_cast<uint8_t>(dice.below(4));
  auto variant = dice.byte();
  auto access = [&](uint8_t thread) {
    return Move{dice.chance(70) ? MoveKind::kWrite : MoveKind::kRead, thread, place, offset, size, 0};
  };
  auto move = [&](MoveKind kind, uint8_t thread, uint8_t what, uint8_t how) {
    return Move{kind, thread, what, 0, 0, how};
  };
  // With cv=wr: one of two flags is written before a signal, one of them is read before a wait loop is left.
  auto flag = [&](MoveKind kind, uint8_t thread) {
    return Move{kind, thread, static_cast<uint8_t>(kData - 1), static_cast<uint8_t>(20 + dice.below(2)), 0, 0};
  };
  if (o.conditions && o.cv != ConditionMode::kOff && dice.chance(50)) {
    std::vector<Move> moves = {access(first), move(MoveKind::kLock, first, lock, 1), flag(MoveKind::kWrite, first)};
    moves.push_back(move(MoveKind::kSignal, first, object, 0));
    moves.push_back(move(MoveKind::kUnlock, first, lock, 1));
    if (dice.chance(30)) return moves;
    if (dice.chance(30)) {  // another one signals too, or the condition variable becomes another one
      auto third = static_cast<uint8_t>(dice.below(plan.threads));
      moves.push_back(move(MoveKind::kLock, third, lock, 1));
      moves.push_back(flag(MoveKind::kWrite, third));
      moves.push_back(move(dice.chance(70) ? MoveKind::kSignal : MoveKind::kDestroyCondition, third, object, 0));
      moves.push_back(move(MoveKind::kUnlock, third, lock, 1));
    }
    moves.push_back(move(MoveKind::kLock, second, lock, 1));
    moves.push_back(flag(MoveKind::kRead, second));
    moves.push_back(move(MoveKind::kWaitLoopLeave, second, object, 0));
    moves.push_back(move(MoveKind::kUnlock, second, lock, 1));
    moves.push_back(access(second));
    return moves;
  }
  // The objects in block h1, which come and go with it.
  if (dice.chance(20)) {
    bool semaphore = dice.chance(50) || plan.locks <= 3;
    auto inner = static_cast<uint8_t>(semaphore ? kSemaphores - 1 : plan.locks - 1u);
    auto take = semaphore ? MoveKind::kSemaphoreWait : MoveKind::kLock;
    auto give = semaphore ? MoveKind::kPost : MoveKind::kUnlock;
    auto use = [&](uint8_t thread) -> std::vector<Move> {
      if (semaphore) return {access(thread), move(give, thread, inner, 1)};
      return {move(take, thread, inner, 1), access(thread), move(give, thread, inner, 1)};
    };
    std::vector<Move> moves = {move(MoveKind::kAllocate, first, 1, 0)};
    auto add = [&](const std::vector<Move>& more) { moves.insert(moves.end(), more.begin(), more.end()); };
    add(use(first));
    if (dice.chance(60)) add({move(MoveKind::kFree, dice.chance(50) ? first : second, 1, 0)});
    if (dice.chance(50))  // a hand-over beside them
      add({move(MoveKind::kLock, first, lock, 1), move(MoveKind::kUnlock, first, lock, 1),
           move(MoveKind::kLock, second, lock, 1), move(MoveKind::kUnlock, second, lock, 1)});
    add({move(MoveKind::kAllocate, second, 1, 0)});
    if (semaphore) add({move(give, second, inner, 1), move(take, second, inner, 1)});
    add(use(second));
    return moves;
  }
  switch (dice.below(8)) {
    case 0:
    case 1:
    case 2:  // only the lock's hand-over is between them
      return {access(first),
              move(MoveKind::kLock, first, lock, variant),
              move(MoveKind::kUnlock, first, lock, 1),
              move(MoveKind::kLock, second, lock, 1),
              move(MoveKind::kUnlock, second, lock, 1),
              access(second)};
    case 3:  // inside, with a lock in common or not
      return {move(MoveKind::kLock, first, lock, variant),  access(first),  move(MoveKind::kUnlock, first, lock, 1),
              move(MoveKind::kLock, second, lock, variant), access(second), move(MoveKind::kUnlock, second, lock, 1)};
    case 4:  // one inside, one outside
      return {move(MoveKind::kLock, first, lock, variant), access(first),
              move(MoveKind::kUnlock, first, lock, 1),     move(MoveKind::kLock, second, lock, variant),
              move(MoveKind::kUnlock, second, lock, 1),    access(second)};
    case 5:
      return {access(first), move(MoveKind::kPost, first, object, 0), move(MoveKind::kSemaphoreWait, second, object, 0),
              access(second)};
    case 6:
      return {access(first), move(MoveKind::kStore, first, object, variant),
              move(MoveKind::kLoad, second, object, variant), access(second)};
    default:
      return {access(first), move(MoveKind::kHappensBefore, first, object, 0),
              move(MoveKind::kHappensAfter, second, object, 0), access(second)};
  }
}

// Most threads read the same, one after the other; then somebody may write it, ordered after some of them.
std::vector<Move> common_reading(Dice& dice, const Plan& plan) {
  const auto region = static_cast<uint8_t>(dice.below(dice.chance(70)   ? 1
                                                      : dice.chance(50) ? kData
                                                                        : kData + kAtomics + kBlocks));
  const auto offset = static_cast<uint8_t>(dice.chance(70) ? 0 : dice.below(12));
  const auto size = static_cast<uint8_t>(dice.chance(60) ? 7 : dice.below(8));
  std::vector<Move> moves;
  for (uint8_t thread = 0; thread < plan.threads; ++thread) {
    if (dice.chance(15)) continue;
    if (dice.chance(40)) moves.push_back({MoveKind::kHappensBefore, thread, dice.byte(), 0, 0, 0});
    const bool differs = dice.chance(15);
    moves.push_back({MoveKind::kRead, thread, region, static_cast<uint8_t>(differs ? offset + dice.below(8) : offset),
                     static_cast<uint8_t>(differs ? dice.below(8) : size), dice.byte()});
  }
  const auto writer = static_cast<uint8_t>(dice.below(plan.threads));
  for (uint8_t thread = 0; thread < plan.threads; ++thread) {
    if (dice.chance(70)) moves.push_back({MoveKind::kHappensBefore, thread, 0, 0, 0, 0});
  }
  if (dice.chance(70)) moves.push_back({MoveKind::kHappensAfter, writer, 0, 0, 0, 0});
  if (dice.chance(50)) moves.push_back({MoveKind::kWrite, writer, region, offset, size, dice.byte()});
  return moves;
}

// Memory that one thread allocates and fills, and that another gets by a lock's hand-over; now and then something comes
// between.
std::vector<Move> publication(Dice& dice, const Plan& plan) {
  auto first = static_cast<uint8_t>(dice.below(plan.threads));
  auto second = static_cast<uint8_t>((first + 1 + dice.below(plan.threads - 1u)) % plan.threads);
  auto lock = static_cast<uint8_t>(dice.below(std::min<size_t>(2, plan.locks)));
  auto block = static_cast<uint8_t>(dice.below(kBlocks));
  std::vector<Move> moves;
  auto add = [&](MoveKind kind, uint8_t thread, uint8_t what) {
    moves.push_back({kind, thread, what, 0, dice.byte(), dice.byte()});
  };
  auto access = [&](uint8_t thread) {
    moves.push_back({dice.chance(70) ? MoveKind::kWrite : MoveKind::kRead, thread,
                     static_cast<uint8_t>(kData + kAtomics + block), static_cast<uint8_t>(dice.below(12)),
                     static_cast<uint8_t>(dice.below(8)), 0});
  };
  auto maybe = [&](unsigned percent) {
    if (!dice.chance(percent)) return;
    constexpr std::array kBetween = {MoveKind::kStore,      MoveKind::kRmw,  MoveKind::kLoad, MoveKind::kCut,
                                     MoveKind::kReallocate, MoveKind::kFree, MoveKind::kLock, MoveKind::kUnlock,
                                     MoveKind::kPost,       MoveKind::kFork};
    const MoveKind kind = kBetween[dice.below(kBetween.size())];
    const bool heap = kind == MoveKind::kReallocate || kind == MoveKind::kFree;
    add(kind, dice.chance(80) ? first : second, heap ? block : lock);
  };
  if (dice.chance(70)) add(MoveKind::kFree, dice.chance(50) ? first : second, block);
  maybe(20);
  add(dice.chance(85) ? MoveKind::kAllocate : MoveKind::kReallocate, first,
      dice.chance(85) ? block : static_cast<uint8_t>(1 - block));
  maybe(40);
  access(first);
  maybe(40);
  if (dice.chance(40)) access(first);
  add(MoveKind::kLock, first, lock);
  if (dice.chance(30)) access(first);
  add(MoveKind::kUnlock, first, lock);
  if (dice.chance(20)) access(first);
  maybe(20);
  add(MoveKind::kLock, second, lock);
  if (dice.chance(20)) access(second);
  add(MoveKind::kUnlock, second, lock);
  access(second);
  if (dice.chance(20)) add(MoveKind::kFree, second, block);
  return moves;
}

}  // namespace

Plan make_plan(uint64_t seed, const GeneratorOptions& o) {
  Dice dice(seed);
  Plan plan;
  plan.threads = static_cast<uint8_t>(o.min_threads + dice.below(1u + o.max_threads - o.min_threads));
  plan.roots = dice.chance(50) ? 1 : static_cast<uint8_t>(1 + dice.below(plan.threads));
  plan.locks = static_cast<uint8_t>(1 + dice.below(std::min<size_t>(o.max_locks, kMaxLocks)));
  plan.cv = o.cv;
  plan.spin = o.spin;
  plan.lib = o.lib;
  uint64_t moves = 6 + dice.below(o.max_moves);

  World world(plan);
  Discipline discipline(dice, plan);
  std::vector<Weighted> all = weights(o, dice);
  unsigned total = 0;
  for (const Weighted& w : all) total += w.weight;
  auto pick_kind = [&] {
    uint64_t at = dice.below(total);
    for (const Weighted& w : all) {
      if (at < w.weight) return w.kind;
      at -= w.weight;
    }
    return MoveKind::kRead;
  };

  auto record = [&](const Move& m) {
    if (!world.apply(m)) return;
    plan.moves.push_back(m);
    if (m.kind == MoveKind::kFork) {
      for (size_t t = world.threads().size(); t-- > 0;)
        if (world.threads()[t].doing == Doing::kRunning && t != m.thread) {
          discipline.born(m.thread, static_cast<uint8_t>(t));
          break;
        }
    } else {
      discipline.follow(m);
    }
  };

  uint8_t current = 0;
  for (uint64_t i = 0; i < 4 * moves && plan.moves.size() < moves; ++i) {
    // A thread tends to go on for a while.
    if (dice.chance(35)) current = static_cast<uint8_t>(dice.below(plan.threads));
    if (o.publications && dice.chance(20)) {
      for (const Move& m : publication(dice, plan)) record(m);
      continue;
    }
    if (o.readers && dice.chance(20)) {
      for (const Move& m : common_reading(dice, plan)) record(m);
      continue;
    }
    if (dice.chance(6)) {
      for (const Move& m : phrase(dice, plan, o)) record(m);
      continue;
    }
    Move m;
    m.thread = current;
    m.kind = world.incomplete_barrier() && dice.chance(15) ? MoveKind::kBarrierEnter : pick_kind();
    m.offset = dice.byte();
    m.size = dice.byte();
    m.variant = dice.byte();
    aim(m, world, dice);
    bool plain = m.kind == MoveKind::kRead || m.kind == MoveKind::kWrite;
    if (plain && o.spins && dice.chance(30)) {  // the words that others spin on
      m.object = static_cast<uint8_t>(kData + dice.below(kAtomics));
      m.offset = dice.chance(70) ? 0 : static_cast<uint8_t>(dice.below(8));
      m.size = static_cast<uint8_t>(dice.below(4));
    } else if (plain && !discipline.direct(m, world)) {
      continue;
    }
    record(m);
  }
  return plan;
}

script::Script play(const Plan& plan) {
  World world(plan);
  world.begin();
  for (const Move& m : plan.moves) world.apply(m);
  return world.take_script();
}

std::vector<Plan> simpler(const Plan& plan) {
  std::vector<Plan> all;
  size_t n = plan.moves.size();
  for (size_t length = n; length >= 1; length /= 2) {
    for (size_t start = 0; start < n; start += length) {
      Plan fewer = plan;
      auto from = fewer.moves.begin() + static_cast<std::ptrdiff_t>(start);
      fewer.moves.erase(from, from + static_cast<std::ptrdiff_t>(std::min(length, n - start)));
      all.push_back(std::move(fewer));
    }
  }
  for (size_t i = 0; i < n; ++i) {
    auto with = [&](auto change) {
      Plan other = plan;
      change(other.moves[i]);
      all.push_back(std::move(other));
    };
    if (plan.moves[i].size != 0) with([](Move& m) { m.size = 0; });
    if (plan.moves[i].offset != 0) with([](Move& m) { m.offset = 0; });
  }
  return all;
}

}  // namespace norn::oracle
