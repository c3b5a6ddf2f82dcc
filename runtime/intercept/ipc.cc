// Semaphores and message queues of System V: what was done before a post or a send comes before who waited or received.
#include <errno.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "runtime/control/control.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

// Where no program has memory, and neither files (files.cc) nor signals (signals.cc) have their tags.
Address tag_of_semaphore(int set, unsigned number) {
  return Address{5} << 61 | static_cast<Address>(static_cast<unsigned>(set)) << 16 | number;
}
Address tag_of_queue(int queue) { return Address{9} << 60 | static_cast<Address>(static_cast<unsigned>(queue)); }

void release(Address tag) {
  if (!is_watching()) return;
  if (const Inspection here; here) emit.happens_before(here.thread(), tag);
}
void acquire(Address tag) {
  if (!is_watching()) return;
  if (const Inspection here; here) emit.happens_after(here.thread(), tag);
}

template <class Call>
int operate(int set, const sembuf* operations, size_t count, const norn_site& site, Call call) {
  observe_read(operations, count * sizeof(*operations), site);
  for (size_t i = 0; i < count; ++i) {
    if (operations[i].sem_op > 0) release(tag_of_semaphore(set, operations[i].sem_num));
  }
  const int result = [&] {
    const control::Outside outside;
    return call();
  }();
  for (size_t i = 0; i < count && result == 0; ++i) {
    if (operations[i].sem_op <= 0) acquire(tag_of_semaphore(set, operations[i].sem_num));
  }
  return result;
}

}  // namespace

NORN_INTERPOSE(int, semop, (int set, sembuf* operations, size_t count)) {
  if (!has_started()) return -1;
  return operate(set, operations, count, site_semop, [=] { return real_semop(set, operations, count); });
}

NORN_INTERPOSE(int, semtimedop, (int set, sembuf* operations, size_t count, const timespec* timeout)) {
  if (!has_started()) return -1;
  return operate(set, operations, count, site_semtimedop,
                 [=] { return real_semtimedop(set, operations, count, timeout); });
}

NORN_INTERPOSE(int, semctl, (int set, int number, int command, void* argument)) {
  if (!has_started()) return -1;
  if (command == SETVAL) release(tag_of_semaphore(set, static_cast<unsigned>(number)));
  return real_semctl(set, number, command, argument);
}

NORN_INTERPOSE(int, msgsnd, (int queue, const void* message, size_t size, int flags)) {
  if (!has_started()) return -1;
  observe_read(message, sizeof(long) + size, site_msgsnd);
  release(tag_of_queue(queue));
  const control::Outside outside;
  return real_msgsnd(queue, message, size, flags);
}

NORN_INTERPOSE(ssize_t, msgrcv, (int queue, void* message, size_t size, long type, int flags)) {
  if (!has_started()) return -1;
  const ssize_t received = [&] {
    const control::Outside outside;
    return real_msgrcv(queue, message, size, type, flags);
  }();
  if (received >= 0) {
    acquire(tag_of_queue(queue));
    observe_write(message, sizeof(long) + static_cast<size_t>(received), site_msgrcv);
  }
  return received;
}
