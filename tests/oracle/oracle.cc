#include "tests/oracle/oracle.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace norn::oracle {
namespace {

using Index = size_t;  // of an event
using Indexes = std::set<Index>;

struct Range {
  Address begin = 0;
  Address end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
  [[nodiscard]] bool holds(Address address) const { return begin <= address && address < end; }
  [[nodiscard]] bool overlaps(const Range& other) const {
    return !empty() && !other.empty() && begin < other.end && other.begin < end;
  }
};

Range range_of(const Event& event) { return {event.address, event.address + event.size}; }

// --- What a reallocation is made of -------------------------------------------------------------------------------

struct Reallocation {
  Range read;
  Range freed;
  Range born;
  Range written;
};

Reallocation take_apart(const Event& event) {
  Range from = range_of(event);
  Range to = {event.other, event.other + event.other_size};
  if (from.begin != to.begin) {
    uint64_t copied = std::min(event.size, event.other_size);
    return {from, from, to, {to.begin, to.begin + copied}};
  }
  Range given_up = {to.end, from.end};
  Range gained = {from.end, to.end};
  return {from, given_up.empty() ? Range{} : given_up, gained.empty() ? Range{} : gained, {}};
}

// --- The execution, with what a thread ignores and holds at each event --------------------------------------------

struct HeldLock {
  Address lock = 0;
  LockMode mode{};
};

struct LockChange {
  Address lock = 0;
  LockMode mode{};
};

struct Execution {
  std::span<const Event> events;
  OracleOptions options;
  std::vector<uint8_t> ignored;                       // per event: the set of IgnoreWhat of its thread
  std::vector<std::vector<HeldLock>> locksets;        // per event: held while it happens (see compute_locks)
  std::vector<std::optional<LockChange>> taken;       // per event: the outermost acquire it is
  std::vector<std::optional<LockChange>> given;       // per event: the outermost release it is
  std::vector<std::pair<Index, Range>> ended_ranges;  // memory freed or allocated at an event
  std::vector<std::pair<Index, Range>> born_ranges;   // allocated

  [[nodiscard]] bool ignores(Index i, IgnoreWhat what) const { return (ignored[i] & what) != 0; }
  [[nodiscard]] bool is(Index i, EventKind kind) const { return events[i].kind == kind; }
  // A synchronization event that counts: "with kIgnoreSync, synchronization events of that thread are no edges".
  [[nodiscard]] bool syncs(Index i, EventKind kind) const { return is(i, kind) && !ignores(i, kIgnoreSync); }
};

void compute_ignored(Execution& x) {
  std::map<ThreadId, std::map<uint8_t, int>> depth;
  x.ignored.resize(x.events.size());
  for (Index i = 0; i < x.events.size(); ++i) {
    const Event& e = x.events[i];
    auto& mine = depth[e.thread];
    for (uint8_t what : {kIgnoreReads, kIgnoreWrites, kIgnoreSync}) {
      if (e.kind == EventKind::kIgnoreBegin && (e.other & what)) ++mine[what];
      if (e.kind == EventKind::kIgnoreEnd && (e.other & what) && mine[what] > 0) --mine[what];
      if (mine[what] > 0) x.ignored[i] = static_cast<uint8_t>(x.ignored[i] | what);
    }
  }
}

// "Locks are recursive: only the outermost acquire and release are edges and change the lockset."
void compute_locks(Execution& x) {
  std::map<ThreadId, std::map<std::pair<Address, LockMode>, int>> depth;
  size_t n = x.events.size();
  x.locksets.resize(n);
  x.taken.resize(n);
  x.given.resize(n);
  if (!x.options.lib) return;  // "locksets are empty"
  for (Index i = 0; i < n; ++i) {
    const Event& e = x.events[i];
    auto& mine = depth[e.thread];
    auto acquire = [&](Address lock, LockMode mode) {
      if (x.ignores(i, kIgnoreSync) && mine[{lock, mode}] == 0) return;  // "taking again … is counted as recursion"
      if (++mine[{lock, mode}] == 1) x.taken[i] = LockChange{lock, mode};
    };
    auto release = [&](Address lock, LockMode mode) {
      LockMode other = mode == LockMode::kShared ? LockMode::kExclusive : LockMode::kShared;
      if (mine[{lock, mode}] == 0) mode = other;
      if (mine[{lock, mode}] == 0) return;  // "a lock that is not held in any mode is ignored"
      if (--mine[{lock, mode}] == 0) x.given[i] = LockChange{lock, mode};
    };
    if (e.kind == EventKind::kLockAcquire) acquire(e.address, e.mode);
    if (e.kind == EventKind::kLockRelease) release(e.address, e.mode);
    if (e.kind == EventKind::kWaitEnter) release(e.other, LockMode::kExclusive);
    if (e.kind == EventKind::kWaitLeave) acquire(e.other, LockMode::kExclusive);
    for (const auto& [held, count] : mine)
      if (count > 0) x.locksets[i].push_back({held.first, held.second});
  }
}

void compute_ended_ranges(Execution& x) {
  for (Index i = 0; i < x.events.size(); ++i) {
    const Event& e = x.events[i];
    if (e.kind == EventKind::kAllocate) x.born_ranges.emplace_back(i, range_of(e));
    if (e.kind == EventKind::kFree) x.ended_ranges.emplace_back(i, range_of(e));
    if (e.kind == EventKind::kReallocate) {
      Reallocation parts = take_apart(e);
      if (!parts.freed.empty()) x.ended_ranges.emplace_back(i, parts.freed);
      if (!parts.born.empty()) x.born_ranges.emplace_back(i, parts.born);
    }
  }
  x.ended_ranges.insert(x.ended_ranges.end(), x.born_ranges.begin(), x.born_ranges.end());
}

Execution make_execution(std::span<const Event> events, const OracleOptions& options) {
  Execution x{events, options, {}, {}, {}, {}, {}, {}};
  compute_ignored(x);
  compute_locks(x);
  compute_ended_ranges(x);
  return x;
}

// "when the memory an object lies in is freed or allocated, the object has no past": did that happen to the object
// after event `from` and before event `to`?
bool lost_its_memory(const Execution& x, Address object, Index from, Index to) {
  return std::any_of(x.ended_ranges.begin(), x.ended_ranges.end(), [&](const auto& ended) {
    return from < ended.first && ended.first < to && ended.second.holds(object);
  });
}

// The same, "after lock-destroy or sync-destroy" too.
bool lost_its_past(const Execution& x, Address object, Index from, Index to) {
  for (Index i = from + 1; i < to; ++i) {
    const Event& e = x.events[i];
    bool destroys = e.kind == EventKind::kLockDestroy || e.kind == EventKind::kSyncDestroy;
    if (destroys && e.address == object) return true;
  }
  return lost_its_memory(x, object, from, to);
}

// --- Edges ---------------------------------------------------------------------------------------------------------

class Edges {
 public:
  explicit Edges(Orders& orders) : orders_(orders) {}
  void both(Index from, Index to) {
    orders_.full.add_edge(from, to);
    orders_.strong.add_edge(from, to);
  }
  void strong_only(Index from, Index to) { orders_.strong.add_edge(from, to); }
  void full_only(Index from, Index to) { orders_.full.add_edge(from, to); }

 private:
  Orders& orders_;
};

// For every i < j with from(i) and to(j): f(i, j).
template <typename From, typename To, typename F>
void for_pairs(const Execution& x, From from, To to, F f) {
  for (Index j = 0; j < x.events.size(); ++j) {
    if (!to(j)) continue;
    for (Index i = 0; i < j; ++i)
      if (from(i)) f(i, j);
  }
}

void order_by_program(const Execution& x, Edges& edges) {
  std::map<ThreadId, Index> last;
  for (Index i = 0; i < x.events.size(); ++i) {
    auto [it, first] = last.try_emplace(x.events[i].thread, i);
    if (!first) edges.both(std::exchange(it->second, i), i);
  }
}

// "fork(p, c) then everything of thread c"
void order_by_fork(const Execution& x, Edges& edges) {
  for_pairs(
      x, [&](Index i) { return x.is(i, EventKind::kThreadFork); }, [](Index) { return true; },
      [&](Index i, Index j) {
        if (x.events[i].other == x.events[j].thread) edges.both(i, j);
      });
}

// "everything of thread c then join(t, c)"
void order_by_join(const Execution& x, Edges& edges) {
  for_pairs(
      x, [](Index) { return true; }, [&](Index j) { return x.is(j, EventKind::kThreadJoin); },
      [&](Index i, Index j) {
        if (x.events[j].other == x.events[i].thread) edges.both(i, j);
      });
}

// "exclusive release of m then a later acquire of m in any mode"; "shared release of m then a later exclusive acquire"
void order_by_locks(const Execution& x, Edges& edges) {
  for_pairs(
      x, [&](Index i) { return x.given[i].has_value(); }, [&](Index j) { return x.taken[j].has_value(); },
      [&](Index i, Index j) {
        if (x.given[i]->lock != x.taken[j]->lock) return;
        bool both_shared = x.given[i]->mode == LockMode::kShared && x.taken[j]->mode == LockMode::kShared;
        if (!both_shared && !lost_its_past(x, x.given[i]->lock, i, j)) edges.full_only(i, j);
      });
}

// "the last exclusive acquire of m, if another thread's, then lock-refused of m"
void order_by_refusals(const Execution& x, Edges& edges) {
  for (Index j = 0; j < x.events.size(); ++j) {
    if (!x.syncs(j, EventKind::kLockRefused)) continue;
    const Address lock = x.events[j].address;
    std::optional<Index> taken;
    for (Index i = 0; i < j; ++i)
      if (x.taken[i] && x.taken[i]->lock == lock && x.taken[i]->mode == LockMode::kExclusive) taken = i;
    if (taken && x.events[*taken].thread != x.events[j].thread && !lost_its_past(x, lock, *taken, j))
      edges.both(*taken, j);
  }
}

// Semaphores, once and annotations have one shape: every `from` of an object then every later `to` of it.
void order_by_object(const Execution& x, Edges& edges, EventKind from, EventKind to) {
  for_pairs(
      x, [&](Index i) { return x.syncs(i, from); }, [&](Index j) { return x.syncs(j, to); },
      [&](Index i, Index j) {
        Address object = x.events[i].address;
        if (object == x.events[j].address && !lost_its_past(x, object, i, j)) edges.both(i, j);
      });
}

// "barrier enter then the leaves of the same generation"
void order_by_barriers(const Execution& x, Edges& edges) {
  struct Generation {
    std::vector<Index> enters;
    bool ended = false;
  };
  std::set<Address> barriers;
  for (const Event& e : x.events)
    if (e.kind == EventKind::kBarrierEnter) barriers.insert(e.address);

  for (Address barrier : barriers) {
    uint64_t count = 0;  // unknown
    std::vector<Generation> generations;
    std::map<ThreadId, size_t> entered_last;  // the generation
    for (Index i = 0; i < x.events.size(); ++i) {
      const Event& e = x.events[i];
      bool fresh = e.kind == EventKind::kBarrierInit && e.address == barrier;
      if (fresh || (i > 0 && lost_its_past(x, barrier, i - 1, i + 1))) {
        count = 0;
        if (!generations.empty()) generations.back().ended = true;  // who entered before still leaves it
      }
      if (e.address != barrier) continue;
      if (e.kind == EventKind::kBarrierInit) count = e.other;
      if (e.kind == EventKind::kBarrierEnter) {
        if (generations.empty() || generations.back().ended) generations.emplace_back();
        generations.back().enters.push_back(i);
        entered_last[e.thread] = generations.size() - 1;
        if (generations.back().enters.size() == count) generations.back().ended = true;
      }
      if (e.kind == EventKind::kBarrierLeave) {
        auto mine = entered_last.find(e.thread);
        if (mine == entered_last.end()) continue;
        Generation& generation = generations[mine->second];
        if (count == 0) generation.ended = true;  // "ends at the first leave of one of its members"
        if (x.ignores(i, kIgnoreSync)) continue;
        for (Index enter : generation.enters)
          if (!x.ignores(enter, kIgnoreSync)) edges.both(enter, i);
      }
    }
  }
}

// --- Atomics -------------------------------------------------------------------------------------------------------

void order_by_atomics(const Execution& x, Edges& edges) {
  struct Message {
    uint64_t size = 0;  // of the last atomic written at the address
    Indexes members;
  };
  std::map<Address, Message> messages;
  std::map<ThreadId, Index> release_fence;  // the thread's last
  std::map<ThreadId, Indexes> remembered;   // what its loads without acquire read

  auto empty_messages = [&](Range range) {
    for (auto& [address, message] : messages)
      if (range.overlaps({address, address + message.size})) message.members.clear();
  };
  auto acquire = [&](Index i, const Indexes& message) {
    for (Index member : message) edges.both(member, i);
  };

  for (Index i = 0; i < x.events.size(); ++i) {
    const Event& e = x.events[i];
    bool ignored = x.ignores(i, kIgnoreSync);
    // What a store or rmw adds to the message: itself, or its thread's last release fence, or nothing.
    auto contribution = [&]() -> Indexes {
      if (ignored) return {};
      if (releases(e.order)) return {i};
      auto fence = release_fence.find(e.thread);
      return fence == release_fence.end() ? Indexes{} : Indexes{fence->second};
    };
    auto read_message = [&] {
      const Indexes& message = messages[e.address].members;
      if (ignored) return;
      if (acquires(e.order)) {
        acquire(i, message);
      } else {
        remembered[e.thread].insert(message.begin(), message.end());
      }
    };
    switch (e.kind) {
      case EventKind::kAtomicLoad:
        read_message();
        break;
      case EventKind::kAtomicStore:
        messages[e.address] = {e.size, contribution()};
        break;
      case EventKind::kAtomicRmw:
        read_message();
        messages[e.address].size = e.size;
        messages[e.address].members.merge(contribution());
        break;
      case EventKind::kFence:
        if (ignored) break;
        if (acquires(e.order)) acquire(i, remembered[e.thread]);
        if (releases(e.order)) release_fence[e.thread] = i;
        break;
      case EventKind::kWrite:
        if (!x.ignores(i, kIgnoreWrites)) empty_messages(range_of(e));
        break;
      default:
        break;
    }
    for (const auto& [index, range] : x.ended_ranges)
      if (index == i) empty_messages(range);
  }
}

// --- Condition variables -------------------------------------------------------------------------------------------

bool is_signal(const Execution& x, Index i) {
  return x.syncs(i, EventKind::kSignal) || x.syncs(i, EventKind::kBroadcast);
}

// The wait-enter that belongs to a wait-leave, if any.
std::optional<Index> enter_of(const Execution& x, Index leave) {
  const Event& e = x.events[leave];
  for (Index i = leave; i-- > 0;) {
    if (x.events[i].thread != e.thread || x.events[i].address != e.address) continue;
    if (x.is(i, EventKind::kWaitLeave)) return std::nullopt;
    if (x.is(i, EventKind::kWaitEnter)) return i;
  }
  return std::nullopt;
}

bool is_in_loop(const Execution& x, Index leave) {
  auto enter = enter_of(x, leave);
  return x.events[leave].in_loop || (enter && x.events[*enter].in_loop);
}

// All signals of cv in (after, before) whose cv still has that past at `before`.
Indexes signals_between(const Execution& x, Address cv, std::optional<Index> after, Index before) {
  Indexes found;
  for (Index i = after ? *after + 1 : 0; i < before; ++i)
    if (is_signal(x, i) && x.events[i].address == cv && !lost_its_memory(x, cv, i, before)) found.insert(i);
  return found;
}

// "wait-leave(cv) of a wait that was entered before the signal and did not time out"
Indexes signals_by_the_table(const Execution& x, Index leave) {
  const Event& e = x.events[leave];
  auto enter = enter_of(x, leave);
  if (e.timed_out || !enter || lost_its_memory(x, e.address, *enter, leave)) return {};
  return signals_between(x, e.address, enter, leave);
}

// What a thread wrote (or read) since it took its first lock: "at most 64 accesses, the oldest forgotten first; an
// access whose bytes are all recorded already is not recorded again".
class AccessRecord {
 public:
  void add(Range range) {
    if (range.empty()) return;
    bool known = true;
    for (Address byte = range.begin; byte < range.end; ++byte) known = known && holds(byte);
    if (known) return;
    ranges_.push_back(range);
    if (ranges_.size() > 64) ranges_.pop_front();
  }
  void clear() { ranges_.clear(); }
  [[nodiscard]] bool holds(Address byte) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.holds(byte); });
  }
  [[nodiscard]] const std::deque<Range>& ranges() const { return ranges_; }

 private:
  std::deque<Range> ranges_;
};

// Which releases a byte is bound to, for a condition variable: "at most 64 ranges, the oldest forgotten first".
class Bindings {
 public:
  // "if it also read a byte of the range, the range is bound to what its bytes were bound to as well"
  void bind(const AccessRecord& written, const AccessRecord& read, Index release) {
    for (const Range& range : written.ranges()) {
      std::set<Address> bytes;
      for (Address byte = range.begin; byte < range.end; ++byte) bytes.insert(byte);
      Indexes releases = {release};
      if (std::any_of(bytes.begin(), bytes.end(), [&](Address byte) { return read.holds(byte); }))
        for (const Bound& older : bound_)
          if (std::any_of(bytes.begin(), bytes.end(), [&](Address byte) { return older.bytes.contains(byte); }))
            releases.insert(older.releases.begin(), older.releases.end());
      for (Bound& older : bound_)
        for (Address byte : bytes) older.bytes.erase(byte);
      std::erase_if(bound_, [](const Bound& b) { return b.bytes.empty(); });
      bound_.push_back({std::move(bytes), std::move(releases)});
      if (bound_.size() > 64) bound_.pop_front();
    }
  }
  void clear() { bound_.clear(); }
  [[nodiscard]] Indexes of(const AccessRecord& read) const {
    Indexes releases;
    for (const Bound& b : bound_)
      if (std::any_of(b.bytes.begin(), b.bytes.end(), [&](Address byte) { return read.holds(byte); }))
        releases.insert(b.releases.begin(), b.releases.end());
    return releases;
  }

 private:
  struct Bound {
    std::set<Address> bytes;
    Indexes releases;
  };
  std::deque<Bound> bound_;
};

bool holds(const Execution& x, Index i, Address lock) {
  return std::any_of(x.locksets[i].begin(), x.locksets[i].end(), [&](const HeldLock& h) { return h.lock == lock; });
}

// The mutex that was given last to a wait of cv before event i.
std::optional<Address> mutex_of(const Execution& x, Address cv, Index i) {
  for (Index k = i; k-- > 0;)
    if (x.syncs(k, EventKind::kWaitEnter) && x.events[k].address == cv && !lost_its_memory(x, cv, k, i))
      return x.events[k].other;
  return std::nullopt;
}

// The release that ends what a signal stands for: "of the mutex that was given last to a wait of cv, if it is held, and
// otherwise of any lock that is held at the signal". None: it has not come, or no lock is held, or the condition
// variable is gone by then.
std::optional<Index> end_of(const Execution& x, Index signal) {
  const Event& s = x.events[signal];
  std::optional<Address> mutex = mutex_of(x, s.address, signal);
  if (mutex && !holds(x, signal, *mutex)) mutex.reset();
  for (Index i = signal + 1; i < x.events.size(); ++i) {
    if (x.events[i].thread != s.thread || !x.given[i]) continue;
    const bool ends = mutex ? x.given[i]->lock == *mutex : holds(x, signal, x.given[i]->lock);
    if (!ends) continue;
    if (lost_its_memory(x, s.address, signal, i)) return std::nullopt;
    return i;
  }
  return std::nullopt;
}

std::optional<Index> last_release_before(const Execution& x, Index i) {
  for (Index k = i; k-- > 0;)
    if (x.events[k].thread == x.events[i].thread && x.given[k]) return k;
  return std::nullopt;
}

void order_by_write_read_relation(const Execution& x, Edges& edges) {
  std::map<Index, std::vector<Address>> ending;  // by the release that ends them: the signals' condition variables
  std::map<ThreadId, AccessRecord> reads;
  std::map<ThreadId, AccessRecord> writes;
  std::map<Address, Bindings> bindings;  // by condition variable

  for (Index i = 0; i < x.events.size(); ++i) {
    const Event& e = x.events[i];
    const auto& lockset = x.locksets[i];
    for (auto& [cv, bound] : bindings)
      if (i > 0 && lost_its_memory(x, cv, i - 1, i + 1)) bound.clear();

    // A wait-leave or wait-loop-leave looks for its signallers before anything starts afresh.
    bool leaves_wait = x.syncs(i, EventKind::kWaitLeave) && !e.timed_out && !is_in_loop(x, i);
    bool leaves_loop = x.syncs(i, EventKind::kWaitLoopLeave);
    if (leaves_wait || leaves_loop) {
      const Indexes bound = bindings[e.address].of(reads[e.thread]);
      for (Index release : bound) edges.both(release, i);
      if (bound.empty()) {
        for (Index signal : leaves_loop ? signals_between(x, e.address, std::nullopt, i) : signals_by_the_table(x, i)) {
          edges.both(signal, i);
          if (const std::optional<Index> end = end_of(x, signal); end && *end < i) edges.both(*end, i);
        }
      }
    }

    // "Taking a lock while holding none starts afresh; so does wait-leave if its mutex is the only lock held."
    bool first_lock = x.taken[i] && lockset.size() == 1;
    bool only_mutex = x.syncs(i, EventKind::kWaitLeave) && lockset.size() == 1 && lockset[0].lock == e.other;
    if (first_lock || only_mutex) {
      reads[e.thread].clear();
      writes[e.thread].clear();
    }

    // "While a thread holds any lock it records what it writes and what it reads."
    bool is_read = e.kind == EventKind::kRead || e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kAtomicRmw ||
                   e.kind == EventKind::kSpinRead;
    bool is_write = e.kind == EventKind::kWrite || e.kind == EventKind::kAtomicStore || e.kind == EventKind::kAtomicRmw;
    bool is_rmw = e.kind == EventKind::kAtomicRmw;
    if (is_read && !lockset.empty() && !x.ignores(i, is_rmw ? kIgnoreWrites : kIgnoreReads))
      reads[e.thread].add(range_of(e));
    if (is_write && !lockset.empty() && !x.ignores(i, kIgnoreWrites)) writes[e.thread].add(range_of(e));

    if (is_signal(x, i)) {
      if (const std::optional<Index> end = end_of(x, i)) ending[*end].push_back(e.address);
      if (const std::optional<Index> last = last_release_before(x, i); last && lockset.empty())
        bindings[e.address].bind(writes[e.thread], reads[e.thread], *last);
    }
    for (Address cv : ending[i]) bindings[cv].bind(writes[e.thread], reads[e.thread], i);
  }
}

void order_by_conditions(const Execution& x, Edges& edges) {
  if (x.options.cv == ConditionMode::kWriteRead) return order_by_write_read_relation(x, edges);
  for (Index i = 0; i < x.events.size(); ++i) {
    if (x.syncs(i, EventKind::kWaitLeave))
      for (Index signal : signals_by_the_table(x, i)) edges.both(signal, i);
    if (x.options.cv == ConditionMode::kLost && x.syncs(i, EventKind::kWaitLoopLeave))
      for (Index signal : signals_between(x, x.events[i].address, std::nullopt, i)) edges.both(signal, i);
  }
}

// --- Spinning reads ------------------------------------------------------------------------------------------------

// What ends a segment: "between two of its synchronization events".
bool is_synchronization(const Event& e) {
  switch (e.kind) {
    case EventKind::kAtomicLoad:
    case EventKind::kAtomicStore:
    case EventKind::kAtomicRmw:
      return e.order != MemoryOrder::kRelaxed;
    case EventKind::kThreadFork:
    case EventKind::kThreadJoin:
    case EventKind::kFence:
    case EventKind::kLockAcquire:
    case EventKind::kLockRelease:
    case EventKind::kLockRefused:
    case EventKind::kSignal:
    case EventKind::kBroadcast:
    case EventKind::kWaitEnter:
    case EventKind::kWaitLeave:
    case EventKind::kWaitLoopLeave:
    case EventKind::kBarrierEnter:
    case EventKind::kBarrierLeave:
    case EventKind::kSemaphorePost:
    case EventKind::kSemaphoreWait:
    case EventKind::kOnceDone:
    case EventKind::kOnceSeen:
    case EventKind::kSpinLeave:
    case EventKind::kHappensBefore:
    case EventKind::kHappensAfter:
      return true;
    default:
      return false;
  }
}

// A read that may decide what comes, and a write that it finds there.
struct Handover {
  Index write = 0;
  Index stands_for = 0;  // up to this event of its thread
  Index read = 0;
};

bool may_decide(const Execution& x, Index i) {
  const Event& e = x.events[i];
  if (x.ignores(i, kIgnoreSync)) return false;
  return (e.kind == EventKind::kRead && !e.counts) || e.kind == EventKind::kAtomicLoad ||
         e.kind == EventKind::kSpinRead;
}

// Gives the slices, which are cut whether or not spins are honoured, and what reads find.
std::vector<unsigned> order_by_spins(const Execution& x, Edges& edges, std::vector<Handover>& found) {
  struct Byte {
    bool spin = false;
    Indexes signal;
    std::optional<std::pair<ThreadId, unsigned>> freed_by = {};  // the thread and its slice
  };
  std::map<Address, Byte> bytes;
  std::map<ThreadId, std::set<Address>> accessed;  // bytes, in the thread's present segment
  std::map<ThreadId, Indexes> counterparts;  // of the thread's spin-reads, but those in-loop, since its last leave

  auto bytes_of = [](Range range) {
    std::vector<Address> all;
    for (Address byte = range.begin; byte < range.end; ++byte) all.push_back(byte);
    return all;
  };
  // Slices of segments: a segment is cut where a write of it became distinguishable from what follows: after an atomic
  // that releases, at a cut, after a write to a byte in state spin, when one of its writes is waited for the first
  // time, and after any atomic write that has room for an address if there was an allocation in it.
  std::map<ThreadId, unsigned> slice;
  std::vector<unsigned> slice_of(x.events.size());
  std::map<ThreadId, unsigned> birth;  // the slice in which the thread allocated memory last
  // The last event so far of the slice that event i is in.
  auto slice_so_far = [&](Index i, Index now) {
    Index last = i;
    for (Index k = i + 1; k < now; ++k)
      if (x.events[k].thread == x.events[i].thread && slice_of[k] == slice_of[i]) last = k;
    return last;
  };

  for (Index i = 0; i < x.events.size(); ++i) {
    const Event& e = x.events[i];
    if (is_synchronization(e)) {
      accessed[e.thread].clear();
      ++slice[e.thread];
    }
    if (e.kind == EventKind::kCut) ++slice[e.thread];
    slice_of[i] = slice[e.thread];
    bool reads = e.kind == EventKind::kRead || e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kAtomicRmw ||
                 e.kind == EventKind::kSpinRead;
    bool writes = e.kind == EventKind::kWrite || e.kind == EventKind::kAtomicStore || e.kind == EventKind::kAtomicRmw;
    bool rmw = e.kind == EventKind::kAtomicRmw;
    bool births = std::any_of(x.born_ranges.begin(), x.born_ranges.end(), [&](const auto& b) { return b.first == i; });
    if (births) birth[e.thread] = slice_of[i];
    bool tells = (e.kind == EventKind::kAtomicStore || rmw) && e.size >= sizeof(Address);
    if (tells && birth.contains(e.thread) && birth[e.thread] == slice_of[i]) slice[e.thread] = slice_of[i] + 1;
    if (reads && !writes && x.ignores(i, kIgnoreReads)) continue;
    if (writes && x.ignores(i, kIgnoreWrites)) continue;

    if (writes) {
      for (Address b : bytes_of(range_of(e))) {
        Byte& byte = bytes[b];
        if (byte.freed_by && *byte.freed_by == std::pair{e.thread, slice_of[i]}) continue;
        if (!rmw && !accessed[e.thread].contains(b)) byte.signal.clear();
        byte.signal.insert(i);
        if (byte.spin) slice[e.thread] = slice_of[i] + 1;
      }
    }
    if (writes && e.kind != EventKind::kWrite && releases(e.order) && x.options.lib && !x.ignores(i, kIgnoreSync))
      slice[e.thread] = slice_of[i] + 1;
    if (reads || writes)
      for (Address b : bytes_of(range_of(e))) accessed[e.thread].insert(b);
    if (may_decide(x, i))
      for (Address b : bytes_of(range_of(e)))
        for (auto write = bytes[b].signal.rbegin(); write != bytes[b].signal.rend(); ++write)  // the last first
          if (x.events[*write].thread != e.thread) found.push_back({*write, slice_so_far(*write, i), i});
    if (e.kind == EventKind::kSpinRead && x.options.spin) {
      for (Address b : bytes_of(range_of(e))) {
        Byte& byte = bytes[b];
        if (!byte.spin) {
          Indexes whole;
          for (Index write : byte.signal) {
            whole.insert(slice_so_far(write, i));
            const ThreadId writer = x.events[write].thread;
            if (slice[writer] == slice_of[write]) ++slice[writer];
          }
          byte.signal = whole;
        }
        byte.spin = true;
        if (!e.in_loop) counterparts[e.thread].insert(byte.signal.begin(), byte.signal.end());
      }
    }
    if (e.kind == EventKind::kSpinLeave && x.options.spin) {
      Indexes mine = std::exchange(counterparts[e.thread], {});
      if (!x.ignores(i, kIgnoreSync))
        for (Index write : mine) edges.both(write, i);
    }
    // "allocation and free end the state and empty the signal"; what a reallocation copies is written after it.
    for (const auto& [index, range] : x.ended_ranges)
      if (index == i)
        for (Address b : bytes_of(range)) bytes[b] = {};
    if (e.kind == EventKind::kFree && !x.ignores(i, kIgnoreWrites))
      for (Address b : bytes_of(range_of(e))) bytes[b].freed_by = {e.thread, slice_of[i]};
    if (e.kind == EventKind::kReallocate && !x.ignores(i, kIgnoreWrites))
      for (Address b : bytes_of(take_apart(e).freed)) bytes[b].freed_by = {e.thread, slice_of[i]};
    if (e.kind == EventKind::kReallocate && !x.ignores(i, kIgnoreWrites))
      for (Address b : bytes_of(take_apart(e).written)) bytes[b].signal = {i};
  }
  return slice_of;
}

// For each event the bytes that are in state spin when it happens.
std::vector<std::set<Address>> spin_states(const Execution& x) {
  std::vector<std::set<Address>> states(x.events.size());
  std::set<Address> now;
  for (Index i = 0; i < x.events.size() && x.options.spin; ++i) {
    states[i] = now;
    const Event& e = x.events[i];
    if (e.kind == EventKind::kSpinRead && !x.ignores(i, kIgnoreReads))
      for (Address byte = e.address; byte < e.address + e.size; ++byte) now.insert(byte);
    for (const auto& [index, range] : x.ended_ranges)
      if (index == i) std::erase_if(now, [&](Address byte) { return range.holds(byte); });
  }
  return states;
}

// "a destroyed lock is still the lock at its address; one in memory that was freed or allocated since is another lock"
bool is_same_lock(const Execution& x, const HeldLock& mine, Index a, const HeldLock& yours, Index b) {
  if (mine.lock != yours.lock) return false;
  return std::none_of(x.ended_ranges.begin(), x.ended_ranges.end(), [&](const auto& ended) {
    return a < ended.first && ended.first < b && ended.second.holds(mine.lock);
  });
}

// "there is no lock that both hold, at least one of them exclusively"
bool locks_protect_by(const Execution& x, const HeldLock& mine, Index a, Index b) {
  return std::any_of(x.locksets[b].begin(), x.locksets[b].end(), [&](const HeldLock& yours) {
    bool exclusive = mine.mode == LockMode::kExclusive || yours.mode == LockMode::kExclusive;
    return exclusive && is_same_lock(x, mine, a, yours, b);
  });
}

bool locks_protect(const Execution& x, Index a, Index b) {
  return std::any_of(x.locksets[a].begin(), x.locksets[a].end(),
                     [&](const HeldLock& mine) { return locks_protect_by(x, mine, a, b); });
}

// Where the write's thread gives up a lock that protects it from the read.
Indexes ends_of_regions(const Execution& x, const Handover& h) {
  Indexes ends;
  for (const HeldLock& mine : x.locksets[h.write]) {
    if (!locks_protect_by(x, mine, h.write, h.read)) continue;
    for (Index i = h.write + 1; i < h.read; ++i) {
      if (x.events[i].thread != x.events[h.write].thread || !x.given[i] || x.given[i]->lock != mine.lock) continue;
      ends.insert(i);
      break;
    }
  }
  return ends;
}

// All that is ordered before the read otherwise is known.
void hand_over(const Execution& x, const Handover& h, Orders& orders, Edges& edges) {
  if (orders.strong.before(h.write, h.read) || !orders.full.before(h.write, h.read)) return;
  if (!locks_protect(x, h.write, h.read)) return;
  edges.strong_only(h.stands_for, h.read);
  for (Index end : ends_of_regions(x, h)) edges.strong_only(end, h.read);
  orders.strong.close(h.read);
}

Orders order_execution(const Execution& x) {
  Orders orders{Relation(x.events.size()), Relation(x.events.size()), {}};
  Edges edges(orders);
  order_by_program(x, edges);
  order_by_fork(x, edges);
  order_by_join(x, edges);
  std::vector<Handover> found;
  orders.slices = order_by_spins(x, edges, found);
  if (x.options.lib) {
    order_by_locks(x, edges);
    if (x.options.spin) order_by_refusals(x, edges);
    order_by_object(x, edges, EventKind::kSemaphorePost, EventKind::kSemaphoreWait);
    order_by_object(x, edges, EventKind::kOnceDone, EventKind::kOnceSeen);
    order_by_object(x, edges, EventKind::kHappensBefore, EventKind::kHappensAfter);
    order_by_barriers(x, edges);
    order_by_conditions(x, edges);
    order_by_atomics(x, edges);
  }
  orders.full.close();
  auto next = found.begin();
  for (Index i = 0; i < x.events.size(); ++i) {
    orders.strong.close(i);
    for (; next != found.end() && next->read == i; ++next)
      if (x.options.handover) hand_over(x, *next, orders, edges);
  }
  return orders;
}

// --- Races ---------------------------------------------------------------------------------------------------------

enum class AccessKind { kRead, kWrite, kAtomicRead, kAtomicWrite };

struct Access {
  Index event = 0;
  int step = 0;  // orders the parts of a reallocation: read, free, birth, write
  AccessKind kind{};
  Range range;
};

constexpr int kReadStep = 0;
constexpr int kFreeStep = 1;
constexpr int kBirthStep = 2;
constexpr int kWriteStep = 3;

// The page's table.
bool kinds_conflict(AccessKind a, AccessKind b) {
  auto index = [](AccessKind kind) { return static_cast<size_t>(kind); };
  constexpr bool kNo = false;
  constexpr bool kYes = true;
  constexpr bool kTable[4][4] = {
      //                  read   write  atomic read  atomic write
      /* read         */ {kNo, kYes, kNo, kYes},
      /* write, free  */ {kYes, kYes, kYes, kYes},
      /* atomic read  */ {kNo, kYes, kNo, kNo},
      /* atomic write */ {kYes, kYes, kNo, kNo},
  };
  return kTable[index(a)][index(b)];
}

std::vector<Access> accesses_of(const Execution& x) {
  std::vector<Access> all;
  auto add = [&](Index i, int step, AccessKind kind, Range range) {
    bool read = kind == AccessKind::kRead || kind == AccessKind::kAtomicRead;
    if (!range.empty() && !x.ignores(i, read ? kIgnoreReads : kIgnoreWrites)) all.push_back({i, step, kind, range});
  };
  for (Index i = 0; i < x.events.size(); ++i) {
    const Event& e = x.events[i];
    switch (e.kind) {
      case EventKind::kRead:
        add(i, kReadStep, AccessKind::kRead, range_of(e));
        break;
      case EventKind::kSpinRead:  // "not an access that can race"
        if (!x.options.spin) add(i, kReadStep, AccessKind::kRead, range_of(e));
        break;
      case EventKind::kWrite:
      case EventKind::kFree:
        add(i, kFreeStep, AccessKind::kWrite, range_of(e));
        break;
      case EventKind::kAtomicLoad:
        add(i, kReadStep, AccessKind::kAtomicRead, range_of(e));
        break;
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
        add(i, kWriteStep, AccessKind::kAtomicWrite, range_of(e));
        break;
      case EventKind::kReallocate: {
        Reallocation parts = take_apart(e);
        add(i, kReadStep, AccessKind::kRead, parts.read);
        add(i, kFreeStep, AccessKind::kWrite, parts.freed);
        add(i, kWriteStep, AccessKind::kWrite, parts.written);
        break;
      }
      default:
        break;
    }
  }
  return all;
}

// "a pair of an atomic read and a plain write of a byte in state spin"
bool is_look(const Execution& x, const Access& a, const Access& b) {
  auto plainly_writes = [&](const Access& access) {
    bool frees = x.is(access.event, EventKind::kFree) ||
                 (x.is(access.event, EventKind::kReallocate) && access.step == kFreeStep);
    return access.kind == AccessKind::kWrite && !frees;
  };
  return (a.kind == AccessKind::kAtomicRead && plainly_writes(b)) ||
         (plainly_writes(a) && b.kind == AccessKind::kAtomicRead);
}

std::optional<Standing> standing_of(const Execution& x, const Orders& orders, Index a, Index b) {
  if (!orders.full.before(a, b)) return Standing::kObserved;
  if (!orders.strong.before(a, b) && !locks_protect(x, a, b)) return Standing::kPredicted;
  return std::nullopt;
}

using Moment = std::pair<Index, int>;  // event and step
Moment moment_of(const Access& access) { return {access.event, access.step}; }

// "the earlier access was made by the thread that allocated the byte, in the same piece of a segment"
bool is_newborn(const Execution& x, const Orders& orders, const Access& a, Address byte) {
  std::optional<Index> birth;
  for (const auto& [index, range] : x.born_ranges)
    if (range.holds(byte) && Moment{index, kBirthStep} < moment_of(a)) birth = index;
  return birth && x.events[*birth].thread == x.events[a.event].thread &&
         orders.slices[*birth] == orders.slices[a.event];
}

// "Allocation makes bytes new: pairs across it do not count"; "no pair on a byte of [a benign range] counts".
bool byte_counts(const Execution& x, const Access& a, const Access& b, Address byte) {
  for (const auto& [index, range] : x.born_ranges) {
    const Moment birth = {index, kBirthStep};
    if (range.holds(byte) && moment_of(a) < birth && birth < moment_of(b)) return false;
  }
  for (Index i = 0; i < b.event; ++i)
    if (x.is(i, EventKind::kBenignRange) && range_of(x.events[i]).holds(byte)) return false;
  return true;
}

}  // namespace

Relation::Relation(size_t events) : events_(events), words_((events + 63) / 64), rows_(events * words_) {}

void Relation::add_edge(size_t from, size_t to) { rows_[to * words_ + from / 64] |= uint64_t{1} << (from % 64); }

// All edges point forwards, so the rows before row b are complete when b's turn comes.
void Relation::close() {
  for (size_t b = 0; b < events_; ++b) close(b);
}

void Relation::close(size_t b) {
  for (size_t a = 0; a < b; ++a)
    if (before(a, b))
      for (size_t w = 0; w < words_; ++w) rows_[b * words_ + w] |= rows_[a * words_ + w];
}

Orders order_events(std::span<const Event> events, const OracleOptions& options) {
  return order_execution(make_execution(events, options));
}

Verdict judge(std::span<const Event> events, const OracleOptions& options) {
  Execution x = make_execution(events, options);
  Orders orders = order_execution(x);
  std::vector<Access> accesses = accesses_of(x);
  const std::vector<std::set<Address>> waited_for = spin_states(x);

  Verdict verdict;
  for (size_t j = 0; j < accesses.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      const Access& a = accesses[i];
      const Access& b = accesses[j];
      bool conflict = events[a.event].thread != events[b.event].thread && a.range.overlaps(b.range) &&
                      kinds_conflict(a.kind, b.kind);
      if (!conflict) continue;
      auto standing = standing_of(x, orders, a.event, b.event);
      if (!standing) continue;
      RacingPair pair{a.event, b.event, *standing, {}};
      Address end = std::min(a.range.end, b.range.end);
      for (Address byte = std::max(a.range.begin, b.range.begin); byte < end; ++byte) {
        if (!byte_counts(x, a, b, byte)) continue;
        if (*standing == Standing::kPredicted && is_newborn(x, orders, a, byte)) continue;
        if (is_look(x, a, b) && waited_for[b.event].contains(byte)) continue;
        pair.bytes.push_back(byte);
        auto [it, fresh] = verdict.bytes.try_emplace(byte, ByteVerdict{*standing, a.event, b.event});
        if (!fresh && it->second.standing < *standing) it->second = {*standing, a.event, b.event};
      }
      if (!pair.bytes.empty()) verdict.pairs.push_back(std::move(pair));
    }
  }
  return verdict;
}

}  // namespace norn::oracle
