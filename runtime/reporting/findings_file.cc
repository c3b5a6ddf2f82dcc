#include "runtime/reporting/findings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>

#include "base/spin_mutex.h"
#include "report/record.h"
#include "runtime/intercept/signals.h"
#include "runtime/process/syscalls.h"

namespace norn::rt {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kFirst = uint64_t{64} << 10;
constexpr uint64_t kFirstOfSchedule = 2 * kPage;  // it reports how it ended, at most
constexpr uint64_t kMost = uint64_t{1} << 20;
constexpr uint64_t kRoomAhead = uint64_t{32} << 10;      // below it, more is asked for before it is needed
constexpr uint64_t kRoomReserved = uint64_t{256} << 10;  // before a right is given up
constexpr uint64_t kRoomForLast = 1024;
constexpr uint64_t kLostLine = 80;

// A part of the file that belongs to this process and to those it forks: all of them write into the same memory. It is
// full of line ends, which readers pass over. This description lies in memory that they share as well.
struct Space {
  std::atomic<uint64_t> used;
  std::atomic<uint64_t> lost;  // races that found no room
  uint64_t size;
  char* bytes;
};

enum class Way : uint8_t {
  kNone,
  kMapped,
  kNamed,       // opened and written to each time: a device, or a file that cannot be mapped
  kDescriptor,  // given by whoever started the program
};

constinit Way way = Way::kNone;
constinit char path[PATH_MAX] = {};
constinit int descriptor = -1;
constinit std::atomic<Space*> space{nullptr};
constinit Space* first_space = nullptr;  // begins with the place for the line on what was lost
constinit SpinMutex growing;
constinit std::atomic<bool> lost_silently{false};
constinit std::atomic<uint32_t> spaces_made{0};

void* map_shared(uint64_t bytes, int flags, int fd, uint64_t offset) {
  const long result = sys::call(__NR_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd,
                                static_cast<long>(offset));
  return sys::failed(result) ? nullptr : reinterpret_cast<void*>(result);
}

// One write of so many line ends: what it covers is nobody else's, and has its blocks on the disk.
long write_line_ends(int fd, uint64_t bytes) {
  auto* ends = static_cast<char*>(sys::map(bytes));
  if (ends == nullptr) return -ENOMEM;
  for (uint64_t i = 0; i < bytes; ++i) ends[i] = '\n';
  const long written = write_quietly(fd, ends, bytes);
  sys::unmap(ends, bytes);
  return written;
}

// Claims a part at the end of the file, and maps it. 0 or an errno. The mapping keeps the lock on the file, and the
// last process that has it gives it up: so it is known whether anyone still writes.
int claim(int fd, uint64_t bytes, Space*& claimed) {
  sys::call(__NR_flock, fd, LOCK_SH);
  const long written = write_line_ends(fd, bytes);
  if (sys::failed(written)) return static_cast<int>(-written);
  const long end = sys::call(__NR_lseek, fd, 0, SEEK_CUR);
  if (sys::failed(end)) return static_cast<int>(-end);
  if (static_cast<uint64_t>(written) < bytes) return ENOSPC;
  const uint64_t begin = static_cast<uint64_t>(end) - bytes;
  const uint64_t in_page = begin % kPage;
  auto* made = static_cast<Space*>(map_shared(kPage, MAP_ANONYMOUS, -1, 0));
  if (made != nullptr) spaces_made.fetch_add(1, std::memory_order_relaxed);
  if (made == nullptr) return ENOMEM;
  auto* bytes_of_file = static_cast<char*>(map_shared(in_page + bytes, 0, fd, begin - in_page));
  if (bytes_of_file == nullptr) {
    sys::unmap(made, kPage);
    return ENODEV;
  }
  made->size = bytes;
  made->bytes = bytes_of_file + in_page;
  claimed = made;
  return 0;
}

bool can_open_files() { return !sys::restricted.load(std::memory_order_relaxed); }

// Whoever completes the report may have been interrupted while it made room.
bool lock_growing() {
  for (unsigned i = 0; i < 10000; ++i) {
    if (growing.try_lock()) return true;
    sys::yield();
  }
  return false;
}

uint64_t room_in(const Space& in) {
  const uint64_t used = in.used.load(std::memory_order_relaxed);
  return used < in.size ? in.size - used : 0;
}

void grow(uint64_t least, const Space* instead_of) {
  if (!can_open_files() || !lock_growing()) return;
  if (space.load(std::memory_order_relaxed) == instead_of) {
    const int fd = sys::open_file(path, O_RDWR | O_APPEND);
    Space* claimed = nullptr;
    if (fd >= 0 && claim(fd, least < kMost ? kMost : least, claimed) == 0) {
      space.store(claimed, std::memory_order_release);
    }
    if (fd >= 0) sys::close_file(fd);
  }
  growing.unlock();
}

bool put(Space& into, Text line, Urgency urgency) {
  const uint64_t kept = urgency == Urgency::kLast ? 0 : kRoomForLast;
  uint64_t used = into.used.load(std::memory_order_relaxed);
  do {
    if (used + line.size + kept > into.size) return false;
  } while (!into.used.compare_exchange_weak(used, used + line.size, std::memory_order_relaxed));
  for (size_t i = 0; i < line.size; ++i) into.bytes[used + i] = line[i];
  return true;
}

bool append_mapped(Text line, Urgency urgency) {
  Space* into = space.load(std::memory_order_acquire);
  bool done = put(*into, line, urgency);
  if (!done || (into->size != kFirstOfSchedule && room_in(*into) < kRoomAhead)) {
    grow(line.size + 2 * kRoomForLast, into);
    Space* grown = space.load(std::memory_order_acquire);
    if (!done && grown != into) done = put(*grown, line, urgency);
  }
  return done;
}

bool append_named(Text line) {
  if (!can_open_files()) return false;
  const int fd = sys::open_file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (fd < 0) return false;
  const bool done = write_all_quietly(fd, line.data, line.size);
  sys::close_file(fd);
  return done;
}

int open_descriptor(Text number) {
  int given = 0;
  for (const char c : number) given = given * 10 + (c - '0');
  const long copy = sys::call(__NR_fcntl, given, F_DUPFD_CLOEXEC, 500);
  descriptor = sys::failed(copy) ? given : static_cast<int>(copy);
  way = Way::kDescriptor;
  return 0;
}

}  // namespace

uint32_t shared_spaces() { return spaces_made.load(std::memory_order_relaxed); }

bool records_findings() { return way != Way::kNone; }

int open_findings(Text name, bool for_schedule) {
  if (name.starts_with("fd:")) return open_descriptor(name.part(3));
  if (name.size >= sizeof(path)) return ENAMETOOLONG;
  for (size_t i = 0; i < name.size; ++i) path[i] = name[i];
  const long opened =
      sys::call(__NR_openat, AT_FDCWD, sys::as_long(path), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);
  if (sys::failed(opened)) return static_cast<int>(-opened);
  const int fd = static_cast<int>(opened);
  struct stat status{};
  int error = 0;
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0 || !S_ISREG(status.st_mode)) {
    way = Way::kNamed;
  } else {
    Space* claimed = nullptr;
    error = claim(fd, for_schedule ? kFirstOfSchedule : kFirst, claimed);
    if (error == 0) {
      claimed->used.store(kLostLine, std::memory_order_relaxed);
      first_space = claimed;
      space.store(claimed, std::memory_order_release);
      way = Way::kMapped;
    } else if (error == ENODEV) {
      way = Way::kNamed;
      error = 0;
    }
  }
  sys::close_file(fd);
  return error;
}

bool append_finding(Text line, Urgency urgency) {
  switch (way) {
    case Way::kMapped:
      return append_mapped(line, urgency);
    case Way::kNamed:
      return append_named(line);
    case Way::kDescriptor:
      return write_all_quietly(descriptor, line.data, line.size);
    case Way::kNone:
      break;
  }
  return false;
}

void count_lost_finding(uint32_t pid) {
  if (first_space == nullptr) {
    lost_silently.store(true, std::memory_order_relaxed);
    return;
  }
  const uint64_t count = first_space->lost.fetch_add(1, std::memory_order_relaxed) + 1;
  char bytes[kLostLine];
  Buffer line(bytes, sizeof(bytes));
  report::write_lost(count, pid, line.sink());
  for (size_t i = 0; i < line.text().size; ++i) first_space->bytes[i] = line.text()[i];
}

bool has_lost_silently() { return lost_silently.load(std::memory_order_relaxed); }

void reserve_findings() {
  if (way != Way::kMapped) return;
  const Space* now = space.load(std::memory_order_acquire);
  if (room_in(*now) < kRoomReserved) grow(0, now);
}

}  // namespace norn::rt
