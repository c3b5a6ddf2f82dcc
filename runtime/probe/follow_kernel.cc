// What the kernel passes from one thread to another. Which bytes of a pipe or socket were whose nobody knows here: who
// receives comes after all who sent through the like of it, which can hide a race and make none.
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "runtime/intercept/interpose.h"
#include "runtime/probe/following.h"

using namespace norn::probe;

namespace {

// Stand for what passes things on: where no program has memory.
constexpr uintptr_t kSockets = 8;  // and whatever else is no pipe and no file
constexpr uintptr_t kAnyPipe = 16;
constexpr uintptr_t kQueues = 24;

// Null: a file or a terminal, through which nobody waits for anybody.
uintptr_t channel_of(int descriptor) {
  struct stat about{};
  if (fstat(descriptor, &about) != 0) return 0;
  if (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode)) return 0;
  return S_ISFIFO(about.st_mode) ? uintptr_t{about.st_ino} << 8 | 1 : kSockets;
}

[[gnu::cold, gnu::noinline]] void follow_sent(int descriptor) {
  validation.attend();
  const uintptr_t channel = validation.is_following() ? channel_of(descriptor) : 0;
  if (channel == 0) return;
  validation.release(channel);
  if (channel != kSockets) validation.release(kAnyPipe);
}
[[gnu::cold, gnu::noinline]] void follow_received(int descriptor) {
  validation.attend();
  const uintptr_t channel = validation.is_following() ? channel_of(descriptor) : 0;
  if (channel != 0) validation.acquire(channel);
}
[[gnu::cold, gnu::noinline]] void follow_ready() {
  validation.attend();
  validation.acquire(kSockets);
  validation.acquire(kAnyPipe);
}

void before_sent(int descriptor) {
  if (is_alert()) [[unlikely]]
    follow_sent(descriptor);
}
template <class Result>
Result received(int descriptor, Result result) {
  if (is_alert()) [[unlikely]]
    follow_received(descriptor);
  return result;
}
template <class Result>
Result ready(Result result) {
  if (is_alert()) [[unlikely]]
    follow_ready();
  return result;
}
void pass() {
  if (is_alert()) [[unlikely]]
    validation.attend();
}
template <class Result>
Result from_queue(Result result) {
  if (is_alert()) [[unlikely]]
    follow_acquire(kQueues, true);
  return result;
}
void before_queue() {
  if (is_alert()) [[unlikely]]
    follow_release(kQueues, Passes::kToAll);
}

}  // namespace

// --- to send -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE(ssize_t, write, (int fd, const void* buffer, size_t size)) {
  before_sent(fd);
  return real_write(fd, buffer, size);
}
NORN_INTERPOSE(ssize_t, writev, (int fd, const iovec* vectors, int count)) {
  before_sent(fd);
  return real_writev(fd, vectors, count);
}
NORN_INTERPOSE(ssize_t, send, (int fd, const void* buffer, size_t size, int flags)) {
  before_sent(fd);
  return real_send(fd, buffer, size, flags);
}
NORN_INTERPOSE(ssize_t, sendto,
               (int fd, const void* buffer, size_t size, int flags, const sockaddr* to, socklen_t length)) {
  before_sent(fd);
  return real_sendto(fd, buffer, size, flags, to, length);
}
NORN_INTERPOSE(ssize_t, sendmsg, (int fd, const msghdr* message, int flags)) {
  before_sent(fd);
  return real_sendmsg(fd, message, flags);
}
NORN_INTERPOSE(int, eventfd_write, (int fd, eventfd_t value)) {
  before_sent(fd);
  return real_eventfd_write(fd, value);
}
// Whoever reads the other end sees that nothing more comes.
NORN_INTERPOSE(int, close, (int fd)) {
  before_sent(fd);
  return real_close(fd);
}
NORN_INTERPOSE(int, shutdown, (int fd, int how)) {
  before_sent(fd);
  return real_shutdown(fd, how);
}
NORN_INTERPOSE(int, connect, (int fd, const sockaddr* to, socklen_t size)) {
  before_sent(fd);
  return real_connect(fd, to, size);
}

// --- to receive --------------------------------------------------------------------------------------------------

NORN_INTERPOSE(ssize_t, read, (int fd, void* buffer, size_t size)) {
  const Waiting waiting;
  return received(fd, real_read(fd, buffer, size));
}
NORN_INTERPOSE(ssize_t, readv, (int fd, const iovec* vectors, int count)) {
  const Waiting waiting;
  return received(fd, real_readv(fd, vectors, count));
}
NORN_INTERPOSE(ssize_t, recv, (int fd, void* buffer, size_t size, int flags)) {
  const Waiting waiting;
  return received(fd, real_recv(fd, buffer, size, flags));
}
NORN_INTERPOSE(ssize_t, recvfrom, (int fd, void* buffer, size_t size, int flags, sockaddr* from, socklen_t* length)) {
  const Waiting waiting;
  return received(fd, real_recvfrom(fd, buffer, size, flags, from, length));
}
NORN_INTERPOSE(ssize_t, recvmsg, (int fd, msghdr* message, int flags)) {
  const Waiting waiting;
  return received(fd, real_recvmsg(fd, message, flags));
}
NORN_INTERPOSE(int, eventfd_read, (int fd, eventfd_t* value)) {
  const Waiting waiting;
  return received(fd, real_eventfd_read(fd, value));
}
NORN_INTERPOSE(int, accept, (int fd, sockaddr* from, socklen_t* size)) {
  const Waiting waiting;
  return received(fd, real_accept(fd, from, size));
}
NORN_INTERPOSE(int, accept4, (int fd, sockaddr* from, socklen_t* size, int flags)) {
  const Waiting waiting;
  return received(fd, real_accept4(fd, from, size, flags));
}
NORN_INTERPOSE(int, poll, (pollfd * files, nfds_t count, int timeout)) {
  const Waiting waiting;
  return ready(real_poll(files, count, timeout));
}
NORN_INTERPOSE(int, ppoll, (pollfd * files, nfds_t count, const timespec* timeout, const sigset_t* mask)) {
  const Waiting waiting;
  return ready(real_ppoll(files, count, timeout, mask));
}
NORN_INTERPOSE(int, select, (int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout)) {
  const Waiting waiting;
  return ready(real_select(count, in, out, except, timeout));
}
NORN_INTERPOSE(int, pselect,
               (int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout, const sigset_t* mask)) {
  const Waiting waiting;
  return ready(real_pselect(count, in, out, except, timeout, mask));
}
NORN_INTERPOSE(int, epoll_wait, (int epoll, epoll_event* events, int most, int timeout)) {
  const Waiting waiting;
  return ready(real_epoll_wait(epoll, events, most, timeout));
}
NORN_INTERPOSE(int, epoll_pwait, (int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask)) {
  const Waiting waiting;
  return ready(real_epoll_pwait(epoll, events, most, timeout, mask));
}

// --- queues and semaphores of System V and POSIX -----------------------------------------------------------------

NORN_INTERPOSE(int, semop, (int set, sembuf* operations, size_t count)) {
  before_queue();
  const Waiting waiting;
  return from_queue(real_semop(set, operations, count));
}
NORN_INTERPOSE(int, semtimedop, (int set, sembuf* operations, size_t count, const timespec* timeout)) {
  before_queue();
  const Waiting waiting;
  return from_queue(real_semtimedop(set, operations, count, timeout));
}
NORN_INTERPOSE(int, msgsnd, (int queue, const void* message, size_t size, int flags)) {
  before_queue();
  return real_msgsnd(queue, message, size, flags);
}
NORN_INTERPOSE(ssize_t, msgrcv, (int queue, void* message, size_t size, long type, int flags)) {
  const Waiting waiting;
  return from_queue(real_msgrcv(queue, message, size, type, flags));
}
NORN_INTERPOSE(int, mq_send, (mqd_t queue, const char* message, size_t size, unsigned priority)) {
  before_queue();
  return real_mq_send(queue, message, size, priority);
}
NORN_INTERPOSE(ssize_t, mq_receive, (mqd_t queue, char* message, size_t size, unsigned* priority)) {
  const Waiting waiting;
  return from_queue(real_mq_receive(queue, message, size, priority));
}

// --- calls at which a thread can listen to the agent -------------------------------------------------------------

NORN_INTERPOSE(int, nanosleep, (const timespec* time, timespec* left)) {
  pass();
  const Waiting waiting;
  return real_nanosleep(time, left);
}
NORN_INTERPOSE(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* left)) {
  pass();
  const Waiting waiting;
  return real_clock_nanosleep(clock, flags, time, left);
}
NORN_INTERPOSE(int, usleep, (useconds_t time)) {
  pass();
  const Waiting waiting;
  return real_usleep(time);
}
NORN_INTERPOSE(unsigned, sleep, (unsigned seconds)) {
  pass();
  const Waiting waiting;
  return real_sleep(seconds);
}
NORN_INTERPOSE(int, sched_yield, ()) {
  pass();
  return real_sched_yield();
}
// By number: what it does nobody asks here. It may be the futex that somebody's own lock waits for.
