// Races that a reordering of the trace shows: sync-preserving races, after Mathur, Pavlogiannis and Viswanathan,
// "Optimal Prediction of Synchronization-Preserving Races", POPL 2021.
//
// A reordering takes a beginning of each thread and puts it into another order, in which each read finds what it found
// and locks are respected; it preserves synchronization if sections of one lock come in the order of the trace
// (operations.h has the rules). Two conflicting accesses race if after such a reordering they are the next events of
// their threads. Whatever program wrote the trace can do that, too: there are no false alarms (as far as the trace has
// all that the program did: docs/design/predictive.md).
//
// The set of events of such a reordering is closed: with an event it has those before it in its thread and those that
// the rules want done, and of two sections of a lock in it the earlier one is whole. Conversely a closed set in the
// order of the trace is such a reordering. So two accesses race if the smallest closed set with the events before them
// has neither (Lemma 4.1 of the paper), and that set is the witness. A closed set is a vector clock: how far each
// thread is.
//
// Deviations from the paper:
// - Bytes, not variables; locks that are shared, atomics, and all else that synchronizes.
// - All racing pairs of statements are found, not one for each later access. An access is kept by thread, statement,
//   kind, bytes and locks; of several in a row without an acquire or news from another thread the last is as good as
//   all. Who failed against a thread once fails against all that this thread does later (closed sets grow), so each is
//   tried once for each thread; and a pair of statements that is proved is not looked for again.
// - A closure need not remember how far it looked into each lock (the paper's queues for each pair of threads and
//   variable): only sections that are open where it ends can want more, and those are found by the position.
// - A first pass over the trace finds the memory that can race at all: accesses that conflict, neither ordered by what
//   was read nor all under one lock. Only that has a history in the second.
//
// Time is linear in the trace, times the number of threads; memory is what the trace's memory, sections of locks and
// reads of other threads' writes need.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "analyze/witness.h"
#include "core/access_kind.h"
#include "core/event.h"

namespace norn::analyze {

class SyncPreserving {
 public:
  struct HeldLock {
    Address address = 0;
    LockMode mode{};
    StackId taken_at = kNoStack;
  };
  struct RacingAccess {
    AccessKind kind{};
    ThreadId thread = 0;
    StackId where = kNoStack;
    std::vector<HeldLock> locks;
  };
  struct Race {
    Address address = 0;  // of the first byte in common
    uint32_t size = 0;
    RacingAccess earlier;
    RacingAccess later;
    Witness witness;
  };
  struct Host {
    // The identity of a statement: of pairs with the same two one is found.
    std::function<uint64_t(StackId)> identity;
    // Whether a pair of accesses counts at all. `own` is the later one's (trace_format.h).
    std::function<bool(ThreadId earlier, ThreadId later, bool own)> counts;
    std::function<void(const Race&)> found;
    size_t memory_limit = 0;  // of what is kept of the program's memory, in bytes; 0: none
  };
  static constexpr size_t kMostThreads = 4096;  // closed sets have a number for each

  explicit SyncPreserving(Host host);
  ~SyncPreserving();
  SyncPreserving(const SyncPreserving&) = delete;
  SyncPreserving& operator=(const SyncPreserving&) = delete;

  // All events of the trace in order, from 0 or from `first` on; then begin_second_pass(), and all once more: then
  // races are found. `at` is the event's timestamp. What happened before a process was forked is_past: it is done
  // whatever is reordered, and timestamps of the process itself go on behind it.
  void add(const Event& event, uint64_t at, bool own, bool is_past = false);
  void begin_second_pass();

  // Why this trace cannot be judged; empty: it can.
  [[nodiscard]] const std::string& refusal() const;

  struct Statistics {
    uint64_t accesses = 0;
    uint64_t others = 0;
    uint64_t threads = 0;
    uint64_t granules = 0;  // of eight bytes, that were accessed
    uint64_t hot = 0;       // of these: that may race
    uint64_t kept = 0;      // accesses in histories
    uint64_t closures = 0;  // that were computed
    uint64_t steps = 0;     // sections that they had to end
  };
  [[nodiscard]] Statistics statistics() const;

 private:
  class Pass;
  Host host_;
  std::unique_ptr<Pass> pass_;
};

}  // namespace norn::analyze
