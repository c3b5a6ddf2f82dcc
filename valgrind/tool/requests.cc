// SPDX-License-Identifier: GPL-2.0-or-later
// Client requests of helgrind.h and drd.h (3.19), which Valgrind's ANNOTATE_… macros are made of.
#include "drd.h"
#include "helgrind.h"
#include "valgrind.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"

namespace norn::vg {
namespace {

constexpr UWord kHelgrind = VG_USERREQ_TOOL_BASE('H', 'G');
constexpr UWord kDrd = VG_USERREQ_TOOL_BASE('D', 'R');
constexpr UWord kTools = 0xffff0000;

void helgrind_request(ThreadState& self, const UWord* words) {
  Thread& thread = *self.core;
  const Address object = words[1];
  switch (words[0]) {
    case VG_USERREQ__HG_CLEAN_MEMORY:
      return emit.allocate(thread, object, words[2]);
    case _VG_USERREQ__HG_CLEAN_MEMORY_HEAPBLOCK:
      if (Block block; find_block(object, block)) emit.allocate(thread, block.address, block.size);
      return;
    case _VG_USERREQ__HG_PTHREAD_MUTEX_INIT_POST:
    case _VG_USERREQ__HG_PTHREAD_MUTEX_DESTROY_PRE:
    case _VG_USERREQ__HG_PTHREAD_RWLOCK_INIT_POST:
    case _VG_USERREQ__HG_PTHREAD_RWLOCK_DESTROY_PRE:
      return emit.lock_destroy(thread, object);
    case _VG_USERREQ__HG_PTHREAD_MUTEX_ACQUIRE_POST:
      return emit.lock_acquire(thread, object, LockMode::kExclusive, LockAttempt::kTry,
                               place(self, VG_(get_IP)(self.host)));
    case _VG_USERREQ__HG_PTHREAD_MUTEX_UNLOCK_PRE:
    case _VG_USERREQ__HG_PTHREAD_RWLOCK_RELEASED:
      return emit.lock_release(thread, object, LockMode::kExclusive);
    case _VG_USERREQ__HG_PTHREAD_RWLOCK_ACQUIRED:
      return emit.lock_acquire(thread, object, words[2] != 0 ? LockMode::kExclusive : LockMode::kShared,
                               LockAttempt::kTry, place(self, VG_(get_IP)(self.host)));
    case _VG_USERREQ__HG_POSIX_SEM_INIT_POST:
    case _VG_USERREQ__HG_POSIX_SEM_DESTROY_PRE:
    case _VG_USERREQ__HG_USERSO_FORGET_ALL:
    case _VG_USERREQ__HG_PTHREAD_BARRIER_DESTROY_PRE:
      return emit.sync_destroy(thread, object);
    case _VG_USERREQ__HG_POSIX_SEM_RELEASED:
      return emit.semaphore_post(thread, object);
    case _VG_USERREQ__HG_POSIX_SEM_ACQUIRED:
      return emit.semaphore_wait(thread, object);
    case _VG_USERREQ__HG_PTHREAD_BARRIER_INIT_PRE:
      return emit.barrier_init(thread, object, static_cast<uint32_t>(words[2]));
    case _VG_USERREQ__HG_USERSO_SEND_PRE:
      return emit.happens_before(thread, object);
    case _VG_USERREQ__HG_USERSO_RECV_POST:
      return emit.happens_after(thread, object);
    case _VG_USERREQ__HG_ARANGE_MAKE_UNTRACKED:
      return emit.benign_range(thread, object, words[2]);
    default:
      return;
  }
}

void drd_request(ThreadState& self, const UWord* words, UWord* result) {
  Thread& thread = *self.core;
  switch (words[0]) {
    case VG_USERREQ__DRD_GET_VALGRIND_THREAD_ID:
    case VG_USERREQ__DRD_GET_DRD_THREAD_ID:
      *result = self.id;
      return;
    case VG_USERREQ__DRD_START_SUPPRESSION:
      return emit.benign_range(thread, words[1], words[2]);
    case VG_USERREQ__DRD_RECORD_LOADS:
    case VG_USERREQ__DRD_RECORD_STORES: {
      const uint8_t what = words[0] == VG_USERREQ__DRD_RECORD_LOADS ? kIgnoreReads : kIgnoreWrites;
      if (words[1] == 0) {
        emit.ignore_begin(thread, what);
      } else {
        emit.ignore_end(thread, what);
      }
      return;
    }
    case VG_USERREQ__DRD_SET_THREAD_NAME:
      return set_thread_name(self.id, reinterpret_cast<const char*>(words[1]));
    case VG_USERREQ__DRD_ANNOTATE_SEM_INIT_PRE:
    case VG_USERREQ__DRD_ANNOTATE_SEM_DESTROY_POST:
      return emit.sync_destroy(thread, words[1]);
    case VG_USERREQ__DRD_ANNOTATE_SEM_WAIT_POST:
      return emit.semaphore_wait(thread, words[1]);
    case VG_USERREQ__DRD_ANNOTATE_SEM_POST_PRE:
      return emit.semaphore_post(thread, words[1]);
    default:
      return;
  }
}

}  // namespace

Bool on_request(HostThread host, UWord* words, UWord* result) {
  ThreadState* self = state_of(host);
  const UWord tool = words[0] & kTools;
  if (self == nullptr || (tool != kHelgrind && tool != kDrd)) return False;
  *result = 0;
  if (tool == kHelgrind) {
    helgrind_request(*self, words);
  } else {
    drd_request(*self, words, result);
  }
  return True;
}

}  // namespace norn::vg
