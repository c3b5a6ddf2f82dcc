// Where records of findings go: into memory that is mapped from the findings file, so that a finding needs no system
// call, no descriptor and no right that the program may have given up (docs/design/runtime.md).
#pragma once

#include "base/sink.h"

namespace norn::rt {

// Maps room in the findings file; a path that is no regular file is written to as it is. 0, or the errno that says why
// nothing can be recorded there. Who is only scheduled has little to say, and gets less room at first.
[[nodiscard]] int open_findings(Text path, bool for_schedule);
[[nodiscard]] bool records_findings();

enum class Urgency : uint8_t { kOrdinary, kLast };  // what comes last has room of its own

// Appends a record. False: there is no room for it and none can be had.
[[nodiscard]] bool append_finding(Text line, Urgency urgency = Urgency::kOrdinary);

// A race was found that could not be recorded. If there is a place left to say so, whoever reads the file learns how
// many; if not, the process itself must say it (has_lost_silently).
void count_lost_finding(uint32_t pid);
[[nodiscard]] bool has_lost_silently();

// How many pieces of memory are shared with the program's children for this, besides what is mapped from the file.
[[nodiscard]] uint32_t shared_spaces();

// Before the program gives up a right: there may be no way to get more room later.
void reserve_findings();

}  // namespace norn::rt
