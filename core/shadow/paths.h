// The paths of an access, by number (docs/design/history.md, The paths of an access).
//
// Each path computes the same function of what a granule remembers, or leaves the access to the next path and has done
// nothing. The rule is one (core/shadow/relation.h); a path decides only where the words that are left are put. Paths 0
// to 2 are the fast paths, 3 and 4 the slow path. core/shadow/paths_test.cc puts random granules through all of them.
//
// 0, the check: the inline check (include/norn/abi.h), is_stamped(), is_in_list().
//    Decides that nothing changes: the thread's own word of its present epoch stands for the access.
//    Leaves all else.
//
// 1, nearby: GranuleStep::renew(), Strided; AtomicStep::renew() of atomics; Detector::stamp_freed().
//    Decides what is covered and goes, by the clock that decides, near slots, and equal numbers of locks.
//    Leaves a list with anything in it; what conflicts and is not ordered; other locks; frees; what has no room.
//
// 2, beside: GranuleStep::renew_beside(); ReadStep::take_alone(), Together of the read table.
//    Decides the same with both clocks, and what the same locks exclude; rmw of writes.
//    Leaves locks that are not the same; races; allocations and frees; what is handed over.
//
// 3, by shape: Detector::access_granule(): GranuleStep::take(), AtomicStep::take(), renew_waited_for(),
//    read_in_own_row(), read_beside_list().
//    Decides all but races, as long as what is left has room where it is.
//    Leaves races; what needs another list, or another shape.
//
// 4, general: Detector::access_generally(): HybridEngine::next().
//    Decides everything: races, overflow lists, flags, shapes.
//
// Paths 1 and 2 look first and lock the granule afterwards, if it is still what they saw. Path 2 takes no lock for a
// read in the table. Paths 3 and 4 hold the granule's lock.
#pragma once

#include <stdint.h>

namespace norn {

enum class Path : uint8_t { kCheck = 0, kNearby = 1, kBeside = 2, kByShape = 3, kGeneral = 4 };

}  // namespace norn
