// The modules that are loaded, with their tables of sites and globals.
#pragma once

#include "report/race.h"
#include "runtime/abi.h"
#include "runtime/state.h"

namespace norn::rt {

struct Module {
  const norn_module* tables;  // null: unloaded
  const char* path;
  Module* next;
};

// All there ever were, newest first.
const Module* first_module();

// The file that a site is from; null if it is gone or the runtime's own.
const char* module_of(const norn_site* site);

// Whether the code lies in a library of this name.
[[nodiscard]] bool lies_in_library(const void* code, report::Text name);

}  // namespace norn::rt
