// An execution as the oracle reads it: its events, and what each thread ignores and holds at each of them.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tests/oracle/oracle.h"

namespace norn::oracle {

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

[[nodiscard]] inline Range range_of(const Event& event) { return {event.address, event.address + event.size}; }

// What a reallocation is made of.
struct Reallocation {
  Range read;
  Range freed;
  Range born;
  Range written;
};

[[nodiscard]] Reallocation take_apart(const Event& event);

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
  std::vector<uint8_t> ignored;                         // per event: the set of IgnoreWhat of its thread
  std::vector<std::vector<HeldLock>> locksets;          // per event: held while it happens (see compute_locks)
  std::vector<std::optional<LockChange>> taken;         // per event: the outermost acquire it is
  std::vector<std::optional<LockChange>> given;         // per event: the outermost release it is
  std::vector<std::pair<Index, Range>> ended_ranges;    // memory freed or allocated at an event
  std::vector<std::pair<Index, Range>> born_ranges;     // allocated
  std::vector<std::pair<Index, Range>> renewed_ranges;  // new, though nobody allocated them

  [[nodiscard]] bool ignores(Index i, IgnoreWhat what) const { return (ignored[i] & what) != 0; }
  [[nodiscard]] bool is(Index i, EventKind kind) const { return events[i].kind == kind; }
  // A synchronization event that counts: "with kIgnoreSync, synchronization events of that thread are no edges".
  [[nodiscard]] bool syncs(Index i, EventKind kind) const { return is(i, kind) && !ignores(i, kIgnoreSync); }
};

[[nodiscard]] Execution make_execution(std::span<const Event> events, const OracleOptions& options);

// "when the memory an object lies in is freed or allocated, the object has no past": did that happen to the object
// after event `from` and before event `to`?
[[nodiscard]] bool lost_its_memory(const Execution& x, Address object, Index from, Index to);

// The same, "after lock-destroy or sync-destroy" too.
[[nodiscard]] bool lost_its_past(const Execution& x, Address object, Index from, Index to);

// "there is no lock that both hold, at least one of them exclusively"
[[nodiscard]] bool locks_protect_by(const Execution& x, const HeldLock& mine, Index a, Index b);
[[nodiscard]] bool locks_protect(const Execution& x, Index a, Index b);

}  // namespace norn::oracle
