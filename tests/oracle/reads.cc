// The oracle: reads that order, in loops that wait and under locks.
#include <algorithm>
#include <map>
#include <utility>

#include "tests/oracle/order.h"

namespace norn::oracle {

bool is_synchronization(const Event& e) {
  switch (e.kind) {
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
    case EventKind::kClockRelease:
    case EventKind::kClockAcquire:
    case EventKind::kComeAfterAll:
      return true;
    default:
      return false;
  }
}

namespace {

bool may_decide(const Execution& x, Index i) {
  const Event& e = x.events[i];
  if (x.ignores(i, kIgnoreSync)) return false;
  return (e.kind == EventKind::kRead && !e.counts) || e.kind == EventKind::kAtomicLoad ||
         e.kind == EventKind::kSpinRead;
}

}  // namespace

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

std::vector<unsigned> order_by_spins(const Execution& x, Edges& edges, std::vector<Handover>& found) {
  struct Byte {
    bool spin = false;
    Indexes signal;
    std::optional<std::pair<ThreadId, unsigned>> freed_by = {};  // the thread and its slice
  };
  std::map<Address, Byte> bytes;
  std::map<ThreadId, std::set<Address>> accessed;            // bytes, in the thread's present segment
  std::map<std::pair<ThreadId, Address>, unsigned> touched;  // the slice in which the thread accessed the byte last
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
    if (may_decide(x, i)) {
      for (Address b : bytes_of(range_of(e))) {
        auto own = touched.find({e.thread, b});
        if (own != touched.end() && own->second == slice_of[i]) continue;
        for (auto write = bytes[b].signal.rbegin(); write != bytes[b].signal.rend(); ++write) {  // the last first
          if (!locks_protect(x, *write, i)) break;
          if (x.events[*write].thread != e.thread) found.push_back({*write, slice_so_far(*write, i), i});
        }
      }
    }
    const bool spins = e.kind == EventKind::kSpinRead && x.options.spin;
    if (((reads || writes) && !spins) || e.kind == EventKind::kReallocate)
      for (Address b : bytes_of(range_of(e))) touched[{e.thread, b}] = slice_of[i];
    if (spins) {
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

void hand_over(const Execution& x, const Handover& h, Orders& orders, Edges& edges) {
  if (orders.strong.before(h.write, h.read) || !orders.full.before(h.write, h.read)) return;
  if (!locks_protect(x, h.write, h.read)) return;
  edges.strong_only(h.stands_for, h.read);
  for (Index end : ends_of_regions(x, h)) edges.strong_only(end, h.read);
  orders.strong.close(h.read);
}

}  // namespace norn::oracle
