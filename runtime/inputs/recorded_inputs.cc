#include "runtime/inputs/recorded_inputs.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "base/sink.h"
#include "base/spin_mutex.h"
#include "base/text_hash.h"
#include "runtime/inputs/inputs.h"
#include "runtime/inputs/peers.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"
#include "schedule/input_log.h"

namespace norn::rt::inputs {
namespace {

using schedule::InputKind;
using schedule::InputRecord;

constexpr uint64_t kMostBytes = uint64_t{256} << 20;  // of a recording

constinit SpinMutex mutex;
constinit int file = -1;
constinit uint64_t end = 0;  // of what is written
constinit uint32_t streams = 0;
constinit uint32_t pid = 0;
constinit bool is_whole = true;

// Paths of which enough is known, by their hashes: an open-addressed table.
constexpr uint32_t kMostPaths = 1 << 14;
constinit uint64_t known_paths[kMostPaths] = {};

// True the first time. What was looked at may still be opened.
enum class Knows : uint64_t { kThatItIsThere = 0, kAll = 2 };
bool is_new(Text path, Knows what = Knows::kAll) {
  const uint64_t hash = ((text_hash(path) & ~uint64_t{3}) | static_cast<uint64_t>(what)) + 1;
  for (uint32_t i = 0; i < kMostPaths; ++i) {
    uint64_t& place = known_paths[(hash + i) % kMostPaths];
    if (place == hash) return false;
    if (place != 0) continue;
    place = hash;
    return true;
  }
  return false;
}

void write_at(uint64_t at, const void* bytes, size_t size) {
  sys::call(__NR_pwrite64, file, sys::as_long(bytes), static_cast<long>(size), static_cast<long>(at));
}

void put_padding() { end = (end + 7) & ~uint64_t{7}; }

void put(InputRecord record, const iovec* parts, size_t count) {
  for (size_t i = 0; i < count; ++i) record.size += parts[i].iov_len;
  write_at(end, &record, sizeof(record));
  end += sizeof(record);
  for (size_t i = 0; i < count; ++i) {
    write_at(end, parts[i].iov_base, parts[i].iov_len);
    end += parts[i].iov_len;
  }
  put_padding();
  // A file is as long as the last write made it: padding is written too.
  sys::call(__NR_ftruncate, file, static_cast<long>(end));
}

void put(const InputRecord& record, Text bytes = {}) {
  const iovec one = {const_cast<char*>(bytes.data), bytes.size};
  put(record, &one, 1);
}

// What follows cannot be kept. Under the mutex.
void give_up(Text what, Text detail) {
  if (!is_whole) return;
  is_whole = false;
  const iovec parts[] = {{const_cast<char*>(what.data), what.size}, {const_cast<char*>(detail.data), detail.size}};
  put({.kind = InputKind::kIncomplete}, parts, 2);
}

// All that can be read there, without moving anybody's position, if it has one.
void put_contents(InputRecord record, Text path, int from, uint64_t offset) {
  static constinit char bytes[1 << 16];
  const uint64_t begin = end;
  const size_t named = path.empty() ? 0 : path.size + 1;
  uint64_t at = begin + sizeof(record);
  record.size = InputRecord::kUnfinished;
  write_at(begin, &record, sizeof(record));
  if (named != 0) write_at(at, path.data, path.size);
  at += named;
  for (;;) {
    const long got = sys::call(__NR_pread64, from, sys::as_long(bytes), sizeof(bytes), static_cast<long>(offset));
    if (sys::failed(got) || got == 0) break;
    if (at + static_cast<uint64_t>(got) > kMostBytes) {
      sys::call(__NR_ftruncate, file, static_cast<long>(begin));
      return give_up("more than 256 MB were read, with ", path.empty() ? Text("standard input") : path);
    }
    write_at(at, bytes, static_cast<size_t>(got));
    at += static_cast<uint64_t>(got);
    offset += static_cast<uint64_t>(got);
  }
  record.size = at - begin - sizeof(record);
  write_at(begin, &record, sizeof(record));
  end = at;
  put_padding();
  sys::call(__NR_ftruncate, file, static_cast<long>(end));
}

bool is_own() { return recording && sys::pid() == pid; }

// 0: there are too many.
uint32_t new_stream(int fd, InputKind kind, uint64_t number, Text address) {
  if (streams + 1 >= kMostStreams || descriptor(fd) == nullptr) {
    give_up("there were too many connections", {});
    return 0;
  }
  const uint32_t stream = ++streams;
  const uint64_t before = written_to_all.load(std::memory_order_relaxed);
  put({.kind = kind, .stream = stream, .number = number, .before = before}, address);
  descriptor(fd)->stream.store(stream, std::memory_order_relaxed);
  return stream;
}

// --- connections that the program has with itself --------------------------------------------------------------------

struct Known {
  uint32_t stream = 0;
  socklen_t size = 0;
  sockaddr_storage address{};  // of the other end, or of its own
};
constexpr uint32_t kMostKnown = 1024;
constinit Known incoming[kMostKnown];  // whom it accepted
constinit Known outgoing[kMostKnown];  // where it connected from
constinit uint32_t incoming_count = 0;
constinit uint32_t outgoing_count = 0;

bool is_same(const Known& known, const sockaddr_storage& address, socklen_t size) {
  return size > sizeof(sa_family_t) && known.size == size &&
         Text(reinterpret_cast<const char*>(&known.address), size) ==
             Text(reinterpret_cast<const char*>(&address), size);
}

// The other end of a socket without a name is known by its process alone.
bool is_with_itself(int fd) {
  ucred other{};
  socklen_t size = sizeof(other);
  return sys::call(__NR_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, sys::as_long(&other), sys::as_long(&size)) == 0 &&
         static_cast<uint32_t>(other.pid) == pid;
}

// The two ends of one connection are both here: neither is an input.
void join_ends(int fd, uint32_t stream, const sockaddr_storage& address, socklen_t size, const Known* others,
               uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_same(others[i], address, size)) continue;
    put({.kind = InputKind::kInside, .stream = stream});
    put({.kind = InputKind::kInside, .stream = others[i].stream});
    descriptor(fd)->stream.store(0, std::memory_order_relaxed);
    for (Descriptor& one : descriptors) {
      if (one.stream.load(std::memory_order_relaxed) == others[i].stream) one.stream.store(0);
    }
  }
}

void remember(Known* all, uint32_t& count, uint32_t stream, const sockaddr_storage& address, socklen_t size) {
  if (count < kMostKnown) all[count++] = {stream, size, address};
}

void record_standard_input() {
  struct stat status = {};
  if (sys::call(__NR_fstat, 0, sys::as_long(&status)) != 0) return;
  if (S_ISREG(status.st_mode)) {
    const long at = sys::call(__NR_lseek, 0, 0, SEEK_CUR);
    put_contents({.kind = InputKind::kInput}, {}, 0, sys::failed(at) ? 0 : static_cast<uint64_t>(at));
    return;
  }
  constexpr unsigned kNull = 0x103;  // /dev/null
  if (S_ISCHR(status.st_mode) && status.st_rdev == kNull) return;
  if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    new_stream(0, InputKind::kPipe, 0, {});
  }
}

}  // namespace

void start_recording(char** environment) {
  const Text path = rt::start.settings.keep_inputs;
  if (path.empty()) return;
  char name[4096];
  Buffer buffer(name, sizeof(name) - 1);
  buffer.sink().put(path);
  name[buffer.text().size] = '\0';
  // The first process that gets here; all others are part of the program, and their inputs are not kept.
  const int made = sys::open_file(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (made < 0) return;
  constexpr int kHigh = 800;  // out of the program's way
  const long high = sys::call(__NR_fcntl, made, F_DUPFD_CLOEXEC, kHigh);
  file = sys::failed(high) ? made : static_cast<int>(high);
  if (file != made) sys::close_file(made);
  pid = sys::pid();
  const schedule::InputsHeader header;
  write_at(0, &header, sizeof(header));
  end = sizeof(header);
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const Text variable(*entry);
    if (!variable.starts_with("NORN_OPTIONS=")) put({.kind = InputKind::kVariable}, variable);
  }
  put({.kind = InputKind::kDirectory}, rt::start.directory);
  record_standard_input();
  if (!intercept_stdio()) give_up("this C library does not show what it reads for its own streams", {});
  recording = true;
}

void record_opened(Text path, int flags, int fd, int error) {
  if (!is_own()) return;
  const bool reads = (flags & O_ACCMODE) != O_WRONLY && (flags & O_TRUNC) == 0;
  if (fd < 0 || !reads) {
    if (fd < 0) return record_looked_at(path, false, error);
    const Inspection here;
    const SpinLock lock(mutex);
    is_new(path);  // what the program writes is no input
    is_new(path, Knows::kThatItIsThere);
    return;
  }
  struct stat status = {};
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0) return;
  const Inspection here;
  const SpinLock lock(mutex);
  if (S_ISFIFO(status.st_mode)) {
    new_stream(fd, InputKind::kPipe, 0, path);
    return;
  }
  if (!S_ISREG(status.st_mode) || !is_new(path)) return;
  // One that it has just made was not there.
  if ((flags & O_CREAT) != 0 && status.st_size == 0) return put({.kind = InputKind::kAbsent}, path);
  const int from = sys::open_file(path.data, O_RDONLY | O_CLOEXEC);
  if (from < 0) return give_up("cannot be read: ", path);
  put_contents(
      {.kind = InputKind::kFile, .number = status.st_mode, .before = static_cast<uint64_t>(status.st_mtim.tv_sec)},
      path, from, 0);
  sys::close_file(from);
}

void record_looked_at(Text path, bool is_there, int error) {
  if (!is_own()) return;
  if (is_there) {
    struct stat status = {};
    if (sys::call(__NR_stat, sys::as_long(path.data), sys::as_long(&status)) != 0 || !S_ISREG(status.st_mode)) return;
    const Inspection here;
    const SpinLock lock(mutex);
    if (!is_new(path, Knows::kThatItIsThere)) return;
    const auto size = static_cast<uint64_t>(status.st_size);
    const iovec parts[] = {{const_cast<char*>(path.data), path.size + 1}, {const_cast<uint64_t*>(&size), sizeof(size)}};
    return put(
        {.kind = InputKind::kSeen, .number = status.st_mode, .before = static_cast<uint64_t>(status.st_mtim.tv_sec)},
        parts, 2);
  }
  if (error != ENOENT && error != ENOTDIR) return;
  const Inspection here;
  const SpinLock lock(mutex);
  if (is_new(path, Knows::kThatItIsThere) && is_new(path)) put({.kind = InputKind::kAbsent}, path);
}

void record_read(int fd, const iovec* buffers, size_t count, ssize_t size, int error) {
  const uint32_t stream = stream_of(fd);
  if (stream == 0 || !is_own()) return;
  const bool is_over = size == 0 || (size < 0 && (error == ECONNRESET || error == EPIPE));
  size_t room = 0;
  for (size_t i = 0; i < count; ++i) room += buffers[i].iov_len;
  if (room == 0 || (size < 0 && !is_over)) return;
  const uint64_t before = written[stream].load(std::memory_order_relaxed);
  const Inspection here;
  const SpinLock lock(mutex);
  if (is_over) return put({.kind = InputKind::kEnd, .stream = stream, .before = before});
  constexpr size_t kMostParts = 64;
  iovec parts[kMostParts];
  size_t used = 0;
  auto left = static_cast<size_t>(size);
  for (size_t i = 0; i < count && left > 0; ++i) {
    if (used == kMostParts || end + left > kMostBytes) return give_up("too much was read at once", {});
    parts[used] = {buffers[i].iov_base, buffers[i].iov_len < left ? buffers[i].iov_len : left};
    left -= parts[used++].iov_len;
  }
  put({.kind = InputKind::kData, .stream = stream, .before = before}, parts, used);
}

void record_accepted(int listener, int fd) {
  const Descriptor* from = descriptor(listener);
  if (!is_own() || from == nullptr || from->listener.load() == 0 || is_with_itself(fd)) return;
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (sys::call(__NR_getpeername, fd, sys::as_long(&address), sys::as_long(&size)) != 0) size = 0;
  const Inspection here;
  const SpinLock lock(mutex);
  const uint32_t stream = new_stream(fd, InputKind::kAccepted, uint64_t{from->listener.load()} - 1,
                                     {reinterpret_cast<const char*>(&address), size});
  if (stream == 0) return;
  remember(incoming, incoming_count, stream, address, size);
  join_ends(fd, stream, address, size, outgoing, outgoing_count);
}

void record_connected(int fd, const sockaddr* to, socklen_t to_size) {
  if (!is_own() || stream_of(fd) != 0 || is_with_itself(fd)) return;
  int type = 0;
  socklen_t type_size = sizeof(type);
  sys::call(__NR_getsockopt, fd, SOL_SOCKET, SO_TYPE, sys::as_long(&type), sys::as_long(&type_size));
  if (type != SOCK_STREAM) return;
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (sys::call(__NR_getsockname, fd, sys::as_long(&address), sys::as_long(&size)) != 0) size = 0;
  const Inspection here;
  const SpinLock lock(mutex);
  const uint32_t stream =
      new_stream(fd, InputKind::kConnected, 0, {reinterpret_cast<const char*>(to), static_cast<size_t>(to_size)});
  if (stream == 0) return;
  remember(outgoing, outgoing_count, stream, address, size);
  join_ends(fd, stream, address, size, incoming, incoming_count);
}

void got_signal(int number) {
  // It may have come in the midst of a record.
  if (!is_own() || !mutex.try_lock()) return;
  put({.kind = InputKind::kSignal,
       .number = static_cast<uint64_t>(number),
       .before = written_to_all.load(std::memory_order_relaxed)});
  mutex.unlock();
}

void ended() {
  if (!is_own() || !mutex.try_lock()) return;
  put({.kind = InputKind::kExit});
  mutex.unlock();
}

}  // namespace norn::rt::inputs
