// SPDX-License-Identifier: GPL-2.0-or-later
// System calls. File descriptors are a way to hand things over: what was written before, happens before what is read
// after. Which descriptors lead to the same thing is decided as in runtime/files.cc: the two ends of a pipe or a socket
// pair and all duplicates of a descriptor; descriptors of one file; all other sockets. Here the calls are seen where
// they enter the system, whoever makes them; the memory they read and write counts if the program itself made the call.
#include "valgrind/client.h"
#include "valgrind/reporter.h"
#include "valgrind/symbols.h"
#include "valgrind/where.h"

namespace norn::vg {
namespace {

constexpr Address kTags = Address{1} << 62;
constexpr uint64_t kFileTags = uint64_t{1} << 61;
constexpr uint64_t kAnySocket = 1;
// A descriptor as a thing that is used and closed has an address where no program can have memory.
constexpr Address kFiles = Address{1} << 47;
constexpr Address kFileBytes = 8;

constexpr unsigned kFileCount = 1u << 20;
constinit uint64_t* things = nullptr;  // by descriptor; 0: not known yet
constinit uint64_t next_thing = 2;

Address address_of_file(int fd) { return kFiles + static_cast<Address>(fd) * kFileBytes; }
bool is_known_number(int fd) { return fd >= 0 && static_cast<unsigned>(fd) < kFileCount; }

uint64_t find_out(int fd) {
  struct vg_stat status = {};
  if (VG_(fstat)(fd, &status) != 0) return 0;
  if (VKI_S_ISSOCK(status.mode)) return kAnySocket;
  if (VKI_S_ISCHR(status.mode)) return next_thing++;
  return kFileTags | (status.ino ^ status.dev << 40) * 0x9e3779b97f4a7c15u >> 4;
}

void set_thing(ThreadState& self, int fd, uint64_t thing) {
  if (!is_known_number(fd)) return;
  things[fd] = thing;
  if (watching) detector.allocate(*self.core, address_of_file(fd), kFileBytes);
}

Address tag_of(ThreadState& self, int fd) {
  if (!is_known_number(fd)) return 0;
  if (things[fd] == 0) set_thing(self, fd, find_out(fd));
  return things[fd] == 0 ? 0 : kTags | things[fd];
}

// --- one call ----------------------------------------------------------------------------------------------------

// What the present call of a thread is; by Valgrind's number. A thread is in one call at a time.
struct SystemCall {
  UInt number;
  int taken_from;   // the descriptor whose message was not acquired yet; -1: none
  bool of_program;  // and not of the C library on its own account
  Address ip;
};
constinit SystemCall* calls = nullptr;

bool is_by_program(const ThreadState& self, Address ip) {
  if (!is_opaque(ip)) return true;
  return self.top > self.calls && !is_opaque(self.top[-1].site);
}

void use_file(ThreadState& self, const SystemCall& call, int fd) {
  if (!call.of_program || !is_known_number(fd)) return;
  detector.access(*self.core, AccessKind::kRead, address_of_file(fd), kFileBytes, [&] { return place(self, call.ip); });
}

void give_to(ThreadState& self, const SystemCall& call, int fd) {
  const Address tag = tag_of(self, fd);
  use_file(self, call, fd);
  if (tag != 0) detector.happens_before(*self.core, tag);
}

void take_from(ThreadState& self, SystemCall& call) {
  if (call.taken_from < 0) return;
  if (const Address tag = tag_of(self, call.taken_from); tag != 0) detector.happens_after(*self.core, tag);
  use_file(self, call, call.taken_from);
  call.taken_from = -1;
}

// Forever in programs, and never about the program's data.
bool concerns_memory(UInt number) {
  switch (number) {
    case __NR_futex:
    case __NR_clone:
    case __NR_clone3:
    case __NR_arch_prctl:
    case __NR_set_robust_list:
    case __NR_rt_sigaction:
    case __NR_rt_sigprocmask:
    case __NR_rt_sigreturn:
      return false;
    default:
      return true;
  }
}

void before_call(HostThread host, UInt number, UWord* arguments, UInt /*count*/) {
  ThreadState* self = state_of(host);
  if (self == nullptr) return;
  const Address ip = VG_(get_IP)(host);
  SystemCall& call = calls[host];
  call = {number, -1, watching && concerns_memory(number) && is_by_program(*self, ip), ip};
  const int fd = static_cast<int>(arguments[0]);
  switch (number) {
    case __NR_write:
    case __NR_pwrite64:
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
    case __NR_sendto:
    case __NR_sendmsg:
    case __NR_sendmmsg:
    case __NR_sendfile:
    case __NR_shutdown:
    case __NR_epoll_ctl:  // what was prepared before is there for whoever gets its events
      if (watching) give_to(*self, call, fd);
      break;
    case __NR_read:
    case __NR_pread64:
    case __NR_readv:
    case __NR_preadv:
    case __NR_preadv2:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_recvmmsg:
    case __NR_accept:
    case __NR_accept4:
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
      if (watching) call.taken_from = fd;
      break;
    case __NR_close:
      if (watching) {
        give_to(*self, call, fd);
        if (call.of_program && is_known_number(fd)) {
          detector.write(*self->core, address_of_file(fd), kFileBytes, place(*self, ip));
        }
      }
      if (is_known_number(fd)) things[fd] = 0;
      break;
    case __NR_execve:
    case __NR_execveat:
      flush_report();
      break;
    case __NR_prctl:
      if (arguments[0] == VKI_PR_SET_NAME) set_thread_name(self->id, reinterpret_cast<const char*>(arguments[1]));
      break;
    default:
      break;
  }
}

void duplicated(ThreadState& self, int from, int to) {
  if (from == to || !is_known_number(from) || !is_known_number(to)) return;
  tag_of(self, from);
  set_thing(self, to, things[from]);
}

void pair_made(ThreadState& self, const int* ends) {
  const uint64_t thing = next_thing++;
  set_thing(self, ends[0], thing);
  set_thing(self, ends[1], thing);
}

void after_call(HostThread host, UInt number, UWord* arguments, UInt /*count*/, SysRes result) {
  ThreadState* self = state_of(host);
  if (self == nullptr || sr_isError(result)) return;
  const auto value = static_cast<Long>(sr_Res(result));
  switch (number) {
    case __NR_pipe:
    case __NR_pipe2:
      pair_made(*self, reinterpret_cast<const int*>(arguments[0]));
      break;
    case __NR_socketpair:
      pair_made(*self, reinterpret_cast<const int*>(arguments[3]));
      break;
    case __NR_eventfd:
    case __NR_eventfd2:
    case __NR_epoll_create:
    case __NR_epoll_create1:
      set_thing(*self, static_cast<int>(value), next_thing++);
      break;
    case __NR_open:
    case __NR_openat:
    case __NR_creat:
    case __NR_socket:
    case __NR_timerfd_create:
    case __NR_memfd_create:
      set_thing(*self, static_cast<int>(value), 0);
      break;
    case __NR_dup:
    case __NR_dup2:
    case __NR_dup3:
      duplicated(*self, static_cast<int>(arguments[0]), static_cast<int>(value));
      break;
    case __NR_fcntl:
      if (arguments[1] == VKI_F_DUPFD || arguments[1] == VKI_F_DUPFD_CLOEXEC) {
        duplicated(*self, static_cast<int>(arguments[0]), static_cast<int>(value));
      }
      break;
    case __NR_accept:
    case __NR_accept4:
      set_thing(*self, static_cast<int>(value), 0);
      break;
    default:
      break;
  }
  if (value > 0 || number == __NR_accept || number == __NR_accept4) take_from(*self, calls[host]);
}

// --- memory ------------------------------------------------------------------------------------------------------

void on_memory(HostThread host, AccessKind kind, Address address, uint64_t size) {
  ThreadState* self = state_of(host);
  if (self == nullptr || size == 0) return;
  SystemCall& call = calls[host];
  if (kind == AccessKind::kWrite) take_from(*self, call);
  if (call.of_program) access_range(*self, kind, address, size, place(*self, call.ip));
}

void before_read(CorePart part, HostThread host, const HChar* /*what*/, Addr address, SizeT size) {
  if (part == Vg_CoreSysCall && watching) on_memory(host, AccessKind::kRead, address, size);
}

void before_read_text(CorePart part, HostThread host, const HChar* /*what*/, Addr address) {
  if (part != Vg_CoreSysCall || !watching || !VG_(am_is_valid_for_client)(address, 1, VKI_PROT_READ)) return;
  on_memory(host, AccessKind::kRead, address, VG_(strlen)(reinterpret_cast<const HChar*>(address)) + 1);
}

void after_write(CorePart part, HostThread host, Addr address, SizeT size) {
  if (part == Vg_CoreSysCall && watching) on_memory(host, AccessKind::kWrite, address, size);
}

}  // namespace

void register_files() {
  VG_(needs_syscall_wrapper)(before_call, after_call);
  VG_(track_pre_mem_read)(before_read);
  VG_(track_pre_mem_read_asciiz)(before_read_text);
  VG_(track_post_mem_write)(after_write);
}

bool init_files() {
  things = static_cast<uint64_t*>(memory.allocate_forever(kFileCount * sizeof(*things)));
  calls = static_cast<SystemCall*>(memory.allocate_forever((VG_N_THREADS * sizeof(SystemCall) + 15) & ~size_t{15}));
  return things != nullptr && calls != nullptr;
}

bool is_file(Address address, uint64_t& fd) {
  if (address < kFiles) return false;
  fd = (address - kFiles) / kFileBytes;
  return true;
}

}  // namespace norn::vg
