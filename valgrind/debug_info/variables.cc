// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/debug_info/variables.h"

#include <elf.h>

#include "report/race.h"
#include "valgrind/tool/private.h"

namespace norn::vg {
namespace {

using report::Frame;

// --- whether it is worth reading ---------------------------------------------------------------------------------

bool read_at(Int file, uint64_t offset, void* into, size_t size) {
  return VG_(lseek)(file, static_cast<Off64T>(offset), VKI_SEEK_SET) == static_cast<Off64T>(offset) &&
         VG_(read)(file, into, static_cast<Int>(size)) == static_cast<Int>(size);
}

bool has_debug_info(Int file) {
  Elf64_Ehdr head;
  Elf64_Shdr names;
  if (!read_at(file, 0, &head, sizeof(head)) || head.e_shoff == 0) return false;
  if (!read_at(file, head.e_shoff + uint64_t{head.e_shstrndx} * sizeof(names), &names, sizeof(names))) return false;
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section;
    char name[16] = {};
    if (!read_at(file, head.e_shoff + uint64_t{i} * sizeof(section), &section, sizeof(section))) return false;
    if (read_at(file, names.sh_offset + section.sh_name, name, sizeof(name) - 1) && Text(name) == ".debug_info") {
      return true;
    }
  }
  return false;
}

// --- understanding it --------------------------------------------------------------------------------------------

// One past the first place of `words` in the text; 0: they are not in it.
size_t after(Text text, Text words) {
  for (size_t i = 0; i + words.size <= text.size; ++i) {
    if (text.part(i, words.size) == words) return i + words.size;
  }
  return 0;
}

size_t before_any(Text text, Text ends) {
  size_t size = 0;
  while (size < text.size && after(ends, text.part(size, 1)) == 0) ++size;
  return size;
}

void name_variable(Text sentence, report::Location& location, TextPool& pool) {
  const size_t inside = after(sentence, "inside ");
  if (inside == 0) return;
  Text name = sentence.part(inside, sentence.size - inside);
  if (const size_t quoted = after(name, "var \""); quoted != 0) name = name.part(quoted, name.size - quoted);
  location.name = pool.keep(name.part(0, before_any(name, "\",")));
  location.object = location.name.part(0, before_any(location.name, ".["));
}

// names.c:20, in frame ...
void declare_variable(Text text, Frame& declared, TextPool& pool) {
  const size_t colon = before_any(text, ":");
  declared.file = pool.keep(text.part(0, colon));
  for (size_t i = colon + 1; i < text.size && text[i] >= '0' && text[i] <= '9'; ++i) {
    declared.line = declared.line * 10 + static_cast<uint32_t>(text[i] - '0');
  }
}

}  // namespace

void want_variables() {
  constexpr Long kLargest = Long{16} << 20;  // it takes about a second for ten megabytes
  const Int file = VG_(fd_open)(VG_(args_the_exename), VKI_O_RDONLY, 0);
  if (file < 0) return;
  struct vg_stat what;
  if (VG_(fstat)(file, &what) == 0 && what.size <= kLargest && has_debug_info(file)) {
    read_variables_of(what.dev, what.ino);
  }
  VG_(close)(file);
}

// Valgrind tells it in sentences:
//   Location 0x10c06e is 0 bytes inside origin.in[1].b,   a global variable declared at names.c:4
//   Location 0x1fff00 is 0 bytes inside local var "n"     declared at names.c:20, in frame #0 of thread 1
bool describe_variable(Address address, report::Location& location, TextPool& pool) {
  XArray* first = VG_(newXA)(VG_(malloc), "norn.variable", VG_(free), sizeof(HChar));
  XArray* second = VG_(newXA)(VG_(malloc), "norn.variable", VG_(free), sizeof(HChar));
  const bool found = VG_(get_data_description)(first, second, VG_(current_DiEpoch)(), address);
  if (found) {
    const Text what(static_cast<const HChar*>(VG_(indexXA)(first, 0)));
    const Text where(static_cast<const HChar*>(VG_(indexXA)(second, 0)));
    name_variable(what, location, pool);
    const size_t line = after(where, "declared at ");
    if (line != 0) declare_variable(where.part(line, where.size - line), location.declared_at, pool);
    location.kind = after(where, "in frame #") != 0 ? report::LocationKind::kStack : report::LocationKind::kGlobal;
  }
  VG_(deleteXA)(first);
  VG_(deleteXA)(second);
  return found && !location.name.empty();
}

}  // namespace norn::vg
