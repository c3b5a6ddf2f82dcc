// What an access found in memory and what it writes, in words: "3 → 4". Freestanding.
//
// What was in memory is read when a race is found, and what is written is what the program says then; of the access
// that came before neither is known. A schedule that confirms the race knows both of both, and they are shown instead.
#pragma once

#include "base/sink.h"
#include "report/race_fwd.h"

namespace norn::report {

// One value of so many bytes: "-1", "2.5", "true", "'a'", "null", "0x7ffd1c", as its type has it.
void put_value(uint64_t bits, ValueType type, uint64_t size, Sink sink);

// "3 → 4"; "value 3" of a read; "was 3" or "→ 4" if one of a write's is not known. Nothing if neither is.
void put_values(const Values& values, bool reads, uint64_t size, Sink sink);
[[nodiscard]] bool has_values(const Access& access);
void put_values(const Access& access, Sink sink);

}  // namespace norn::report
