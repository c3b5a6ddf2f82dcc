#include "tests/oracle/reorderings.h"

#include <algorithm>
#include <map>

namespace norn::oracle {
namespace {

constexpr int kNobody = -1;

bool is_acquire(const Event& e) { return e.kind == EventKind::kLockAcquire; }
bool is_semaphore(const Event& e) { return e.kind == EventKind::kSemaphorePost || e.kind == EventKind::kSemaphoreWait; }
bool finds_values(const Event& e) {
  return e.kind == EventKind::kRead || e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kAtomicRmw ||
         e.kind == EventKind::kAllocate;
}
bool writes(const Event& e) {
  return e.kind == EventKind::kWrite || e.kind == EventKind::kFree || e.kind == EventKind::kAtomicStore ||
         e.kind == EventKind::kAtomicRmw;
}
bool is_atomic(const Event& e) {
  return e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kAtomicStore || e.kind == EventKind::kAtomicRmw;
}
bool is_access(const Event& e) { return e.kind == EventKind::kRead || e.kind == EventKind::kAtomicLoad || writes(e); }
bool exclude(const Event& a, const Event& b) {
  return a.mode == LockMode::kExclusive || b.mode == LockMode::kExclusive;
}
bool touches(const Event& e, Address byte) { return byte - e.address < e.size; }

// Who wrote each byte last. An allocation overwrites what is there.
using Memory = std::map<Address, int>;
void do_to(Memory& memory, const Event& e, int number) {
  for (Address byte = e.address; byte < e.address + e.size; ++byte) {
    if (writes(e) || (e.kind == EventKind::kAllocate && memory.contains(byte))) memory[byte] = number;
  }
}
int writer_of(const Memory& memory, Address byte) {
  const auto found = memory.find(byte);
  return found == memory.end() ? kNobody : found->second;
}

class Search {
 public:
  explicit Search(const std::vector<Event>& trace) : trace_(trace) {
    Memory memory;
    for (size_t i = 0; i < trace.size(); ++i) {
      const Event& e = trace[i];
      threads_[e.thread].push_back(static_cast<int>(i));
      for (Address byte = e.address; finds_values(e) && byte < e.address + e.size; ++byte)
        found_[{i, byte}] = writer_of(memory, byte);
      do_to(memory, e, static_cast<int>(i));
    }
  }

  std::set<std::pair<StackId, StackId>> races() {
    std::map<ThreadId, size_t> beginning;
    for (const auto& [thread, events] : threads_) beginning[thread] = 0;
    visit(beginning, {});
    return races_;
  }

 private:
  using State = std::pair<std::map<ThreadId, size_t>, Memory>;

  [[nodiscard]] bool is_done(const std::map<ThreadId, size_t>& done, size_t number) const {
    const std::vector<int>& own = threads_.at(trace_[number].thread);
    const size_t at = done.at(trace_[number].thread);
    return at > 0 && static_cast<size_t>(own[at - 1]) >= number;
  }

  [[nodiscard]] bool is_forked(const std::map<ThreadId, size_t>& done, ThreadId thread) const {
    for (size_t i = 0; i < trace_.size(); ++i)
      if (trace_[i].kind == EventKind::kThreadFork && trace_[i].other == thread && !is_done(done, i)) return false;
    return true;
  }

  // Where its section ends; the trace's end if it does not.
  [[nodiscard]] size_t release_of(size_t acquire) const {
    const Event& a = trace_[acquire];
    for (size_t i = acquire + 1; i < trace_.size(); ++i) {
      const Event& e = trace_[i];
      if (e.kind == EventKind::kLockRelease && e.thread == a.thread && e.address == a.address) return i;
    }
    return trace_.size();
  }

  [[nodiscard]] bool can(const std::map<ThreadId, size_t>& done, const Memory& memory, size_t number) const {
    const Event& e = trace_[number];
    if (finds_values(e)) {
      for (Address byte = e.address; byte < e.address + e.size; ++byte)
        if (writer_of(memory, byte) != found_.at({number, byte})) return false;
    }
    for (size_t i = 0; i < trace_.size(); ++i) {
      const Event& other = trace_[i];
      const bool is_same = other.address == e.address && i != number;
      if (is_acquire(e) && is_acquire(other) && is_same && exclude(e, other) && is_done(done, i)) {
        const size_t end = release_of(i);
        if (i > number || end == trace_.size() || !is_done(done, end)) return false;
      }
      if (is_semaphore(e) && is_semaphore(other) && is_same && is_done(done, i) != (i < number)) return false;
      if (e.kind == EventKind::kThreadJoin && other.thread == e.other && i < number && !is_done(done, i)) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_race(size_t a, size_t b) const {
    const Event& x = trace_[a];
    const Event& y = trace_[b];
    if (!is_access(x) || !is_access(y) || (!writes(x) && !writes(y)) || (is_atomic(x) && is_atomic(y))) return false;
    for (Address byte = x.address; byte < x.address + x.size; ++byte) {
      if (!touches(y, byte)) continue;
      bool is_same_life = true;
      for (size_t i = std::min(a, b) + 1; i < std::max(a, b); ++i)
        if (trace_[i].kind == EventKind::kAllocate && touches(trace_[i], byte)) is_same_life = false;
      if (is_same_life) return true;
    }
    return false;
  }

  void visit(const std::map<ThreadId, size_t>& done, const Memory& memory) {
    if (!seen_.insert({done, memory}).second) return;
    std::vector<size_t> next;
    for (const auto& [thread, events] : threads_) {
      if (done.at(thread) < events.size() && is_forked(done, thread))
        next.push_back(static_cast<size_t>(events[done.at(thread)]));
    }
    for (const size_t a : next)
      for (const size_t b : next)
        if (a < b && is_race(a, b)) races_.insert(std::minmax(trace_[a].where, trace_[b].where));
    for (const size_t number : next) {
      if (!can(done, memory, number)) continue;
      std::map<ThreadId, size_t> more = done;
      ++more[trace_[number].thread];
      Memory after = memory;
      do_to(after, trace_[number], static_cast<int>(number));
      visit(more, after);
    }
  }

  const std::vector<Event>& trace_;
  std::map<ThreadId, std::vector<int>> threads_;
  std::map<std::pair<size_t, Address>, int> found_;  // by each read's byte: who wrote it
  std::set<State> seen_;
  std::set<std::pair<StackId, StackId>> races_;
};

// --- random traces -----------------------------------------------------------------------------------------------

class Generator {
 public:
  Generator(Dice& dice, size_t events) : dice_(dice), events_(events) {}

  std::vector<Event> make() {
    const auto threads = static_cast<ThreadId>(2 + dice_.below(2));
    for (ThreadId thread = 1; thread <= threads; ++thread)
      if (thread == 1 || dice_.chance(50)) running_.push_back(thread);
    for (ThreadId thread = 1; thread <= threads; ++thread)
      if (std::find(running_.begin(), running_.end(), thread) == running_.end()) waiting_.push_back(thread);
    while (trace_.size() < events_) step(running_[dice_.below(running_.size())]);
    return std::move(trace_);
  }

 private:
  static constexpr Address kMemory = 0x1000;
  static constexpr Address kLocks = 0x2000;
  static constexpr Address kSemaphore = 0x3000;

  void put(EventKind kind, ThreadId thread, Address address, uint64_t size, uint64_t other = 0,
           LockMode mode = LockMode::kExclusive) {
    Event e;
    e.kind = kind;
    e.thread = thread;
    e.address = address;
    e.size = size;
    e.other = other;
    e.mode = mode;
    // A thread does the same in several places, and in one place several times.
    e.where = static_cast<StackId>(1 + thread * 100 + static_cast<unsigned>(kind) * 2 + dice_.below(2));
    trace_.push_back(e);
  }

  void step(ThreadId thread) {
    const uint64_t what = dice_.below(100);
    if (what < 58) {
      constexpr EventKind kKinds[] = {EventKind::kRead,        EventKind::kRead,     EventKind::kWrite,
                                      EventKind::kWrite,       EventKind::kWrite,    EventKind::kAtomicLoad,
                                      EventKind::kAtomicStore, EventKind::kAtomicRmw};
      const uint64_t size = dice_.chance(70) ? 4 : 8;
      put(kKinds[dice_.below(8)], thread, kMemory + dice_.below(3) * 4, size);
    } else if (what < 90) {
      const Address lock = kLocks + dice_.below(2) * 64;
      if (auto mine = held_.find({lock, thread}); mine != held_.end()) {
        const LockMode mode = mine->second;
        held_.erase(mine);
        return put(EventKind::kLockRelease, thread, lock, 0, 0, mode);
      }
      const LockMode mode = dice_.chance(30) ? LockMode::kShared : LockMode::kExclusive;
      for (const auto& [key, other] : held_)
        if (key.first == lock && (mode == LockMode::kExclusive || other == LockMode::kExclusive)) return;
      held_[{lock, thread}] = mode;
      put(EventKind::kLockAcquire, thread, lock, 0, 0, mode);
    } else if (what < 94) {
      if (tokens_ > 0 && dice_.chance(60)) {
        --tokens_;
        return put(EventKind::kSemaphoreWait, thread, kSemaphore, 0);
      }
      ++tokens_;
      put(EventKind::kSemaphorePost, thread, kSemaphore, 0);
    } else if (what < 96) {
      put(dice_.chance(50) ? EventKind::kFree : EventKind::kAllocate, thread, kMemory, 8);
    } else if (!waiting_.empty()) {
      put(EventKind::kThreadFork, thread, 0, 0, waiting_.back());
      running_.push_back(waiting_.back());
      waiting_.pop_back();
    } else if (running_.size() > 1) {
      // It has ended; locks that it has stay locked.
      const ThreadId other = running_[dice_.below(running_.size())];
      if (other == thread) return;
      put(EventKind::kThreadJoin, thread, 0, 0, other);
      std::erase(running_, other);
    }
  }

  Dice& dice_;
  size_t events_;
  std::vector<Event> trace_;
  std::vector<ThreadId> running_;
  std::vector<ThreadId> waiting_;
  std::map<std::pair<Address, ThreadId>, LockMode> held_;
  unsigned tokens_ = 0;
};

}  // namespace

std::set<std::pair<StackId, StackId>> races_by_reordering(const std::vector<Event>& trace) {
  return Search(trace).races();
}

std::vector<Event> random_trace(Dice& dice, size_t events) { return Generator(dice, events).make(); }

}  // namespace norn::oracle
