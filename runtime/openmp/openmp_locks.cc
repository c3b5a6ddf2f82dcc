// What OpenMP's runtime excludes from each other and puts in order: critical, ordered, locks, reductions, flushes; and
// the memory it hands out. OMPT reports a lock's release when others may have taken it already, so these are
// interposed.
#include "runtime/control/control.h"
#include "runtime/intercept/threading/locks.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

using CriticalName = void;
using Combine = void (*)(void* into, void* from);
using TaskEntry = int (*)(int thread, void* task);

namespace {

// Under control: comes to what the library takes without a try-form, when nobody has it. `real` takes it.
template <class Real>
void take(void* lock, const norn_site& site, Real real) {
  if (is_controlled() && control::active()) {
    control::point(control::Op::kAcquire, lock, &site);
    control::await_routine(lock, control::Waiting::kLock);
  }
  real();
  control::begin_routine(lock);
  took(lock, LockMode::kExclusive, site);
}

template <class Real>
void release(void* lock, const norn_site& site, Real real) {
  control::pass(control::Op::kRelease, lock, site);
  giving(lock);
  real();
  control::end_routine(lock);
}

}  // namespace

// --- critical -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE_OPTIONAL(void, __kmpc_critical, (void* at, int thread, CriticalName* name)) {
  if (!has_started()) return;
  take(name, site___kmpc_critical, [=] { real___kmpc_critical(at, thread, name); });
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_critical_with_hint, (void* at, int thread, CriticalName* name, uint32_t hint)) {
  if (!has_started()) return;
  take(name, site___kmpc_critical_with_hint, [=] { real___kmpc_critical_with_hint(at, thread, name, hint); });
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_end_critical, (void* at, int thread, CriticalName* name)) {
  if (!has_started()) return;
  release(name, site___kmpc_end_critical, [=] { real___kmpc_end_critical(at, thread, name); });
}

// --- locks --------------------------------------------------------------------------------------------------------

#define NORN_OPENMP_LOCK(lock)                                                               \
  NORN_INTERPOSE_OPTIONAL(void, omp_init_##lock, (void* lock)) {                             \
    if (!has_started()) return;                                                              \
    real_omp_init_##lock(lock);                                                              \
    made_lock(lock, site_omp_init_##lock);                                                   \
  }                                                                                          \
  NORN_INTERPOSE_OPTIONAL(void, omp_init_##lock##_with_hint, (void* lock, uintptr_t hint)) { \
    if (!has_started()) return;                                                              \
    real_omp_init_##lock##_with_hint(lock, hint);                                            \
    made_lock(lock, site_omp_init_##lock##_with_hint);                                       \
  }                                                                                          \
  NORN_INTERPOSE_OPTIONAL(void, omp_destroy_##lock, (void* lock)) {                          \
    if (!has_started()) return;                                                              \
    destroyed_lock(lock, site_omp_destroy_##lock);                                           \
    real_omp_destroy_##lock(lock);                                                           \
  }                                                                                          \
  NORN_INTERPOSE_OPTIONAL(void, omp_set_##lock, (void* lock)) {                              \
    if (!has_started()) return;                                                              \
    take(lock, site_omp_set_##lock, [=] { real_omp_set_##lock(lock); });                     \
  }                                                                                          \
  NORN_INTERPOSE_OPTIONAL(int, omp_test_##lock, (void* lock)) {                              \
    if (!has_started()) return 0;                                                            \
    control::pass(control::Op::kAcquire, lock, site_omp_test_##lock);                        \
    const int taken = real_omp_test_##lock(lock);                                            \
    if (taken == 0) return 0;                                                                \
    control::begin_routine(lock);                                                            \
    took(lock, LockMode::kExclusive, site_omp_test_##lock);                                  \
    return taken;                                                                            \
  }                                                                                          \
  NORN_INTERPOSE_OPTIONAL(void, omp_unset_##lock, (void* lock)) {                            \
    if (!has_started()) return;                                                              \
    release(lock, site_omp_unset_##lock, [=] { real_omp_unset_##lock(lock); });              \
  }

NORN_OPENMP_LOCK(lock)
NORN_OPENMP_LOCK(nest_lock)

// --- order --------------------------------------------------------------------------------------------------------

NORN_INTERPOSE_OPTIONAL(void, __kmpc_ordered, (void* at, int thread)) {
  if (!has_started()) return;
  if (is_controlled()) control::go_outside();
  real___kmpc_ordered(at, thread);
  begin_ordered();
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_end_ordered, (void* at, int thread)) {
  if (!has_started()) return;
  end_ordered();
  real___kmpc_end_ordered(at, thread);
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_flush, (void* at)) {
  if (!has_started()) return;
  if (const Inspection here; here && is_watching()) emit.fence(here.thread(), MemoryOrder::kSeqCst);
  real___kmpc_flush(at);
}

// --- reductions ---------------------------------------------------------------------------------------------------

// 1: the caller adds its part now, alone. Others add theirs by atomics (2), or others do it for them (0).
namespace {

template <class Real>
int reduce(CriticalName* name, const norn_site& site, Real real) {
  int result = 0;
  {
    const Unseen unseen;
    result = real();
  }
  if (result == 1) took(name, LockMode::kExclusive, site);
  return result;
}

}  // namespace

NORN_INTERPOSE_OPTIONAL(int, __kmpc_reduce,
                        (void* at, int thread, int count, size_t size, void* data, Combine combine,
                         CriticalName* name)) {
  if (!has_started()) return 0;
  return reduce(name, site___kmpc_reduce,
                [&] { return real___kmpc_reduce(at, thread, count, size, data, combine, name); });
}

NORN_INTERPOSE_OPTIONAL(int, __kmpc_reduce_nowait,
                        (void* at, int thread, int count, size_t size, void* data, Combine combine,
                         CriticalName* name)) {
  if (!has_started()) return 0;
  return reduce(name, site___kmpc_reduce_nowait,
                [&] { return real___kmpc_reduce_nowait(at, thread, count, size, data, combine, name); });
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_end_reduce, (void* at, int thread, CriticalName* name)) {
  if (!has_started()) return;
  giving(name);
  real___kmpc_end_reduce(at, thread, name);
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_end_reduce_nowait, (void* at, int thread, CriticalName* name)) {
  if (!has_started()) return;
  giving(name);
  real___kmpc_end_reduce_nowait(at, thread, name);
}

// The copies that tasks on the same thread share; made by the runtime, and added up at the end of the group.
NORN_INTERPOSE_OPTIONAL(void*, __kmpc_task_reduction_get_th_data, (int thread, void* group, void* data)) {
  if (!has_started()) return nullptr;
  thread_number_asked();
  const Unseen unseen;
  return real___kmpc_task_reduction_get_th_data(thread, group, data);
}

// They are made with the program's functions. The first to come makes them for all (_modifier_), and the others wait
// for it, which OMPT tells nothing of.
NORN_INTERPOSE_OPTIONAL(void*, __kmpc_task_reduction_init, (int thread, int count, void* data)) {
  if (!has_started()) return nullptr;
  const Unseen unseen;
  return real___kmpc_task_reduction_init(thread, count, data);
}

NORN_INTERPOSE_OPTIONAL(void*, __kmpc_taskred_init, (int thread, int count, void* data)) {
  if (!has_started()) return nullptr;
  const Unseen unseen;
  return real___kmpc_taskred_init(thread, count, data);
}

NORN_INTERPOSE_OPTIONAL(void*, __kmpc_task_reduction_modifier_init,
                        (void* at, int thread, int is_loop, int count, void* data)) {
  if (!has_started()) return nullptr;
  if (is_controlled()) control::go_outside();
  const Unseen unseen;
  return real___kmpc_task_reduction_modifier_init(at, thread, is_loop, count, data);
}

NORN_INTERPOSE_OPTIONAL(void*, __kmpc_taskred_modifier_init,
                        (void* at, int thread, int is_loop, int count, void* data)) {
  if (!has_started()) return nullptr;
  if (is_controlled()) control::go_outside();
  const Unseen unseen;
  return real___kmpc_taskred_modifier_init(at, thread, is_loop, count, data);
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_task_reduction_modifier_fini, (void* at, int thread, int is_loop)) {
  if (!has_started()) return;
  const Unseen unseen;
  real___kmpc_task_reduction_modifier_fini(at, thread, is_loop);
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_end_taskgroup, (void* at, int thread)) {
  if (!has_started()) return;
  const Unseen unseen;
  real___kmpc_end_taskgroup(at, thread);
}

// --- tasks --------------------------------------------------------------------------------------------------------

// The memory of a task that is over is used again for another, with which it has nothing in common.
NORN_INTERPOSE_OPTIONAL(void*, __kmpc_omp_task_alloc,
                        (void* at, int thread, int flags, size_t size, size_t shared, TaskEntry entry)) {
  if (!has_started()) return nullptr;
  void* task = real___kmpc_omp_task_alloc(at, thread, flags, size, shared, entry);
  if (const Inspection here; here && is_watching()) {
    constexpr size_t kPadding = sizeof(void*);  // between the task and what it shares
    emit.allocate(here.thread(), address_of(task), size + kPadding + shared);
  }
  return task;
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_omp_task_begin_if0, (void* at, int thread, void* task)) {
  if (!has_started()) return;
  create_undeferred(true);
  real___kmpc_omp_task_begin_if0(at, thread, task);
  create_undeferred(false);
}

// OMPT tells nothing of a wait for single tasks, by what they depend on.
NORN_INTERPOSE_OPTIONAL(void, __kmpc_omp_wait_deps,
                        (void* at, int thread, int count, void* needs, int more, void* others)) {
  if (!has_started()) return;
  if (is_controlled()) control::go_outside();
  real___kmpc_omp_wait_deps(at, thread, count, needs, more, others);
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_omp_taskwait_deps_51,
                        (void* at, int thread, int count, void* needs, int more, void* others, int no_wait)) {
  if (!has_started()) return;
  if (is_controlled()) control::go_outside();
  real___kmpc_omp_taskwait_deps_51(at, thread, count, needs, more, others, no_wait);
}

NORN_INTERPOSE_OPTIONAL(int, omp_get_thread_num, ()) {
  if (!has_started()) return 0;
  thread_number_asked();
  return real_omp_get_thread_num();
}
