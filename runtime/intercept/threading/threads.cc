#include "runtime/intercept/threading/threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <threads.h>

#include "base/hash.h"
#include "runtime/control/control.h"
#include "runtime/hooks/check_state.h"
#include "runtime/hooks/sampling.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/rights.h"
#include "runtime/intercept/signals.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/process.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/misuse.h"
#include "runtime/reporting/recording.h"

namespace norn::rt {
namespace {

NORN_REAL(int, pthread_key_create, (pthread_key_t * key, void (*destructor)(void*)))
NORN_REAL(int, pthread_setspecific, (pthread_key_t key, const void* value))
NORN_REAL(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t* attributes))
NORN_REAL(int, pthread_attr_getstack, (const pthread_attr_t* attributes, void** address, size_t* size))
NORN_REAL(int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size))
NORN_REAL(int, pthread_attr_destroy, (pthread_attr_t * attributes))
NORN_REAL(int, pthread_getattr_default_np, (pthread_attr_t * attributes))
NORN_REAL(pthread_t, pthread_self, ())
NORN_REAL(void, pthread_testcancel, ())

constinit pthread_key_t end_key = 0;
// Threads that are being created and have no state yet: they are inside, too.
constinit std::atomic<int> beginning{0};

// --- which number a pthread_t has --------------------------------------------------------------------------------

struct Handle {
  uintptr_t pthread;
  ThreadId id;
  Handle* next;
};
constexpr unsigned kBuckets = 4096;
constinit SpinMutex handles_mutex;
constinit Handle** handles = nullptr;

Handle** handle_bucket(uintptr_t pthread) { return &handles[hash_word(pthread >> 6) >> 52]; }

void add_handle(uintptr_t pthread, ThreadId id) {
  const SpinLock lock(handles_mutex);
  Handle** bucket = handle_bucket(pthread);
  for (Handle* handle = *bucket; handle != nullptr; handle = handle->next) {
    if (handle->pthread != pthread) continue;
    handle->id = id;
    return;
  }
  auto* made = memory.create<Handle>();
  if (made == nullptr) return;
  *made = {pthread, id, *bucket};
  *bucket = made;
}

void remove_handle(uintptr_t pthread, ThreadId id) {
  const SpinLock lock(handles_mutex);
  for (Handle** place = handle_bucket(pthread); *place != nullptr; place = &(*place)->next) {
    Handle* handle = *place;
    if (handle->pthread != pthread || handle->id != id) continue;
    *place = handle->next;
    memory.destroy(handle);
    return;
  }
}

ThreadId find_handle(uintptr_t pthread) {
  const SpinLock lock(handles_mutex);
  for (const Handle* handle = *handle_bucket(pthread); handle != nullptr; handle = handle->next) {
    if (handle->pthread == pthread) return handle->id;
  }
  return kNoThread;
}

// A thread makes itself known when it begins, which may be later than its creator's next step. From outside.
ThreadId await_handle(uintptr_t pthread) {
  constexpr uint64_t kPatience = 2000000;  // then it is a thread the runtime never saw
  const uint64_t begin = sys::now();
  for (;;) {
    if (const Inspection here; here) {
      const ThreadId id = find_handle(pthread);
      if (id != kNoThread || sys::now() - begin > kPatience) return id;
    } else {
      return kNoThread;
    }
    sys::yield();
  }
}

// --- begin and end -----------------------------------------------------------------------------------------------

void end_thread(ThreadState& state) {
  if (!enter(state)) return;
  if (ThreadInfo* info = thread_info(state.id); info != nullptr) info->ended = true;
  // Who dies with a robust mutex hands it on. Nobody gets one that is not robust, so giving it up orders nothing.
  while (state.core->held_count > 0) {
    const Held& held = state.core->held[state.core->held_count - 1];
    emit.lock_release(*state.core, held.address, held.mode);
  }
  if (state.core->detached.load(std::memory_order_relaxed)) remove_handle(state.pthread, state.id);
  use_check_of(nullptr);
  end_sampling();
  emit.exit(*state.core);
  end_recording_of(state);
  current_ended = true;
  current_state = nullptr;
  // Signals that were kept would be lost with the state.
  leave(state);
  release_state(state);
  control::end();
}

// The destructor of a thread-specific key. Others may run after it and make more events, so it waits for the last
// round.
void at_thread_end(void* argument) {
  auto* state = static_cast<ThreadState*>(argument);
  if (++state->exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    real_pthread_setspecific(end_key, state);
    return;
  }
  end_thread(*state);
}

struct Begin {
  void* (*routine)(void*);
  int (*c11_routine)(void*);
  void* argument;
  Thread* core;
  ThreadId id;
  uint32_t slot;  // under control
  bool has_mask;  // signals are blocked until the thread is known
  size_t stack;   // its size; 0: as by default
  SignalMask mask;
};

Begin begin_new_thread(void* block) {
  auto* begin = static_cast<Begin*>(block);
  const Begin copy = *begin;
  // A signal that was not blocked may have come first, and its handler may have made the thread known as a root.
  if (ThreadState* early = current_state; early != nullptr) {
    early->exit_rounds = PTHREAD_DESTRUCTOR_ITERATIONS;
    end_thread(*early);
  }
  // Until the state is there, nothing this thread does is an event.
  current_ended = true;
  Address stack_begin = 0;
  Address stack_end = 0;
  const size_t size = find_own_stack(copy.stack, stack_begin, stack_end);
  ThreadState* state = make_state(copy.id, copy.core, size);
  if (state == nullptr) {
    memory.destroy(begin);
    emit.exit(*copy.core);
    beginning.fetch_sub(1, std::memory_order_release);
    if (copy.has_mask) set_signal_mask(copy.mask);
    return copy;
  }
  state->depth.store(1, std::memory_order_seq_cst);
  beginning.fetch_sub(1, std::memory_order_seq_cst);
  if (gate.load(std::memory_order_seq_cst)) (void)wait_at_gate(*state);  // not in a handler: it opens
  memory.destroy(begin);
  state->stack_begin = stack_begin;
  state->stack_end = stack_end;
  __norn_stack = state->calls.begin;
  current_state = state;
  current_ended = false;
  begin_thread(*state);
  // A dead thread's stack was at the same place: what happened there is not shared with this thread.
  if (stack_begin != 0) emit.allocate(*state->core, stack_begin, stack_end - stack_begin);
  leave(*state);
  if (copy.slot != control::kNoSlot) control::begin(copy.slot);
  if (copy.has_mask) set_signal_mask(copy.mask);
  return copy;
}

void* run_thread(void* block) {
  const Begin begin = begin_new_thread(block);
  return begin.routine(begin.argument);
}

int run_c11_thread(void* block) {
  const Begin begin = begin_new_thread(block);
  return begin.c11_routine(begin.argument);
}

Begin* announce_thread(const norn_site& site, bool detached, const void* creator) {
  const Inspection here;
  if (!here) return nullptr;
  auto* begin = memory.create<Begin>();
  if (begin == nullptr) return nullptr;
  begin_watching();
  beginning.fetch_add(1, std::memory_order_relaxed);
  *begin = {nullptr, nullptr, nullptr, nullptr, new_thread_number(), control::kNoSlot, false, 0, 0};
  if (ThreadInfo* info = thread_info(begin->id); info != nullptr) {
    info->created_at = stack_id(*here, &site);
    info->creator = creator;
    info->parent = here->id;
  }
  begin->core = emit.fork(here.thread(), begin->id);
  if (begin->core == nullptr) {
    memory.destroy(begin);
    beginning.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (detached) emit.detach(here.thread(), begin->id);
  return begin;
}

// The child exists for the core before it can begin.
Begin* prepare_thread(const norn_site& site, bool detached, const void* creator) {
  control::pass(control::Op::kCreate, nullptr, site);
  Begin* begin = announce_thread(site, detached, creator);
  if (begin != nullptr && is_controlled() && control::active()) {
    begin->slot = control::reserve(begin->id);
    expect_exit();
  }
  return begin;
}

// The attributes of a thread, with room on a small stack for what the runtime itself puts there. (Not on one that the
// program made: that has the size it has.)
class RoomyAttributes {
 public:
  explicit RoomyAttributes(const pthread_attr_t* given) : chosen_(given) {
    if (real_pthread_getattr_default_np == nullptr || real_pthread_attr_setstacksize == nullptr) return;
    if (given == nullptr) {
      if (real_pthread_getattr_default_np(&own_) != 0) return;
      is_default_ = true;
    } else {
      own_ = *given;  // which may be in use by others; what it refers to is only looked at
    }
    void* address = nullptr;
    size_t size = 0;
    real_pthread_attr_getstack(&own_, &address, &size);
    const bool is_programs = address_of(address) + size != 0;
    size_ = size;
    if (is_programs || size >= kEnough || real_pthread_attr_setstacksize(&own_, size + kRoom) != 0) return;
    chosen_ = &own_;
    size_ += kRoom;
  }
  ~RoomyAttributes() {
    if (is_default_) real_pthread_attr_destroy(&own_);
  }
  RoomyAttributes(const RoomyAttributes&) = delete;
  RoomyAttributes& operator=(const RoomyAttributes&) = delete;

  [[nodiscard]] const pthread_attr_t* get() const { return chosen_; }
  [[nodiscard]] size_t stack() const { return size_; }

 private:
  static constexpr size_t kEnough = 256 << 10;
  static constexpr size_t kRoom = 64 << 10;

  const pthread_attr_t* chosen_;
  pthread_attr_t own_;
  bool is_default_ = false;
  size_t size_ = 0;
};

void undo_thread(Begin* begin) {
  const Inspection here;
  if (!here) return;
  emit.detach(here.thread(), begin->id);
  emit.exit(*begin->core);
  memory.destroy(begin);
  beginning.fetch_sub(1, std::memory_order_relaxed);
}

// Under control: until the thread has ended, or it is too late (false). To wait for oneself is the library's to refuse.
bool await_end(uintptr_t pthread, ThreadId id, const norn_site& site, clockid_t clock, const timespec* until) {
  if (!is_controlled() || id == kNoThread || pthread == real_pthread_self() || !control::active()) return true;
  control::point(control::Op::kJoin, nullptr, &site);
  const control::Time late = control::deadline(clock, until);
  control::Woken woken = control::join(id, late);
  for (; woken == control::Woken::kInterrupted; woken = control::join(id, late)) real_pthread_testcancel();
  return woken != control::Woken::kTimeout;
}

void joined(uintptr_t pthread, ThreadId id) {
  const Inspection here;
  if (!here || id == kNoThread) return;
  emit.join(here.thread(), id);
  remove_handle(pthread, id);
}

void detached(uintptr_t pthread, ThreadId id) {
  const Inspection here;
  if (!here || id == kNoThread) return;
  emit.detach(here.thread(), id);
  remove_handle(pthread, id);
}

}  // namespace

namespace {

size_t default_stack() {
  pthread_attr_t attributes;
  void* address = nullptr;
  size_t size = size_t{8} << 20;
  if (real_pthread_getattr_default_np == nullptr || real_pthread_getattr_default_np(&attributes) != 0) return size;
  real_pthread_attr_getstack(&attributes, &address, &size);
  real_pthread_attr_destroy(&attributes);
  return size;
}

}  // namespace

size_t find_own_stack(size_t given, Address& begin, Address& end) {
  if (sys::restricted.load(std::memory_order_relaxed)) {
    // The C library would ask the kernel for more than the stack. It puts the thread's descriptor at its upper end.
    const size_t size = given != 0 ? given : default_stack();
    end = static_cast<Address>(real_pthread_self());
    begin = end - size;
    return size;
  }
  pthread_attr_t attributes;
  if (real_pthread_getattr_np == nullptr || real_pthread_getattr_np(real_pthread_self(), &attributes) != 0) {
    return size_t{8} << 20;
  }
  void* address = nullptr;
  size_t size = 0;
  real_pthread_attr_getstack(&attributes, &address, &size);
  real_pthread_attr_destroy(&attributes);
  begin = address_of(address);
  end = begin + size;
  return size;
}

bool init_threads() {
  handles = static_cast<Handle**>(memory.allocate_forever(kBuckets * sizeof(Handle*)));
  if (handles == nullptr) return false;
  if (real_pthread_key_create != nullptr) real_pthread_key_create(&end_key, &at_thread_end);
  return true;
}

void begin_thread(ThreadState& state) {
  Address self = 0;
  asm("mov %%fs:0, %0" : "=r"(self));
  state.thread_pointer = self;
  state.pthread = real_pthread_self != nullptr ? real_pthread_self() : self;
  if (ThreadInfo* info = thread_info(state.id); info != nullptr) {
    info->stack_begin = state.stack_begin;
    info->stack_end = state.stack_end;
  }
  record_thread(state.id);
  add_handle(state.pthread, state.id);
  use_check_of(state.core);
  begin_sampling(state);
  if (real_pthread_setspecific != nullptr) real_pthread_setspecific(end_key, &state);
}

bool threads_are_beginning() { return beginning.load(std::memory_order_acquire) != 0; }

void forget_other_threads(ThreadState& self) {
  beginning.store(0, std::memory_order_relaxed);
  for (ThreadState* other = first_state(); other != nullptr; other = other->next) {
    if (other == &self || !other->live.load(std::memory_order_relaxed)) continue;
    if (other->core != nullptr) emit.join(*self.core, other->core->id);
    remove_handle(other->pthread, other->id);
    release_state(*other);
  }
}

void note_thread_leaks() {
  constexpr unsigned kMost = 32;
  ThreadId leaked[kMost];
  unsigned count = 0;
  {
    const Inspection here;
    if (!here) return;
    const SpinLock lock(handles_mutex);
    for (unsigned i = 0; i < kBuckets; ++i) {
      for (const Handle* handle = handles[i]; handle != nullptr && count < kMost; handle = handle->next) {
        const ThreadInfo* info = thread_info(handle->id);
        if (info != nullptr && info->ended) leaked[count++] = handle->id;
      }
    }
  }
  for (unsigned i = 0; i < count; ++i) note_thread_leak(leaked[i]);
}

const ThreadState* live_owner_of_stack(Address address, Address& end) {
  for (const ThreadState* state = first_state(); state != nullptr; state = state->next) {
    if (!state->live.load(std::memory_order_acquire)) continue;
    const ThreadInfo* info = thread_info(state->id);
    if (info == nullptr || address < info->stack_begin || address >= info->stack_end) continue;
    end = info->stack_end;
    return state;
  }
  return nullptr;
}

ThreadId thread_of_stack(Address address) {
  Address end = 0;
  if (const ThreadState* owner = live_owner_of_stack(address, end); owner != nullptr) return owner->id;
  for (ThreadId id = thread_numbers(); id > 1; --id) {
    const ThreadInfo* info = thread_info(id - 1);
    if (info != nullptr && address >= info->stack_begin && address < info->stack_end) return id - 1;
  }
  return kNoThread;
}

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

NORN_REAL(int, pthread_attr_getsigmask_np, (const pthread_attr_t* attributes, sigset_t* mask))
NORN_REAL(int, pthread_attr_getdetachstate, (const pthread_attr_t* attributes, int* state))

NORN_INTERPOSE(int, pthread_create,
               (pthread_t * thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument)) {
  if (!has_started()) return EAGAIN;
  note_unheard_runtime(__builtin_return_address(0));
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) real_pthread_attr_getdetachstate(attributes, &state);
  Begin* begin = prepare_thread(site_pthread_create, state == PTHREAD_CREATE_DETACHED, __builtin_return_address(0));
  if (begin == nullptr) return real_pthread_create(thread, attributes, routine, argument);
  begin->routine = routine;
  begin->argument = argument;
  sigset_t own = {};
  const bool has_own_mask = attributes != nullptr && real_pthread_attr_getsigmask_np(attributes, &own) == 0;
  const SignalsBlocked blocked;
  begin->has_mask = !has_own_mask;
  begin->mask = blocked.before();
  const uint32_t slot = begin->slot;  // the thread that begins releases it
  const RoomyAttributes roomy(attributes);
  begin->stack = roomy.stack();
  int result = real_pthread_create(thread, roomy.get(), &run_thread, begin);
  if (result != 0 && roomy.get() != attributes) result = real_pthread_create(thread, attributes, &run_thread, begin);
  if (result != 0) undo_thread(begin);
  if (slot != control::kNoSlot) result == 0 ? control::created(slot) : control::release(slot);
  return result;
}

NORN_INTERPOSE(int, pthread_join, (pthread_t thread, void** value)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = await_handle(thread);
  (void)await_end(thread, id, site_pthread_join, CLOCK_REALTIME, nullptr);
  const int result = real_pthread_join(thread, value);
  if (result == 0) joined(thread, id);
  return result;
}

NORN_INTERPOSE(int, pthread_tryjoin_np, (pthread_t thread, void** value)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = await_handle(thread);
  const int result = real_pthread_tryjoin_np(thread, value);
  if (result == 0) joined(thread, id);
  return result;
}

NORN_INTERPOSE(int, pthread_timedjoin_np, (pthread_t thread, void** value, const timespec* until)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = await_handle(thread);
  if (!await_end(thread, id, site_pthread_timedjoin_np, CLOCK_REALTIME, until)) return ETIMEDOUT;
  const int result = real_pthread_timedjoin_np(thread, value, until);
  if (result == 0) joined(thread, id);
  return result;
}

NORN_INTERPOSE(int, pthread_clockjoin_np, (pthread_t thread, void** value, clockid_t clock, const timespec* until)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = await_handle(thread);
  if (!await_end(thread, id, site_pthread_clockjoin_np, clock, until)) return ETIMEDOUT;
  const int result = real_pthread_clockjoin_np(thread, value, clock, until);
  if (result == 0) joined(thread, id);
  return result;
}

NORN_INTERPOSE(int, pthread_detach, (pthread_t thread)) {
  if (!has_started()) return EINVAL;
  // Before the call: afterwards the handle may belong to another thread.
  const ThreadId id = await_handle(thread);
  if (id != kNoThread) detached(thread, id);
  return real_pthread_detach(thread);
}

NORN_INTERPOSE(int, thrd_create, (thrd_t * thread, thrd_start_t routine, void* argument)) {
  if (!has_started()) return thrd_error;
  Begin* begin = prepare_thread(site_thrd_create, false, __builtin_return_address(0));
  if (begin == nullptr) return real_thrd_create(thread, routine, argument);
  begin->c11_routine = routine;
  begin->argument = argument;
  const SignalsBlocked blocked;
  begin->has_mask = true;
  begin->mask = blocked.before();
  const uint32_t slot = begin->slot;
  const int result = real_thrd_create(thread, &run_c11_thread, begin);
  if (result != thrd_success) undo_thread(begin);
  if (slot != control::kNoSlot) result == thrd_success ? control::created(slot) : control::release(slot);
  return result;
}

NORN_INTERPOSE(int, thrd_join, (thrd_t thread, int* value)) {
  if (!has_started()) return thrd_error;
  const ThreadId id = await_handle(thread);
  (void)await_end(thread, id, site_thrd_join, CLOCK_REALTIME, nullptr);
  const int result = real_thrd_join(thread, value);
  if (result == thrd_success) joined(thread, id);
  return result;
}

NORN_INTERPOSE(int, thrd_detach, (thrd_t thread)) {
  if (!has_started()) return thrd_error;
  const ThreadId id = await_handle(thread);
  if (id != kNoThread) detached(thread, id);
  return real_thrd_detach(thread);
}

NORN_INTERPOSE(int, pthread_setname_np, (pthread_t thread, const char* name)) {
  if (!has_started()) return EINVAL;
  const int result = real_pthread_setname_np(thread, name);
  if (result == 0) {
    const ThreadId id = await_handle(thread);
    if (const Inspection here; here && id != kNoThread) set_thread_name(id, name);
  }
  return result;
}

NORN_INTERPOSE(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)) {
  if (!has_started()) return -1;
  RightsGivenUp rights(__NR_prctl, option);
  const int result = real_prctl(option, a, b, c, d);
  rights.done(result);
  if (option == PR_SET_NAME && result == 0) {
    if (const Inspection here; here) set_thread_name(here->id, reinterpret_cast<const char*>(a));
  }
  return result;
}

// What waits under control does not wait in the library: the scheduler hears that something comes.
NORN_INTERPOSE(int, pthread_cancel, (pthread_t thread)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = await_handle(thread);
  if (id != kNoThread) sending_signal(kCancellation, id);
  const int result = real_pthread_cancel(thread);
  if (result == 0 && id != kNoThread && is_controlled() && control::active()) control::interrupt(id, true);
  return result;
}

NORN_INTERPOSE(int, pthread_kill, (pthread_t thread, int number)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = number != 0 ? await_handle(thread) : kNoThread;
  sending_signal(number, id);
  const int result = real_pthread_kill(thread, number);
  if (result == 0 && id != kNoThread && is_controlled() && control::active()) control::interrupt(id, false);
  return result;
}

NORN_INTERPOSE(int, pthread_sigqueue, (pthread_t thread, int number, const sigval value)) {
  if (!has_started()) return EINVAL;
  const ThreadId id = number != 0 ? await_handle(thread) : kNoThread;
  sending_signal(number, id);
  const int result = real_pthread_sigqueue(thread, number, value);
  if (result == 0 && id != kNoThread && is_controlled() && control::active()) control::interrupt(id, false);
  return result;
}
