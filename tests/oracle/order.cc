// The oracle: threads, locks, barriers and other objects, atomics; and all rules together.
#include "tests/oracle/order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace norn::oracle {
namespace {

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

// Where the thread took the lock that it gives up at this event.
std::optional<Index> taking_of(const Execution& x, Index release) {
  for (Index i = release; i-- > 0;) {
    if (x.events[i].thread != x.events[release].thread || !x.taken[i]) continue;
    if (x.taken[i]->lock == x.given[release]->lock && x.taken[i]->mode == x.given[release]->mode) return i;
  }
  return std::nullopt;
}

// "If something that a thread does while it holds m is strongly before another's acquire of m, so is its release". All
// that is strongly before the acquire otherwise is known.
void order_by_held_locks(const Execution& x, Index acquire, Orders& orders, Edges& edges) {
  if (!x.taken[acquire]) return;
  auto is_known_to_hold = [&](Index release) {
    const std::optional<Index> taking = taking_of(x, release);
    if (!taking) return false;
    for (Index i = *taking + 1; i < release; ++i)
      if (x.events[i].thread == x.events[release].thread && orders.strong.before(i, acquire)) return true;
    return false;
  };
  for (bool learned = true; learned;) {
    learned = false;
    for (Index i = 0; i < acquire; ++i) {
      if (!x.given[i] || x.given[i]->lock != x.taken[acquire]->lock || orders.strong.before(i, acquire)) continue;
      if (x.given[i]->mode == LockMode::kShared && x.taken[acquire]->mode == LockMode::kShared) continue;
      if (lost_its_past(x, x.given[i]->lock, i, acquire) || !is_known_to_hold(i)) continue;
      edges.strong_only(i, acquire);
      orders.strong.close(acquire);
      learned = true;
    }
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

// "release of a clock then a later acquire of it, or all of a thread forked after it, if it was not cleared between"
void order_by_clocks(const Execution& x, Edges& edges) {
  auto is_cleared = [&](Index from, Index to) {
    for (Index i = from + 1; i < to; ++i)
      if (x.is(i, EventKind::kClockClear) && x.events[i].address == x.events[from].address) return true;
    return false;
  };
  for_pairs(
      x, [&](Index i) { return x.is(i, EventKind::kClockRelease); },
      [&](Index j) { return x.is(j, EventKind::kClockAcquire) || x.is(j, EventKind::kForkAfter); },
      [&](Index i, Index j) {
        if (x.events[i].address != x.events[j].address || is_cleared(i, j)) return;
        if (x.is(j, EventKind::kClockAcquire)) return edges.both(i, j);
        for (Index k = j + 1; k < x.events.size(); ++k)
          if (x.events[k].thread == x.events[j].other) edges.both(i, k);
      });
}

// "everything so far then come-after-all"
void order_by_come_after_all(const Execution& x, Edges& edges) {
  for_pairs(
      x, [](Index) { return true; }, [&](Index j) { return x.syncs(j, EventKind::kComeAfterAll); },
      [&](Index i, Index j) { edges.both(i, j); });
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
    auto read_release_clock = [&] {
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
        read_release_clock();
        break;
      case EventKind::kAtomicStore:
        messages[e.address] = {e.size, contribution()};
        break;
      case EventKind::kAtomicRmw:
        read_release_clock();
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

}  // namespace

Orders order_execution(const Execution& x) {
  Orders orders{Relation(x.events.size()), Relation(x.events.size()), {}};
  Edges edges(orders);
  order_by_program(x, edges);
  order_by_fork(x, edges);
  order_by_join(x, edges);
  order_by_clocks(x, edges);
  order_by_come_after_all(x, edges);
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
    order_by_held_locks(x, i, orders, edges);
    for (; next != found.end() && next->read == i; ++next)
      if (x.options.handover) hand_over(x, *next, orders, edges);
  }
  return orders;
}

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

}  // namespace norn::oracle
