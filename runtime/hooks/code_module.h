// A module with code that another compiler made for ThreadSanitizer (runtime/hooks/code_sites.h).
#pragma once

#include "core/ids.h"
#include "runtime/debug_info/elf_file.h"

namespace norn::rt {

struct CodeModule {
  Address begin;  // of all that was loaded of it
  Address end;
  Address bias;  // between addresses in memory and those in the file
  const char* path;
  debug_info::Section mapped;  // the whole file
  debug_info::ElfFile file;
  bool has_file;
  bool is_closed;  // what is loaded there next is new, and its memory is, too
  CodeModule* next;
};

}  // namespace norn::rt
