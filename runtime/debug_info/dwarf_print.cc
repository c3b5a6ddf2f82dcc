// dwarf_print [ANOTHER] FILE: what the reader says of addresses of a file, after it walked through another one. For
// each line "0x…" of the input the frames, innermost first, then an empty line. dwarf_test.py compares it with LLVM's
// symbolizer.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/debug_info/dwarf_reader.h"

using namespace norn;

static bool open_file(const char* name, debug_info::ElfFile& file) {
  const int fd = open(name, O_RDONLY);
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return false;
  const auto size = static_cast<size_t>(status.st_size);
  const void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  return bytes != MAP_FAILED && file.open(static_cast<const uint8_t*>(bytes), size);
}

int main(int count, char** values) {
  static debug_info::DwarfReader reader;
  static debug_info::ElfFile files[2];
  for (int i = 1; i < count && i <= 2; ++i) {
    if (!open_file(values[i], files[i - 1])) return 2;
    reader.open(files[i - 1]);
    static char texts[1 << 16];
    TextPool pool(texts, sizeof(texts));
    debug_info::SourceFrame frame;
    if (i + 1 < count && reader.find(0, &frame, 1, pool) != 0) return 2;  // no code has this address
  }
  if (count < 2) return 2;
  unsigned long long address = 0;
  while (scanf("%llx", &address) == 1) {
    static char texts[1 << 16];
    TextPool pool(texts, sizeof(texts));
    debug_info::SourceFrame frames[64];
    const size_t found = reader.find(address, frames, 64, pool);
    for (size_t i = 0; i < found; ++i) {
      const debug_info::SourceFrame& frame = frames[i];
      printf("%.*s|%.*s|%.*s|%u|%u\n", static_cast<int>(frame.function.size), frame.function.data,
             static_cast<int>(frame.directory.size), frame.directory.data, static_cast<int>(frame.file.size),
             frame.file.data, frame.line, frame.column);
    }
    printf("\n");
  }
  return 0;
}
