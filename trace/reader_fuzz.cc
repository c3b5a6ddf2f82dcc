// What the reader makes of bytes that may be anything: for libFuzzer (tools/fuzz-reader), and for the unit test that
// replays its corpus. Nothing may crash, go on for ever or take memory that the bytes do not justify.
#include "trace/reader_fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "trace/std_text.h"
#include "trace/trace_reader.h"

namespace norn::trace {
namespace {

// A file in memory.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* bytes, size_t size) : fd_(memfd_create("trace", MFD_CLOEXEC)) {
    while (fd_ >= 0 && size > 0) {
      const ssize_t written = write(fd_, bytes, size);
      if (written <= 0) break;
      bytes += written;
      size -= static_cast<size_t>(written);
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

ReadOutcome read_anything(const uint8_t* bytes, size_t size) {
  ReadOutcome outcome;
  const MemoryFile memory(bytes, size);
  std::string error;
  const std::unique_ptr<TraceFile> file = TraceFile::open(memory.path(), error);
  if (!file) {
    outcome.error = error;
    return outcome;
  }
  outcome.is_trace = true;
  for (const auto& [id, stack] : file->tables().stacks)
    file->tables().for_each_site(id, [&](const SiteEntry&) { return true; });
  Merge merge(*file);
  Item item;
  while (merge.next(item)) ++outcome.items;
  outcome.cut = merge.cut();
  Tables all = file->tables();
  all.add_missing(file->tables());
  return outcome;
}

bool read_any_text(const uint8_t* bytes, size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes), size));
  const MemoryFile memory(nullptr, 0);
  std::string error;
  if (!read_std(in, "text", memory.path(), error)) return false;
  const std::unique_ptr<TraceFile> file = TraceFile::open(memory.path(), error);
  std::ostringstream out;
  return file && write_std(*file, out).empty();
}

}  // namespace norn::trace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  (void)norn::trace::read_anything(bytes, size);
  if (size > 0 && bytes[0] == 'T') (void)norn::trace::read_any_text(bytes, size);
  return 0;
}
