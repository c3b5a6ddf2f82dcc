#include "runtime/control/written_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/sink.h"
#include "base/spin_mutex.h"
#include "base/text_hash.h"
#include "runtime/control/decisions.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"
#include "schedule/capture.h"

namespace norn::rt::control {
namespace {

using schedule::Capture;
using schedule::CapturedFile;

constinit Capture* capture = nullptr;
constinit SpinMutex mutex;

// Null: there is no room.
CapturedFile* file_named(Text name) {
  for (uint32_t i = 0; i < capture->count; ++i)
    if (Text(capture->files[i].name) == name) return &capture->files[i];
  if (capture->count == Capture::kMost || name.size >= sizeof(CapturedFile::name)) {
    ++capture->lost;
    return nullptr;
  }
  CapturedFile& file = capture->files[capture->count];
  for (size_t i = 0; i < name.size; ++i) file.name[i] = name[i];
  file.name[name.size] = '\0';
  ++capture->count;
  return &file;
}

// What it has in it now. Of a very long one the beginning.
void look_into(CapturedFile& file) {
  constexpr uint64_t kMost = uint64_t{1} << 24;
  file.length = file.kept = 0;
  file.hash = kNoBytes;
  const int fd = sys::open_file(file.name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char bytes[4096];
  while (file.length < kMost) {
    const long got = sys::call(__NR_read, fd, sys::as_long(bytes), sizeof(bytes));
    if (sys::failed(got) || got == 0) break;
    const auto size = static_cast<size_t>(got);
    file.hash = text_hash({bytes, size}, file.hash);
    file.length += size;
    for (size_t i = 0; i < size && file.kept < sizeof(file.bytes); ++i) file.bytes[file.kept++] = bytes[i];
  }
  sys::close_file(fd);
}

}  // namespace

void open_capture() {
  const Text path = rt::start.settings.capture;
  if (path.empty()) return;
  size_t size = 0;
  capture = static_cast<Capture*>(map_file(path, size, true));
  if (size < sizeof(Capture) || capture->magic != Capture::kMagic) refuse("not a file for a capture: ", path);
}

void note_written(int fd) {
  if (capture == nullptr || fd < 0) return;
  const long flags = sys::call(__NR_fcntl, fd, F_GETFL);
  struct stat status = {};
  if (sys::failed(flags) || (flags & O_ACCMODE) == O_RDONLY) return;
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0) return;
  char link[64];
  Buffer buffer(link, sizeof(link) - 1);
  buffer.sink().put("/proc/self/fd/");
  buffer.sink().put(Decimal(static_cast<uint64_t>(fd)).text());
  link[buffer.text().size] = '\0';
  char name[sizeof(CapturedFile::name)];
  const long length = sys::call(__NR_readlink, sys::as_long(link), sys::as_long(name), sizeof(name));
  if (sys::failed(length)) return;
  const SpinLock lock(mutex);
  CapturedFile* file = file_named({name, static_cast<size_t>(length)});
  if (file != nullptr) look_into(*file);
}

void note_sent(uint32_t stream, Text bytes) {
  if (capture == nullptr) return;
  char name[32];
  Buffer buffer(name, sizeof(name));
  buffer.sink().put("connection ");
  buffer.sink().put(Decimal(stream).text());
  const Inspection here;
  const SpinLock lock(mutex);
  CapturedFile* file = file_named(buffer.text());
  if (file == nullptr) return;
  if (file->length == 0) file->hash = kNoBytes;
  file->hash = text_hash(bytes, file->hash);
  file->length += bytes.size;
  for (size_t i = 0; i < bytes.size && file->kept < sizeof(file->bytes); ++i) file->bytes[file->kept++] = bytes[i];
}

void note_all_written() {
  constexpr int kMostDescriptors = 1024;
  for (int fd = 0; capture != nullptr && fd < kMostDescriptors; ++fd) note_written(fd);
}

}  // namespace norn::rt::control
