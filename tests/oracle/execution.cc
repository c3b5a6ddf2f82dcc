#include "tests/oracle/execution.h"

#include <algorithm>
#include <map>

namespace norn::oracle {

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
namespace {

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
    const bool renews = e.kind == EventKind::kRenew || e.kind == EventKind::kMap || e.kind == EventKind::kUnmap;
    if (renews) x.renewed_ranges.emplace_back(i, range_of(e));
    if (e.kind == EventKind::kFree) x.ended_ranges.emplace_back(i, range_of(e));
    if (e.kind == EventKind::kReallocate) {
      Reallocation parts = take_apart(e);
      if (!parts.freed.empty()) x.ended_ranges.emplace_back(i, parts.freed);
      if (!parts.born.empty()) x.born_ranges.emplace_back(i, parts.born);
    }
  }
  for (const auto* more : {&x.born_ranges, &x.renewed_ranges})
    x.ended_ranges.insert(x.ended_ranges.end(), more->begin(), more->end());
}

// "a destroyed lock is still the lock at its address; one in memory that was freed or allocated since is another lock"
bool is_same_lock(const Execution& x, const HeldLock& mine, Index a, const HeldLock& yours, Index b) {
  if (mine.lock != yours.lock) return false;
  return std::none_of(x.ended_ranges.begin(), x.ended_ranges.end(), [&](const auto& ended) {
    return a < ended.first && ended.first < b && ended.second.holds(mine.lock);
  });
}

}  // namespace

Execution make_execution(std::span<const Event> events, const OracleOptions& options) {
  Execution x{events, options, {}, {}, {}, {}, {}, {}, {}};
  compute_ignored(x);
  compute_locks(x);
  compute_ended_ranges(x);
  return x;
}

bool lost_its_memory(const Execution& x, Address object, Index from, Index to) {
  return std::any_of(x.ended_ranges.begin(), x.ended_ranges.end(), [&](const auto& ended) {
    return from < ended.first && ended.first < to && ended.second.holds(object);
  });
}

bool lost_its_past(const Execution& x, Address object, Index from, Index to) {
  for (Index i = from + 1; i < to; ++i) {
    const Event& e = x.events[i];
    bool destroys = e.kind == EventKind::kLockDestroy || e.kind == EventKind::kSyncDestroy;
    if (destroys && e.address == object) return true;
  }
  return lost_its_memory(x, object, from, to);
}

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

}  // namespace norn::oracle
