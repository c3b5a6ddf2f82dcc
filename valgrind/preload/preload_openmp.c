// SPDX-License-Identifier: GPL-2.0-or-later
// Loaded into the program: what OpenMP's libraries do, emitted as what it means (openmp.h). The tool does not look into
// the libraries themselves.
//
// GCC's libgomp has no interface for tools: its functions are wrapped. What it is to run, as a member of a team or as a
// task, is a function of ours that calls the program's. LLVM's runtime tells by OMPT (OpenMP 5.2, chapter 19) what its
// threads and tasks do; locks and reductions are wrapped, because OMPT tells of a release when it is too late.
#define _GNU_SOURCE
#include <omp-tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "valgrind/preload/preload.h"

#define LIBGOMP libgompZdsoZa
#define LIBOMP libompZdsoZa
#define LIBIOMP libiomp5Zdso

// WRAP_…(type, name, (parameters), (arguments)) { body: fn is the original }
#define WRAP_GOMP(type, name, parameters, arguments)  \
  DECLARE(type, name, parameters);                    \
  WRAP_IN(LIBGOMP, type, name, parameters, arguments) \
  DECLARE(type, name, parameters)
#define WRAP_KMP(type, name, parameters, arguments)   \
  DECLARE(type, name, parameters);                    \
  WRAP_IN(LIBOMP, type, name, parameters, arguments)  \
  WRAP_IN(LIBIOMP, type, name, parameters, arguments) \
  DECLARE(type, name, parameters)
#define WRAP_BOTH(type, name, parameters, arguments)  \
  DECLARE(type, name, parameters);                    \
  WRAP_IN(LIBGOMP, type, name, parameters, arguments) \
  WRAP_IN(LIBOMP, type, name, parameters, arguments)  \
  WRAP_IN(LIBIOMP, type, name, parameters, arguments) \
  DECLARE(type, name, parameters)

// Tasks may race though there is one thread: what was translated without a look at accesses goes.
static void norn_watch(void) {
  if (TELL(kNornStartWatching, 0, 0, 0) != 0) VALGRIND_DISCARD_TRANSLATIONS(0x1000, ~(size_t)0xfff);
}

// --- locks -------------------------------------------------------------------------------------------------------

// What the libraries keep one of, under a name that reports can show.
static char omp_critical;
static char omp_atomic;

WRAP_GOMP(long, GOMP_critical_start, (), ()) {
  long result;
  CALL_FN_W_v(result, fn);
  TELL(kNornLockTook, &omp_critical, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_critical_end, (), ()) {
  long result;
  TELL(kNornLockGiving, &omp_critical, 0, 0);
  CALL_FN_W_v(result, fn);
  return result;
}
WRAP_GOMP(long, GOMP_atomic_start, (), ()) {
  long result;
  CALL_FN_W_v(result, fn);
  TELL(kNornLockTook, &omp_atomic, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_atomic_end, (), ()) {
  long result;
  TELL(kNornLockGiving, &omp_atomic, 0, 0);
  CALL_FN_W_v(result, fn);
  return result;
}
WRAP_GOMP(long, GOMP_critical_name_start, (void** name), (name)) {
  long result;
  CALL_FN_W_W(result, fn, name);
  TELL(kNornLockTook, name, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_critical_name_end, (void** name), (name)) {
  long result;
  TELL(kNornLockGiving, name, 0, 0);
  CALL_FN_W_W(result, fn, name);
  return result;
}

WRAP_KMP(long, __kmpc_critical, (void* at, long thread, void* name), (at, thread, name)) {
  long result;
  CALL_FN_W_WWW(result, fn, at, thread, name);
  TELL(kNornLockTook, name, 0, 0);
  return result;
}
WRAP_KMP(long, __kmpc_critical_with_hint, (void* at, long thread, void* name, long hint), (at, thread, name, hint)) {
  long result;
  CALL_FN_W_WWWW(result, fn, at, thread, name, hint);
  TELL(kNornLockTook, name, 0, 0);
  return result;
}
WRAP_KMP(long, __kmpc_end_critical, (void* at, long thread, void* name), (at, thread, name)) {
  long result;
  TELL(kNornLockGiving, name, 0, 0);
  CALL_FN_W_WWW(result, fn, at, thread, name);
  return result;
}

#define WRAP_OMP_LOCK(kind)                                                             \
  WRAP_BOTH(long, omp_init_##kind, (void* lock), (lock)) {                              \
    long result;                                                                        \
    CALL_FN_W_W(result, fn, lock);                                                      \
    TELL(kNornLockMade, lock, 0, 0);                                                    \
    return result;                                                                      \
  }                                                                                     \
  WRAP_BOTH(long, omp_init_##kind##_with_hint, (void* lock, long hint), (lock, hint)) { \
    long result;                                                                        \
    CALL_FN_W_WW(result, fn, lock, hint);                                               \
    TELL(kNornLockMade, lock, 0, 0);                                                    \
    return result;                                                                      \
  }                                                                                     \
  WRAP_BOTH(long, omp_destroy_##kind, (void* lock), (lock)) {                           \
    long result;                                                                        \
    TELL(kNornLockMade, lock, 0, 0);                                                    \
    CALL_FN_W_W(result, fn, lock);                                                      \
    return result;                                                                      \
  }                                                                                     \
  WRAP_BOTH(long, omp_set_##kind, (void* lock), (lock)) {                               \
    long result;                                                                        \
    CALL_FN_W_W(result, fn, lock);                                                      \
    TELL(kNornLockTook, lock, 0, 0);                                                    \
    return result;                                                                      \
  }                                                                                     \
  WRAP_BOTH(long, omp_unset_##kind, (void* lock), (lock)) {                             \
    long result;                                                                        \
    TELL(kNornLockGiving, lock, 0, 0);                                                  \
    CALL_FN_W_W(result, fn, lock);                                                      \
    return result;                                                                      \
  }                                                                                     \
  WRAP_BOTH(int, omp_test_##kind, (void* lock), (lock)) {                               \
    int result;                                                                         \
    CALL_FN_W_W(result, fn, lock);                                                      \
    if (result != 0) TELL(kNornLockTook, lock, 0, 1);                                   \
    return result;                                                                      \
  }
WRAP_OMP_LOCK(lock)
WRAP_OMP_LOCK(nest_lock)

WRAP_BOTH(int, omp_get_thread_num, (), ()) {
  int result;
  TELL(kNornAsksThread, 0, 0, 0);
  CALL_FN_W_v(result, fn);
  return result;
}

// --- libgomp: teams ----------------------------------------------------------------------------------------------

struct Member {
  void* reductions;  // where the library looks for them: the first word of the program's data
  void (*function)(void*);
  void* data;
  long team;
};

static void norn_member(void* argument) {
  const struct Member* member = argument;
  const long task = TELL(kNornMemberBegins, member->team, 0, 0);
  member->function(member->data);
  TELL(kNornMemberEnds, task, 0, 0);
}

// `call` has norn_member and &member in place of the program's function and data.
#define PARALLEL(call)                                                           \
  long result;                                                                   \
  norn_watch();                                                                  \
  struct Member member = {NULL, function, data, TELL(kNornTeamBegins, 0, 0, 0)}; \
  call;                                                                          \
  TELL(kNornTeamEnds, member.team, 0, 0);                                        \
  return result;

WRAP_GOMP(long, GOMP_parallel, (void (*function)(void*), void* data, long threads, long flags),
          (function, data, threads, flags)){
    PARALLEL(CALL_FN_W_WWWW(result, fn, norn_member, &member, threads,
                            flags))} WRAP_GOMP(long, GOMP_parallel_reductions,
                                               (void (*function)(void*), void* data, long threads, long flags),
                                               (function, data, threads, flags)) {
  PARALLEL(member.reductions = *(void**)data; CALL_FN_W_WWWW(result, fn, norn_member, &member, threads, flags))
}
WRAP_GOMP(long, GOMP_parallel_sections, (void (*function)(void*), void* data, long threads, long count, long flags),
          (function, data, threads, count, flags)){
    PARALLEL(CALL_FN_W_5W(result, fn, norn_member, &member, threads, count, flags))}
#define WRAP_PARALLEL_LOOP(name)                                                                                    \
  WRAP_GOMP(                                                                                                        \
      long, name,                                                                                                   \
      (void (*function)(void*), void* data, long threads, long begin, long end, long step, long chunk, long flags), \
      (function, data, threads, begin, end, step, chunk, flags)) {                                                  \
    PARALLEL(CALL_FN_W_8W(result, fn, norn_member, &member, threads, begin, end, step, chunk, flags))               \
  }
WRAP_PARALLEL_LOOP(GOMP_parallel_loop_static) WRAP_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
    WRAP_PARALLEL_LOOP(GOMP_parallel_loop_guided) WRAP_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
        WRAP_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
// Without a chunk.
#define WRAP_PARALLEL_RUNTIME_LOOP(name)                                                                      \
  WRAP_GOMP(long, name,                                                                                       \
            (void (*function)(void*), void* data, long threads, long begin, long end, long step, long flags), \
            (function, data, threads, begin, end, step, flags)) {                                             \
    PARALLEL(CALL_FN_W_7W(result, fn, norn_member, &member, threads, begin, end, step, flags))                \
  }
            WRAP_PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
                WRAP_PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
                    WRAP_PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define WRAP_BARRIER(name)          \
  WRAP_GOMP(long, name, (), ()) {   \
    long result;                    \
    TELL(kNornTeamWaits, 0, 0, 0);  \
    CALL_FN_W_v(result, fn);        \
    TELL(kNornTeamGoesOn, 0, 0, 0); \
    return result;                  \
  }
                        WRAP_BARRIER(GOMP_barrier) WRAP_BARRIER(GOMP_barrier_cancel) WRAP_BARRIER(GOMP_loop_end)
                            WRAP_BARRIER(GOMP_loop_end_cancel) WRAP_BARRIER(GOMP_sections_end)
                                WRAP_BARRIER(GOMP_sections_end_cancel)

    // The end of a loop with reduction(task, …).
    WRAP_GOMP(long, GOMP_workshare_task_reduction_unregister, (long cancelled), (cancelled)) {
  long result;
  TELL(kNornTeamWaits, 0, 0, 0);
  CALL_FN_W_W(result, fn, cancelled);
  TELL(kNornTeamGoesOn, 0, 0, 0);
  return result;
}

// copyprivate: null is for the one that is to do it; the others wait at a barrier that it comes to with the result.
WRAP_GOMP(void*, GOMP_single_copy_start, (), ()) {
  void* result;
  TELL(kNornTeamWaits, 0, 0, 0);
  CALL_FN_W_v(result, fn);
  if (result != NULL) TELL(kNornTeamGoesOn, 0, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_single_copy_end, (void* data), (data)) {
  long result;
  TELL(kNornTeamWaits, 0, 0, 0);
  CALL_FN_W_W(result, fn, data);
  TELL(kNornTeamGoesOn, 0, 0, 0);
  return result;
}

WRAP_GOMP(long, GOMP_ordered_start, (), ()) {
  long result;
  CALL_FN_W_v(result, fn);
  TELL(kNornOrderedBegins, 0, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_ordered_end, (), ()) {
  long result;
  TELL(kNornOrderedEnds, 0, 0, 0);
  CALL_FN_W_v(result, fn);
  return result;
}
// The number of arguments is that of the loops; those that are not there make no difference.
#define WRAP_DOACROSS(post, wait)                                                               \
  WRAP_GOMP(long, post, (long* iteration), (iteration)) {                                       \
    long result;                                                                                \
    TELL(kNornOrderedEnds, 0, 0, 0);                                                            \
    CALL_FN_W_W(result, fn, iteration);                                                         \
    return result;                                                                              \
  }                                                                                             \
  WRAP_GOMP(long, wait, (long a, long b, long c, long d, long e, long f), (a, b, c, d, e, f)) { \
    long result;                                                                                \
    CALL_FN_W_6W(result, fn, a, b, c, d, e, f);                                                 \
    TELL(kNornOrderedBegins, 0, 0, 0);                                                          \
    return result;                                                                              \
  }
WRAP_DOACROSS(GOMP_doacross_post, GOMP_doacross_wait)
WRAP_DOACROSS(GOMP_doacross_ull_post, GOMP_doacross_ull_wait)

// --- libgomp: tasks ----------------------------------------------------------------------------------------------

// gomp-constants.h and task.c of GCC 12.
enum { kTaskFinal = 1 << 1, kTaskDepend = 1 << 3, kTaskloopIf = 1 << 10, kTaskDetach = 1 << 13 };

// What the library copies for a task, and behind it what the program wants copied. The first words are where it puts a
// taskloop's bounds, or the event of a task that is detached, and looks for reductions.
struct Deferred {
  long bounds[2];
  void* reductions;
  void (*function)(void*);
  void (*copy)(void*, void*);
  void* data;
  size_t size;
  size_t alignment;
  void** depend;
  long traits;
  bool is_loop;
  bool is_detached;
  long task;
};

static void* norn_block(struct Deferred* deferred) {
  const uintptr_t end = (uintptr_t)(deferred + 1);
  const uintptr_t alignment = deferred->alignment == 0 ? 1 : deferred->alignment;
  return (void*)((end + alignment - 1) / alignment * alignment);
}

static void norn_depends(long task, void** depend) {
  const uintptr_t first = (uintptr_t)depend[0];
  if (first != 0) {  // all; of these the out; their addresses
    for (uintptr_t i = 0; i < first; i++) {
      TELL(kNornTaskDepends, task, depend[2 + i], i < (uintptr_t)depend[1] ? kNornOut : kNornIn);
    }
    return;
  }
  // 0; all; out; mutexinoutset; in; their addresses; the rest are depend objects: address and kind
  const uintptr_t all = (uintptr_t)depend[1];
  const uintptr_t out = (uintptr_t)depend[2];
  const uintptr_t mutex = out + (uintptr_t)depend[3];
  const uintptr_t in = mutex + (uintptr_t)depend[4];
  for (uintptr_t i = 0; i < all; i++) {
    void* address = depend[5 + i];
    long kind = i < out ? kNornOut : i < mutex ? kNornMutexSet : kNornIn;
    if (i >= in) {
      enum { kIn = 1, kOut, kInout, kMutexinoutset, kInoutset };
      void** object = address;
      const uintptr_t said = (uintptr_t)object[1];
      address = object[0];
      kind = said == kIn ? kNornIn : said == kMutexinoutset ? kNornMutexSet : said == kInoutset ? kNornSet : kNornOut;
    }
    TELL(kNornTaskDepends, task, address, kind);
  }
}

static inline size_t norn_room(const struct Deferred* task) { return sizeof(*task) + task->alignment + task->size; }

static void norn_copy_task(void* to, void* from) {
  struct Deferred* task = to;
  *task = *(const struct Deferred*)from;
  TELL(kNornNewMemory, task, norn_room(task), 0);  // on the stack, if the library runs it at once
  if (task->is_detached) *(long*)task->data = task->bounds[0];
  if (task->copy != NULL) {
    task->copy(norn_block(task), task->data);
  } else {
    memcpy(norn_block(task), task->data, task->size);
  }
  task->task = TELL(kNornTaskCreated, task->traits, 0, 0);
  if (task->task != 0 && task->depend != NULL) norn_depends(task->task, task->depend);
  if (task->task != 0 && task->is_detached) TELL(kNornTaskHasEvent, task->task, task->bounds[0], 0);
}

static void norn_run_task(void* argument) {
  struct Deferred* task = argument;
  TELL(kNornTaskBegins, task->task, 0, 0);
  TELL(kNornStackIsNew, 0, 0, 0);
  long* block = norn_block(task);
  if (task->is_loop) {
    block[0] = task->bounds[0];
    block[1] = task->bounds[1];
  }
  task->function(block);
  TELL(kNornTaskEnds, task->task, 0, 0);
  TELL(kNornStackIsNew, 0, 0, 0);
  TELL(kNornNewMemory, task, norn_room(task), 0);
}

WRAP_GOMP(long, GOMP_task,
          (void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment, long deferred,
           unsigned long flags, void** depend, long priority, void* detach),
          (function, data, copy, size, alignment, deferred, flags, depend, priority, detach)) {
  long result;
  struct Deferred task = {.function = function, .copy = copy, .data = data, .size = (size_t)size};
  task.alignment = (size_t)alignment;
  task.depend = (flags & kTaskDepend) != 0 ? depend : NULL;
  task.is_detached = (flags & kTaskDetach) != 0 && data != NULL;
  task.traits = ((_Bool)deferred ? 0 : kNornTaskAtOnce) | ((flags & kTaskFinal) != 0 ? kNornTaskFinal : 0);
  CALL_FN_W_10W(result, fn, norn_run_task, &task, norn_copy_task, norn_room(&task),
                sizeof(long) < task.alignment ? task.alignment : sizeof(long), deferred, flags, depend, priority,
                detach);
  return result;
}

#define WRAP_TASKLOOP(name)                                                                                          \
  WRAP_GOMP(long, name,                                                                                              \
            (void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,             \
             unsigned long flags, unsigned long tasks, long priority, long begin, long end, long step),              \
            (function, data, copy, size, alignment, flags, tasks, priority, begin, end, step)) {                     \
    long result;                                                                                                     \
    struct Deferred task = {.function = function, .copy = copy, .data = data, .size = (size_t)size};                 \
    task.alignment = (size_t)alignment;                                                                              \
    task.is_loop = true;                                                                                             \
    if (task.size >= 3 * sizeof(void*)) task.reductions = ((void**)data)[2];                                         \
    task.traits =                                                                                                    \
        ((flags & kTaskloopIf) != 0 ? 0 : kNornTaskAtOnce) | ((flags & kTaskFinal) != 0 ? kNornTaskFinal : 0);       \
    CALL_FN_W_11W(result, fn, norn_run_task, &task, norn_copy_task, norn_room(&task),                                \
                  sizeof(long) < task.alignment ? task.alignment : sizeof(long), flags, tasks, priority, begin, end, \
                  step);                                                                                             \
    return result;                                                                                                   \
  }
WRAP_TASKLOOP(GOMP_taskloop)
WRAP_TASKLOOP(GOMP_taskloop_ull)

WRAP_GOMP(long, GOMP_taskwait, (), ()) {
  long result;
  CALL_FN_W_v(result, fn);
  TELL(kNornChildrenDone, 0, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_taskwait_depend, (void** depend), (depend)) {
  long result;
  const long task = TELL(kNornTaskCreated, kNornTaskOnlyWaits, 0, 0);
  if (task != 0) norn_depends(task, depend);
  CALL_FN_W_W(result, fn, depend);
  if (task != 0) TELL(kNornTaskWaits, task, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_taskgroup_start, (), ()) {
  long result;
  CALL_FN_W_v(result, fn);
  TELL(kNornGroupBegins, 0, 0, 0);
  return result;
}
WRAP_GOMP(long, GOMP_taskgroup_end, (), ()) {
  long result;
  CALL_FN_W_v(result, fn);
  TELL(kNornGroupEnds, 0, 0, 0);
  return result;
}
WRAP_GOMP(long, omp_fulfill_event, (long event), (event)) {
  long result;
  TELL(kNornEventFulfilled, event, 0, 0);
  CALL_FN_W_W(result, fn, event);
  return result;
}
// The copies that tasks on the same thread share.
WRAP_GOMP(long, GOMP_task_reduction_remap, (long count, long original, void** addresses),
          (count, original, addresses)) {
  long result;
  TELL(kNornAsksThread, 0, 0, 0);
  CALL_FN_W_WWW(result, fn, count, original, addresses);
  return result;
}

// --- LLVM's runtime: what OMPT does not tell, or too late ---------------------------------------------------------

WRAP_KMP(long, __kmpc_ordered, (void* at, long thread), (at, thread)) {
  long result;
  CALL_FN_W_WW(result, fn, at, thread);
  TELL(kNornOrderedBegins, 0, 0, 0);
  return result;
}
WRAP_KMP(long, __kmpc_end_ordered, (void* at, long thread), (at, thread)) {
  long result;
  TELL(kNornOrderedEnds, 0, 0, 0);
  CALL_FN_W_WW(result, fn, at, thread);
  return result;
}
WRAP_KMP(long, __kmpc_doacross_post, (void* at, long thread, void* iteration), (at, thread, iteration)) {
  long result;
  TELL(kNornOrderedEnds, 0, 0, 0);
  CALL_FN_W_WWW(result, fn, at, thread, iteration);
  return result;
}
WRAP_KMP(long, __kmpc_doacross_wait, (void* at, long thread, void* iteration), (at, thread, iteration)) {
  long result;
  CALL_FN_W_WWW(result, fn, at, thread, iteration);
  TELL(kNornOrderedBegins, 0, 0, 0);
  return result;
}

// Others' parts are added up by the library, which calls the program's function for that.
enum { kReadsAndWrites = 3 };
#define REDUCE                                                            \
  int result;                                                             \
  TELL(kNornIgnoreBegin, kReadsAndWrites, 0, 0);                          \
  CALL_FN_W_7W(result, fn, at, thread, count, size, data, combine, name); \
  TELL(kNornIgnoreEnd, kReadsAndWrites, 0, 0);                            \
  if (result == 1) TELL(kNornLockTook, name, 0, 0);                       \
  return result;
WRAP_KMP(int, __kmpc_reduce, (void* at, long thread, long count, long size, void* data, void* combine, void* name),
         (at, thread, count, size, data, combine, name)){
    REDUCE} WRAP_KMP(int, __kmpc_reduce_nowait,
                     (void* at, long thread, long count, long size, void* data, void* combine, void* name),
                     (at, thread, count, size, data, combine, name)){
    REDUCE} WRAP_KMP(long, __kmpc_end_reduce, (void* at, long thread, void* name), (at, thread, name)) {
  long result;
  TELL(kNornLockGiving, name, 0, 0);
  CALL_FN_W_WWW(result, fn, at, thread, name);
  return result;
}
WRAP_KMP(long, __kmpc_end_reduce_nowait, (void* at, long thread, void* name), (at, thread, name)) {
  long result;
  TELL(kNornLockGiving, name, 0, 0);
  CALL_FN_W_WWW(result, fn, at, thread, name);
  return result;
}
WRAP_KMP(void*, __kmpc_task_reduction_get_th_data, (long thread, void* group, void* data), (thread, group, data)) {
  void* result;
  TELL(kNornAsksThread, 0, 0, 0);
  TELL(kNornIgnoreBegin, kReadsAndWrites, 0, 0);
  CALL_FN_W_WWW(result, fn, thread, group, data);
  TELL(kNornIgnoreEnd, kReadsAndWrites, 0, 0);
  return result;
}
// The copies are made and added up by the library, which calls the program's functions for that.
#define WRAP_REDUCTION(name, parameters, arguments, call) \
  WRAP_KMP(void*, name, parameters, arguments) {          \
    void* result;                                         \
    TELL(kNornIgnoreBegin, kReadsAndWrites, 0, 0);        \
    call;                                                 \
    TELL(kNornIgnoreEnd, kReadsAndWrites, 0, 0);          \
    return result;                                        \
  }
WRAP_REDUCTION(__kmpc_task_reduction_init, (long thread, long count, void* data), (thread, count, data),
               CALL_FN_W_WWW(result, fn, thread, count, data))
WRAP_REDUCTION(__kmpc_taskred_init, (long thread, long count, void* data), (thread, count, data),
               CALL_FN_W_WWW(result, fn, thread, count, data))
WRAP_REDUCTION(__kmpc_task_reduction_modifier_init, (void* at, long thread, long is_loop, long count, void* data),
               (at, thread, is_loop, count, data), CALL_FN_W_5W(result, fn, at, thread, is_loop, count, data))
WRAP_REDUCTION(__kmpc_taskred_modifier_init, (void* at, long thread, long is_loop, long count, void* data),
               (at, thread, is_loop, count, data), CALL_FN_W_5W(result, fn, at, thread, is_loop, count, data))
WRAP_REDUCTION(__kmpc_task_reduction_modifier_fini, (void* at, long thread, long is_loop), (at, thread, is_loop),
               CALL_FN_W_WWW(result, fn, at, thread, is_loop))
WRAP_KMP(long, __kmpc_end_taskgroup, (void* at, long thread), (at, thread)) {
  long result;
  TELL(kNornIgnoreBegin, kReadsAndWrites, 0, 0);
  CALL_FN_W_WW(result, fn, at, thread);
  TELL(kNornIgnoreEnd, kReadsAndWrites, 0, 0);
  return result;
}

// The memory of a task that is over is used again for another, with which it has nothing in common; a taskloop's are
// copied. So what the library is to run is a function of ours. Which one of the program's it stands for is kept behind
// the task, before what it shares (kmp.h: kmp_task_t begins with the address of that).
struct Entry {
  int (*routine)(int, void*);
  size_t size;
};

static int norn_run_entry(int thread, void* task) {
  char* shared = *(char**)task;
  const struct Entry entry = *((const struct Entry*)shared - 1);
  TELL(kNornStackIsNew, 0, 0, 0);
  TELL(kNornNewMemory, task, entry.size, 0);
  const int result = entry.routine(thread, task);
  TELL(kNornPartEnds, 0, 0, 0);
  TELL(kNornStackIsNew, 0, 0, 0);
  return result;
}

WRAP_KMP(void*, __kmpc_omp_task_alloc, (void* at, long thread, long flags, size_t size, size_t shared, void* routine),
         (at, thread, flags, size, shared, routine)) {
  void* task;
  const size_t room = (size + 7) / 8 * 8 + sizeof(struct Entry);
  const size_t shares = shared == 0 ? sizeof(void*) : shared;
  CALL_FN_W_6W(task, fn, at, thread, flags, room, shares, norn_run_entry);
  struct Entry* entry = (struct Entry*)*(char**)task - 1;
  *entry = (struct Entry){(int (*)(int, void*))routine, room + shares};
  TELL(kNornNewMemory, task, room + shares, 0);
  return task;
}

WRAP_KMP(long, __kmpc_omp_task_begin_if0, (void* at, long thread, void* task), (at, thread, task)) {
  long result;
  TELL(kNornTasksAtOnce, 1, 0, 0);
  CALL_FN_W_WWW(result, fn, at, thread, task);
  TELL(kNornTasksAtOnce, 0, 0, 0);
  return result;
}

WRAP_KMP(long, __kmpc_taskloop,
         (void* at, long thread, void* task, long deferred, void* begin, void* end, long step, long no_group, long kind,
          long grain, void* copy),
         (at, thread, task, deferred, begin, end, step, no_group, kind, grain, copy)) {
  long result;
  TELL(kNornTasksAtOnce, (int)deferred == 0, 0, 0);
  CALL_FN_W_11W(result, fn, at, thread, task, deferred, begin, end, step, no_group, kind, grain, copy);
  TELL(kNornTasksAtOnce, 0, 0, 0);
  return result;
}
WRAP_KMP(long, __kmpc_taskloop_5,
         (void* at, long thread, void* task, long deferred, void* begin, void* end, long step, long no_group, long kind,
          long grain, long modifier, void* copy),
         (at, thread, task, deferred, begin, end, step, no_group, kind, grain, modifier, copy)) {
  long result;
  TELL(kNornTasksAtOnce, (int)deferred == 0, 0, 0);
  CALL_FN_W_12W(result, fn, at, thread, task, deferred, begin, end, step, no_group, kind, grain, modifier, copy);
  TELL(kNornTasksAtOnce, 0, 0, 0);
  return result;
}

// --- LLVM's runtime: OMPT ----------------------------------------------------------------------------------------

static long norn_task_of(const ompt_data_t* data) { return data == NULL ? 0 : (long)data->ptr; }

static void norn_parallel_begin(ompt_data_t* encountering, const ompt_frame_t* frame, ompt_data_t* parallel,
                                unsigned requested, int flags, const void* code) {
  (void)encountering, (void)frame, (void)requested, (void)flags, (void)code;
  norn_watch();
  parallel->ptr = (void*)TELL(kNornTeamBegins, 0, 0, 0);
}

static void norn_parallel_end(ompt_data_t* parallel, ompt_data_t* encountering, int flags, const void* code) {
  (void)encountering, (void)flags, (void)code;
  if (parallel != NULL) TELL(kNornTeamEnds, parallel->ptr, 0, 0);
}

static void norn_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned count,
                               unsigned index, int flags) {
  (void)count, (void)index, (void)flags;
  if (endpoint == ompt_scope_begin) {
    task->ptr = (void*)TELL(kNornMemberBegins, parallel == NULL ? NULL : parallel->ptr, 0, 0);
  } else {
    TELL(kNornMemberEnds, norn_task_of(task), 0, 0);
    task->ptr = NULL;
  }
}

static void norn_task_create(ompt_data_t* encountering, const ompt_frame_t* frame, ompt_data_t* created, int flags,
                             int has_dependences, const void* code) {
  (void)encountering, (void)frame, (void)has_dependences, (void)code;
  const unsigned traits = (unsigned)flags;
  created->ptr = (void*)TELL(kNornTaskCreated,
                             ((traits & ompt_task_final) != 0 ? kNornTaskFinal : 0) |
                                 ((traits & ompt_task_taskwait) != 0 ? kNornTaskOnlyWaits : 0),
                             0, 0);
}

static void norn_dependences(ompt_data_t* data, const ompt_dependence_t* dependences, int count) {
  const long task = norn_task_of(data);
  for (int i = 0; i < count && task != 0; i++) {
    void* address = dependences[i].variable.ptr;
    switch (dependences[i].dependence_type) {
      case ompt_dependence_type_in:
        TELL(kNornTaskDepends, task, address, kNornIn);
        break;
      case ompt_dependence_type_out:
      case ompt_dependence_type_inout:
        TELL(kNornTaskDepends, task, address, kNornOut);
        break;
      case ompt_dependence_type_mutexinoutset:
        TELL(kNornTaskDepends, task, address, kNornMutexSet);
        break;
      case ompt_dependence_type_inoutset:
        TELL(kNornTaskDepends, task, address, kNornSet);
        break;
      case ompt_dependence_type_out_all_memory:
      case ompt_dependence_type_inout_all_memory:
        TELL(kNornTaskDepends, task, NULL, kNornOut);
        break;
      default:
        break;
    }
  }
}

static void norn_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  const bool over = status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_late_fulfill ||
                    status == ompt_taskwait_complete;
  TELL(kNornTaskSwitches, norn_task_of(prior), status, norn_task_of(next));
  if (over && prior != NULL) prior->ptr = NULL;
}

static void norn_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                             ompt_data_t* task, const void* code) {
  (void)parallel, (void)code;
  const bool begins = endpoint == ompt_scope_begin;
  switch (kind) {
    case ompt_sync_region_barrier_implicit_parallel:  // workers stay in it until they are wanted again, or for ever
    case ompt_sync_region_barrier_teams:
      if (begins) TELL(kNornMemberLeaves, norn_task_of(task), 0, 0);
      break;
    case ompt_sync_region_barrier:
    case ompt_sync_region_barrier_implicit:
    case ompt_sync_region_barrier_explicit:
    case ompt_sync_region_barrier_implementation:
    case ompt_sync_region_barrier_implicit_workshare:
      TELL(begins ? kNornTeamWaits : kNornTeamGoesOn, 0, 0, 0);
      break;
    case ompt_sync_region_taskwait:
      if (!begins) TELL(kNornChildrenDone, 0, 0, 0);
      break;
    case ompt_sync_region_taskgroup:
      TELL(begins ? kNornGroupBegins : kNornGroupEnds, 0, 0, 0);
      break;
    default:
      break;
  }
}

#define LISTEN(event, function) set(event, (ompt_callback_t)(function))
static int norn_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (set == NULL) return 0;
  LISTEN(ompt_callback_parallel_begin, norn_parallel_begin);
  LISTEN(ompt_callback_parallel_end, norn_parallel_end);
  LISTEN(ompt_callback_implicit_task, norn_implicit_task);
  LISTEN(ompt_callback_task_create, norn_task_create);
  LISTEN(ompt_callback_task_schedule, norn_task_schedule);
  LISTEN(ompt_callback_dependences, norn_dependences);
  LISTEN(ompt_callback_sync_region, norn_sync_region);
  return 1;
}

static void norn_finalize(ompt_data_t* tool) { (void)tool; }

// LLVM's runtime looks for this name.
__attribute__((visibility("default"), used)) ompt_start_tool_result_t* ompt_start_tool(unsigned version,
                                                                                       const char* runtime) {
  static ompt_start_tool_result_t tool = {norn_initialize, norn_finalize, {0}};
  (void)version, (void)runtime;
  return &tool;
}
