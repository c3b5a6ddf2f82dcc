// What a controlled run leaves: the log of its decisions, and its outcome. Both are files that whoever started the
// program has mapped, too. Under the turn's mutex.
#pragma once

#include "runtime/process/state.h"
#include "schedule/log.h"
#include "schedule/outcome.h"

namespace norn::schedule {
struct Plan;
}

namespace norn::rt::control {

extern constinit schedule::Outcome* outcome;

// A whole file of whoever started the program; without it the program does not run.
[[nodiscard]] void* map_file(Text path, size_t& size, bool write);

// Maps the files that the settings name. False: another process has the outcome already, and this one runs free.
[[nodiscard]] bool open_decisions();
// The decisions that are to be followed or compared with, for the strategy.
void add_expected(schedule::Plan& plan);

void record(const schedule::LogEntry& entry);
// Before record(), of a decision that chooses one of these threads: in which state the run is.
void mark_state(const schedule::Enabled& enabled);
// The step is executed.
void note_look(const schedule::Step& step);
// Both threads of the candidate stand at their statements; the first goes on.
void record_meeting(const schedule::Step& first, const schedule::Step& second, ThreadId first_id, ThreadId second_id);
// The step is executed: of the candidate's statements it is known in which order they were, on common bytes.
void record_statement(const schedule::Step& step);
// One of so many, by the strategy.
[[nodiscard]] uint32_t pick(uint32_t count);

}  // namespace norn::rt::control
