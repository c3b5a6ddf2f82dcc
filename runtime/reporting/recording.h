// The recorder: writes every event of the process into its trace (trace/trace_format.h), for norn record.
//
// Threads take turns: what the detector makes of an event and what is written of it happen in one. So the trace has the
// events in the order in which this process's own detector heard of them, accesses included. Whoever does not come back
// from a turn (a handler that jumped out of it) is waited for a while, and then nothing is recorded any more.
// Of a program of the sampling profile, which happens-before alone judges, threads write without turns, and leave out
// synchronization that brought nothing new (docs/design/trace.md).
//
// The file grows by chunks that are mapped while they are written: a program that is killed has lost nothing, and the
// kernel is asked once for each 64 KiB. A forked child writes a file of its own, which says where in its parent's it
// begins.
#pragma once

#include "core/access_kind.h"
#include "runtime/memory/blocks.h"
#include "runtime/process/modules.h"
#include "runtime/process/state.h"

namespace norn::trace {
enum class RegionStep : uint8_t;
}

namespace norn::rt {

extern constinit bool recording;
inline bool is_recording() { return recording; }

// Before the first event. Refuses to run the program if there can be no trace.
void start_recording();
// In the child of a fork, before its first event.
void restart_recording();

// What reports need beside the events. All of them do nothing if nothing is recorded.
void record_thread(ThreadId id);
void record_module(const Module& module);
void record_block_begin(const Block& block);
void record_block_end(Address address);
// The calling thread executes a region (include/norn/abi.h, "Regions"); `depth`: how many calls led to its function.
void record_region(uint32_t* region, trace::RegionStep step, uint64_t depth);
// The calling thread goes on in a loop that waits because of what others may have written; in a turn.
void record_flag(AccessKind kind, Address address, uint64_t size, StackId where);
// The thread writes nothing any more.
void end_recording_of(ThreadState& state);
// How the program ended. Called in a turn.
void record_end(int exit_status);

// Nobody else's event is heard meanwhile.
class RecordingTurn {
 public:
  RecordingTurn();
  ~RecordingTurn();
  RecordingTurn(const RecordingTurn&) = delete;
  RecordingTurn& operator=(const RecordingTurn&) = delete;
};

}  // namespace norn::rt
