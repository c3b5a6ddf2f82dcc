// SPDX-License-Identifier: GPL-2.0-or-later
// The recorder of the tool: writes every event of the program into its trace (trace/trace_format.h), for norn record.
// What runtime/reporting/recording.h is to a program built with norn. Valgrind runs one thread at a time, so that the
// events come in their order without turns.
#pragma once

#include "report/race_fwd.h"
#include "valgrind/tool/client.h"

namespace norn::vg {

// Before the first event. Gives why there can be no trace; null: there is one, or none is wanted.
[[nodiscard]] const char* start_recording();
// In the child of a fork, before its first event.
void restart_recording();

// What reports need beside the events. All of them do nothing if nothing is recorded.
void record_block_begin(const Block& block);
void record_block_end(Address address);
// A variable that a race is on.
void record_variable(const report::Location& location);
// What is no race of the program's, whoever judges it.
void record_benign(Address address, uint64_t size);
// The thread writes nothing any more.
void end_recording_of(ThreadState& state);
// How the program ended.
void record_end(int exit_status);

}  // namespace norn::vg
