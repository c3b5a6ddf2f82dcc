// Interceptors that cost nothing while nobody listens: `call pthread_mutex_lock` reaches one jump through a pointer,
// as it reaches the PLT's without norn. The pointer is a slot of the page that is shared with the agent (doorbell.h).
//
//   NORN_THIN(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex)) {
//     …                                                          // what an armed slot leads to
//   }
//
// Who is in the C library's function when slots are armed was not seen to go in, and what it acquires is not seen
// either. So a thread counts from its first armed call, probe or beginning on (KnownThread::awake): a watch that begins
// before that takes it for one that comes after (validation.cc).
#pragma once

#include "runtime/intercept/interpose.h"
#include "runtime/probe/doorbell.h"

// Each has a place in the page. The first is called before the library begins, by the dynamic linker.
#define NORN_THIN_FUNCTIONS(X) \
  X(free)                      \
  X(pthread_mutex_lock)        \
  X(pthread_mutex_trylock)     \
  X(pthread_mutex_unlock)      \
  X(mtx_lock)                  \
  X(mtx_trylock)               \
  X(mtx_unlock)                \
  X(pthread_rwlock_rdlock)     \
  X(pthread_rwlock_tryrdlock)  \
  X(pthread_rwlock_wrlock)     \
  X(pthread_rwlock_trywrlock)  \
  X(pthread_rwlock_unlock)     \
  X(pthread_spin_lock)         \
  X(pthread_spin_trylock)      \
  X(pthread_spin_unlock)       \
  X(sem_post)                  \
  X(sem_trywait)               \
  X(pthread_cond_signal)       \
  X(pthread_cond_broadcast)    \
  X(cnd_signal)                \
  X(cnd_broadcast)             \
  X(_ZdlPv)                    \
  X(_ZdaPv)                    \
  X(_ZdlPvm)                   \
  X(_ZdaPvm)                   \
  X(_ZdlPvSt11align_val_t)     \
  X(_ZdlPvmSt11align_val_t)

namespace norn::probe {

enum Slot : unsigned {
#define NORN_SLOT(name) kSlot_##name,
  NORN_THIN_FUNCTIONS(NORN_SLOT)
#undef NORN_SLOT
      kSlotCount
};
static_assert(kSlotCount <= DoorbellPage::kSlots);

struct ThinFunction {
  Slot slot;
  void** real;  // where the C library's is known
  void* armed;
};

extern __attribute__((visibility("hidden"))) DoorbellPage page asm("norn_doorbell_page");

// Where all slots lead: to norn's functions, or to the C library's.
void set_armed(bool armed);
// Of the page: shares it with whoever has the descriptor, a memfd of kDoorbellBytes. False: it stays as it is.
bool share_page(int memory);
// In the child of a fork: the parent's page is not ours.
void own_page();

}  // namespace norn::probe

#define NORN_THIN_AS(result, name, version, linkage, parameters, arguments)                                          \
  NORN_REAL_AS(result, name, version, linkage, "__real_" #name, parameters)                                          \
  static result armed_##name parameters;                                                                             \
  __attribute__((section("norn_thin"), used, retain)) static const norn::probe::ThinFunction thin_##name = {         \
      norn::probe::kSlot_##name, reinterpret_cast<void**>(&real_##name), reinterpret_cast<void*>(&armed_##name)};    \
  extern "C" __attribute__((weak, visibility("default"), used)) result norn_interposed_##name parameters asm(#name); \
  extern "C" result norn_interposed_##name parameters {                                                              \
    /* A plain load, so that it becomes part of the jump: aligned, it is one all the same. */                        \
    const void* slot = &norn::probe::page.slots[norn::probe::kSlot_##name];                                          \
    return (*static_cast<result(*const*) parameters>(slot))arguments;                                                \
  }                                                                                                                  \
  result armed_##name parameters

#define NORN_THIN(result, name, parameters, arguments) NORN_THIN_AS(result, name, nullptr, , parameters, arguments)
#define NORN_THIN_VERSION(result, name, version, parameters, arguments) \
  NORN_THIN_AS(result, name, version, , parameters, arguments)
#define NORN_THIN_OPTIONAL(result, name, parameters, arguments) \
  NORN_THIN_AS(result, name, nullptr, __attribute__((weak)), parameters, arguments)
