// What is registered to be done at the program's end happens after it was registered, in whichever thread it is done.
#include <stdlib.h>

#include "core/order/release_clock.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"

using namespace norn;
using namespace norn::rt;

namespace {

using Function = void (*)(void*);
using StatusFunction = void (*)(int, void*);

template <class Called>
struct Call {
  Called function = nullptr;
  void* argument = nullptr;
};

// One that is to come.
template <class Called>
struct AtExit {
  Call<Called> call;
  ReleaseClock registered;
};

// Null: nothing is known of the calling thread, or there is no memory.
template <class Called>
AtExit<Called>* register_call(Called function, void* argument) {
  const Inspection here;
  if (!here) return nullptr;
  auto* made = memory.create<AtExit<Called>>();
  if (made == nullptr) return nullptr;
  made->call = {function, argument};
  emit.clock_release(here.thread(), made->registered);
  return made;
}

template <class Called>
void forget(AtExit<Called>* call) {
  const Inspection here;
  if (!here) return;
  emit.clock_clear(call->registered);
  memory.destroy(call);
}

template <class Called>
Call<Called> begin_call(void* registered) {
  auto* at_exit = static_cast<AtExit<Called>*>(registered);
  const Call<Called> call = at_exit->call;
  if (const Inspection here; here) emit.clock_acquire(here.thread(), at_exit->registered);
  forget(at_exit);
  return call;
}

void call_at_exit(void* registered) {
  const auto call = begin_call<Function>(registered);
  call.function(call.argument);
}

void call_with_status(int status, void* registered) {
  const auto call = begin_call<StatusFunction>(registered);
  call.function(status, call.argument);
}

// The C library gives functions for a quick exit no argument, so there is one release clock for all.
constinit ReleaseClock quick;

}  // namespace

// atexit() is this one; so are the destructors of objects that live as long as the program, or as their module.
NORN_INTERPOSE(int, __cxa_atexit, (Function function, void* argument, void* module)) {
  if (!has_started()) return -1;
  auto* call = register_call(function, argument);
  if (call == nullptr) return real___cxa_atexit(function, argument, module);
  const int result = real___cxa_atexit(&call_at_exit, call, module);
  if (result != 0) forget(call);
  return result;
}

NORN_INTERPOSE(int, on_exit, (StatusFunction function, void* argument)) {
  if (!has_started()) return -1;
  auto* call = register_call(function, argument);
  if (call == nullptr) return real_on_exit(function, argument);
  const int result = real_on_exit(&call_with_status, call);
  if (result != 0) forget(call);
  return result;
}

// at_quick_exit() is this one.
NORN_INTERPOSE(int, __cxa_at_quick_exit, (Function function, void* module)) {
  if (!has_started()) return -1;
  if (const Inspection here; here) emit.clock_release(here.thread(), quick);
  return real___cxa_at_quick_exit(function, module);
}

NORN_INTERPOSE(void, quick_exit, (int status)) {
  if (has_started()) {
    if (const Inspection here; here) emit.clock_acquire(here.thread(), quick);
  }
  exits_quickly(status);
  real_quick_exit(status);
}
