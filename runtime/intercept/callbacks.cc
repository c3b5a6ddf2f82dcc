#include "runtime/intercept/callbacks.h"

#include "runtime/control/control.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/hooks/check_state.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/process/emit.h"

namespace norn::rt {

namespace {

// Each call has a new thread, which nobody announced, on a stack that another may have had.
void call_back(sigval value) {
  auto* callback = static_cast<Callback*>(value.sival_ptr);
  const auto function = callback->function;
  const sigval argument = callback->value;
  const int queue = callback->queue;
  if (const Inspection here; here) {
    emit.clock_acquire(here.thread(), callback->asked);
    Address begin = 0;
    Address end = 0;
    if (find_own_stack(0, begin, end) != 0 && begin != 0) emit.allocate(here.thread(), begin, end - begin);
    if (queue >= 0) {
      emit.clock_clear(callback->asked);
      memory.destroy(callback);
    }
  }
  became_readable(queue);
  function(argument);
}

}  // namespace

Callback* wrap_callback(sigevent& event) {
  if (event.sigev_notify != SIGEV_THREAD) return nullptr;
  const Inspection here;
  if (!here) return nullptr;
  begin_watching();  // there will be another thread
  control::expect_callbacks();
  auto* callback = memory.create<Callback>();
  if (callback == nullptr) return nullptr;
  callback->function = event.sigev_notify_function;
  callback->value = event.sigev_value;
  event.sigev_notify_function = &call_back;
  event.sigev_value.sival_ptr = callback;
  return callback;
}

void release_to(Callback& callback) {
  if (const Inspection here; here) emit.clock_release(here.thread(), callback.asked);
}

}  // namespace norn::rt
