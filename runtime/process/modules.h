// The modules that are loaded, with their tables of sites and globals.
#pragma once

#include "base/text.h"
#include "norn/site.h"
#include "runtime/process/state.h"

struct norn_module;  // norn/abi.h

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

// What lies between the program's addresses in its file and in memory.
[[nodiscard]] Address program_bias();

// The code of one module.
struct CodeRange {
  Address begin = 0;
  Address size = 0;

  [[nodiscard]] bool contains(const void* address) const { return address_of(address) - begin < size; }
};
// Of the module that has this code; empty if there is none.
[[nodiscard]] CodeRange code_around(const void* code);

// Of the dynamic loader. What it does with memory it does under a lock that nobody sees: no thread may be stopped there
// by a scheduler, and it is nobody's access.
extern constinit CodeRange loader_code;
void find_loader();
// Asked by a function that is interposed.
[[gnu::always_inline]] inline bool called_by_loader() { return loader_code.contains(__builtin_return_address(0)); }

// Whether the code was compiled by norn, or belongs to the C++ library, which does what the program's code asks for.
[[nodiscard]] bool is_programs_code(const void* code);

// Whether the code lies in a library of this name.
[[nodiscard]] bool lies_in_library(const void* code, Text name);

}  // namespace norn::rt
