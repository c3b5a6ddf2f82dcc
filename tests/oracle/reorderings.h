// All reorderings of a small trace that preserve its synchronization, tried one by one: the definition that the engine
// of analyze/sync_preserving.h is held to (Mathur, Pavlogiannis and Viswanathan, POPL 2021, definitions 2.1 and 3.1),
// in words of its own.
//
// A reordering lets one thread after the other do its next event. A read, an atomic read and an allocation must find
// each byte as it was in the trace, written last by the same event. A lock must be free, and of its sections that
// exclude each other none may come before one that came first in the trace. What is done to a semaphore is done in the
// order of the trace. A thread begins when it is forked and is joined when it has done all. Wherever two threads stand
// before conflicting accesses, they race.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "core/event.h"
#include "tests/oracle/dice.h"

namespace norn::oracle {

// Pairs of stack ids, the smaller first. Of events there are: reads, writes, frees, allocations, atomic loads, stores
// and rmws, locks in both modes (never recursive), semaphores, fork and join.
[[nodiscard]] std::set<std::pair<StackId, StackId>> races_by_reordering(const std::vector<Event>& trace);

// A trace that some program may have had.
[[nodiscard]] std::vector<Event> random_trace(Dice& dice, size_t events);

}  // namespace norn::oracle
