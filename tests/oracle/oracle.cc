// The oracle: which pairs race, once the order is known.
#include "tests/oracle/oracle.h"

#include <algorithm>

#include "tests/oracle/order.h"

namespace norn::oracle {
namespace {

enum class AccessKind { kRead, kWrite, kAtomicRead, kAtomicWrite, kBirth };

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

// The page's table, of the earlier and the later access.
bool kinds_conflict(AccessKind a, AccessKind b) {
  auto index = [](AccessKind kind) { return static_cast<size_t>(kind); };
  constexpr bool kNo = false;
  constexpr bool kYes = true;
  constexpr bool kTable[5][4] = {
      //                  read   write  atomic read  atomic write
      /* read         */ {kNo, kYes, kNo, kYes},
      /* write, free  */ {kYes, kYes, kYes, kYes},
      /* atomic read  */ {kNo, kYes, kNo, kNo},
      /* atomic write */ {kYes, kYes, kNo, kNo},
      /* allocation   */ {kYes, kYes, kYes, kYes},
  };
  if (b == AccessKind::kBirth) return false;  // what came before an allocation does not count
  return kTable[index(a)][index(b)];
}

std::vector<Access> accesses_of(const Execution& x) {
  std::vector<Access> all;
  std::set<Address> accessed;
  auto add = [&](Index i, int step, AccessKind kind, Range range) {
    bool read = kind == AccessKind::kRead || kind == AccessKind::kAtomicRead;
    if (range.empty() || x.ignores(i, read ? kIgnoreReads : kIgnoreWrites)) return;
    all.push_back({i, step, kind, range});
    for (Address byte = range.begin; byte < range.end; ++byte) accessed.insert(byte);
  };
  // "of bytes that were accessed before"
  auto bear = [&](Index i, Range range) {
    for (Address byte = range.begin; byte < range.end; ++byte)
      if (accessed.contains(byte)) add(i, kBirthStep, AccessKind::kBirth, {byte, byte + 1});
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
      case EventKind::kLockAcquire:
        if (e.uses) add(i, kReadStep, AccessKind::kAtomicRead, {e.address, e.address + 1});
        break;
      case EventKind::kUse:
        add(i, kReadStep, AccessKind::kAtomicRead, {e.address, e.address + 1});
        break;
      case EventKind::kWrite:
      case EventKind::kFree:
        add(i, kFreeStep, AccessKind::kWrite, range_of(e));
        break;
      case EventKind::kAllocate:
        bear(i, range_of(e));
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
        bear(i, parts.born);
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

using Epoch = std::pair<Index, int>;  // event and step
Epoch moment_of(const Access& access) { return {access.event, access.step}; }

// "the earlier access was made by the thread that allocated the byte, in the same piece of a segment"
bool is_newborn(const Execution& x, const Orders& orders, const Access& a, Address byte) {
  std::optional<Index> birth;
  for (const auto& [index, range] : x.born_ranges)
    if (range.holds(byte) && Epoch{index, kBirthStep} < moment_of(a)) birth = index;
  return birth && x.events[*birth].thread == x.events[a.event].thread &&
         orders.slices[*birth] == orders.slices[a.event];
}

// "taken out": a write to a place for an address under a lock, and what came before it because of that.
struct TakingOut {
  Index write = 0;
  Indexes ends;  // of the regions in which others read what was there
};

std::vector<TakingOut> takings_out(const Execution& x, const Orders& orders) {
  constexpr Address kPlace = 8;
  std::vector<TakingOut> all;
  if (!x.options.handover || !x.options.taken_out || !x.options.lib) return all;
  auto reads = [&](Index i, Range place) {
    return x.is(i, EventKind::kRead) && !x.ignores(i, kIgnoreReads) && range_of(x.events[i]).overlaps(place);
  };
  // "has accessed it before in the same segment"
  auto looked_at = [&](Index w, Range place) {
    std::set<Address> seen;
    for (Index i = w; i-- > 0;) {
      const Event& e = x.events[i];
      if (e.thread != x.events[w].thread) continue;
      const bool accesses = e.kind == EventKind::kRead || e.kind == EventKind::kWrite ||
                            e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kAtomicStore ||
                            e.kind == EventKind::kAtomicRmw;
      for (Address byte = place.begin; accesses && byte < place.end; ++byte)
        if (range_of(e).holds(byte)) seen.insert(byte);
      if (is_synchronization(e)) break;
    }
    return seen.size() == kPlace;
  };
  for (Index w = 0; w < x.events.size(); ++w) {
    if (!x.is(w, EventKind::kWrite) || x.ignores(w, kIgnoreWrites) || x.locksets[w].empty()) continue;
    const Range written = range_of(x.events[w]);
    for (Address at = written.begin; at < written.end; at = (at / kPlace + 1) * kPlace) {
      const Range place = {at, at + kPlace};
      if (at % kPlace != 0 || place.end > written.end || !looked_at(w, place)) continue;
      TakingOut taking{w, {}};
      for (Index r = 0; r < w; ++r) {
        if (!reads(r, place) || x.events[r].thread == x.events[w].thread) continue;
        if (locks_protect(x, r, w) && orders.full.before(r, w)) taking.ends.merge(ends_of_regions(x, {r, r, w}));
      }
      if (!taking.ends.empty()) all.push_back(std::move(taking));
    }
  }
  return all;
}

// The byte's block, as it was allocated last; "(a block in which the lock itself lies is not meant)".
bool lies_apart(const Execution& x, const Access& b, Address byte, Index write) {
  std::optional<Range> block;
  for (const auto& [index, range] : x.born_ranges)
    if (range.holds(byte) && Epoch{index, kBirthStep} < moment_of(b)) block = range;
  return block && std::none_of(x.locksets[write].begin(), x.locksets[write].end(),
                               [&](const HeldLock& held) { return block->holds(held.lock); });
}

bool is_taken_out(const Execution& x, const Orders& orders, const std::vector<TakingOut>& takings, const Access& a,
                  const Access& b, Address byte) {
  return std::any_of(takings.begin(), takings.end(), [&](const TakingOut& taking) {
    if (x.events[taking.write].thread != x.events[b.event].thread || taking.write > b.event) return false;
    if (!locks_protect(x, a.event, taking.write) || !lies_apart(x, b, byte, taking.write)) return false;
    return std::any_of(taking.ends.begin(), taking.ends.end(),
                       [&](Index end) { return orders.strong.before(a.event, end); });
  });
}

// "Allocation makes bytes new: pairs across it do not count"; "no pair on a byte of [a benign range] counts".
bool byte_counts(const Execution& x, const Access& a, const Access& b, Address byte) {
  for (const auto* ranges : {&x.born_ranges, &x.renewed_ranges}) {
    for (const auto& [index, range] : *ranges) {
      const Epoch birth = {index, kBirthStep};
      if (range.holds(byte) && moment_of(a) < birth && birth < moment_of(b)) return false;
    }
  }
  for (Index i = 0; i < b.event; ++i)
    if (x.is(i, EventKind::kBenignRange) && range_of(x.events[i]).holds(byte)) return false;
  return true;
}

}  // namespace

Verdict judge(std::span<const Event> events, const OracleOptions& options) {
  Execution x = make_execution(events, options);
  Orders orders = order_execution(x);
  std::vector<Access> accesses = accesses_of(x);
  const std::vector<std::set<Address>> waited_for = spin_states(x);
  const std::vector<TakingOut> takings = takings_out(x, orders);

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
        if (*standing == Standing::kPredicted && (a.kind == AccessKind::kBirth || is_newborn(x, orders, a, byte)))
          continue;
        if (*standing == Standing::kPredicted && is_taken_out(x, orders, takings, a, b, byte)) continue;
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
