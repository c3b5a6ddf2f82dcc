// Files as they were when the recorded run opened them. Each is a file in memory, opened by the name of its descriptor,
// so that whoever opens it, and however it is read, mapped or asked for, it is the kernel that does it.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <new>

#include "base/sink.h"
#include "base/spin_mutex.h"
#include "runtime/inputs/inputs.h"
#include "runtime/inputs/replayed_inputs.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::inputs {
namespace {

using schedule::InputKind;
using schedule::InputRecord;

struct File {
  Text path;
  Text bytes;
  uint64_t size = 0;  // that it shows; of what was only seen nothing else is known
  uint32_t mode = 0;
  uint64_t changed = 0;
  uint32_t stream = 0;  // of a pipe
  bool is_there = true;
  bool is_own = false;  // the program has made it anew
  int descriptor = -1;  // of it, in memory
};
constinit File* files = nullptr;
constinit uint32_t file_count = 0;
constinit uint32_t most_files = 0;
constinit SpinMutex mutex;

constinit Text recorded_directory;

File* file_at(Text path) {
  for (uint32_t i = 0; i < file_count; ++i)
    if (!path.empty() && files[i].path == path) return &files[i];
  return nullptr;
}

File* pipe_with(uint32_t stream) {
  for (uint32_t i = 0; i < file_count; ++i)
    if (files[i].stream == stream) return &files[i];
  return nullptr;
}

File* new_file() {
  if (file_count == most_files) return nullptr;
  return ::new (&files[file_count++]) File();
}

void put_name(char* to, size_t room, int fd) {
  Buffer buffer(to, room - 1);
  buffer.sink().put("/proc/self/fd/");
  buffer.sink().put(Decimal(static_cast<uint64_t>(fd)).text());
  to[buffer.text().size] = '\0';
}

void append(int fd, Text bytes) { sys::write_all(fd, bytes.data, bytes.size); }

// A pipe's is there when the first of its bytes is read from the log, and is read from its beginning.
bool has_memory(File& file) {
  if (file.descriptor >= 0) return true;
  const long made = sys::call(__NR_memfd_create, sys::as_long("norn"), MFD_CLOEXEC);
  if (sys::failed(made)) return false;
  file.descriptor = moved_up(static_cast<int>(made));
  append(file.descriptor, file.bytes);
  if (file.size > file.bytes.size) sys::call(__NR_ftruncate, file.descriptor, static_cast<long>(file.size));
  if ((file.mode & S_IRUSR) != 0) sys::call(__NR_fchmod, file.descriptor, file.mode & 07777);
  const timespec times[2] = {{static_cast<time_t>(file.changed), 0}, {static_cast<time_t>(file.changed), 0}};
  if (file.changed != 0) sys::call(__NR_utimensat, file.descriptor, 0, sys::as_long(times), 0);
  return true;
}

}  // namespace

bool make_files(uint32_t most) {
  files = static_cast<File*>(memory.allocate_zeroed((most + 1) * sizeof(File)));
  most_files = most;
  return files != nullptr;
}

int moved_up(int fd) {
  constexpr int kHigh = 800;
  const long high = sys::call(__NR_fcntl, fd, F_DUPFD_CLOEXEC, kHigh);
  if (sys::failed(high)) return fd;
  sys::close_file(fd);
  return static_cast<int>(high);
}

void add_file(const InputRecord& record, const char* bytes) {
  if (record.kind == InputKind::kDirectory) recorded_directory = {bytes, record.size};
  const bool is_seen = record.kind == InputKind::kSeen;
  const bool is_file = record.kind == InputKind::kFile || is_seen;
  if (!is_file && record.kind != InputKind::kAbsent && record.kind != InputKind::kInput) return;
  // What was only seen was opened later.
  File* file = record.kind == InputKind::kFile ? file_at(Text(bytes)) : nullptr;
  if (file == nullptr || !file->is_there) file = new_file();
  if (file == nullptr) return;
  if (record.kind == InputKind::kInput) {
    file->bytes = {bytes, record.size};
    return;
  }
  file->is_there = is_file;
  const Text all(bytes, record.size);
  file->path = all;
  if (!file->is_there) return;
  file->path = Text(bytes);
  file->bytes = all.part(file->path.size + 1);
  file->size = file->bytes.size;
  if (is_seen && file->size == sizeof(uint64_t)) {
    for (size_t i = 0; i < sizeof(uint64_t); ++i) reinterpret_cast<char*>(&file->size)[i] = file->bytes[i];
    file->bytes = {};
  }
  file->mode = static_cast<uint32_t>(record.number);
  file->changed = record.before;
}

void add_pipe(uint32_t stream, Text path) {
  File* file = new_file();
  if (file == nullptr) return;
  file->path = path;
  file->stream = stream;
}

void add_to_pipe(uint32_t stream, Text bytes) {
  File* file = pipe_with(stream);
  if (file != nullptr && has_memory(*file)) append(file->descriptor, bytes);
}

void open_standard_input() {
  for (uint32_t i = 0; i < file_count; ++i) {
    File& file = files[i];
    if (!file.path.empty() || !has_memory(file)) continue;
    char name[32];
    put_name(name, sizeof(name), file.descriptor);
    const int fd = sys::open_file(name, O_RDONLY);
    if (fd < 0) return;
    sys::call(__NR_dup2, fd, 0);
    if (fd != 0) sys::close_file(fd);
    return;
  }
}

Text directory_of_recorded_run(Text here) {
  const Text began = rt::start.directory;
  if (recorded_directory.empty() || !here.starts_with(began)) return here;
  const Text rest = here.part(began.size);
  if (!rest.empty() && rest[0] != '/') return here;
  static constinit char bytes[4096];
  Buffer buffer(bytes, sizeof(bytes));
  buffer.sink().put(recorded_directory);
  buffer.sink().put(rest);
  return buffer.text();
}

const char* replayed_path(Text path, const char* given, int flags, char* own, size_t room) {
  const Inspection here;
  const SpinLock lock(mutex);
  File* file = file_at(path);
  if (file == nullptr || file->is_own) return given;
  const bool is_opened = flags != kLookedAt;
  if (!file->is_there) {
    if (is_opened && (flags & O_CREAT) != 0) {
      file->is_own = true;
      return given;
    }
    return "/proc/self/fd/none";
  }
  if (is_opened && ((flags & O_ACCMODE) == O_WRONLY || (flags & O_TRUNC) != 0)) {
    file->is_own = true;
    return given;
  }
  if (!has_memory(*file)) return given;
  put_name(own, room, file->descriptor);
  return own;
}

void note_opened(Text path, int flags, bool is_recorded) {
  const bool reads = (flags & O_ACCMODE) != O_WRONLY && (flags & (O_TRUNC | O_CREAT | O_DIRECTORY)) == 0;
  if (is_recorded || !reads) return;
  {
    const Inspection here;
    const SpinLock lock(mutex);
    if (const File* file = file_at(path); file != nullptr && file->is_own) return;
  }
  note_difference("it opened a file that the recorded run did not: ", path);
}

}  // namespace norn::rt::inputs
