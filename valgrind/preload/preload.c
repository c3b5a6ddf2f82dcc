// SPDX-License-Identifier: GPL-2.0-or-later
// Loaded into the program: wrappers of what synchronizes, which tell the tool what happened. What is said of an
// operation is the same as in the native runtime (runtime/intercept/threading/locks.cc, conditions.cc, barriers.cc,
// threads.cc).
#define _GNU_SOURCE
#include "valgrind/preload/preload.h"

#include <errno.h>
#include <norn/abi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

__asm__(
    ".text\n"
    ".globl norn_event\n"
    ".hidden norn_event\n"
    ".type norn_event, @function\n"
    "norn_event:\n"
    "  xorl %eax, %eax\n"
    "  ret\n"
    ".size norn_event, .-norn_event\n");

// A program that norn built, started by one that is followed, checks itself: its checks are not checked with it.
extern __typeof__(__norn_module_init) __norn_module_init __attribute__((weak));

__attribute__((constructor)) static void norn_say_who_checks(void) {
  if (__norn_module_init != NULL) TELL(kNornChecksItself, 0, 0, 0);
}

// --- threads -----------------------------------------------------------------------------------------------------

static void* norn_thread(void* unused) {
  (void)unused;
  pthread_attr_t attributes;
  void* stack = NULL;
  size_t size = 0;
  const pthread_t self = pthread_self();
  if (pthread_getattr_np(self, &attributes) == 0) {
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_destroy(&attributes);
  }
  void* (*routine)(void*) = (void* (*)(void*))TELL(kNornBegins, self, stack, (char*)stack + size);
  return routine((void*)TELL(kNornArgument, 0, 0, 0));
}

// thrd_create calls it, too, with attributes that are not a pointer.
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument),
     (thread, attributes, routine, argument)) {
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != NULL && attributes != (const pthread_attr_t*)-1) pthread_attr_getdetachstate(attributes, &detached);
  TELL(kNornCreating, routine, argument, detached == PTHREAD_CREATE_DETACHED);
  int result;
  CALL4(result, thread, attributes, norn_thread, argument);
  TELL(kNornCreated, result, result == 0 ? *thread : 0, 0);
  return result;
}

WRAP(int, pthread_join, (pthread_t thread, void** value), (thread, value)) {
  const long id = TELL(kNornHandle, thread, 0, 0);
  int result;
  CALL2(result, thread, value);
  if (result == 0) TELL(kNornJoined, thread, id, 0);
  return result;
}

WRAP(int, pthread_tryjoin_np, (pthread_t thread, void** value), (thread, value)) {
  const long id = TELL(kNornHandle, thread, 0, 0);
  int result;
  CALL2(result, thread, value);
  if (result == 0) TELL(kNornJoined, thread, id, 0);
  return result;
}

WRAP(int, pthread_timedjoin_np, (pthread_t thread, void** value, const struct timespec* until),
     (thread, value, until)) {
  const long id = TELL(kNornHandle, thread, 0, 0);
  int result;
  CALL3(result, thread, value, until);
  if (result == 0) TELL(kNornJoined, thread, id, 0);
  return result;
}

WRAP(int, pthread_clockjoin_np, (pthread_t thread, void** value, clockid_t clock, const struct timespec* until),
     (thread, value, clock, until)) {
  const long id = TELL(kNornHandle, thread, 0, 0);
  int result;
  CALL4(result, thread, value, clock, until);
  if (result == 0) TELL(kNornJoined, thread, id, 0);
  return result;
}

WRAP(int, thrd_join, (thrd_t thread, int* value), (thread, value)) {
  const long id = TELL(kNornHandle, thread, 0, 0);
  int result;
  CALL2(result, thread, value);
  if (result == thrd_success) TELL(kNornJoined, thread, id, 0);
  return result;
}

WRAP(int, pthread_detach, (pthread_t thread), (thread)) {
  TELL(kNornDetaching, thread, 0, 0);  // afterwards the handle may belong to another thread
  int result;
  CALL1(result, thread);
  return result;
}

WRAP(int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name)) {
  int result;
  CALL2(result, thread, name);
  if (result == 0) TELL(kNornName, thread, name, 0);
  return result;
}

// --- locks -------------------------------------------------------------------------------------------------------

// The owner of a robust mutex died: the caller has the mutex all the same.
#define HAS_LOCK(result) ((result) == 0 || (result) == EOWNERDEAD)

#define WRAP_INIT(name, lock_t, second_t)                             \
  WRAP(int, name, (lock_t * lock, second_t second), (lock, second)) { \
    int result;                                                       \
    CALL2(result, lock, second);                                      \
    if (result == 0) TELL(kNornLockMade, lock, 0, 0);                 \
    return result;                                                    \
  }
#define WRAP_DESTROY(name, lock_t)                    \
  WRAP(int, name, (lock_t * lock), (lock)) {          \
    int result;                                       \
    CALL1(result, lock);                              \
    if (result == 0) TELL(kNornLockMade, lock, 0, 0); \
    return result;                                    \
  }
#define WRAP_LOCK(name, lock_t, shared)                         \
  WRAP(int, name, (lock_t * lock), (lock)) {                    \
    int result;                                                 \
    CALL1(result, lock);                                        \
    if (HAS_LOCK(result)) TELL(kNornLockTook, lock, shared, 0); \
    return result;                                              \
  }
// Who leaves a loop because somebody else has the lock comes after whoever took it.
#define WRAP_TRY(name, lock_t, shared)                          \
  WRAP(int, name, (lock_t * lock), (lock)) {                    \
    int result;                                                 \
    CALL1(result, lock);                                        \
    if (HAS_LOCK(result)) TELL(kNornLockTook, lock, shared, 1); \
    if (result == EBUSY) TELL(kNornLockRefused, lock, 0, 0);    \
    return result;                                              \
  }
#define WRAP_TIMED(name, lock_t, shared)                                          \
  WRAP(int, name, (lock_t * lock, const struct timespec* until), (lock, until)) { \
    int result;                                                                   \
    CALL2(result, lock, until);                                                   \
    if (HAS_LOCK(result)) TELL(kNornLockTook, lock, shared, 2);                   \
    return result;                                                                \
  }
#define WRAP_CLOCK(name, lock_t, shared)                                                                  \
  WRAP(int, name, (lock_t * lock, clockid_t clock, const struct timespec* until), (lock, clock, until)) { \
    int result;                                                                                           \
    CALL3(result, lock, clock, until);                                                                    \
    if (HAS_LOCK(result)) TELL(kNornLockTook, lock, shared, 2);                                           \
    return result;                                                                                        \
  }
#define WRAP_UNLOCK(name, lock_t)            \
  WRAP(int, name, (lock_t * lock), (lock)) { \
    TELL(kNornLockGiving, lock, 0, 0);       \
    int result;                              \
    CALL1(result, lock);                     \
    return result;                           \
  }

WRAP_INIT(pthread_mutex_init, pthread_mutex_t, const pthread_mutexattr_t*)
WRAP_DESTROY(pthread_mutex_destroy, pthread_mutex_t)
WRAP_LOCK(pthread_mutex_lock, pthread_mutex_t, 0)
WRAP_TRY(pthread_mutex_trylock, pthread_mutex_t, 0)
WRAP_TIMED(pthread_mutex_timedlock, pthread_mutex_t, 0)
WRAP_CLOCK(pthread_mutex_clocklock, pthread_mutex_t, 0)
WRAP_UNLOCK(pthread_mutex_unlock, pthread_mutex_t)

WRAP_INIT(pthread_rwlock_init, pthread_rwlock_t, const pthread_rwlockattr_t*)
WRAP_DESTROY(pthread_rwlock_destroy, pthread_rwlock_t)
WRAP_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, 1)
WRAP_TRY(pthread_rwlock_tryrdlock, pthread_rwlock_t, 1)
WRAP_TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t, 1)
WRAP_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, 1)
WRAP_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, 0)
WRAP_TRY(pthread_rwlock_trywrlock, pthread_rwlock_t, 0)
WRAP_TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t, 0)
WRAP_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, 0)
WRAP_UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

// In glibc the unlock of a spin lock and its initialisation are one function under two names: a release of what is not
// held is ignored, so the first is what is emitted.
WRAP_DESTROY(pthread_spin_destroy, pthread_spinlock_t)
WRAP_LOCK(pthread_spin_lock, pthread_spinlock_t, 0)
WRAP_TRY(pthread_spin_trylock, pthread_spinlock_t, 0)
WRAP_UNLOCK(pthread_spin_unlock, pthread_spinlock_t)

// --- condition variables -----------------------------------------------------------------------------------------

struct Wait {
  const void* condition;
  const void* mutex;
};

// A wait may end by cancellation; the mutex is held again then, too. (The old cleanup interface: for a compiler nothing
// can be thrown out of Valgrind's way to call the original.)
struct CleanUp {
  void (*routine)(void*);
  void* argument;
  int type;
  struct CleanUp* previous;
};
void _pthread_cleanup_push(struct CleanUp* buffer, void (*routine)(void*), void* argument);
void _pthread_cleanup_pop(struct CleanUp* buffer, int execute);

static void norn_cancelled(void* argument) {
  const struct Wait* wait = argument;
  TELL(kNornWaitLeave, wait->condition, wait->mutex, 0);
}

// EINVAL and EPERM: it did not even wait. The mutex is held in any case.
#define WAIT(call)                                         \
  struct Wait wait = {condition, mutex};                   \
  struct CleanUp clean_up;                                 \
  TELL(kNornWaitEnter, condition, mutex, 0);               \
  _pthread_cleanup_push(&clean_up, norn_cancelled, &wait); \
  int result;                                              \
  call;                                                    \
  _pthread_cleanup_pop(&clean_up, 0);                      \
  TELL(kNornWaitLeave, condition, mutex, result == 0);     \
  return result;

WRAP(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex),
     (condition, mutex)){WAIT(CALL2(result, condition, mutex))}

WRAP(int, pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t* mutex, const struct timespec* until),
     (condition, mutex, until)){WAIT(CALL3(result, condition, mutex, until))}

WRAP(int, pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until),
     (condition, mutex, clock, until)){WAIT(CALL4(result, condition, mutex, clock, until))}

WRAP(int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t* attributes),
     (condition, attributes)) {
  int result;
  CALL2(result, condition, attributes);
  if (result == 0) TELL(kNornConditionMade, condition, 0, 0);
  return result;
}

WRAP(int, pthread_cond_destroy, (pthread_cond_t * condition), (condition)) {
  TELL(kNornConditionMade, condition, 0, 0);
  int result;
  CALL1(result, condition);
  return result;
}

WRAP(int, pthread_cond_signal, (pthread_cond_t * condition), (condition)) {
  TELL(kNornSignalling, condition, 0, 0);
  int result;
  CALL1(result, condition);
  return result;
}

WRAP(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition)) {
  TELL(kNornBroadcasting, condition, 0, 0);
  int result;
  CALL1(result, condition);
  return result;
}

// --- barriers, semaphores ----------------------------------------------------------------------------------------

WRAP(int, pthread_barrier_init, (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes, unsigned count),
     (barrier, attributes, count)) {
  int result;
  CALL3(result, barrier, attributes, count);
  if (result == 0) TELL(kNornBarrierMade, barrier, count, 0);
  return result;
}

WRAP(int, pthread_barrier_destroy, (pthread_barrier_t * barrier), (barrier)) {
  TELL(kNornObjectMade, barrier, 0, 0);
  int result;
  CALL1(result, barrier);
  return result;
}

WRAP(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier)) {
  TELL(kNornBarrierEnter, barrier, 0, 0);
  int result;
  CALL1(result, barrier);
  TELL(kNornBarrierLeave, barrier, 0, 0);
  return result;
}

WRAP(int, sem_init, (sem_t * semaphore, int shared, unsigned value), (semaphore, shared, value)) {
  int result;
  CALL3(result, semaphore, shared, value);
  if (result == 0) TELL(kNornObjectMade, semaphore, 0, 0);
  return result;
}

WRAP(int, sem_destroy, (sem_t * semaphore), (semaphore)) {
  TELL(kNornObjectMade, semaphore, 0, 0);
  int result;
  CALL1(result, semaphore);
  return result;
}

WRAP(int, sem_post, (sem_t * semaphore), (semaphore)) {
  TELL(kNornPosting, semaphore, 0, 0);
  int result;
  CALL1(result, semaphore);
  return result;
}

#define WAITED(call)                                   \
  int result;                                          \
  call;                                                \
  if (result == 0) TELL(kNornWaited, semaphore, 0, 0); \
  return result;

WRAP(int, sem_wait, (sem_t * semaphore),
     (semaphore)){WAITED(CALL1(result, semaphore))} WRAP(int, sem_trywait, (sem_t * semaphore), (semaphore)){
    WAITED(CALL1(result, semaphore))} WRAP(int, sem_timedwait, (sem_t * semaphore, const struct timespec* until),
                                           (semaphore, until)){
    WAITED(CALL2(result, semaphore, until))} WRAP(int, sem_clockwait,
                                                  (sem_t * semaphore, clockid_t clock, const struct timespec* until),
                                                  (semaphore, clock, until)){
    WAITED(CALL3(result, semaphore, clock, until))} WRAP(int, sem_getvalue, (sem_t * semaphore, int* value),
                                                         (semaphore, value)) {
  WAITED(CALL2(result, semaphore, value))
}

// --- once --------------------------------------------------------------------------------------------------------

struct Once {
  const void* control;
};

// However the routine ends: whoever comes next, for the result or for another try, comes after it.
static void norn_end_once(struct Once* once) { TELL(kNornOnceDone, once->control, 0, 0); }

static void norn_run_once(void) {
  struct Once once __attribute__((cleanup(norn_end_once))) = {NULL};
  void (*routine)(void) = (void (*)(void))TELL(kNornOnceBegins, &once.control, 0, 0);
  routine();
}

// call_once calls it, too.
WRAP(int, pthread_once, (pthread_once_t * control, void (*routine)(void)), (control, routine)) {
  TELL(kNornOnceCalls, control, routine, 0);
  int result;
  CALL2(result, control, norn_run_once);
  TELL(kNornOnceSeen, control, 0, 0);
  return result;
}

// --- local statics: wherever the C++ library's functions are ---------------------------------------------------------

int VG_WRAP_FUNCTION_ZZ(Za, ZuZucxaZuguardZuacquire)(uint64_t* guard);
int VG_WRAP_FUNCTION_ZZ(Za, ZuZucxaZuguardZuacquire)(uint64_t* guard) {
  OrigFn fn;
  VALGRIND_GET_ORIG_FN(fn);
  int result;
  CALL1(result, guard);
  TELL(kNornOnceSeen, guard, 0, 0);  // also of who has to try again because the first one threw
  return result;
}

void VG_WRAP_FUNCTION_ZZ(Za, ZuZucxaZuguardZuabort)(uint64_t* guard);
void VG_WRAP_FUNCTION_ZZ(Za, ZuZucxaZuguardZuabort)(uint64_t* guard) {
  OrigFn fn;
  VALGRIND_GET_ORIG_FN(fn);
  TELL(kNornOnceDone, guard, 0, 0);
  CALL_FN_v_W(fn, guard);
}

void VG_WRAP_FUNCTION_ZZ(Za, ZuZucxaZuguardZurelease)(uint64_t* guard);
void VG_WRAP_FUNCTION_ZZ(Za, ZuZucxaZuguardZurelease)(uint64_t* guard) {
  OrigFn fn;
  VALGRIND_GET_ORIG_FN(fn);
  TELL(kNornGuardReleasing, guard, 0, 0);
  CALL_FN_v_W(fn, guard);
}

// --- what is registered for the end --------------------------------------------------------------------------------

// It comes after its registration, as in runtime/intercept/exits.cc.
struct NornAtExit {
  union {
    void (*function)(void*);
    void (*status_function)(int, void*);
  };
  void* argument;
};

static void norn_call_at_exit(void* given) {
  struct NornAtExit* call = given;
  TELL(kNornHappensAfter, call, 0, 0);
  call->function(call->argument);
}

static void norn_call_with_status(int status, void* given) {
  struct NornAtExit* call = given;
  TELL(kNornHappensAfter, call, 0, 0);
  call->status_function(status, call->argument);
}

// atexit(), and destructors of static objects.
int VG_WRAP_FUNCTION_ZZ(libcZdsoZa, ZuZucxaZuatexit)(void (*function)(void*), void* argument, void* module);
int VG_WRAP_FUNCTION_ZZ(libcZdsoZa, ZuZucxaZuatexit)(void (*function)(void*), void* argument, void* module) {
  OrigFn fn;
  VALGRIND_GET_ORIG_FN(fn);
  struct NornAtExit* call = malloc(sizeof *call);
  int result;
  if (call == NULL) {
    CALL3(result, function, argument, module);
    return result;
  }
  call->function = function;
  call->argument = argument;
  TELL(kNornHappensBefore, call, 0, 0);
  CALL3(result, norn_call_at_exit, call, module);
  return result;
}

WRAP(int, on_exit, (void (*function)(int, void*), void* argument), (function, argument)) {
  struct NornAtExit* call = malloc(sizeof *call);
  int result;
  if (call == NULL) {
    CALL2(result, function, argument);
    return result;
  }
  call->status_function = function;
  call->argument = argument;
  TELL(kNornHappensBefore, call, 0, 0);
  CALL2(result, norn_call_with_status, call);
  return result;
}

static char norn_quick_exits;  // the C library gives these functions no argument

int VG_WRAP_FUNCTION_ZZ(libcZdsoZa, ZuZucxaZuatZuquickZuexit)(void (*function)(void*), void* module);
int VG_WRAP_FUNCTION_ZZ(libcZdsoZa, ZuZucxaZuatZuquickZuexit)(void (*function)(void*), void* module) {
  OrigFn fn;
  VALGRIND_GET_ORIG_FN(fn);
  TELL(kNornHappensBefore, &norn_quick_exits, 0, 0);
  int result;
  CALL2(result, function, module);
  return result;
}

void VG_WRAP_FUNCTION_ZZ(libcZdsoZa, quickZuexit)(int status);
void VG_WRAP_FUNCTION_ZZ(libcZdsoZa, quickZuexit)(int status) {
  OrigFn fn;
  VALGRIND_GET_ORIG_FN(fn);
  TELL(kNornHappensAfter, &norn_quick_exits, 0, 0);
  CALL_FN_v_W(fn, status);
}

// --- memory that is given back -------------------------------------------------------------------------------------

WRAP(int, munmap, (void* address, size_t size), (address, size)) {
  TELL(kNornUnmaps, address, size, __builtin_return_address(0));
  int result;
  CALL2(result, address, size);
  return result;
}

// --- a program that starts itself again ------------------------------------------------------------------------------

// Valgrind says what the name stands for, but would execute itself.
WRAP(int, execve, (const char* path, char* const* arguments, char* const* environment),
     (path, arguments, environment)) {
  static const char kItself[] = "/proc/self/exe";
  char own[4096];
  size_t same = 0;
  while (path != NULL && same < sizeof(kItself) && path[same] == kItself[same]) same++;
  const ssize_t size = same == sizeof(kItself) ? readlink(kItself, own, sizeof(own) - 1) : -1;
  if (size > 0) own[size] = '\0';
  int result;
  CALL3(result, size > 0 ? own : path, arguments, environment);
  return result;
}
