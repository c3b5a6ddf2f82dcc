// The paths of an access, by number (docs/design/history.md, The paths of an access).
//
// Each path computes the same function of what a granule remembers, or leaves the access to the next path and has done
// nothing. The rule is one (core/shadow/relation.h); a path decides only where the words that are left are put. Paths 0
// to 2 are the fast paths, 3 and 4 the slow path. core/shadow/paths_test.cc puts random granules through all of them.
//
// | path | code                                   | may decide                         | leaves to the next | | ---- |
// -------------------------------------- | ---------------------------------- | ----------------------------- | | 0 |
// the inline check (include/norn/abi.h), | that nothing changes: the thread's | all else                      | | |
// is_stamped(), is_in_list()             | own word of its present epoch      |                               | | | |
// stands for the access              |                               | | 1    | GranuleStep::renew(), Strided; | what
// is covered and goes, by the   | a list with anything in it;   | |      | AtomicStep::renew() of atomics;        |
// clock that decides, near slots,    | what conflicts and is not     | |      | Detector::stamp_freed() | and equal
// numbers of locks         | ordered; other locks; frees;  | |      |                                        | | what
// has no room              | | 2    | GranuleStep::renew_beside();           | the same with both clocks, and     |
// locks that are not the same;  | |      | ReadStep::take_alone(), Together of    | what the same locks exclude; |
// races; allocations and frees; | |      | the read table                         | rmw of writes | what is handed over
// | | 3    | Detector::access_granule(), by Shape:  | all but races, as long as what is  | races; what needs another |
// |      | GranuleStep::take(), AtomicStep::take, | left has room where it is          | list, or another shape | | |
// renew_waited_for(), read_in_own_row(), |                                    |                               | | |
// read_beside_list()                     |                                    |                               | | 4 |
// Detector::access_generally():          | everything: races, overflow, lists | nothing                       | | |
// HybridEngine::next()                   | flags, shapes                      |                               |
//
// Paths 1 and 2 look first and lock the granule afterwards, if it is still what they saw. Path 2 takes no lock for a
// read in the table. Paths 3 and 4 hold the granule's lock.
#pragma once

#include <stdint.h>

namespace norn {

enum class Path : uint8_t { kCheck = 0, kNearby = 1, kBeside = 2, kByShape = 3, kGeneral = 4 };

}  // namespace norn
