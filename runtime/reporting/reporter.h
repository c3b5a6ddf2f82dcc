// From a candidate to a report: as a record of the findings file, or as text.
#pragma once

#include "norn/site.h"
#include "report/race_fwd.h"

namespace norn {
struct Candidate;
struct Listener;
struct RacingPair;
}  // namespace norn

namespace norn::rt {

[[nodiscard]] Listener report_listener();

// Opens what is written to, reads the suppressions, and writes the first record.
void start_reporter();

// The race that the calling thread is reporting at this moment; null if there is none.
struct CurrentReport {
  const Candidate* candidate = nullptr;
  const report::Race* race = nullptr;
};
[[nodiscard]] const CurrentReport* current_report();

// What the program wants to be called when norn ends it (__sanitizer_set_death_callback).
extern constinit void (*death_callback)();

// A loop waits for what the earlier access of the pair wrote, and nothing else orders the two; not both are atomic.
// Inside, on the thread that waits.
void report_flag(const RacingPair& pair);

// A sentence on how far the report can be trusted.
void report_note(const char* text);

// Writes what is still to be said: counts, races that are reported at the end, the summary. Once; inside or outside.
void finish_report(int exit_status);
// The same before an exec; and what is to be said after one that failed.
void flush_report();
void resume_report();

// The status the process should end with, given its own.
[[nodiscard]] int final_status(int own);

// After a fork, in the child.
void restart_reporter();

namespace control {
struct Slot;
}
// Under control: what a site of the log is called.
void report_place(uint32_t identity, const norn_site& site);
// Under control: threads wait for each other, or for nobody.
void report_deadlock(const control::Slot* slots, uint32_t count, uint32_t pollers);

}  // namespace norn::rt
