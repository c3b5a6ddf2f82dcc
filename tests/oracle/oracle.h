// The oracle: docs/design/order.md, read literally and executed naively.
//
// It shares nothing with core/ but the vocabulary of events. Events are nodes, every rule of the page is one
// function that adds edges, the two relations are the transitive closures, and a standing is looked up pair by
// pair. Cost: O(n^2) words of memory and more time; n is a few hundred.
//
// The page's sentences, where they leave a choice, are read as follows:
//  1. In place (a reallocation whose block stays where it is): the old block is read, nothing is copied, so nothing
//     is written; the tail given up is freed, or the tail gained allocated.
//  2. A message reaches as far as the last atomic written at its address: a plain write, free or allocation of any of
//     these bytes empties it.
//  3. An ignored access is as if it were not there: it empties no message, is no counterpart, is not recorded. An
//     ignored free or allocation still ends the past of objects and messages, and bytes are still new.
//  4. An atomic under kIgnoreSync neither acquires nor releases; a store still replaces the value, so the message
//     becomes empty, and an rmw leaves it as it is. A barrier enter under it still counts for its generation.
//  5. Locks are held by mode. A release of a mode not held releases the other one (the callers of
//     pthread_rwlock_unlock cannot say which). Ignore-begin/end nest.
//  6. A wait is in a loop if its enter says so. The write/read relation is looked up before wait-leave starts the
//     record afresh. Atomic loads and stores are recorded as reads and writes, an rmw as both, a spin-read as a
//     read; frees, allocations and reallocations are not recorded. Bytes bound again leave their old range, which
//     keeps its place in the queue until no byte is left.
//  7. The event that ends a segment belongs to the next one: what an acquiring or releasing atomic reads or writes is
//     after the boundary.
//  8. Without `spin`, a spin-read is a read and spin-leave is nothing.
//  9. A benign range hides the pairs whose later access comes after it was declared. It is not ended by reuse.
// 10. Barrier-init starts a new barrier.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/engine/engines.h"
#include "core/event.h"

namespace norn::oracle {

struct OracleOptions {
  ConditionMode cv = ConditionMode::kOff;
  bool spin = true;
  bool handover = true;
  bool lib = true;
  bool taken_out = true;  // only with handover
};

// A strict order over the events of one execution: before(a, b) says that event a is ordered before event b.
class Relation {
 public:
  explicit Relation(size_t events);
  void add_edge(size_t from, size_t to);  // from < to
  void close();                           // after all edges
  void close(size_t b);                   // what is before b, when that is known of all before it
  [[nodiscard]] bool before(size_t a, size_t b) const { return (rows_[b * words_ + a / 64] >> (a % 64)) & 1; }

 private:
  size_t events_;
  size_t words_;
  std::vector<uint64_t> rows_;  // row b: the set of events before b
};

struct Orders {
  Relation full;
  Relation strong;
  std::vector<unsigned> slices;  // per event: which piece of its thread's segments, cut as they are, it is in
};

[[nodiscard]] Orders order_events(std::span<const Event> events, const OracleOptions& options);

struct RacingPair {
  size_t first = 0;  // indexes of the events; first < second
  size_t second = 0;
  Standing standing{};
  std::vector<Address> bytes;  // on which the pair counts
};

struct ByteVerdict {
  Standing standing{};
  size_t first = 0;  // a witness: the earliest pair of this standing
  size_t second = 0;
};

struct Verdict {
  std::map<Address, ByteVerdict> bytes;
  std::vector<RacingPair> pairs;  // all of them, ordered by (second, first)
};

// *Taken out* is judged as generously as the page allows: an engine that has forgotten a read may predict more, up to
// what is predicted without the rule.
[[nodiscard]] Verdict judge(std::span<const Event> events, const OracleOptions& options);

}  // namespace norn::oracle
