// The oracle: condition variables.
#include <algorithm>
#include <deque>
#include <map>

#include "tests/oracle/order.h"

namespace norn::oracle {
namespace {

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

}  // namespace

void order_by_conditions(const Execution& x, Edges& edges) {
  if (x.options.cv == ConditionMode::kWriteRead) return order_by_write_read_relation(x, edges);
  for (Index i = 0; i < x.events.size(); ++i) {
    if (x.syncs(i, EventKind::kWaitLeave))
      for (Index signal : signals_by_the_table(x, i)) edges.both(signal, i);
    if (x.options.cv == ConditionMode::kLost && x.syncs(i, EventKind::kWaitLoopLeave))
      for (Index signal : signals_between(x, x.events[i].address, std::nullopt, i)) edges.both(signal, i);
  }
}

}  // namespace norn::oracle
