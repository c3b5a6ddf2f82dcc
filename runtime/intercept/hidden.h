// State of the C library that its functions share and do not protect (glibc's manual: MT-Unsafe), as memory where no
// program has any.
#pragma once

#include "norn/site.h"
#include "runtime/reporting/locate.h"

namespace norn::rt {

enum class Hidden : uint8_t { kEnvironment, kStrtok, kDrand48, kLocale, kHashTable, kGetopt };

// The calling thread's function reads or changes it.
void use_hidden(Hidden state, const norn_site& site);
void change_hidden(Hidden state, const norn_site& site);

// Whether an address stands for one of these; then the location is filled in.
bool locate_hidden(Address address, report::Location& location);

}  // namespace norn::rt
