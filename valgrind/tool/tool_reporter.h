// SPDX-License-Identifier: GPL-2.0-or-later
// From a candidate to a record of the findings file, in the form that the native runtime writes.
#pragma once

#include "base/list.h"
#include "core/candidate.h"
#include "options/run_settings.h"

namespace norn::vg {

// Reads NORN_OPTIONS; misuse ends the process with one line and status 2.
void read_settings();
[[nodiscard]] const options::Settings& settings();
// Ends the process with one line and status 2.
[[noreturn]] void refuse(Text what, Text detail);
// The program and its arguments.
[[nodiscard]] List<Text> command_line();

[[nodiscard]] Listener report_listener();
// Before the program runs.
void start_reporter();
// What the program said when it ended: Valgrind tells its tools 0 always.
void note_exit_status(int status);
// Counts and summary; at the end of the program, and before an exec, which may fail.
void finish_report();
void flush_report();
// Something that keeps the findings from being the whole truth. The text is not copied.
void add_note(const char* text);
// The debug information of this file could not be read in full: reports will have fewer names and lines.
void note_unread(const char* file);
// In the child of a fork.
void restart_reporter();

}  // namespace norn::vg
