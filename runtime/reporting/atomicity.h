// Single variables whose accesses are locked one by one, though they may be meant to be one step: what may become an
// atomicity violation.
//
// A thread accesses a variable in two regions of the same lock, another thread accesses it in a region of that lock.
// If that one comes between the two, no order of whole regions would have done the same (Lu, Tucek, Qin, Zhou: AVIO,
// ASPLOS 2006): read-write-read, write-write-read, read-write-write, write-read-write. Not if
// - the first thread held another lock all along that the second one takes, too; or
// - forks, joins or signals order the second thread's access with one of the two; or
// - the two stand at the same place: then a loop comes round, which promises nothing between its rounds.
// A candidate is three statements. Whether they were meant to be one step nobody can see: `norn confirm` brings the
// other thread's region between the two, and only what goes wrong then is a finding.
//
// Collected on demand (`--hazards=atomicity`), in a controlled run: there every access is seen, whatever is known of it
// already, and one thread at a time makes it cheap.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

// Whether accesses are wanted here.
extern constinit bool watches_atomicity;

// The calling thread gives up a lock. Inside.
void note_given_up(Address lock);

// The calling thread is about to access these bytes.
void note_locked_access(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
                        bool increments);

}  // namespace norn::rt
