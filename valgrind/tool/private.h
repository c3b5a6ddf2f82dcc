// SPDX-License-Identifier: GPL-2.0-or-later
// What the tool uses of Valgrind that is not in its public headers, and that another version may have otherwise.
// Declared and called in private.cc alone.
#pragma once

#include "core/ids.h"
#include "valgrind/tool/host.h"

namespace norn::vg {

// Moves a descriptor to where the program can neither see nor close it.
int out_of_reach(int fd);

// A C++ name as people write it. The result is good until the next call.
const char* demangled(const char* name);

// Where the function begins that this instruction is in, by the symbol tables; 0: they do not say.
Address function_begin(Address code);
// The name of the function that begins at this address, as the linker knows it; null: none begins here.
const char* linkage_name(Address code);

// The debug information of this file is read for variables, too (their names, types and places), and no other's:
// Valgrind would read the dynamic linker's and the tool's own with it. Before the program is mapped.
void read_variables_of(uint64_t device, uint64_t inode);

// A section of a file with debug information, as Valgrind has it (its DiSlice).
struct DebugSection {
  void* image;
  uint64_t offset;
  uint64_t size;
};
static_assert(sizeof(DebugSection) == 24);

struct DebugSections {
  DebugSection units;          // .debug_info
  DebugSection types;          // .debug_types
  DebugSection abbreviations;  // .debug_abbrev
  DebugSection lines;          // .debug_line
  DebugSection texts;          // .debug_str
  DebugSection texts_apart;    // .debug_str of another file
  DebugSection line_texts;     // .debug_line_str
};

// Ends the reading of what is not as it should be, as Valgrind's own readers do.
[[noreturn]] void give_up();
// Gives up beyond the section's end.
uint8_t byte_at(const DebugSection& section, uint64_t at);

// Where Valgrind is told which line code is of.
class DebugLines {
 public:
  explicit DebugLines(DebugInfo* info) : info_(info) {}
  // A number for the file. `directory` may be null.
  unsigned add_file(const char* name, const char* directory) const;
  void add_line(unsigned file, Address begin, Address end, int line) const;

 private:
  DebugInfo* info_;
};

// All code is translated anew when it runs next. In a system call: the public way is for client requests only.
void discard_translations();

// Memory at exactly this place, without Valgrind's knowledge: its address space manager has no business there, and
// would not let go of so much. False: it cannot be had.
bool map_exactly(uintptr_t address, size_t size);
// The same, of a file's bytes, which are made if they are not there yet. What is written there is in the file.
bool map_file_exactly(uintptr_t address, size_t size, int fd, uint64_t offset);
// Nothing is there any more.
void unmap_exactly(void* memory, size_t size);
// Gives back what such memory holds; it is zeroes afterwards. False: it is not.
bool unfill_exactly(void* memory, size_t size);

// Reads guest code ahead of its translation, from inside of instrument(): VEX has one area of memory for the block that
// is being translated, so what is there is put aside for as long as this exists. Blocks are not unrolled.
class GuestCode {
 public:
  explicit GuestCode(const VexArchInfo& host);
  ~GuestCode();
  GuestCode(const GuestCode&) = delete;
  GuestCode& operator=(const GuestCode&) = delete;

  // Good until the next call; null: there is no code that can be read. `instructions`: at most so many; 0: as ever.
  IRSB* block(Address address, unsigned instructions = 0);

 private:
  const VexArchInfo& host_;
  char* saved_;
  size_t saved_size_;
  int unrolling_;
  int longest_;
};

}  // namespace norn::vg
