// Barriers, semaphores, once, and the initialisation of local statics.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>
#include <unwind.h>

#include "runtime/control/control.h"
#include "runtime/control/what_if.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/threading/locks.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

void used(const Inspection& here, const volatile void* object, const norn_site& site) {
  if (is_watching()) emit.use(here.thread(), address_of(object), stack_id(*here, &site));
}

void destroyed(const volatile void* object, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.write(here.thread(), address_of(object), 1, stack_id(*here, &site));
  emit.sync_destroy(here.thread(), address_of(object));
}

void posting(sem_t* semaphore, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  used(here, semaphore, site);
  emit.semaphore_post(here.thread(), address_of(semaphore));
}

void waited(sem_t* semaphore, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  emit.semaphore_wait(here.thread(), address_of(semaphore));
  used(here, semaphore, site);
}

}  // namespace

// --- barriers ----------------------------------------------------------------------------------------------------

namespace {

// The C library's barrier (sysdeps/nptl/internaltypes.h): what it was initialised with.
struct LibraryBarrier {
  unsigned in;
  unsigned round;
  unsigned count;
  int shared;
};

// Under control the barrier counts who waits for it; the library's own is left alone.
int wait_at_barrier(pthread_barrier_t* barrier, const norn_site& site, int (*real)(pthread_barrier_t*)) {
  if (!is_controlled() || !control::active()) return real(barrier);
  const auto* inner = reinterpret_cast<const LibraryBarrier*>(barrier);
  if (inner->shared != 0) {
    const control::Outside outside;
    return real(barrier);
  }
  control::point(control::Op::kAcquire, barrier, &site);
  if (control::waiters(barrier) + 1 >= inner->count) {
    control::wake_all(barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  control::wait(control::Waiting::kBarrier, barrier);
  return 0;
}

}  // namespace

NORN_INTERPOSE(int, pthread_barrier_init,
               (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes, unsigned count)) {
  if (!has_started()) return EAGAIN;
  const int result = real_pthread_barrier_init(barrier, attributes, count);
  if (result == 0) {
    if (const Inspection here; here) {
      if (is_watching()) {
        emit.write(here.thread(), address_of(barrier), 1, stack_id(*here, &site_pthread_barrier_init));
      }
      emit.barrier_init(here.thread(), address_of(barrier), count);
    }
  }
  return result;
}

NORN_INTERPOSE(int, pthread_barrier_destroy, (pthread_barrier_t * barrier)) {
  if (!has_started()) return 0;
  destroyed(barrier, site_pthread_barrier_destroy);
  return real_pthread_barrier_destroy(barrier);
}

NORN_INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  if (!has_started()) return EINVAL;
  if (leaves_out(barrier, site_pthread_barrier_wait)) return 0;
  if (const Inspection here; here) {
    used(here, barrier, site_pthread_barrier_wait);
    emit.barrier_enter(here.thread(), address_of(barrier));
  }
  const int result = wait_at_barrier(barrier, site_pthread_barrier_wait, real_pthread_barrier_wait);
  if (const Inspection here; here) emit.barrier_leave(here.thread(), address_of(barrier));
  return result;
}

// --- semaphores --------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, sem_init, (sem_t * semaphore, int shared, unsigned value)) {
  if (!has_started()) return -1;
  const int result = real_sem_init(semaphore, shared, value);
  if (result == 0) destroyed(semaphore, site_sem_init);
  return result;
}

NORN_INTERPOSE(int, sem_destroy, (sem_t * semaphore)) {
  if (!has_started()) return 0;
  destroyed(semaphore, site_sem_destroy);
  return real_sem_destroy(semaphore);
}

// One name is one address in a process, so a named semaphore is like any other.
NORN_INTERPOSE(int, sem_post, (sem_t * semaphore)) {
  if (!has_started()) return -1;
  if (leaves_out(semaphore, site_sem_post)) return 0;
  control::pass(control::Op::kRelease, semaphore, site_sem_post);
  posting(semaphore, site_sem_post);
  const int result = real_sem_post(semaphore);
  control::gave_up(semaphore);
  return result;
}

NORN_INTERPOSE(int, sem_trywait, (sem_t * semaphore)) {
  if (!has_started()) return -1;
  if (leaves_out(semaphore, site_sem_trywait)) return 0;
  control::pass(control::Op::kAcquire, semaphore, site_sem_trywait);
  const int result = real_sem_trywait(semaphore);
  if (result == 0) waited(semaphore, site_sem_trywait);
  return result;
}

namespace {

NORN_REAL(void, pthread_testcancel, ())

// The C library's semaphore: whether other processes have it (nptl's struct new_sem).
bool is_shared(const sem_t* semaphore) { return reinterpret_cast<const int*>(semaphore)[2] != 0; }

// Under control by the try-form, which says -1 and why in errno.
template <class Real>
int take_semaphore(sem_t* semaphore, const norn_site& site, clockid_t clock, const timespec* until, Real real) {
  if (!is_controlled() || !control::active()) return real();
  const int error = control::acquire(
      semaphore, &site, is_shared(semaphore) ? control::Waiting::kOutsider : control::Waiting::kSemaphore,
      control::deadline(clock, until), EAGAIN, ETIMEDOUT, [=] { return real_sem_trywait(semaphore) == 0 ? 0 : errno; });
  if (error == 0) return 0;
  if (error == control::kInterruptedCall) real_pthread_testcancel();
  errno = error == control::kInterruptedCall ? EINTR : error;
  return -1;
}

}  // namespace

NORN_INTERPOSE(int, sem_wait, (sem_t * semaphore)) {
  if (!has_started()) return -1;
  if (leaves_out(semaphore, site_sem_wait)) return 0;
  const int result =
      take_semaphore(semaphore, site_sem_wait, CLOCK_REALTIME, nullptr, [=] { return real_sem_wait(semaphore); });
  if (result == 0) waited(semaphore, site_sem_wait);
  return result;
}

NORN_INTERPOSE(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  if (!has_started()) return -1;
  if (leaves_out(semaphore, site_sem_timedwait)) return 0;
  const int result = take_semaphore(semaphore, site_sem_timedwait, CLOCK_REALTIME, until,
                                    [=] { return real_sem_timedwait(semaphore, until); });
  if (result == 0) waited(semaphore, site_sem_timedwait);
  return result;
}

NORN_INTERPOSE(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  if (!has_started()) return -1;
  if (leaves_out(semaphore, site_sem_clockwait)) return 0;
  const int result = take_semaphore(semaphore, site_sem_clockwait, clock, until,
                                    [=] { return real_sem_clockwait(semaphore, clock, until); });
  if (result == 0) waited(semaphore, site_sem_clockwait);
  return result;
}

NORN_INTERPOSE(int, sem_getvalue, (sem_t * semaphore, int* value)) {
  if (!has_started()) return -1;
  const int result = real_sem_getvalue(semaphore, value);
  if (result == 0) waited(semaphore, site_sem_getvalue);
  return result;
}

// --- once --------------------------------------------------------------------------------------------------------

namespace norn::rt {

// A routine of pthread_once that runs; on the stack of who runs it.
struct OnceFrame {
  const void* control;
  OnceFrame* outer;
};

}  // namespace norn::rt

namespace {

// The routine is over, one way or the other: whoever comes next, for the result or for another try, comes after it.
void end_once() {
  const void* control = nullptr;
  if (const Inspection here; here && here->once_frame != nullptr) {
    control = here->once_frame->control;
    emit.once_done(here.thread(), address_of(control));
    here->once_frame = here->once_frame->outer;
  }
  if (control != nullptr) control::end_routine(control);
}

}  // namespace

// The routine may end by an exception or by cancellation, which the library notices as they pass: then it lets the next
// one try. To notice it before, without a landing pad and its language's library, the routine is called by a function
// whose personality does nothing but that.
extern "C" __attribute__((visibility("hidden"), used)) _Unwind_Reason_Code
norn_once_personality(int /*version*/, _Unwind_Action actions, _Unwind_Exception_Class /*kind*/,
                      _Unwind_Exception* /*exception*/, _Unwind_Context* /*context*/) {
  if ((actions & _UA_CLEANUP_PHASE) != 0) end_once();
  return _URC_CONTINUE_UNWIND;
}

extern "C" __attribute__((visibility("hidden"))) void norn_call_once_routine(void (*routine)());
asm(R"(
  .text
  .hidden norn_call_once_routine
  .globl norn_call_once_routine
  .type norn_call_once_routine, @function
norn_call_once_routine:
  .cfi_startproc
  .cfi_personality 0x1b, norn_once_personality
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  callq *%rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size norn_call_once_routine, . - norn_call_once_routine
)");

namespace {

// Inside the library's own once: the others go on only when this has returned, so the event comes before it does.
void run_once() {
  ThreadState* state = current_state;
  void (*routine)() = state->once_routine;
  OnceFrame frame = {state->once_control, state->once_frame};
  if (const Inspection here; here) {
    here->once_frame = &frame;
    emit.once_seen(here.thread(), address_of(frame.control));  // of tries that failed
  }
  control::begin_routine(frame.control);
  norn_call_once_routine(routine);
  end_once();
}

template <class Control>
int once(Control* control, const norn_site& site, void (*routine)(), int (*real)(Control*, void (*)())) {
  bool known = false;
  if (is_controlled() && control::active()) {
    control::point(control::Op::kAcquire, control, &site);
    control::await_routine(control);
  }
  if (const Inspection here; here) {
    here->once_routine = routine;
    here->once_control = control;
    known = true;
  }
  const int result = real(control, known ? &run_once : routine);
  if (known) {
    if (const Inspection here; here) emit.once_seen(here.thread(), address_of(control));
  }
  return result;
}

}  // namespace

NORN_INTERPOSE(int, pthread_once, (pthread_once_t * control, void (*routine)())) {
  if (!has_started()) return EINVAL;
  return once(control, site_pthread_once, routine, real_pthread_once);
}

NORN_INTERPOSE(void, call_once, (once_flag * control, void (*routine)())) {
  if (!has_started()) return;
  once(
      control, site_call_once, routine, +[](once_flag* flag, void (*what)()) {
        real_call_once(flag, what);
        return 0;
      });
}

// --- local statics -----------------------------------------------------------------------------------------------
//
// Compiled code reads the guard's first byte itself, with acquire, and calls these only where it is zero. So the
// release goes to the release clock of that byte.

NORN_INTERPOSE_OPTIONAL(int, __cxa_guard_acquire, (uint64_t* guard)) {
  if (!has_started() || real___cxa_guard_acquire == nullptr) return *reinterpret_cast<char*>(guard) == 0;
  if (is_controlled() && control::active()) {
    control::point(control::Op::kAcquire, guard, &site___cxa_guard_acquire);
    control::await_routine(guard);
  }
  const int result = real___cxa_guard_acquire(guard);
  if (result != 0) control::begin_routine(guard);
  // Also of who has to try again because the first one threw.
  if (const Inspection here; here) emit.once_seen(here.thread(), address_of(guard));
  return result;
}

NORN_INTERPOSE_OPTIONAL(void, __cxa_guard_abort, (uint64_t* guard)) {
  if (!has_started() || real___cxa_guard_abort == nullptr) return;
  if (const Inspection here; here) emit.once_done(here.thread(), address_of(guard));
  real___cxa_guard_abort(guard);
  control::end_routine(guard);
}

NORN_INTERPOSE_OPTIONAL(void, __cxa_guard_release, (uint64_t* guard)) {
  if (!has_started() || real___cxa_guard_release == nullptr) {
    *reinterpret_cast<char*>(guard) = 1;
    return;
  }
  if (const Inspection here; here) {
    emit.once_done(here.thread(), address_of(guard));
    emit.atomic(here.thread(), address_of(guard), 1, stack_id(*here, &site___cxa_guard_release),
                [] { return AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
  }
  real___cxa_guard_release(guard);
  control::end_routine(guard);
}
