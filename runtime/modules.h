// The modules that are loaded, with their tables of sites and globals.
#pragma once

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

}  // namespace norn::rt
