// Prints what the reader says of addresses: for each line "0x…" of the input the frames, innermost first, then an empty
// line. dwarf_test.py compares it with LLVM's symbolizer.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/debug_info/dwarf_reader.h"

using namespace norn;

int main(int count, char** values) {
  const int fd = count < 2 ? -1 : open(values[1], O_RDONLY);
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return 2;
  const auto size = static_cast<size_t>(status.st_size);
  const void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  debug_info::ElfFile file;
  if (bytes == MAP_FAILED || !file.open(static_cast<const uint8_t*>(bytes), size)) return 2;
  static debug_info::DwarfReader reader;
  reader.open(file);
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
