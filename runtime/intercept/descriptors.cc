// Which descriptors lead to the same thing:
// - the two ends of a pipe or a socket pair, and all duplicates of a descriptor;
// - descriptors of one file (device and inode);
// - all other sockets: who is at the other end is not known, so it may be anyone of the program.
// Each such thing is a number, and a tag outside of the program's addresses.
#include "runtime/intercept/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/sink.h"
#include "report/race.h"
#include "runtime/control/control.h"
#include "runtime/control/written_files.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/callbacks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/watches.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"

namespace norn::rt {
namespace {

constexpr unsigned kChunk = 1024;
constexpr unsigned kChunks = 1024;
constexpr Address kTags = Address{1} << 62;
constexpr uint64_t kFileTags = uint64_t{1} << 61;
constexpr uint64_t kAnySocket = 1;
constexpr uint64_t kEpolls = uint64_t{1} << 60;  // set in the number of an epoll instance, and in no other
constexpr uint64_t kAnySignal = 2;               // what a signal's descriptor leads to

// A descriptor as a thing that is used and closed has an address where no program can have memory.
constexpr Address kFiles = Address{1} << 47;
constexpr Address kFileBytes = 8;

Address address_of_file(int fd) { return kFiles + static_cast<Address>(fd) * kFileBytes; }

constinit std::atomic<std::atomic<uint64_t>*> chunks[kChunks] = {};
constinit std::atomic<uint64_t> next_thing{3};

uint64_t new_thing() { return next_thing.fetch_add(1, std::memory_order_relaxed); }

std::atomic<uint64_t>* entry_of(int fd) {
  if (fd < 0 || static_cast<unsigned>(fd) >= kChunk * kChunks) return nullptr;
  std::atomic<std::atomic<uint64_t>*>& place = chunks[static_cast<unsigned>(fd) / kChunk];
  std::atomic<uint64_t>* chunk = place.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    auto* made = static_cast<std::atomic<uint64_t>*>(memory.allocate_zeroed(kChunk * sizeof(std::atomic<uint64_t>)));
    if (made == nullptr) return nullptr;
    if (place.compare_exchange_strong(chunk, made, std::memory_order_acq_rel)) {
      chunk = made;
    } else {
      memory.release(made, kChunk * sizeof(std::atomic<uint64_t>));
    }
  }
  return &chunk[static_cast<unsigned>(fd) % kChunk];
}

// What a descriptor is that the runtime did not see being made.
uint64_t find_out(int fd) {
  struct stat status = {};
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0) return 0;
  if (S_ISSOCK(status.st_mode)) return kAnySocket;
  if (S_ISCHR(status.st_mode)) return new_thing();
  if ((status.st_mode & S_IFMT) == 0) return new_thing();  // of the kernel's own kinds, which share one inode
  const uint64_t hash = hash_word(status.st_ino ^ status.st_dev << 40);
  return kFileTags | hash >> 4;
}

// A descriptor that is there though the runtime did not see it being made (fopen, timerfd_create, …) is new: an earlier
// one of its number was closed.
Address tag_of(Thread& thread, int fd) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  if (entry == nullptr) return 0;
  uint64_t thing = entry->load(std::memory_order_acquire);
  if (thing == 0) {
    const uint64_t found = find_out(fd);
    if (found == 0) return 0;
    if (entry->compare_exchange_strong(thing, found, std::memory_order_acq_rel)) {
      thing = found;
      if (is_watching()) emit.allocate(thread, address_of_file(fd), kFileBytes);
    }
  }
  return kTags | thing;
}

void set_thing(int fd, uint64_t thing) {
  inputs::closed(fd);
  const Inspection here;
  if (!here) return;
  if (std::atomic<uint64_t>* entry = entry_of(fd); entry != nullptr) entry->store(thing, std::memory_order_release);
  if (is_watching()) emit.allocate(here.thread(), address_of_file(fd), kFileBytes);
}

void set_same(int a, int b) {
  const uint64_t thing = new_thing();
  set_thing(a, thing);
  set_thing(b, thing);
}

// Whether a descriptor leads there.
bool is_open(uint64_t thing) {
  for (const std::atomic<std::atomic<uint64_t>*>& place : chunks) {
    const std::atomic<uint64_t>* chunk = place.load(std::memory_order_acquire);
    for (unsigned i = 0; chunk != nullptr && i < kChunk; ++i) {
      if (chunk[i].load(std::memory_order_relaxed) == thing) return true;
    }
  }
  return false;
}

// The descriptor leads nowhere any more.
void forget_thing(int fd) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  if (entry == nullptr) return;
  const uint64_t thing = entry->exchange(0, std::memory_order_acq_rel);
  if ((thing & kEpolls) != 0 && !is_open(thing)) unwatch_all(kTags | thing);
}

void duplicated(int from, int to) {
  if (from == to || to < 0) return;
  inputs::duplicated(from, to);
  const Inspection here;
  if (!here) return;
  const std::atomic<uint64_t>* source = entry_of(from);
  std::atomic<uint64_t>* target = entry_of(to);
  if (source == nullptr || target == nullptr) return;
  tag_of(here.thread(), from);
  if (is_watching()) emit.allocate(here.thread(), address_of_file(to), kFileBytes);
  target->store(source->load(std::memory_order_acquire), std::memory_order_release);
}

// Under control a descriptor is a location like any other.
void use_file(AccessKind kind, int fd, const norn_site& site) {
  if (is_controlled()) control::access(kind, reinterpret_cast<const void*>(address_of_file(fd)), kFileBytes, &site);
}

void closing(int fd, const norn_site& site) {
  if (fd < 0) return;
  inputs::closed(fd);
  if (is_controlled()) control::note_written(fd);
  giving_to_file(fd, site);
  use_file(AccessKind::kWrite, fd, site);
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.write(here.thread(), address_of_file(fd), kFileBytes, stack_id(*here, &site));
  forget_thing(fd);
}

}  // namespace

void giving_to_file(int fd, const norn_site& site) {
  if (!is_watching() || fd < 0) return;
  use_file(AccessKind::kRead, fd, site);
  const Inspection here;
  if (!here) return;
  const Address tag = tag_of(here.thread(), fd);
  emit.read(here.thread(), address_of_file(fd), kFileBytes, stack_id(*here, &site));
  if (tag != 0) emit.happens_before(here.thread(), tag);
}

void took_from_file(int fd, const norn_site& site) {
  if (!is_watching() || fd < 0) return;
  use_file(AccessKind::kRead, fd, site);
  const Inspection here;
  if (!here) return;
  if (const Address tag = tag_of(here.thread(), fd); tag != 0) emit.happens_after(here.thread(), tag);
  emit.read(here.thread(), address_of_file(fd), kFileBytes, stack_id(*here, &site));
}

void giving_to_signal_files() {
  if (!is_watching()) return;
  if (const Inspection here; here) emit.happens_before(here.thread(), kTags | kAnySignal);
}

void became_readable(int fd) {
  if (!is_watching() || fd < 0) return;
  const Inspection here;
  if (!here) return;
  if (const Address tag = tag_of(here.thread(), fd); tag != 0) emit.happens_after(here.thread(), tag);
}

void made_socket(int fd) { set_thing(fd, kAnySocket); }

bool locate_file(Address address, report::Location& location, TextPool& pool) {
  if (address < kFiles) return false;
  Buffer buffer(pool.bytes(), pool.room());
  buffer.sink().put("file descriptor ");
  buffer.sink().put(Decimal((address - kFiles) / kFileBytes).text());
  pool.take(buffer.text().size);
  location.name = buffer.text();
  return true;
}

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

namespace {

void read_vectors(const iovec* vectors, int count, const norn_site& site) {
  if (!is_watching()) return;
  observe_read(vectors, static_cast<size_t>(count) * sizeof(iovec), site);
  for (int i = 0; i < count; ++i) observe_read(vectors[i].iov_base, vectors[i].iov_len, site);
}

void write_vectors(const iovec* vectors, size_t count, ssize_t size, const norn_site& site) {
  if (!is_watching() || size <= 0) return;
  auto left = static_cast<size_t>(size);
  for (size_t i = 0; i < count && left > 0; ++i) {
    const size_t here = vectors[i].iov_len < left ? vectors[i].iov_len : left;
    observe_write(vectors[i].iov_base, here, site);
    left -= here;
  }
}

// After a call that read `size` bytes into the buffer.
ssize_t was_read(int fd, void* buffer, ssize_t size, const norn_site& site) {
  if (size < 0) return size;
  if (is_controlled()) control::fix_read(fd, buffer, static_cast<size_t>(size));
  took_from_file(fd, site);
  if (size > 0) observe_write(buffer, static_cast<size_t>(size), site);
  return size;
}

}  // namespace

namespace {

size_t size_of(const iovec* vectors, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; ++i) size += vectors[i].iov_len;
  return size;
}

// Writes, without the turn where that may have to wait for a reader.
template <class Call>
ssize_t write_now(int fd, const iovec* vectors, size_t count, const norn_site& site, Call call) {
  if (!is_controlled() || !control::active()) return call();
  control::point(control::Op::kSignal, nullptr, &site);
  if (ssize_t result = 0; inputs::replaying && inputs::replays_write(fd, vectors, count, result)) return result;
  if (!control::may_wait_to_write(fd, size_of(vectors, count))) return call();
  const control::Outside outside;
  return call();
}

template <class Call>
ssize_t write_out(int fd, const iovec* vectors, size_t count, const norn_site& site, Call call) {
  const ssize_t size = write_now(fd, vectors, count, site, call);
  inputs::wrote_to(fd, size);
  return size;
}

template <class Call>
ssize_t write_out(int fd, const void* buffer, size_t size, const norn_site& site, Call call) {
  const iovec one = {const_cast<void*>(buffer), size};
  return write_out(fd, &one, 1, site, call);
}

// After a call that read into the buffers, or failed: what came is an input.
ssize_t came(int fd, const iovec* vectors, size_t count, ssize_t size, int flags = 0) {
  if (!inputs::is_concerned() || (flags & MSG_PEEK) != 0) return size;
  const int error = errno;
  inputs::read_from(fd, vectors, count, size, error);
  errno = error;
  return size;
}

ssize_t came(int fd, void* buffer, size_t room, ssize_t size, int flags = 0) {
  const iovec one = {buffer, room};
  return came(fd, &one, 1, size, flags);
}

}  // namespace

// --- reading and writing -----------------------------------------------------------------------------------------

NORN_INTERPOSE(ssize_t, read, (int fd, void* buffer, size_t size)) {
  if (!has_started()) return sys::call(__NR_read, fd, sys::as_long(buffer), static_cast<long>(size));
  if (!control::await_input(fd, site_read)) return -1;
  return was_read(fd, buffer, came(fd, buffer, size, real_read(fd, buffer, size)), site_read);
}

NORN_INTERPOSE(ssize_t, write, (int fd, const void* buffer, size_t size)) {
  if (!has_started()) return sys::call(__NR_write, fd, sys::as_long(buffer), static_cast<long>(size));
  observe_read(buffer, size, site_write);
  giving_to_file(fd, site_write);
  return write_out(fd, buffer, size, site_write, [=] { return real_write(fd, buffer, size); });
}

NORN_INTERPOSE(ssize_t, pread, (int fd, void* buffer, size_t size, off_t offset)) {
  if (!has_started()) return -1;
  return was_read(fd, buffer, real_pread(fd, buffer, size, offset), site_pread);
}

NORN_INTERPOSE(ssize_t, pread64, (int fd, void* buffer, size_t size, off64_t offset)) {
  if (!has_started()) return -1;
  return was_read(fd, buffer, real_pread64(fd, buffer, size, offset), site_pread64);
}

NORN_INTERPOSE(ssize_t, pwrite, (int fd, const void* buffer, size_t size, off_t offset)) {
  if (!has_started()) return -1;
  observe_read(buffer, size, site_pwrite);
  giving_to_file(fd, site_pwrite);
  return real_pwrite(fd, buffer, size, offset);
}

NORN_INTERPOSE(ssize_t, pwrite64, (int fd, const void* buffer, size_t size, off64_t offset)) {
  if (!has_started()) return -1;
  observe_read(buffer, size, site_pwrite64);
  giving_to_file(fd, site_pwrite64);
  return real_pwrite64(fd, buffer, size, offset);
}

NORN_INTERPOSE(ssize_t, readv, (int fd, const iovec* vectors, int count)) {
  if (!has_started()) return -1;
  if (!control::await_input(fd, site_readv)) return -1;
  const ssize_t size = came(fd, vectors, static_cast<size_t>(count), real_readv(fd, vectors, count));
  if (size >= 0) took_from_file(fd, site_readv);
  write_vectors(vectors, static_cast<size_t>(count), size, site_readv);
  return size;
}

NORN_INTERPOSE(ssize_t, writev, (int fd, const iovec* vectors, int count)) {
  if (!has_started()) return -1;
  read_vectors(vectors, count, site_writev);
  giving_to_file(fd, site_writev);
  return write_out(fd, vectors, static_cast<size_t>(count), site_writev,
                   [=] { return real_writev(fd, vectors, count); });
}

NORN_INTERPOSE(ssize_t, preadv, (int fd, const iovec* vectors, int count, off_t offset)) {
  if (!has_started()) return -1;
  const ssize_t size = real_preadv(fd, vectors, count, offset);
  if (size >= 0) took_from_file(fd, site_preadv);
  write_vectors(vectors, static_cast<size_t>(count), size, site_preadv);
  return size;
}

NORN_INTERPOSE(ssize_t, preadv64, (int fd, const iovec* vectors, int count, off64_t offset)) {
  if (!has_started()) return -1;
  const ssize_t size = real_preadv64(fd, vectors, count, offset);
  if (size >= 0) took_from_file(fd, site_preadv64);
  write_vectors(vectors, static_cast<size_t>(count), size, site_preadv64);
  return size;
}

NORN_INTERPOSE(ssize_t, pwritev, (int fd, const iovec* vectors, int count, off_t offset)) {
  if (!has_started()) return -1;
  read_vectors(vectors, count, site_pwritev);
  giving_to_file(fd, site_pwritev);
  return real_pwritev(fd, vectors, count, offset);
}

NORN_INTERPOSE(ssize_t, pwritev64, (int fd, const iovec* vectors, int count, off64_t offset)) {
  if (!has_started()) return -1;
  read_vectors(vectors, count, site_pwritev64);
  giving_to_file(fd, site_pwritev64);
  return real_pwritev64(fd, vectors, count, offset);
}

NORN_INTERPOSE(ssize_t, send, (int fd, const void* buffer, size_t size, int flags)) {
  if (!has_started()) return -1;
  observe_read(buffer, size, site_send);
  giving_to_file(fd, site_send);
  return write_out(fd, buffer, size, site_send, [=] { return real_send(fd, buffer, size, flags); });
}

NORN_INTERPOSE(ssize_t, sendto,
               (int fd, const void* buffer, size_t size, int flags, const sockaddr* to, socklen_t to_size)) {
  if (!has_started()) return -1;
  observe_read(buffer, size, site_sendto);
  giving_to_file(fd, site_sendto);
  return write_out(fd, buffer, size, site_sendto, [=] { return real_sendto(fd, buffer, size, flags, to, to_size); });
}

NORN_INTERPOSE(ssize_t, sendmsg, (int fd, const msghdr* message, int flags)) {
  if (!has_started()) return -1;
  read_vectors(message->msg_iov, static_cast<int>(message->msg_iovlen), site_sendmsg);
  giving_to_file(fd, site_sendmsg);
  return write_out(fd, message->msg_iov, message->msg_iovlen, site_sendmsg,
                   [=] { return real_sendmsg(fd, message, flags); });
}

NORN_INTERPOSE(int, sendmmsg, (int fd, mmsghdr* messages, unsigned count, int flags)) {
  if (!has_started()) return -1;
  for (unsigned i = 0; i < count; ++i) {
    read_vectors(messages[i].msg_hdr.msg_iov, static_cast<int>(messages[i].msg_hdr.msg_iovlen), site_sendmmsg);
  }
  giving_to_file(fd, site_sendmmsg);
  return real_sendmmsg(fd, messages, count, flags);
}

NORN_INTERPOSE(ssize_t, recv, (int fd, void* buffer, size_t size, int flags)) {
  if (!has_started()) return -1;
  if ((flags & MSG_DONTWAIT) == 0 && !control::await_input(fd, site_recv)) return -1;
  return was_read(fd, buffer, came(fd, buffer, size, real_recv(fd, buffer, size, flags), flags), site_recv);
}

NORN_INTERPOSE(ssize_t, recvfrom,
               (int fd, void* buffer, size_t size, int flags, sockaddr* from, socklen_t* from_size)) {
  if (!has_started()) return -1;
  if ((flags & MSG_DONTWAIT) == 0 && !control::await_input(fd, site_recvfrom)) return -1;
  const ssize_t got = came(fd, buffer, size, real_recvfrom(fd, buffer, size, flags, from, from_size), flags);
  return was_read(fd, buffer, got, site_recvfrom);
}

NORN_INTERPOSE(ssize_t, recvmsg, (int fd, msghdr* message, int flags)) {
  if (!has_started()) return -1;
  if ((flags & MSG_DONTWAIT) == 0 && !control::await_input(fd, site_recvmsg)) return -1;
  const ssize_t size = came(fd, message->msg_iov, message->msg_iovlen, real_recvmsg(fd, message, flags), flags);
  if (size >= 0) took_from_file(fd, site_recvmsg);
  write_vectors(message->msg_iov, message->msg_iovlen, size, site_recvmsg);
  return size;
}

NORN_INTERPOSE(int, recvmmsg, (int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout)) {
  if (!has_started()) return -1;
  if ((flags & MSG_DONTWAIT) == 0 && !control::await_input(fd, site_recvmmsg)) return -1;
  const int received = real_recvmmsg(fd, messages, count, flags, timeout);
  if (received > 0) took_from_file(fd, site_recvmmsg);
  for (int i = 0; i < received; ++i) {
    const msghdr& message = messages[i].msg_hdr;
    const auto size = static_cast<ssize_t>(messages[i].msg_len);
    came(fd, message.msg_iov, message.msg_iovlen, size, flags);
    write_vectors(message.msg_iov, message.msg_iovlen, size, site_recvmmsg);
  }
  return received;
}

NORN_INTERPOSE(ssize_t, sendfile, (int out, int in, off_t* offset, size_t count)) {
  if (!has_started()) return -1;
  giving_to_file(out, site_sendfile);
  ssize_t size = 0;
  if (!inputs::replays_sendfile(out, in, offset, count, size)) size = real_sendfile(out, in, offset, count);
  inputs::wrote_to(out, size);
  if (size >= 0) took_from_file(in, site_sendfile);
  return size;
}

NORN_INTERPOSE(ssize_t, sendfile64, (int out, int in, off64_t* offset, size_t count)) {
  if (!has_started()) return -1;
  giving_to_file(out, site_sendfile64);
  ssize_t size = 0;
  if (!inputs::replays_sendfile(out, in, offset, count, size)) size = real_sendfile64(out, in, offset, count);
  inputs::wrote_to(out, size);
  if (size >= 0) took_from_file(in, site_sendfile64);
  return size;
}

NORN_INTERPOSE(ssize_t, splice,
               (int in, off64_t* in_offset, int out, off64_t* out_offset, size_t size, unsigned flags)) {
  if (!has_started()) return -1;
  giving_to_file(out, site_splice);
  const ssize_t moved = real_splice(in, in_offset, out, out_offset, size, flags);
  if (moved >= 0) took_from_file(in, site_splice);
  return moved;
}

// --- making descriptors ------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, pipe, (int ends[2])) {
  if (!has_started()) return -1;
  const int result = real_pipe(ends);
  if (result == 0) {
    observe_write(ends, 2 * sizeof(int), site_pipe);
    set_same(ends[0], ends[1]);
  }
  return result;
}

NORN_INTERPOSE(int, pipe2, (int ends[2], int flags)) {
  if (!has_started()) return -1;
  const int result = real_pipe2(ends, flags);
  if (result == 0) {
    observe_write(ends, 2 * sizeof(int), site_pipe2);
    set_same(ends[0], ends[1]);
  }
  return result;
}

NORN_INTERPOSE(int, socketpair, (int domain, int type, int protocol, int ends[2])) {
  if (!has_started()) return -1;
  const int result = real_socketpair(domain, type, protocol, ends);
  if (result == 0) {
    observe_write(ends, 2 * sizeof(int), site_socketpair);
    set_same(ends[0], ends[1]);
  }
  return result;
}

NORN_INTERPOSE(int, shutdown, (int fd, int how)) {
  if (!has_started()) return -1;
  giving_to_file(fd, site_shutdown);
  return real_shutdown(fd, how);
}

NORN_INTERPOSE(int, eventfd, (unsigned count, int flags)) {
  if (!has_started()) return -1;
  const int fd = real_eventfd(count, flags);
  if (fd >= 0) set_thing(fd, new_thing());
  return fd;
}

NORN_INTERPOSE(int, eventfd_write, (int fd, eventfd_t value)) {
  if (!has_started()) return -1;
  giving_to_file(fd, site_eventfd_write);
  return real_eventfd_write(fd, value);
}

NORN_INTERPOSE(int, eventfd_read, (int fd, eventfd_t* value)) {
  if (!has_started()) return -1;
  if (!control::await_input(fd, site_eventfd_read)) return -1;
  const int result = real_eventfd_read(fd, value);
  if (result == 0) was_read(fd, value, sizeof(*value), site_eventfd_read);
  return result;
}

// A timer rings after it was set, by whomever.
NORN_INTERPOSE(int, timerfd_create, (int clock, int flags)) {
  if (!has_started()) return -1;
  const int fd = real_timerfd_create(clock, flags);
  if (fd >= 0) set_thing(fd, new_thing());
  return fd;
}

NORN_INTERPOSE(int, timerfd_settime, (int fd, int flags, const itimerspec* time, itimerspec* old)) {
  if (!has_started()) return -1;
  if (time != nullptr) observe_read(time, sizeof(*time), site_timerfd_settime);
  giving_to_file(fd, site_timerfd_settime);
  const int result = real_timerfd_settime(fd, flags, time, old);
  if (result == 0 && old != nullptr) observe_write(old, sizeof(*old), site_timerfd_settime);
  return result;
}

// Who sends a signal gives to all that such a descriptor leads to (signals.cc).
NORN_INTERPOSE(int, signalfd, (int fd, const sigset_t* mask, int flags)) {
  if (!has_started()) return -1;
  const int result = real_signalfd(fd, mask, flags);
  if (fd < 0 && result >= 0) set_thing(result, kAnySignal);
  return result;
}

NORN_INTERPOSE(int, epoll_create, (int size)) {
  if (!has_started()) return -1;
  const int fd = real_epoll_create(size);
  if (fd >= 0) set_thing(fd, kEpolls | new_thing());
  return fd;
}

NORN_INTERPOSE(int, epoll_create1, (int flags)) {
  if (!has_started()) return -1;
  const int fd = real_epoll_create1(flags);
  if (fd >= 0) set_thing(fd, kEpolls | new_thing());
  return fd;
}

namespace {

// Before the call: an event may come before it returns.
void watching_by_epoll(int epoll, int operation, int fd, const epoll_event* event) {
  const Inspection here;
  if (!here) return;
  const Address instance = tag_of(here.thread(), epoll);
  if (instance == 0) return;
  if (operation == EPOLL_CTL_DEL) return unwatch(instance, fd);
  if (const Address tag = tag_of(here.thread(), fd); tag != 0 && event != nullptr) {
    watch(instance, fd, event->data.u64, tag);
  }
}

}  // namespace

// What was prepared before a descriptor is handed to epoll is there for whoever gets its events.
NORN_INTERPOSE(int, epoll_ctl, (int epoll, int operation, int fd, epoll_event* event)) {
  if (!has_started()) return -1;
  if (operation != EPOLL_CTL_DEL && event != nullptr) observe_read(event, sizeof(*event), site_epoll_ctl);
  giving_to_file(epoll, site_epoll_ctl);
  watching_by_epoll(epoll, operation, fd, event);
  return real_epoll_ctl(epoll, operation, fd, event);
}

namespace {

// Under control by looking, and waiting until there is something to see.
template <class Call>
int wait_for_events(int epoll, control::Time until, const norn_site& site, Call call) {
  const pollfd file = {epoll, POLLIN, 0};
  for (;;) {
    const int count = call();
    if (count != 0 || until <= control::now()) {
      if (count == 0) control::yield(&site);
      return count;
    }
    if (control::wait_for_files(&file, 1, until) == control::Woken::kInterrupted) {
      errno = EINTR;
      return -1;
    }
  }
}

bool is_stopped_here() { return is_controlled() && control::active(); }

control::Time after_milliseconds(int timeout) {
  return timeout < 0 ? control::kForever : control::after({timeout / 1000, timeout % 1000 * 1'000'000L});
}

// The events of epoll: the writes of what can be read came before.
int got_events(int epoll, const epoll_event* events, int count, const norn_site& site) {
  if (count <= 0) return count;
  was_read(epoll, const_cast<epoll_event*>(events), static_cast<ssize_t>(sizeof(*events)) * count, site);
  if (!is_watching()) return count;
  const Inspection here;
  if (!here) return count;
  const Address instance = tag_of(here.thread(), epoll);
  for (int i = 0; i < count; ++i) {
    if ((events[i].events & ~uint32_t{EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND}) == 0) continue;
    uint64_t tags[kMostWatched];
    const unsigned found = watched(instance, events[i].data.u64, tags);
    for (unsigned k = 0; k < found; ++k) emit.happens_after(here.thread(), tags[k]);
  }
  return count;
}

}  // namespace

NORN_INTERPOSE(int, epoll_wait, (int epoll, epoll_event* events, int most, int timeout)) {
  if (!has_started()) return -1;
  const int count = !is_stopped_here() ? real_epoll_wait(epoll, events, most, timeout)
                                       : wait_for_events(epoll, after_milliseconds(timeout), site_epoll_wait,
                                                         [=] { return real_epoll_wait(epoll, events, most, 0); });
  return got_events(epoll, events, count, site_epoll_wait);
}

NORN_INTERPOSE(int, epoll_pwait, (int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask)) {
  if (!has_started()) return -1;
  const int count = !is_stopped_here() ? real_epoll_pwait(epoll, events, most, timeout, mask)
                                       : wait_for_events(epoll, after_milliseconds(timeout), site_epoll_pwait, [=] {
                                           return real_epoll_pwait(epoll, events, most, 0, mask);
                                         });
  return got_events(epoll, events, count, site_epoll_pwait);
}

NORN_INTERPOSE(int, epoll_pwait2,
               (int epoll, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask)) {
  if (!has_started()) return -1;
  const timespec none = {0, 0};
  const int count =
      !is_stopped_here()
          ? real_epoll_pwait2(epoll, events, most, timeout, mask)
          : wait_for_events(epoll, timeout == nullptr ? control::kForever : control::after(*timeout), site_epoll_pwait2,
                            [&] { return real_epoll_pwait2(epoll, events, most, &none, mask); });
  return got_events(epoll, events, count, site_epoll_pwait2);
}

// --- message queues and locks of files -----------------------------------------------------------------------------

NORN_INTERPOSE(int, mq_timedsend,
               (mqd_t queue, const char* message, size_t size, unsigned priority, const timespec* until)) {
  if (!has_started()) return -1;
  observe_read(message, size, site_mq_timedsend);
  giving_to_file(queue, site_mq_timedsend);
  const control::Outside outside;
  return real_mq_timedsend(queue, message, size, priority, until);
}

NORN_INTERPOSE(int, mq_send, (mqd_t queue, const char* message, size_t size, unsigned priority)) {
  if (!has_started()) return -1;
  observe_read(message, size, site_mq_send);
  giving_to_file(queue, site_mq_send);
  const control::Outside outside;
  return real_mq_send(queue, message, size, priority);
}

NORN_INTERPOSE(ssize_t, mq_timedreceive,
               (mqd_t queue, char* message, size_t size, unsigned* priority, const timespec* until)) {
  if (!has_started()) return -1;
  const ssize_t received = [&] {
    const control::Outside outside;
    return real_mq_timedreceive(queue, message, size, priority, until);
  }();
  return was_read(queue, message, received, site_mq_timedreceive);
}

NORN_INTERPOSE(ssize_t, mq_receive, (mqd_t queue, char* message, size_t size, unsigned* priority)) {
  if (!has_started()) return -1;
  if (!control::await_input(queue, site_mq_receive)) return -1;
  return was_read(queue, message, real_mq_receive(queue, message, size, priority), site_mq_receive);
}

// The queue tells of its next message, by a signal or a call.
NORN_INTERPOSE(int, mq_notify, (mqd_t queue, const sigevent* event)) {
  if (!has_started()) return -1;
  sigevent own = {};
  if (event != nullptr) {
    observe_read(event, sizeof(*event), site_mq_notify);
    own = *event;
    if (event->sigev_notify == SIGEV_SIGNAL) sending_signal(event->sigev_signo, kNoThread);
    if (Callback* callback = wrap_callback(own); callback != nullptr) {
      callback->queue = queue;
      release_to(*callback);
    }
  }
  return real_mq_notify(queue, event == nullptr ? nullptr : &own);
}

NORN_INTERPOSE(int, mq_close, (mqd_t queue)) {
  if (!has_started()) return -1;
  closing(queue, site_mq_close);
  return real_mq_close(queue);
}

NORN_INTERPOSE(int, flock, (int fd, int operation)) {
  if (!has_started()) return -1;
  if ((operation & LOCK_UN) != 0) giving_to_file(fd, site_flock);
  const int result = [&] {
    const control::Outside outside;
    return real_flock(fd, operation);
  }();
  if (result == 0 && (operation & LOCK_UN) == 0) took_from_file(fd, site_flock);
  return result;
}

// A number that is given out again is a new descriptor.
NORN_INTERPOSE(int, open, (const char* path, int flags, mode_t mode)) {
  if (!has_started()) return -1;
  const inputs::Path where(AT_FDCWD, path, flags);
  const int fd = real_open(where.text(), flags, mode);
  if (fd >= 0) set_thing(fd, 0);
  where.opened(fd);
  return fd;
}

NORN_INTERPOSE(int, open64, (const char* path, int flags, mode_t mode)) {
  if (!has_started()) return -1;
  const inputs::Path where(AT_FDCWD, path, flags);
  const int fd = real_open64(where.text(), flags, mode);
  if (fd >= 0) set_thing(fd, 0);
  where.opened(fd);
  return fd;
}

NORN_INTERPOSE(int, openat, (int directory, const char* path, int flags, mode_t mode)) {
  if (!has_started()) return -1;
  const inputs::Path where(directory, path, flags);
  const int fd = real_openat(directory, where.text(), flags, mode);
  if (fd >= 0) set_thing(fd, 0);
  where.opened(fd);
  return fd;
}

NORN_INTERPOSE(int, openat64, (int directory, const char* path, int flags, mode_t mode)) {
  if (!has_started()) return -1;
  const inputs::Path where(directory, path, flags);
  const int fd = real_openat64(directory, where.text(), flags, mode);
  if (fd >= 0) set_thing(fd, 0);
  where.opened(fd);
  return fd;
}

NORN_INTERPOSE(int, creat, (const char* path, mode_t mode)) {
  if (!has_started()) return -1;
  const inputs::Path where(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC);
  const int fd = real_creat(where.text(), mode);
  if (fd >= 0) set_thing(fd, 0);
  where.opened(fd);
  return fd;
}

NORN_INTERPOSE(int, creat64, (const char* path, mode_t mode)) {
  if (!has_started()) return -1;
  const inputs::Path where(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC);
  const int fd = real_creat64(where.text(), mode);
  if (fd >= 0) set_thing(fd, 0);
  where.opened(fd);
  return fd;
}

namespace {

// A duplicate is put where a descriptor is open: that one is closed.
void replacing(int fd, int wanted, const norn_site& site) {
  if (fd == wanted || sys::call(__NR_fcntl, fd, F_GETFD) < 0 || sys::call(__NR_fcntl, wanted, F_GETFD) < 0) return;
  closing(wanted, site);
}

}  // namespace

NORN_INTERPOSE(int, dup, (int fd)) {
  if (!has_started()) return -1;
  const int copy = real_dup(fd);
  duplicated(fd, copy);
  return copy;
}

NORN_INTERPOSE(int, dup2, (int fd, int wanted)) {
  if (!has_started()) return -1;
  replacing(fd, wanted, site_dup2);
  const int copy = real_dup2(fd, wanted);
  duplicated(fd, copy);
  return copy;
}

NORN_INTERPOSE(int, dup3, (int fd, int wanted, int flags)) {
  if (!has_started()) return -1;
  replacing(fd, wanted, site_dup3);
  const int copy = real_dup3(fd, wanted, flags);
  duplicated(fd, copy);
  return copy;
}

namespace {

// Locks of an open file exclude threads as well; those of a process do not.
bool is_lock(int command) { return command == F_OFD_SETLK || command == F_OFD_SETLKW; }
bool unlocks(unsigned long lock) { return reinterpret_cast<const struct flock*>(lock)->l_type == F_UNLCK; }

template <class Call>
int lock_range(int fd, unsigned long lock, const norn_site& site, Call call) {
  if (unlocks(lock)) giving_to_file(fd, site);
  const int result = [&] {
    const control::Outside outside;
    return call();
  }();
  if (result == 0 && !unlocks(lock)) took_from_file(fd, site);
  return result;
}

}  // namespace

NORN_INTERPOSE(int, fcntl, (int fd, int command, unsigned long argument)) {
  if (!has_started()) return -1;
  if (is_lock(command)) {
    return lock_range(fd, argument, site_fcntl, [=] { return real_fcntl(fd, command, argument); });
  }
  const int result = real_fcntl(fd, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) duplicated(fd, result);
  return result;
}

NORN_INTERPOSE(int, fcntl64, (int fd, int command, unsigned long argument)) {
  if (!has_started()) return -1;
  if (is_lock(command)) {
    return lock_range(fd, argument, site_fcntl64, [=] { return real_fcntl64(fd, command, argument); });
  }
  const int result = real_fcntl64(fd, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) duplicated(fd, result);
  return result;
}

NORN_INTERPOSE(int, close, (int fd)) {
  if (!has_started()) return static_cast<int>(sys::call(__NR_close, fd));
  closing(fd, site_close);
  return real_close(fd);
}

NORN_INTERPOSE(int, close_range, (unsigned first, unsigned last, int flags)) {
  if (!has_started()) return -1;
  for (unsigned fd = first; fd <= last && fd < kChunk * kChunks; ++fd) {
    if (chunks[fd / kChunk].load(std::memory_order_acquire) == nullptr) {
      fd |= kChunk - 1;
      continue;
    }
    set_thing(static_cast<int>(fd), 0);
  }
  return real_close_range(first, last, flags);
}

// --- what the headers call instead under _FORTIFY_SOURCE ---------------------------------------------------------
//
// The check is the host's: a call that fails it is given to the host, which ends the program.

NORN_INTERPOSE(ssize_t, __read_chk, (int fd, void* buffer, size_t size, size_t room)) {
  if (!has_started()) return -1;
  if (size > room) return real___read_chk(fd, buffer, size, room);
  return norn_interposed_read(fd, buffer, size);
}

NORN_INTERPOSE(ssize_t, __pread_chk, (int fd, void* buffer, size_t size, off_t offset, size_t room)) {
  if (!has_started()) return -1;
  if (size > room) return real___pread_chk(fd, buffer, size, offset, room);
  return norn_interposed_pread(fd, buffer, size, offset);
}

NORN_INTERPOSE(ssize_t, __pread64_chk, (int fd, void* buffer, size_t size, off64_t offset, size_t room)) {
  if (!has_started()) return -1;
  if (size > room) return real___pread64_chk(fd, buffer, size, offset, room);
  return norn_interposed_pread64(fd, buffer, size, offset);
}

NORN_INTERPOSE(ssize_t, __recv_chk, (int fd, void* buffer, size_t size, size_t room, int flags)) {
  if (!has_started()) return -1;
  if (size > room) return real___recv_chk(fd, buffer, size, room, flags);
  return norn_interposed_recv(fd, buffer, size, flags);
}

NORN_INTERPOSE(ssize_t, __recvfrom_chk,
               (int fd, void* buffer, size_t size, size_t room, int flags, sockaddr* from, socklen_t* from_size)) {
  if (!has_started()) return -1;
  if (size > room) return real___recvfrom_chk(fd, buffer, size, room, flags, from, from_size);
  return norn_interposed_recvfrom(fd, buffer, size, flags, from, from_size);
}
