#include "runtime/control/written_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/spin_mutex.h"
#include "runtime/control/decisions.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "schedule/capture.h"

namespace norn::rt::control {
namespace {

using schedule::Capture;

constinit Capture* capture = nullptr;
constinit SpinMutex mutex;

void add(Text name) {
  const SpinLock lock(mutex);
  for (uint32_t i = 0; i < capture->files; ++i)
    if (Text(capture->names[i]) == name) return;
  if (capture->files == Capture::kMost || name.size >= Capture::kLongest) {
    ++capture->lost;
    return;
  }
  char* place = capture->names[capture->files];
  for (size_t i = 0; i < name.size; ++i) place[i] = name[i];
  place[name.size] = '\0';
  ++capture->files;
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
  char name[Capture::kLongest];
  const long length = sys::call(__NR_readlink, sys::as_long(link), sys::as_long(name), sizeof(name));
  if (!sys::failed(length)) add({name, static_cast<size_t>(length)});
}

void note_all_written() {
  constexpr int kMostDescriptors = 1024;
  for (int fd = 0; capture != nullptr && fd < kMostDescriptors; ++fd) note_written(fd);
}

}  // namespace norn::rt::control
