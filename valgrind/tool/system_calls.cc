// SPDX-License-Identifier: GPL-2.0-or-later
// System calls. File descriptors are a way to hand things over: what was written before, happens before what is read
// after. Which descriptors lead to the same thing is decided as in runtime/intercept/descriptors.cc: the two ends of a
// pipe or a socket pair and all duplicates of a descriptor; descriptors of one file; all other sockets. Here the calls
// are seen where they enter the system, whoever makes them; the memory they read and write counts if the program itself
// made the call.
#include "base/hash.h"
#include "core/emitter_inline.h"
#include "core/order/thread.h"
#include "hazards/hazard_listener.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/tool_reporter.h"

namespace norn::vg {
namespace {

constexpr Address kTags = Address{1} << 62;
constexpr uint64_t kFileTags = uint64_t{1} << 61;
constexpr uint64_t kAnySocket = 1;
constexpr uint64_t kAnySignal = 2;  // what a signal's descriptor leads to
// A descriptor as a thing that is used and closed has an address where no program can have memory.
constexpr Address kFiles = Address{1} << 47;
constexpr Address kFileBytes = 8;

constexpr unsigned kFileCount = 1u << 20;
constinit uint64_t* things = nullptr;  // by descriptor; 0: not known yet
constinit uint64_t next_thing = 3;

Address address_of_file(int fd) { return kFiles + static_cast<Address>(fd) * kFileBytes; }
bool is_known_number(int fd) { return fd >= 0 && static_cast<unsigned>(fd) < kFileCount; }

uint64_t find_out(int fd) {
  struct vg_stat status = {};
  if (VG_(fstat)(fd, &status) != 0) return 0;
  if (VKI_S_ISSOCK(status.mode)) return kAnySocket;
  if (VKI_S_ISCHR(status.mode)) return next_thing++;
  if ((status.mode & VKI_S_IFMT) == 0) return next_thing++;  // of the kernel's own kinds, which share one inode
  return kFileTags | hash_word(status.ino ^ status.dev << 40) >> 4;
}

void set_thing(ThreadState& self, int fd, uint64_t thing) {
  if (!is_known_number(fd)) return;
  things[fd] = thing;
  if (watching) emit.allocate(*self.core, address_of_file(fd), kFileBytes);
}

Address tag_of(ThreadState& self, int fd) {
  if (!is_known_number(fd)) return 0;
  if (things[fd] == 0) set_thing(self, fd, find_out(fd));
  return things[fd] == 0 ? 0 : kTags | things[fd];
}

// --- what epoll watches --------------------------------------------------------------------------------------------

// As in runtime/intercept/watches.h: an event tells the word that was given with a descriptor.
struct Watch {
  Address epoll;
  uint64_t word;
  Address tag;
  int fd;
  Watch* next;
};
constexpr unsigned kWatchBuckets = 1024;
constinit Watch* watches[kWatchBuckets] = {};  // by descriptor

void watch(Address epoll, int fd, uint64_t word, Address tag) {
  Watch** place = &watches[static_cast<unsigned>(fd) % kWatchBuckets];
  while (*place != nullptr && ((*place)->epoll != epoll || (*place)->fd != fd)) place = &(*place)->next;
  if (*place == nullptr) {
    *place = static_cast<Watch*>(memory.allocate_zeroed(sizeof(Watch)));
    if (*place == nullptr) return;
  }
  Watch* next = (*place)->next;
  **place = {epoll, word, tag, fd, next};
}

void unwatch(Address epoll, int fd) {
  Watch** place = &watches[static_cast<unsigned>(fd) % kWatchBuckets];
  while (*place != nullptr && ((*place)->epoll != epoll || (*place)->fd != fd)) place = &(*place)->next;
  Watch* gone = *place;
  if (gone == nullptr) return;
  *place = gone->next;
  memory.release(gone, sizeof(*gone));
}

void event_came(ThreadState& self, Address epoll, uint64_t word) {
  for (const Watch* bucket : watches) {
    for (const Watch* at = bucket; at != nullptr; at = at->next) {
      if (at->epoll == epoll && at->word == word) emit.happens_after(*self.core, at->tag);
    }
  }
}

void controlled_by_epoll(ThreadState& self, const UWord* arguments) {
  constexpr UWord kDelete = 2;  // EPOLL_CTL_DEL
  const Address epoll = tag_of(self, static_cast<int>(arguments[0]));
  const int fd = static_cast<int>(arguments[2]);
  if (epoll == 0 || !is_known_number(fd)) return;
  if (arguments[1] == kDelete) return unwatch(epoll, fd);
  const auto* event = reinterpret_cast<const struct vki_epoll_event*>(arguments[3]);
  if (event == nullptr || !VG_(am_is_valid_for_client)(arguments[3], sizeof(*event), VKI_PROT_READ)) return;
  if (const Address tag = tag_of(self, fd); tag != 0) watch(epoll, fd, event->data, tag);
}

// --- what became readable ------------------------------------------------------------------------------------------

void became_readable(ThreadState& self, int fd) {
  if (const Address tag = tag_of(self, fd); tag != 0) emit.happens_after(*self.core, tag);
}

// By poll: all but that there is room to write, or no such file.
void polled(ThreadState& self, const UWord* arguments) {
  constexpr int kNothingToRead = 0x004 | 0x100 | 0x200 | 0x020;  // POLLOUT, POLLWRNORM, POLLWRBAND, POLLNVAL
  const auto* files = reinterpret_cast<const struct vki_pollfd*>(arguments[0]);
  for (UWord i = 0; i < arguments[1]; ++i) {
    if ((files[i].revents & ~kNothingToRead) != 0) became_readable(self, files[i].fd);
  }
}

void got_events(ThreadState& self, const UWord* arguments, Long count) {
  constexpr UInt kNothingToRead = 0x004 | 0x100 | 0x200;
  const auto* events = reinterpret_cast<const struct vki_epoll_event*>(arguments[1]);
  const Address epoll = tag_of(self, static_cast<int>(arguments[0]));
  for (Long i = 0; i < count; ++i) {
    if ((events[i].events & ~kNothingToRead) != 0) event_came(self, epoll, events[i].data);
  }
}

void selected(ThreadState& self, const UWord* arguments) {
  constexpr unsigned kBits = 64;
  for (const UWord set : {arguments[1], arguments[3]}) {
    const auto* words = reinterpret_cast<const uint64_t*>(set);
    for (unsigned fd = 0; words != nullptr && fd < arguments[0]; ++fd) {
      if ((words[fd / kBits] >> fd % kBits & 1) != 0) became_readable(self, static_cast<int>(fd));
    }
  }
}

// --- semaphores and queues of System V -----------------------------------------------------------------------------

struct SemaphoreOperation {
  unsigned short number;
  short change;
  short flags;
};

Address tag_of_semaphore(UWord set, unsigned number) { return Address{5} << 61 | (set & 0xffffffff) << 16 | number; }
Address tag_of_queue(UWord queue) { return Address{9} << 60 | (queue & 0xffffffff); }

void operated(ThreadState& self, const UWord* arguments, bool after) {
  const auto* operations = reinterpret_cast<const SemaphoreOperation*>(arguments[1]);
  for (UWord i = 0; i < arguments[2]; ++i) {
    const Address tag = tag_of_semaphore(arguments[0], operations[i].number);
    if (!after && operations[i].change > 0) emit.happens_before(*self.core, tag);
    if (after && operations[i].change <= 0) emit.happens_after(*self.core, tag);
  }
}

// --- signals -------------------------------------------------------------------------------------------------------

constexpr int kSignals = 65;
Address tag_of_signal(int number) { return Address{1} << 63 | static_cast<Address>(number); }
Address tag_of_action(int number) { return Address{1} << 63 | Address{1} << 40 | static_cast<Address>(number); }

void sending_signal(ThreadState& self, UWord number) {
  if (number == 0 || number >= kSignals) return;
  emit.happens_before(*self.core, tag_of_signal(static_cast<int>(number)));
  emit.happens_before(*self.core, kTags | kAnySignal);
}

void got_signal(ThreadState& self, Long number) {
  if (number > 0 && number < kSignals) emit.happens_after(*self.core, tag_of_signal(static_cast<int>(number)));
}

void setting_handler(ThreadState& self, const UWord* arguments) {
  if (arguments[1] == 0 || arguments[0] == 0 || arguments[0] >= kSignals) return;
  const Address tag = tag_of_action(static_cast<int>(arguments[0]));
  emit.sync_destroy(*self.core, tag);
  emit.happens_before(*self.core, tag);
}

// What the interrupted code asked to ignore counts in its handlers. One that is left by a jump is never said to end.
struct Handlers {
  static constexpr unsigned kKinds = 3;
  static constexpr unsigned kNested = 8;
  unsigned running;
  uint32_t ignored[kNested][kKinds];
};
constinit Handlers* handlers = nullptr;  // by thread

void set_ignored(Thread& thread, unsigned kind, uint32_t depth) {
  const auto what = static_cast<uint8_t>(1u << kind);
  while (thread.ignore_depth[kind] < depth) emit.ignore_begin(thread, what);
  while (thread.ignore_depth[kind] > depth) emit.ignore_end(thread, what);
}

void before_handler(HostThread host, Int number, Bool /*alternate_stack*/) {
  ThreadState* self = state_of(host);
  if (self == nullptr || number <= 0 || number >= kSignals) return;
  Handlers& own = handlers[host];
  if (own.running < Handlers::kNested) {
    for (unsigned kind = 0; kind < Handlers::kKinds; ++kind) {
      own.ignored[own.running][kind] = self->core->ignore_depth[kind];
      set_ignored(*self->core, kind, 0);
    }
    ++own.running;
  }
  if (!watching) return;
  emit.happens_after(*self->core, tag_of_action(number));
  got_signal(*self, number);
}

void after_handler(HostThread host, Int /*number*/) {
  ThreadState* self = state_of(host);
  Handlers& own = handlers[host];
  if (self == nullptr || own.running == 0) return;
  --own.running;
  for (unsigned kind = 0; kind < Handlers::kKinds; ++kind) {
    set_ignored(*self->core, kind, own.ignored[own.running][kind]);
  }
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
  emit.access(*self.core, AccessKind::kRead, address_of_file(fd), kFileBytes, [&] { return place(self, call.ip); });
}

void give_to(ThreadState& self, const SystemCall& call, int fd) {
  const Address tag = tag_of(self, fd);
  use_file(self, call, fd);
  if (tag != 0) emit.happens_before(*self.core, tag);
}

void take_from(ThreadState& self, SystemCall& call) {
  if (call.taken_from < 0) return;
  if (const Address tag = tag_of(self, call.taken_from); tag != 0) emit.happens_after(*self.core, tag);
  use_file(self, call, call.taken_from);
  call.taken_from = -1;
}

void closing(ThreadState& self, const SystemCall& call, int fd) {
  if (watching) {
    give_to(self, call, fd);
    if (call.of_program && is_known_number(fd)) {
      emit.write(*self.core, address_of_file(fd), kFileBytes, place(self, call.ip));
    }
  }
  if (is_known_number(fd)) things[fd] = 0;
}

bool is_open(int fd) {
  struct vg_stat status = {};
  return VG_(fstat)(fd, &status) == 0;
}

constexpr UWord kUnlockFile = 8;  // LOCK_UN of flock

// Locks of an open file exclude threads as well; those of a process do not.
constexpr UWord kSetLock = 37;  // F_OFD_SETLK, and one more: F_OFD_SETLKW
bool is_lock(const UWord* arguments) { return arguments[1] == kSetLock || arguments[1] == kSetLock + 1; }
bool unlocks(const UWord* arguments) {
  constexpr short kUnlock = 2;  // F_UNLCK
  return *reinterpret_cast<const short*>(arguments[2]) == kUnlock;
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
  if (number == __NR_exit_group) note_exit_status(static_cast<int>(arguments[0] & 0xff));
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
    case __NR_timerfd_settime:
    case __NR_mq_timedsend:
      if (watching) give_to(*self, call, fd);
      break;
    case __NR_epoll_ctl:  // what was prepared before is there for whoever gets its events
      if (watching) give_to(*self, call, fd);
      controlled_by_epoll(*self, arguments);
      break;
    case __NR_flock:
      if (watching) {
        (arguments[1] & kUnlockFile) != 0 ? give_to(*self, call, fd) : static_cast<void>(call.taken_from = fd);
      }
      break;
    case __NR_fcntl:
      if (watching && is_lock(arguments)) {
        unlocks(arguments) ? give_to(*self, call, fd) : static_cast<void>(call.taken_from = fd);
      }
      break;
    case __NR_semop:
    case __NR_semtimedop:
      if (watching) operated(*self, arguments, false);
      break;
    case __NR_semctl:
      if (watching && arguments[2] == VKI_SETVAL) {
        emit.happens_before(*self->core, tag_of_semaphore(arguments[0], static_cast<unsigned>(arguments[1])));
      }
      break;
    case __NR_msgsnd:
      if (watching) emit.happens_before(*self->core, tag_of_queue(arguments[0]));
      break;
    case __NR_kill:
    case __NR_tkill:
    case __NR_rt_sigqueueinfo:
      if (watching) sending_signal(*self, arguments[1]);
      break;
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
      if (watching) sending_signal(*self, arguments[2]);
      break;
    case __NR_alarm:
      if (watching) sending_signal(*self, VKI_SIGALRM);
      break;
    case __NR_setitimer:
      if (watching) {
        sending_signal(*self, arguments[0] == 0 ? VKI_SIGALRM : arguments[0] == 1 ? VKI_SIGVTALRM : VKI_SIGPROF);
      }
      break;
    case __NR_rt_sigaction:
      if (watching) setting_handler(*self, arguments);
      break;
    case __NR_dup2:
    case __NR_dup3:
      if (fd != static_cast<int>(arguments[1]) && is_open(fd) && is_open(static_cast<int>(arguments[1]))) {
        closing(*self, call, static_cast<int>(arguments[1]));
      }
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
    case __NR_mq_timedreceive:
      if (watching) call.taken_from = fd;
      break;
    case __NR_close:
      closing(*self, call, fd);
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
    case __NR_poll:
    case __NR_ppoll:
      if (watching && value > 0) polled(*self, arguments);
      break;
    case __NR_select:
    case __NR_pselect6:
      if (watching && value > 0) selected(*self, arguments);
      break;
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
      if (watching) got_events(*self, arguments, value);
      break;
    case __NR_semop:
    case __NR_semtimedop:
      if (watching) operated(*self, arguments, true);
      break;
    case __NR_msgrcv:
      if (watching) emit.happens_after(*self->core, tag_of_queue(arguments[0]));
      break;
    case __NR_rt_sigtimedwait:
      if (watching) got_signal(*self, value);
      break;
    case __NR_signalfd:
    case __NR_signalfd4:
      if (static_cast<int>(arguments[0]) < 0) set_thing(*self, static_cast<int>(value), kAnySignal);
      break;
    case __NR_eventfd:
    case __NR_eventfd2:
    case __NR_epoll_create:
    case __NR_epoll_create1:
    case __NR_timerfd_create:
      set_thing(*self, static_cast<int>(value), next_thing++);
      break;
    case __NR_open:
    case __NR_openat:
    case __NR_creat:
    case __NR_socket:
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
  const bool may_be_zero =
      number == __NR_accept || number == __NR_accept4 || number == __NR_flock || number == __NR_fcntl;
  if (value > 0 || may_be_zero) take_from(*self, calls[host]);
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
  VG_(track_pre_deliver_signal)(before_handler);
  VG_(track_post_deliver_signal)(after_handler);
  VG_(track_pre_mem_read)(before_read);
  VG_(track_pre_mem_read_asciiz)(before_read_text);
  VG_(track_post_mem_write)(after_write);
}

bool init_files() {
  things = static_cast<uint64_t*>(memory.allocate_forever(kFileCount * sizeof(*things)));
  calls = static_cast<SystemCall*>(memory.allocate_forever((VG_N_THREADS * sizeof(SystemCall) + 15) & ~size_t{15}));
  handlers = static_cast<Handlers*>(memory.allocate_forever(VG_N_THREADS * sizeof(Handlers)));
  return things != nullptr && calls != nullptr && handlers != nullptr;
}

bool is_file(Address address, uint64_t& fd) {
  if (address < kFiles) return false;
  fd = (address - kFiles) / kFileBytes;
  return true;
}

}  // namespace norn::vg
